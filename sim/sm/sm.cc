#include "sim/sm/sm.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/memory/noc.h"

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

namespace {

// The first SM of the GPC that SM `sm` is in, and the one behind its last.
std::pair<uint32_t, uint32_t> gpc_of(const spec::Topology& t, uint32_t sm) {
  const std::vector<uint32_t> first = memory::first_sms(memory::gpc_of_sm(t));
  const auto next = std::upper_bound(first.begin(), first.end(), sm);
  return {*std::prev(next), next == first.end() ? t.sms() : *next};
}

}  // namespace

Sm::Sm(uint32_t index, const spec::GpuConfig& gpu)
    : launch_(gpu.launch()),
      sms_(gpu.topology().sms()),
      gpc_(gpc_of(gpu.topology(), index)),
      code_line_bytes_(gpu.sm().fetch().line_bytes()),
      state_(index, gpu, *this),
      instructions_(gpu.sm().fetch(), gpu.sm().subcores(), state_.counters(),
                    FetchPort{state_.outbox(), static_cast<uint16_t>(index)}),
      constants_(gpu.sm().constants(), gpu.sm().subcores(), index - gpc_.first, gpc_.second - gpc_.first,
                 state_.counters(), FetchPort{state_.outbox(), static_cast<uint16_t>(index)}),
      dispatch_(state_, constants_, gpu),
      shared_pipes_(gpu.sm()),
      tensor_(state_, *this),
      fences_(state_),
      cluster_(state_),
      lsu_(state_, fences_, cluster_, *this),
      barriers_(state_, fences_, cluster_, lsu_),
      tma_(state_, fences_, cluster_, barriers_),
      tensor_memory_(state_, barriers_) {
  lsu_.connect(tensor_.arrays().front());
  cluster_.connect(lsu_, barriers_);
  dispatch_.wire(Handler::kMemory, lsu_);
  dispatch_.wire(Handler::kMembar, fences_);
  dispatch_.wire(Handler::kLdgdepbar, fences_);
  for (Handler h : {Handler::kBarrier, Handler::kClusterBarrier, Handler::kMbarrier,
                    Handler::kWarpgroupArrive, Handler::kExit}) {
    dispatch_.wire(h, barriers_);
  }
  dispatch_.wire(Handler::kBulkCopy, tma_);
  dispatch_.wire(Handler::kGmma, tensor_);
  dispatch_.wire(Handler::kTensorMemory, tensor_memory_);
  subcores_.reserve(state_.subcores());
  for (uint32_t i = 0; i < state_.subcores(); ++i) {
    subcores_.emplace_back(
        IssueWires{state_, instructions_, constants_, dispatch_, shared_pipes_, subcores_, tensor_.arrays()},
        i);
  }
}

bool Sm::begin(Cycle origin, IssueObserver* observer, const Noting& noting, isa::GlobalMemory* image) {
  // Of most SMs a small launch finds what begin() leaves: nothing has come since to change it.
  const bool as_left = !used_ && origin == origin_;
  origin_ = last_event_ = origin;
  state_.begin(observer, noting, image, !as_left);
  instructions_.reset();
  constants_.reset();
  cluster_.reset();
  inbox_.clear();
  if (as_left) {
    return false;
  }
  used_ = false;
  for (SubCore& s : subcores_) {
    s.reset();
  }
  dispatch_.reset();
  shared_pipes_.reset();
  for (Unit* u : units_) {
    u->reset(origin);
  }
  arrivals_.clear();
  blocks_done_.clear();
  age_ = 0;
  first_subcore_ = 0;
  return true;
}

void Sm::add_kernel(const TimedKernel& kernel) {
  // Blocks go to all GPCs alike.
  const uint64_t gpc_sms = gpc_.second - gpc_.first;
  const uint64_t share = (kernel.image->shape.grid.count() * gpc_sms + sms_ - 1) / sms_;
  const auto sharers = static_cast<uint32_t>(std::clamp<uint64_t>(share, 1, gpc_sms));
  // Both SMs of a TPC get code together.
  const auto tpcs = std::min(sharers, static_cast<uint32_t>(gpc_sms + 1) / 2);
  instructions_.add(kernel.first_line, kernel.lines, tpcs);
  constants_.add(kernel.first_constant, kernel.constant_lines, sharers,
                 uint64_t{kernel.lines} * code_line_bytes_);
  if (!kernel.control_bits) {
    state_.need_scoreboards();
  }
  if (state_.profiles()) {
    state_.profile().assign(std::max<size_t>(kernel.code.size(), 1), {});
  }
}

// By time, then slot: the same however early it was told.
void Sm::launch(const Placement& p, Cycle at) {
  assert(at >= now());
  used_ = true;
  auto key = [](const Arrival& x) { return std::pair(x.time, x.block.slot); };
  const Arrival a = {at, p};
  arrivals_.insert(std::upper_bound(arrivals_.begin(), arrivals_.end(), a,
                                    [&](const Arrival& x, const Arrival& y) { return key(x) < key(y); }),
                   a);
}

