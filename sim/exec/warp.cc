#include "sim/exec/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/base/error.h"
#include "sim/exec/cluster.h"
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

// A group that has gone round so many times looks for what another thread is to do: with loads that say so,
// and with others.
constexpr uint32_t kStrongSpins = 64;
constexpr uint32_t kObservedSpins = 1;  // who looks on is to see few turns in vain
constexpr uint32_t kWeakSpins = 1 << 14;
constexpr uint32_t kSliceTurns = 1 << 16;  // the same with no loads at all: others get their turn

// Lanes of other groups may have something else in the register than a predicate.
uint32_t lanes_of(const Register& predicate) {
  uint32_t out = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    out |= (static_cast<uint32_t>(predicate[lane]) & 1) << lane;
  }
  return out;
}

}  // namespace

Warp::Warp(Block& block, uint32_t index, uint32_t lanes)
    : block_(block),
      code_(*block.launch().code),
      observer_(block.launch().observer),
      time_(block.launch().time),
      index_(index),
      by_stack_(!code_.explicit_convergence &&
                (code_.reconvergence_stack || block.launch().reconvergence_stack)),
      alive_(lanes) {
  const FunctionInfo& entry = code_.functions[code_.entry];
  warp_registers_.reserve(kFirstSpecial + code_.specials.size() + code_.parameter_words.size());
  warp_registers_.resize(kFirstSpecial + code_.specials.size());
  warp_registers_[kStackSlot & kSlotIndex].fill(kStackBase);
  for (size_t i = 0; i < code_.specials.size(); ++i) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      warp_registers_[kFirstSpecial + i][lane] =
          special_value(code_.specials[i], block, index * kLanes + lane, index);
    }
  }
  const std::vector<uint8_t>& parameters = block.launch().parameters;
  for (const uint32_t offset : code_.parameter_words) {
    uint32_t word = 0;
    if (offset + sizeof word <= parameters.size()) {
      std::memcpy(&word, parameters.data() + offset, sizeof word);
    }
    warp_registers_.emplace_back().fill(word);
  }
  registers_.resize(entry.registers);
  local_bytes_ = block.launch().local_bytes();
  local_.resize(size_t{kLanes} * local_bytes_);
  groups_[0].pc = entry.first;
  groups_[0].mask = lanes;
}

void Warp::set_special(Special which, uint64_t value) {
  for (size_t i = 0; i < code_.specials.size(); ++i) {
    if (code_.specials[i] == which) {
      warp_registers_[kFirstSpecial + i].fill(value);
    }
  }
}

Banks Warp::banks(const Group& g) {
  // The constants are never written: no instruction has one as its result.
  return {{registers_.data() + g.base, const_cast<Register*>(code_.constants.data()), warp_registers_.data(),
           nullptr}};
}

Spaces Warp::spaces() {
  const Launch& launch = block_.launch();
  return {launch.memory,      block_.cluster().shared(),
          block_.rank(),      block_.system(),
          local_.data(),      local_bytes_,
          stack_.data(),      stack_bytes_,
          code_.const_data,   launch.parameters,
          code_.parameter_at, block_.cluster().written()};
}

// Who has waited longest; then the deepest call, so that callers wait for those that parted in the function;
// then who is behind. Of machine code, as in the H200's recordings, who parted from others last.
Warp::Group* Warp::choose() {
  if (by_stack_) {
    return top_of_stack();
  }
  Group* best = nullptr;
  for (Group& g : groups_) {
    if (g.mask == 0 || g.state != State::kRunnable) {
      continue;
    }
    if (best != nullptr && code_.explicit_convergence && g.turn == best->turn) {
      best = g.born > best->born ? &g : best;
    } else if (best == nullptr || g.turn < best->turn ||
               (g.turn == best->turn && (g.base > best->base || (g.base == best->base && g.pc < best->pc)))) {
      best = &g;
    }
  }
  return best;
}

