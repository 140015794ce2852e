#include "sim/exec/issue/exec_warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/engine/archive.h"
#include "sim/exec/async/transfer.h"
#include "sim/exec/block.h"
#include "sim/exec/handlers/by_lane.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/issue/exec_grid.h"
#include "sim/exec/issue/references.h"
#include "sim/exec/issue/served.h"

namespace heddle::executed {
namespace {

using exec::Group;
using exec::Inst;
using exec::Kind;

// Turns of a loop after which lanes of other groups get theirs: of one that looks for what others do, of one
// that may, of any.
constexpr uint32_t kStrongSpins = 1, kWeakSpins = 1 << 14, kSliceTurns = 1 << 16;

constexpr double kNsPerUs = 1000;

}  // namespace

ExecCode::ExecCode(const isa::KernelImage& i, const exec::Code& c, const std::vector<uint32_t>& o,
                   const Tellings* t, const isa::Device& device, bool served)
    : image(i),
      code(c),
      origins(o),
      tellings(t),
      silent(c.insts.size()),
      serves(served),
      sms(device.sms),
      ns_per_cycle(kNsPerUs / device.core_mhz),
      counts_arrivals_(counts_arrivals(c, i)) {
  for (size_t pc = 0; pc < c.insts.size(); ++pc) {
    const bool same = pc > 0 && origins[pc] == origins[pc - 1];
    silent[pc] = origins[pc] >= image.code.size() || (same && (silent[pc - 1] || c.insts[pc - 1].counted));
  }
}

ExecWarp::ExecWarp(const ExecCode& code, exec::WarpCore& warp, ExecBlock& block)
    : code_(code), w_(warp), block_(block), teller_(code.tellings) {
  time_.ns_per_cycle = code.ns_per_cycle;
  w_.observer = this;
  w_.time = &time_;
}

ExecWarp::ExecWarp(ExecWarp&& other) noexcept : ExecWarp(other.code_, other.w_, other.block_) {}

// Other warps issue before this one does: time to bring its registers into the host's cache.
void ExecWarp::fetch(const Inst& in, const exec::Banks& b) {
  constexpr size_t kHostLine = 64;
  const auto bring = [&](exec::Slot s) {
    const auto* r = reinterpret_cast<const char*>(b.at(s));
    for (size_t i = 0; s >> 30 == static_cast<uint32_t>(exec::Bank::kFrame) && i < sizeof(exec::Register);
         i += kHostLine) {
      __builtin_prefetch(r + i);
    }
  };
  bring(in.s[0]);
  bring(in.s[1]);
  bring(in.s[2]);
  bring(in.d[0]);
}

void ExecWarp::let_others(Group& g) {
  g.turn = ++w_.turns;
  current_ = nullptr;
}

bool ExecWarp::spins() const {
  return (w_.strong_polls != 0 && w_.backward >= kStrongSpins) ||
         (w_.polls != 0 && w_.backward >= kWeakSpins) || w_.backward >= kSliceTurns;
}

std::span<const isa::Run> ExecWarp::next(uint64_t now) {
  time_.cycle = now;
  waits_ = false;
  uint32_t tried = 0;  // lanes that wait in vain
  while (!ended_) {
    if (current_ == nullptr) {
      w_.flow.merge(w_);
      current_ = w_.flow.choose(w_);
      w_.polls = w_.strong_polls = w_.backward = 0;
    }
    if (current_ == nullptr) {
      if (w_.alive == 0) {
        ended_ = true;
        block_.warp_ended();
        break;
      }
      if (w_.flow.release(w_)) {
        continue;
      }
      waits_ = true;
      break;
    }
    Group& g = *current_;
    if (!g.runs() || !meet(g)) {  // it waits, or is part of another one
      current_ = nullptr;
      continue;
    }
    if (!g.told && !code_.silent[g.pc]) {
      run_ = {code_.origins[g.pc], 1, g.mask};
      fetch(code_.code.insts[g.pc], w_.banks(g));
      return {&run_, 1};
    }
    if ((tried & g.mask) != 0) {
      waits_ = true;
      break;
    }
    const Inst& in = code_.code.insts[g.pc];
    if (code_.tellings != nullptr && later_.needs(code_.tellings->slots, g, g.pc)) {
      if (in.kind != Kind::kCompute) {
        waits_ = true;
        break;
      }
      later_.put_off(code_.tellings->slots, w_, g, g.pc++);
      continue;
    }
    const uint32_t lanes_here = g.mask;
    const bool goes_on = step(g, in, w_.lanes(g, in, w_.banks(g)), nullptr);
    if (std::exchange(w_.yields, false)) {
      tried |= lanes_here;
      let_others(g);
      w_.flow.release(w_);
    } else if (!goes_on) {
      current_ = nullptr;
    }
  }
  return {};
}

bool ExecWarp::meet(Group& g) {
  while (g.join >= 0) {
    const exec::Join& j = w_.joins[static_cast<size_t>(g.join)];
    if (g.pc != j.pc || g.base != j.base) {
      break;
    }
    if (!exec::arrive_at_join(w_, g)) {
      return false;
    }
  }
  return true;
}

bool ExecWarp::step(Group& g, const Inst& in, uint32_t mask, isa::Operands* out) {
  if (in.kind == Kind::kCompute) {
    w_.compute(in, mask, w_.banks(g));
    ++g.pc;
    return true;
  }
  w_.told = std::exchange(g.told, false);
  if (mask == 0) {
    ++g.pc;
    return true;
  }
  if (out != nullptr && code_.serves &&
      ((in.kind == Kind::kMemory && send(g, in, mask, *out)) ||
       (in.kind == Kind::kTransfer && send_copy(g, in, mask, *out)) ||
       (in.kind == Kind::kBarrierObject && arrive_later(g, in, mask)))) {
    return true;
  }
  const bool goes_on = exec::kHandlers[static_cast<size_t>(in.kind)](w_, g, in, mask);
  if (in.kind == Kind::kBarrier && in.d[0] == exec::kNoSlot && g.waits(Group::State::kAtBarrier) &&
      g.mask == w_.alive) {
    // The machine holds it, and knows what may issue before the barrier is complete.
    g.state = Group::State::kRunnable;
    ++g.pc;
    return true;
  }
  return goes_on;
}

void ExecWarp::issue(uint32_t code, uint32_t mask, isa::Operands& out) {
  time_.cycle = out.now;
  out_ = &out;
  out.served = false;
  out.active = mask;
  trace_.clear();
  Group* g = current_;
  bool goes_on = true;
  while (goes_on) {
    const uint32_t pc = g->pc;
    const Inst& in = code_.code.insts[pc];
    uint32_t here = w_.lanes(*g, in, w_.banks(*g));
    if (in.counted) {
      ++w_.executed;
      run_.mask = teller_.begin(code_.image.code[code], pc, g->mask, here);
      here &= run_.mask;
      if (teller_.knows()) {
        give_places();
      }
      w_.thread_executed += static_cast<uint32_t>(std::popcount(here));
    }
    if (code_.tellings != nullptr && later_.needs(code_.tellings->slots, *g, pc)) {
      if (in.kind != Kind::kCompute) {
        w_.fail(pc, static_cast<uint32_t>(std::countr_zero(g->mask)), "an operand has not come");
      }
      later_.put_off(code_.tellings->slots, w_, *g, g->pc++);
    } else {
      goes_on = step(*g, in, here, &out);
    }
    if (!goes_on || w_.yields || g->told || g->pc != pc + 1 || g->pc >= code_.origins.size() ||
        code_.origins[g->pc] != code) {
      break;
    }
  }
  out_ = nullptr;
  if (!goes_on) {
    current_ = nullptr;
  } else if (std::exchange(w_.yields, false) || spins()) {
    let_others(*g);
    w_.flow.release(w_);
  }
}

// Lanes whose addresses are in global memory.
uint32_t ExecWarp::global_lanes(const Group& g, const Inst& in, uint32_t mask) {
  const exec::MemoryOp& op = code_.code.memory[in.target];
  if (!may_be_global(op.space)) {
    return 0;
  }
  prepare(in, op, w_.banks(g), g.local, mask, w_.scratch.access);
  return in_global(w_.scratch.access);
}

// Global memory: the machine performs it; other lanes' accesses are done at once. False: all are others.
bool ExecWarp::send(Group& g, const Inst& in, uint32_t mask, isa::Operands& out) {
  const exec::MemoryOp& op = code_.code.memory[in.target];
  if (out.room == nullptr) {
    return false;
  }
  const uint32_t global = global_lanes(g, in, mask);
  if (global == 0) {
    return false;
  }
  exec::Access& a = w_.scratch.access;
  if (global != mask) {
    Group others = g;
    const uint32_t end = end_of_instruction(code_.origins, g.pc);
    exec::kHandlers[static_cast<size_t>(in.kind)](w_, others, in, mask & ~global);
    while (returns_values(op) && others.pc < end) {
      step(others, code_.code.insts[others.pc], mask & ~global, nullptr);
    }
    prepare(in, op, w_.banks(g), g.local, global, a);
    mask = run_.mask = global;
  }
  if (const exec::Refused r = refused(w_.spaces(), a); r.why != exec::Refusal::kNone) {
    w_.refuse(g, a, r);
  }
  teller_.keep(a.address, mask);
  out.served = true;
  out.atomic = pack(a, *out.room);
  out.address = isa::LaneAddresses::full(out.room->address);
  const uint32_t pc = g.pc++;
  if (returns_values(op)) {
    out.ticket = ++tickets_;
    g.pc = end_of_instruction(code_.origins, pc);
    pending_.push_back({pc, g, mask, out.ticket});
    if (code_.tellings != nullptr) {
      later_.sent(code_.tellings->slots, g, pc, mask, out.ticket);
    }
  }
  w_.polls += op.kind != exec::MemoryOp::Kind::kStore ? 1 : 0;
  w_.strong_polls += op.polls ? 1 : 0;
  w_.progress += op.kind == exec::MemoryOp::Kind::kStore ? 1 : 0;
  w_.writes += op.kind != exec::MemoryOp::Kind::kLoad ? 1 : 0;
  return true;
}

// LDGSTS: the machine reads, and when it has, shared memory is written. False: it is another one.
bool ExecWarp::send_copy(Group& g, const Inst& in, uint32_t mask, isa::Operands& out) {
  const exec::TransferOp& op = code_.code.transfers[in.target];
  if (op.kind != exec::TransferOp::Kind::kCopy || out.room == nullptr) {
    return false;
  }
  CopyUnderWay c;
  c.mask = mask;
  c.size = op.size;
  exec::Register from, to;
  by_lane(w_, g, mask, [&](uint32_t lane) {
    const exec::Transfer t = prepare(op, w_.banks(g), g.local, lane);
    c.to[lane] = copy_target(t, w_.spaces(), lane);
    c.bytes[lane] = static_cast<uint8_t>(t.bytes);
    from[lane] = t.from.address;
    to[lane] = t.to.address;
  });
  out.served = true;
  out.address = lanes_of(from, mask, out.room->address);
  out.copy_to = lanes_of(to, mask, out.room->second);
  c.ticket = out.ticket = ++tickets_;
  copies_.add(c);
  ++w_.progress;
  ++w_.writes;
  ++g.pc;
  return true;
}

// Copies that are under way arrive at a barrier object when they have come. False: there are none.
bool ExecWarp::arrive_later(Group& g, const Inst& in, uint32_t mask) {
  if (!code_.code.barrier_objects[in.target].after_copies || !copies_.under_way()) {
    return false;
  }
  copies_.arrive(w_, g, in, mask);
  ++w_.progress;
  ++w_.writes;
  ++g.pc;
  return true;
}

void ExecWarp::complete(uint32_t ticket, uint32_t mask, const isa::LaneValues& values) {
  const auto found =
      std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.ticket == ticket; });
  if (found == pending_.end()) {
    copies_.landed(w_, ticket, mask, values);  // or nobody wants them
    return;
  }
  Pending p = *found;
  *found = pending_.back();
  pending_.pop_back();
  const Inst& in = code_.code.insts[p.pc];
  exec::Access& a = w_.scratch.access;
  a.op = &code_.code.memory[in.target];
  a.mask = mask & p.mask;
  unpack(values, a);
  exec::complete(a, w_.banks(p.group));
  // What follows has the access's guard, as it was (can_be_served).
  const uint32_t end = p.group.pc;
  for (p.group.pc = p.pc + 1; p.group.pc < end;) {
    step(p.group, code_.code.insts[p.group.pc], p.mask, nullptr);
  }
  if (code_.tellings != nullptr) {
    later_.forget(ticket);
    later_.go_on(code_.tellings->slots, w_);
  }
}