// Warp i of a block and warp i + 1 sit in neighbouring sub-cores. A block begins behind the last warp of the
// one before it, or one further where that would be the sub-core where that one began: first warps, which
// often do more than the others, lie on all of them (FINDINGS.md 56).
void Sm::start_block(const Placement& p, Cycle now) {
  if (p.new_l1) {
    lsu_.resize_l1(p.l1_bytes);
  }
  isa::BlockProgram& program = *p.program;
  program.begins_on(index());
  if (p.kernel->image->computed) {
    lsu_.keep_values();
  }
  BlockSlot& b = state_.block(p.slot);
  const uint32_t generation = b.generation + 1;
  b = {};
  b.generation = generation;
  b.active = true;
  b.program = &program;
  b.kernel = p.kernel;
  b.grid = p.grid;
  b.cluster = p.cluster;
  b.in_cluster = p.in_cluster;
  b.rank = p.rank;
  b.started = now;
  b.warps = b.warps_left = program.warps();
  const uint32_t subcores = state_.subcores(), places = state_.warps();
  const uint32_t first = first_subcore_;
  first_subcore_ = (first + program.warps() + (program.warps() % subcores == 0)) % subcores;
  const uint32_t threads = p.kernel->image->shape.threads();
  for (uint32_t i = 0; i < program.warps(); ++i) {
    uint32_t sub = (first + i) % subcores;
    uint32_t id = sub;
    // With uneven block sizes the sub-core next in turn can be full; the block then takes what is free.
    for (uint32_t tries = 0; tries < subcores; ++tries, sub = (sub + 1) % subcores) {
      // A warp that has issued its last instruction is no longer active, but keeps its place until it ends.
      for (id = sub; id < places && (state_.warp(id).active || state_.warp(id).since > now); id += subcores) {
      }
      if (id < places) {
        break;
      }
    }
    Warp w;
    w.active = true;
    w.block = static_cast<uint8_t>(p.slot);
    w.index = static_cast<uint16_t>(i);
    w.age = ++age_;
    w.started = now;
    w.lanes = threads >= 32 * (i + 1) ? ~0u : (1u << threads % 32) - 1;
    w.stream.start(program.warp(i), *p.kernel, now);
    state_.start_warp(id, w);
    Cycle start = now + static_cast<Cycle>(i * launch_.warp_start_interval());
    state_.schedule(start, {UnitEvent::Kind::kWarpStart, static_cast<uint8_t>(id)});
  }
  ++state_.counters()[Counter::kBlocksLaunched];
}

Cycle Sm::next() const {
  Cycle t = std::min({state_.events().next(), inbox_.next(), cluster_.next()});
  if (!arrivals_.empty()) {
    t = std::min(t, arrivals_.front().time);
  }
  for (const SubCore& s : subcores_) {
    t = std::min(t, s.next());
  }
  return t;
}

void Sm::advance(Cycle end) {
  for (;;) {
    const Cycle events = state_.events().next(), inbox = inbox_.next(), cluster = cluster_.next();
    const Cycle arrival = arrivals_.empty() ? kNever : arrivals_.front().time;
    Cycle t = std::min({events, inbox, cluster, arrival});
    for (const SubCore& s : subcores_) {
      t = std::min(t, s.next());
    }
    if (t >= end) {
      break;
    }
    state_.set_now(t);
    last_event_ = t;
    used_ = true;
    // What comes from outside is first, in an order of its own; the SM's own events are in that of
    // scheduling.
    if (inbox == t) {
      inbox_.run(t, [&](const memory::Inbox::Answer& a) { answer(a, t); });
    }
    if (cluster == t) {
      cluster_.run(t);
    }
    if (arrival == t) {
      take_arrivals(t);
    }
    if (state_.events().next() == t) {
      state_.events().run(t, [&](const UnitEvent& e) { handle(e, t); });
    }
    // Whoever is first gets a pipe that all share; they take turns at being first.
    uint32_t first = static_cast<uint32_t>((t - origin_) / 2);
    for (uint32_t i = 0; i < subcores_.size(); ++i) {
      SubCore& s = subcores_[(first + i) % subcores_.size()];
      if (s.next() <= t) {
        s.step(t);
      }
    }
  }
  state_.set_now(std::max(now(), end));
  inbox_.advanced(now());
}

void Sm::take_arrivals(Cycle now) {
  while (!arrivals_.empty() && arrivals_.front().time == now) {
    const Arrival a = arrivals_.front();
    arrivals_.erase(arrivals_.begin());
    start_block(a.block, now);
  }
}