Warp::Status Warp::run(uint64_t instructions, uint64_t hold) {
  if (!std::exchange(held_, false)) {
    until_ = executed_ + instructions;
    spun_ = 0;
  }
  hold_at_ = hold < UINT64_MAX - executed_ ? executed_ + hold : UINT64_MAX;
  for (bool first = true;; first = false) {
    Group* g = std::exchange(paused_, nullptr);
    const bool goes_on = first && g != nullptr && in_group_;
    in_group_ = false;
    if (g == nullptr) {
      merge();
      g = choose();
    }
    if (g == nullptr) {
      if (alive_ == 0) {
        return Status::kDone;
      }
      if (!by_stack_ && release_joins()) {
        continue;
      }
      return Status::kWaiting;
    }
    const Leave left = run_group(*g, goes_on);
    switch (left) {
      case Leave::kSwitch:
        break;
      case Leave::kPause:
        paused_ = g;
        return Status::kPaused;
      case Leave::kHold:
        paused_ = g;
        in_group_ = held_ = true;
        return Status::kHeld;
      case Leave::kSlice:
        g->turn = ++turns_;
        spun_ &= ~g->mask;
        break;
      case Leave::kYields:
      case Leave::kSpins:
        // It may wait for lanes that wait for it to meet them: these go on alone then.
        g->turn = ++turns_;
        spun_ |= g->mask;
        if (by_stack_) {
          return Status::kSpinning;
        }
        if (left == Leave::kSpins || g->yields >= kStrongSpins) {
          release_joins();
        }
        if (std::none_of(groups_.begin(), groups_.end(), [&](const Group& x) {
              return x.state == State::kRunnable && (x.mask & ~spun_) != 0;
            })) {
          return Status::kSpinning;
        }
    }
    if (executed_ >= until_) {
      return Status::kRunning;
    }
    if (executed_ >= hold_at_) {
      held_ = true;
      return Status::kHeld;
    }
  }
}

// `goes_on`: in a slice of its turn, in which it was held.
Warp::Leave Warp::run_group(Group& g, bool goes_on) {
  if (!goes_on) {
    polls_ = strong_polls_ = backward_ = 0;
  }
  const uint64_t stop_at = std::min(until_, hold_at_);
  Banks b = banks(g);
  uint32_t stop = g.join >= 0 ? joins_[static_cast<size_t>(g.join)].pc : kNoPc;
  for (;;) {
    while (g.pc == stop && g.base == joins_[static_cast<size_t>(g.join)].base) {
      if (!arrive(g)) {
        return Leave::kSwitch;
      }
      stop = g.join >= 0 ? joins_[static_cast<size_t>(g.join)].pc : kNoPc;
    }
    const Inst& in = code_.insts[g.pc];
    uint32_t mask = g.mask;
    if (in.guard != kNoSlot) {
      const uint32_t holds = lanes_of(*b.at(in.guard));
      mask &= in.guard_negated ? ~holds : holds;
    }
    if (in.counted && !g.told) {
      ++executed_;
      thread_executed_ += static_cast<uint32_t>(std::popcount(mask));
      if (observer_ != nullptr) {
        observer_->executed(block_, index_, g.pc, g.mask, mask);
      }
    }
    if (in.kind == Kind::kCompute) {
      if (mask != 0) {
        const Arguments a = {{b.at(in.d[0]), b.at(in.d[1])},
                             {b.at(in.s[0]), b.at(in.s[1]), b.at(in.s[2]), b.at(in.s[3]), b.at(in.s[4])},
                             warp_registers_.data(),
                             static_cast<uint64_t>(in.offset)};
        in.fn(a, in.sub == 0 ? mask : ~0U);
      }
      ++g.pc;
      continue;
    }
    if (time_ != nullptr && pauses(g, in, mask)) {
      g.told = true;
      return Leave::kPause;
    }
    if (!control(g, in, mask)) {
      return Leave::kSwitch;
    }
    if (in.kind != Kind::kMemory) {
      b = banks(g);
      stop = g.join >= 0 ? joins_[static_cast<size_t>(g.join)].pc : kNoPc;
      if (yields_) {
        yields_ = false;
        return Leave::kYields;
      }
      if ((strong_polls_ != 0 && backward_ >= (observer_ == nullptr ? kStrongSpins : kObservedSpins)) ||
          (polls_ != 0 && backward_ >= kWeakSpins)) {
        return Leave::kSpins;
      }
      if (backward_ >= kSliceTurns || executed_ >= stop_at) {
        return backward_ >= kSliceTurns || executed_ >= until_ ? Leave::kSlice : Leave::kHold;
      }
    }
  }
}