void ExecWarp::give_places() {
  if (out_->room != nullptr) {
    out_->address = lanes_of(teller_.places(), run_.mask, out_->room->address);
  }
}

void ExecWarp::accessed_matrix(const exec::Block&, uint32_t, uint32_t, uint64_t base, uint64_t stride) {
  if (out_ != nullptr && teller_.keep_matrix(base, stride)) {
    give_places();
  }
}

// What it has done to memory itself the machine does not know of.
isa::WarpProgram::State ExecWarp::state() const {
  return {true, w_.hash() + (code_.serves ? 0 : w_.writes), w_.executed};
}

// What its registers and memory are, its block has saved.
std::optional<std::span<const isa::Run>> ExecWarp::serialize(Archive& ar) {
  size_t group = 0;  // from 1 on; 0: none
  for (size_t i = 0; i < w_.groups.size(); ++i) {
    group = current_ == &w_.groups[i] ? i + 1 : group;
  }
  ar(time_.cycle, group, run_.first, run_.count, run_.mask, waits_, ended_, tickets_, pending_);
  ar.check(group <= w_.groups.size(), "a group of lanes that there is not");
  if (ar.reading()) {
    current_ = group == 0 ? nullptr : &w_.groups[group - 1];
  }
  copies_.serialize(ar, w_.reach);
  ar(later_, teller_);
  return std::span<const isa::Run>(&run_, 1);
}