void Sm::answer(const memory::Inbox::Answer& a, Cycle now) {
  memory::Payloads& payloads = state_.payloads();
  const bool bulk = (a.id & kRequestTagMask) == static_cast<uint32_t>(RequestTag::kBulk);
  Unit& unit = bulk ? static_cast<Unit&>(tma_) : lsu_;
  unit.answer(a.id, a.sectors, a.payload ? &payloads[a.payload] : nullptr, now);
  if (a.payload) {
    payloads.give_back(a.payload);
  }
}

void Sm::start_stream(uint32_t warp, Cycle now) {
  Warp& w = state_.warp(warp);
  w.next = w.stream.done() ? nullptr : &w.stream.peek();
  state_.charge(w, Stall::kNoInstruction, now - w.started);
  if (w.stream.done() && w.stream.waits()) {
    w.asks = true;
    state_.ask_at(warp, now, now);
  } else if (w.stream.done()) {
    state_.finish_warp(warp, now);
  } else {
    evaluate(warp, now);
  }
}

void Sm::handle(const UnitEvent& e, Cycle now) {
  switch (e.kind) {
    case UnitEvent::Kind::kWarpReady:
      if (state_.warp(e.warp).asks) {
        state_.ask(e.warp, now);
      } else {
        evaluate(e.warp, now);
      }
      break;
    case UnitEvent::Kind::kWarpStart:
      start_stream(e.warp, now);
      break;
    case UnitEvent::Kind::kResult:
      state_.result(e.warp, e.arg, now);
      break;
    case UnitEvent::Kind::kOperandsRead:
      state_.release(e.warp, state_.kernel(e.warp).code[e.arg].read_barrier, now);
      break;
    case UnitEvent::Kind::kLsu:
      lsu_.event(e, now);
      break;
    case UnitEvent::Kind::kCopyDone:
    case UnitEvent::Kind::kMemoryDone:
      fences_.event(e, now);
      break;
    case UnitEvent::Kind::kBarrierRelease:
      barriers_.event(e, now);
      break;
    case UnitEvent::Kind::kGmmaDone:
    case UnitEvent::Kind::kGmmaRoom:
      tensor_.event(e, now);
      break;
    case UnitEvent::Kind::kTma:
      tma_.event(e, now);
      break;
    case UnitEvent::Kind::kTensorDone:
      tensor_memory_.event(e, now);
      break;
  }
}

void Sm::retired(uint32_t warp, Cycle now) {
  const uint32_t slot = state_.warp(warp).block;
  BlockSlot& b = state_.block(slot);
  if (--b.warps_left > 0) {
    barriers_.leave(warp, now);
    return;
  }
  b.active = false;
  state_.counters()[stats::Counter::kSpinsLeftOut] += b.program->left_out();
  if (b.in_cluster) {
    cluster_.tell(ClusterMessage::Kind::kEnded, slot, now);
  }
  blocks_done_.push_back({now + launch_.block_retire_latency(), slot, b.cluster});
}

void Sm::describe_stuck(std::vector<std::string>& out) const {
  for (uint32_t i = 0; i < state_.warps(); ++i) {
    const Warp& w = state_.warp(i);
    if (!w.active) {
      continue;
    }
    const BlockSlot& b = state_.block(w.block);
    std::string line = "SM " + std::to_string(index()) + " block " + std::to_string(b.program->linear) +
                       " warp " + std::to_string(w.index) + ": ";
    if (w.draining) {
      line += "exited, " + std::to_string(w.stores) + " stores and " + std::to_string(w.loads) +
              " loads in flight";
    } else if (w.next) {
      char pc[16];
      std::snprintf(pc, sizeof pc, "0x%04x", w.next->instr->pc);
      const std::string& op = b.kernel->image->opcodes[w.next->instr->opcode];
      line += "at " + std::string(pc) + " " + op + ", " +
              std::string(stats::kStallInfo[static_cast<int>(w.state)].name) + " since cycle " +
              std::to_string(w.since);
      for (uint32_t s = 0; s < kBarriersPerWarp; ++s) {
        if (w.counter[s]) {
          line += ", SB" + std::to_string(s) + "=" + std::to_string(w.counter[s]);
        }
      }
      for (uint32_t s = 0; s < kNamedBarriers; ++s) {
        if (b.barrier[s].waiting >> i & 1) {
          line += ", barrier " + std::to_string(s) + " has " + std::to_string(b.barrier[s].arrived) + " of " +
                  std::to_string(b.warps) + " warps";
        }
      }
      for (const Unit* u : units_) {
        if (const std::string more = u->describe(); !more.empty()) {
          line += "; " + more;
        }
      }
    } else {
      line += "waits for other warps";
    }
    if (const std::string place = w.stream.program().place(); !place.empty()) {
      line += "; " + place;
    }
    out.push_back(line);
  }
}

}  // namespace heddle::sm