// Before an instruction whose result depends on when it is executed, once. Whoever simulates lets it issue,
// and then the warp goes on with it.
bool Warp::pauses(const Group& g, const Inst& in, uint32_t mask) {
  if (mask == 0 || g.told || !code_.timed(in)) {
    return false;
  }
  if (in.kind == Kind::kMemory && observer_ != nullptr) {
    Access& a = block_.access();
    prepare(in, code_.memory[in.target], banks(g), g.local, mask, a);
    observer_->accessed(block_, index_, g.pc, mask, a.address, nullptr);
  }
  return true;
}

bool Warp::control(Group& g, const Inst& in, uint32_t mask) {
  const bool told = std::exchange(g.told, false);
  if (mask == 0) {
    ++g.pc;
    return true;
  }
  switch (in.kind) {
    case Kind::kCompute:
      break;  // run_group does it
    case Kind::kMemory:
      memory(g, in, mask, told);
      break;
    case Kind::kMatrix:
      return matrix(g, in, mask);
    case Kind::kTensorMemory:
      return tensor_memory(g, in, mask);
    case Kind::kBranch:
      return branch(g, in, mask);
    case Kind::kBranchIndex:
      return branch_index(g, in, mask);
    case Kind::kCall:
      return call(g, in, mask);
    case Kind::kReturn:
      if (g.base != 0) {
        return leave(g, in, mask);
      }
      [[fallthrough]];  // of a kernel
    case Kind::kExit:
      ++g.pc;
      exit_lanes(g, mask);
      return g.mask != 0;
    case Kind::kTrap:
      fail(g.pc, static_cast<uint32_t>(std::countr_zero(mask)), "trap");
    case Kind::kSync:
      return sync(g, in, mask);
    case Kind::kBarrier:
      return barrier(g, in, mask);
    case Kind::kFence:
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      break;
    case Kind::kClusterBarrier:
      return cluster_barrier(g, in, mask);
    case Kind::kBarrierObject:
      if (!barrier_object(g, in, mask, told)) {
        return true;
      }
      break;
    case Kind::kTransfer:
      transfer(g, in, mask);
      break;
    case Kind::kMapField:
      map_field(g, in, mask);
      break;
    case Kind::kTexture:
      texture(g, in, mask);
      break;
    case Kind::kBarrierSet: {
      Register& b = *banks(g).at(in.d[0]);
      for (uint32_t m = mask; m != 0; m &= m - 1) {
        b[static_cast<uint32_t>(std::countr_zero(m))] = mask;
      }
      break;
    }
    case Kind::kConverge:
      return converge(g, mask);
    case Kind::kBreak:
      leave_barrier(g, in, mask);
      break;
    case Kind::kAlloca:
      take_stack(g, in, mask);
      break;
    case Kind::kSleep:
    case Kind::kActivemask:
    case Kind::kClock:
    case Kind::kLocalAddress:
      find(g, in, mask);
  }
  ++g.pc;
  return true;
}