std::string ExecWarp::place() const { return block_.block().warp(w_.index).waits(); }

void ExecWarp::read_operands(uint32_t pc, uint32_t mask, isa::MemRef first) {
  const isa::Instr& in = code_.image.code[code_.origins[pc]];
  if (in.mem_refs == 0 || out_ == nullptr) {
    return;
  }
  operands_.read(code_.image, in, mask, w_.reach.rank, code_.phases(), trace_, &first, *out_);
  if (out_->room != nullptr && out_->address.kind == isa::LaneAddresses::Kind::kFull) {
    // trace_ is the next instruction's before the machine has looked.
    std::copy_n(out_->address.values, std::popcount(mask), out_->room->address);
    out_->address = isa::LaneAddresses::full(out_->room->address);
  }
}

void ExecWarp::accessed(const exec::Block&, uint32_t, uint32_t pc, uint32_t mask,
                        const exec::Register& address, const exec::Register* to) {
  if (out_ == nullptr) {
    return;
  }
  const isa::Instr& in = code_.image.code[code_.origins[pc]];
  if (in.mem_refs == 0) {
    return;
  }
  if (to != nullptr && (in.flags & isa::kFlagAsyncStore) != 0) {
    read_operands(pc, mask, reference(trace_, mask, exec::BarrierObjectOp::Kind::kArrive, address, *to));
    return;
  }
  teller_.keep(address, mask);
  if (out_->room == nullptr) {
    return;
  }
  out_->address = lanes_of(address, mask, out_->room->address);
  if (to != nullptr && in.mem_refs > 1) {
    out_->copy_to = lanes_of(*to, mask, out_->room->second);
  }
}

void ExecWarp::synchronised(const exec::Block&, uint32_t, uint32_t pc, uint32_t mask,
                            exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                            const exec::Register& operand) {
  if (out_ != nullptr) {
    read_operands(pc, mask, reference(trace_, mask, kind, object, operand));
  }
}

void ExecWarp::arrived(const exec::Block&, uint32_t, uint32_t number, uint32_t threads) {
  if (out_ != nullptr) {
    out_->barrier = {.threads = threads, .number = static_cast<uint8_t>(number)};
  }
}

void ExecWarp::transferred(const exec::Block&, uint32_t, uint32_t pc, uint32_t lane,
                           const exec::Transfer& t) {
  if (out_ != nullptr) {
    read_operands(pc, 1U << lane, reference(trace_, t));
  }
}

void ExecWarp::used_tensor_memory(const exec::Block&, uint32_t, uint32_t pc, uint32_t lane,
                                  const exec::TensorMemoryOp& op, const exec::TensorUse& use) {
  if (out_ != nullptr) {
    read_operands(pc, 1U << lane, reference(trace_, op, use));
  }
}

}  // namespace heddle::executed