void Warp::find(Group& g, const Inst& in, uint32_t mask) {
  const Banks b = banks(g);
  const Register* s = b.at(in.s[0]);
  if (in.kind == Kind::kSleep) {
    slept_ += (*s)[static_cast<uint32_t>(std::countr_zero(mask))];
    ++strong_polls_;
    return;
  }
  Register& d = *b.at(in.d[0]);
  strong_polls_ += in.kind == Kind::kClock ? 1 : 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    d[lane] = in.kind == Kind::kActivemask ? mask
              : in.kind == Kind::kClock
                  ? clock(in.sub) & static_cast<uint64_t>(in.offset)
                  : (s != nullptr ? (*s)[lane] : 0) + g.local + static_cast<uint64_t>(in.offset);
  }
}

uint64_t Warp::clock(uint8_t form) const {
  const uint64_t now = time_ == nullptr      ? executed_ + slept_
                       : (form & kOfNs) != 0 ? time_->ns()
                                             : time_->cycle;
  return now >> (form & ~kOfNs);
}

void Warp::memory(Group& g, const Inst& in, uint32_t mask, bool told) {
  const MemoryOp& op = code_.memory[in.target];
  const Banks b = banks(g);
  Access& a = block_.access();
  prepare(in, op, b, g.local, mask, a);
  if (const Refused r = perform(spaces(), a); r.why != Refusal::kNone) {
    refuse(g, a, r);
  }
  if (block_.checked()) {
    check_access(g, a);
  }
  if (observer_ != nullptr && !told) {
    observer_->accessed(block_, index_, g.pc, mask, a.address, nullptr);
  }
  complete(a, b);
  polls_ += op.kind != MemoryOp::Kind::kStore ? 1 : 0;
  progress_ += op.kind == MemoryOp::Kind::kStore && op.space != Space::kLocal ? 1 : 0;
  writes_ += op.kind != MemoryOp::Kind::kLoad && op.space != Space::kLocal ? 1 : 0;
  strong_polls_ += op.polls ? 1 : 0;
}

void Warp::refuse(const Group& g, const Access& a, const Refused& r) {
  constexpr const char* kKinds[] = {"load", "store", "atomic operation"};
  const uint64_t bytes = uint64_t{a.op->bytes} * a.op->elements;
  fail(g.pc, r.lane,
       refusal(spaces(), kKinds[static_cast<int>(a.op->kind)], a.address[r.lane], bytes, bytes, r),
       r.why == Refusal::kMisaligned ? FaultKind::kMisaligned : FaultKind::kAddress);
}

void Warp::fail(uint32_t pc, uint32_t lane, const std::string& what, FaultKind kind) const {
  const uint32_t thread = index_ * kLanes + lane;
  const isa::Dim3 size = block_.launch().block;
  const isa::Dim3 at = block_.index();
  throw ThreadFault(kind, fmt::format("{}: {}; kernel {}, thread ({}, {}, {}) of block ({}, {}, {})",
                                      code_.place(pc), what, code_.kernel, thread % size.x,
                                      thread / size.x % size.y, thread / size.x / size.y, at.x, at.y, at.z));
}

std::string Warp::waits() const {
  std::string out;
  for (const Group& g : groups_) {
    if (g.mask == 0) {
      continue;
    }
    out += fmt::format("{}lanes 0x{:x} at {} ", out.empty() ? "" : ", ", g.mask, code_.place(g.pc));
    switch (g.state) {
      case State::kRunnable:
        out += "(looking)";
        break;
      case State::kAtSync:
      case State::kAtMatrix:
        out += fmt::format("(for lanes 0x{:x})", g.wait_for);
        break;
      case State::kAtBarrier:
        out += fmt::format("(at barrier {})", g.wait_for);
        break;
      case State::kAtConverge:
        out += "(to meet others)";
        break;
      case State::kAtCluster:
        out += "(at the cluster's barrier)";
    }
  }
  return by_stack_ ? out + on_stack() : out;
}

}  // namespace heddle::exec
