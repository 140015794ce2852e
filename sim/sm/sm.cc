#include "sim/sm/sm.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

Sm::Sm(uint32_t index, const config::GpuConfig& gpu)
    : index_(index),
      config_(gpu.sm()),
      launch_(gpu.launch()),
      subcores_count_(gpu.sm().subcores()),
      ns_per_cycle_(1000.0 / gpu.clocks().core_mhz()),
      warps_(gpu.limits().max_warps_per_sm()),
      blocks_(gpu.limits().max_blocks_per_sm()),
      instructions_(gpu.sm().fetch(), gpu.sm().subcores(), counters_,
                    FetchPort{outbox_, static_cast<uint16_t>(index)}),
      constants_(gpu.sm().constants(), gpu.sm().subcores(), counters_,
                 FetchPort{outbox_, static_cast<uint16_t>(index)}),
      lsu_(*this, config_),
      tma_(*this, config_.async_copy()),
      cluster_(*this, config_.async_copy()),
      active_mask_(gpu.limits().max_warps_per_sm()) {
  for (const config::PipeTiming& p : config_.pipe()) {
    if (p.shared_by_sm()) {
      shared_pipes_ |= 1u << static_cast<int>(isa::pipe_from_name(p.pipe()).value_or(isa::Pipe::kNone));
    }
  }
  subcores_.reserve(subcores_count_);
  for (uint32_t i = 0; i < subcores_count_; ++i) {
    subcores_.emplace_back(*this, i, config_);
  }
}

void Sm::begin(Cycle origin, IssueObserver* observer, const Noting& noting, const memory::Image* image) {
  origin_ = origin;
  image_ = image;
  payloads_.clear();
  fault_.reset();
  openings_ = 0;
  observer_ = observer;
  counters_ = {};
  noting_ = noting;
  profile_.clear();
  residencies_.clear();
  events_ = {};
  std::fill(warps_.begin(), warps_.end(), Warp{});
  std::fill(blocks_.begin(), blocks_.end(), BlockSlot{});
  for (SubCore& s : subcores_) {
    s.reset();
  }
  instructions_.reset();
  constants_.reset();
  lsu_.reset(origin);
  tma_.reset();
  scoreboards_.reset();
  unknown_.clear();
  outbox_.clear();
  inbox_.clear();
  arrivals_.clear();
  blocks_done_.clear();
  cluster_.reset();
  barrier_unit_.reset();
  shared_free_.fill(0);
  age_ = issued_ = 0;
  resident_ = 0;
  now_ = active_since_ = active_cycles_ = last_activity_ = 0;
}

void Sm::add_kernel(const TimedKernel& kernel) {
  instructions_.add(kernel.first_line, kernel.lines);
  constants_.add(kernel.first_constant, kernel.constant_is_parameter);
  if (!kernel.control_bits && !scoreboards_) {
    scoreboards_ = std::make_unique<std::vector<RegisterScoreboard>>(warps_.size());
  }
  if (noting_.instructions) {
    profile_.assign(std::max<size_t>(kernel.code.size(), 1), {});
  }
}

// By time, then slot: the same however early it was told.
void Sm::launch(const Placement& p, Cycle at) {
  assert(at >= now_);
  auto key = [](const Arrival& x) { return std::pair(x.time, x.block.slot); };
  const Arrival a = {at, p};
  arrivals_.insert(std::upper_bound(arrivals_.begin(), arrivals_.end(), a,
                                    [&](const Arrival& x, const Arrival& y) { return key(x) < key(y); }),
                   a);
}

// A block's warps take the free slots in order, starting at the sub-core with the fewest warps; warp i of a
// block and warp i + 1 sit in neighbouring sub-cores.
void Sm::start_block(const Placement& p, Cycle now) {
  if (p.new_l1) {
    lsu_.resize_l1(p.l1_bytes);
  }
  isa::BlockProgram& program = *p.program;
  if (p.kernel->image->computed) {
    lsu_.keep_values();
  }
  BlockSlot& b = blocks_[p.slot];
  const uint32_t generation = b.generation + 1;
  b = {};
  b.generation = generation;
  b.active = true;
  b.program = &program;
  b.kernel = p.kernel;
  b.grid = p.grid;
  b.cluster = p.cluster;
  b.in_cluster = p.in_cluster;
  b.started = now;
  b.warps = b.warps_left = program.warps();
  if (resident_ == 0) {
    active_since_ = now;
  }
  std::array<uint32_t, 8> used{};
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    used[subcore_of(w)] += warps_[w].active;
  }
  uint32_t first =
      static_cast<uint32_t>(std::min_element(used.begin(), used.begin() + subcores_count_) - used.begin());
  const uint32_t threads = p.kernel->image->shape.threads();
  for (uint32_t i = 0; i < program.warps(); ++i) {
    uint32_t sub = (first + i) % subcores_count_;
    uint32_t id = sub;
    // With uneven block sizes the sub-core next in turn can be full; the block then takes what is free.
    for (uint32_t tries = 0; tries < subcores_count_; ++tries, sub = (sub + 1) % subcores_count_) {
      for (id = sub; id < warps_.size() && warps_[id].active; id += subcores_count_) {
      }
      if (id < warps_.size()) {
        break;
      }
    }
    Warp& w = warps_[id];
    w = Warp{};
    w.active = true;
    w.block = static_cast<uint8_t>(p.slot);
    w.index = static_cast<uint16_t>(i);
    w.age = ++age_;
    w.started = now;
    w.lanes = threads >= 32 * (i + 1) ? ~0u : (1u << threads % 32) - 1;
    w.stream.start(program.warp(i), *p.kernel);
    active_mask_[id] = ~0u;
    if (scoreboards_) {
      (*scoreboards_)[id].reset();
    }
    ++resident_;
    Cycle start = now + static_cast<Cycle>(i * launch_.warp_start_interval());
    schedule(start, {Event::Kind::kWarpStart, static_cast<uint8_t>(id)});
  }
  ++counters_[Counter::kBlocksLaunched];
}

Cycle Sm::next() const {
  Cycle t = std::min({events_.next(), inbox_.next(), cluster_.next()});
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
    const Cycle events = events_.next(), inbox = inbox_.next(), cluster = cluster_.next();
    const Cycle arrival = arrivals_.empty() ? kNever : arrivals_.front().time;
    Cycle t = std::min({events, inbox, cluster, arrival});
    for (const SubCore& s : subcores_) {
      t = std::min(t, s.next());
    }
    if (t >= end) {
      break;
    }
    now_ = t;
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
    if (events_.next() == t) {
      events_.run(t, [&](const Event& e) { handle(e, t); });
    }
    // Whoever is first gets a pipe that all share; they take turns at being first.
    uint32_t first = static_cast<uint32_t>((t - origin_) / 2);
    for (uint32_t i = 0; i < subcores_count_; ++i) {
      SubCore& s = subcores_[(first + i) % subcores_count_];
      if (s.next() <= t) {
        s.step(t);
      }
    }
  }
  now_ = std::max(now_, end);
  inbox_.advanced(now_);
}

void Sm::take_arrivals(Cycle now) {
  while (!arrivals_.empty() && arrivals_.front().time == now) {
    const Arrival a = arrivals_.front();
    arrivals_.erase(arrivals_.begin());
    start_block(a.block, now);
  }
}

void Sm::answer(const memory::Inbox::Answer& a, Cycle now) {
  const memory::Payload* values = a.payload ? &payloads_[a.payload] : nullptr;
  if ((a.id & kRequestTagMask) == static_cast<uint32_t>(RequestTag::kBulk)) {
    tma_.arrived(a.id & ~kRequestTagMask, a.sectors, values, now);
  } else {
    lsu_.response(a.id, a.sectors, values, now);
  }
  if (a.payload) {
    payloads_.give_back(a.payload);
  }
}

void Sm::fault(uint32_t warp, const TimedInstr& t, Cycle now, const std::string& what) {
  if (fault_) {
    return;
  }
  const Warp& w = warps_[warp];
  const isa::KernelImage& image = *w.stream.kernel().image;
  fault_ = {now, fmt::format("kernel {}, block {}, warp {}, pc 0x{:04x} ({}): {}", image.name,
                             blocks_[w.block].program->linear, w.index, t.instr->pc,
                             image.opcodes[t.instr->opcode], what)};
}

void Sm::handle(const Event& e, Cycle now) {
  switch (e.kind) {
    case Event::Kind::kWarpReady:
      subcores_[subcore_of(e.warp)].evaluate(e.warp / subcores_count_, now);
      break;
    case Event::Kind::kWarpStart: {
      Warp& w = warps_[e.warp];
      w.next = w.stream.done() ? nullptr : &w.stream.peek();
      charge(w, Stall::kNoInstruction, now - w.started);
      if (w.stream.done()) {
        finish_warp(e.warp, now);
        break;
      }
      subcores_[subcore_of(e.warp)].evaluate(e.warp / subcores_count_, now);
      break;
    }
    case Event::Kind::kResult: {
      const TimedInstr& t = kernel(e.warp).code[e.arg];
      if (!by_scoreboard(e.warp)) {
        release(e.warp, t.write_barrier, now);
        break;
      }
      Warp& w = warps_[e.warp];
      --w.results;
      (*scoreboards_)[e.warp].set(*t.instr, now, Stall::kWait);
      if (w.draining) {
        retire_if_drained(e.warp, now);
      } else {
        recheck(e.warp, now);
      }
      break;
    }
    case Event::Kind::kOperandsRead:
      release(e.warp, kernel(e.warp).code[e.arg].read_barrier, now);
      break;
    case Event::Kind::kLsu:
      lsu_.arbitrate(now);
      break;
    case Event::Kind::kResponse:
      answer({e.arg, e.small, 0}, now);
      break;
    case Event::Kind::kBarrierRelease:
      if (is_current(e.arg)) {
        release_barrier(e.arg % kBarriersPerSm / kNamedBarriers, e.arg % kNamedBarriers, now);
      }
      break;
    case Event::Kind::kGmmaDone:
      --warps_[e.warp].gmma;
      recheck(e.warp, now);
      if (warps_[e.warp].draining) {
        retire_if_drained(e.warp, now);
      }
      break;
    case Event::Kind::kTma:
      tma_.step(now);
      break;
    case Event::Kind::kCopyDone:
      copy_done(e.warp, e.small, now);
      break;
  }
}

void Sm::count_issue(Warp& w, const TimedInstr& t) {
  uint32_t mask = w.stream.mask();
  uint32_t id = static_cast<uint32_t>(&w - warps_.data());
  if (stats::InstructionCounts* p = profile(t)) {
    ++p->executed;
    p->threads += std::popcount(mask);
  }
  ++issued_;
  ++counters_[Counter::kInstExecuted];
  ++counters_[Counter::kIssueActive];
  counters_[Counter::kThreadInstExecuted] += std::popcount(active_mask_[id] | mask);
  counters_[Counter::kThreadInstPredOn] += std::popcount(mask);
  if (t.flags & kUnknownOp) {
    ++counters_[Counter::kUnknownOpcodes];
    ++unknown_[t.index];
  }
}

void Sm::expect(uint32_t warp, const TimedInstr& t, Stall why) {
  Warp& w = warps_[warp];
  for (uint8_t b : {t.write_barrier, t.read_barrier}) {
    if (b != kNoBarrier) {
      // A counter that several instructions share is named after the slowest kind.
      if (w.counter[b]++ == 0 || why == Stall::kLongScoreboard) {
        w.reason[b] = why;
      }
      w.busy |= static_cast<uint8_t>(1u << b);
    }
  }
  if (by_scoreboard(warp)) {
    (*scoreboards_)[warp].set(*t.instr, kNever, why);
  }
}

void Sm::result_at(Cycle at, uint32_t warp, const TimedInstr& t) {
  const bool scoreboard = by_scoreboard(warp);
  if (t.write_barrier != kNoBarrier || scoreboard) {
    warps_[warp].results += scoreboard;
    schedule(std::max(at, now_ + 1), {Event::Kind::kResult, static_cast<uint8_t>(warp), 0, t.index});
  }
}

void Sm::operands_read_at(Cycle at, uint32_t warp, const TimedInstr& t) {
  if (t.read_barrier != kNoBarrier) {
    schedule(std::max(at, now_ + 1), {Event::Kind::kOperandsRead, static_cast<uint8_t>(warp), 0, t.index});
  }
}

void Sm::release(uint32_t warp, uint8_t barrier, Cycle now) {
  Warp& w = warps_[warp];
  if (--w.counter[barrier] == 0) {
    w.busy &= static_cast<uint8_t>(~(1u << barrier));
  }
  if (w.draining) {
    retire_if_drained(warp, now);
  } else {
    recheck(warp, now);
  }
}

void Sm::recheck(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  if (!w.waiting || w.held) {
    return;
  }
  const TimedInstr& t = *w.next;
  if (t.wait_mask & w.busy) {
    return;
  }
  w.waiting = false;
  Cycle at = now + config_.issue().scoreboard_wakeup_cycles();
  charge(w, w.state, at - w.since);
  SubCore& s = subcores_[subcore_of(warp)];
  if (at == now) {
    s.evaluate(warp / subcores_count_, now);
  } else {
    s.park(warp / subcores_count_, at, now);
  }
}

// The warp was held by a barrier, a fence or the like, and may go on at `at`.
void Sm::wake_held(uint32_t warp, Cycle at, Cycle now) {
  Warp& w = warps_[warp];
  w.waiting = false;
  w.held = false;
  at = std::max(at, now + 1);
  charge(w, w.state, at > w.since ? at - w.since : 0);
  if (w.stream.done()) {  // recorded without an EXIT: what held it was its last instruction
    finish_warp(warp, std::max(at, w.since));
    return;
  }
  subcores_[subcore_of(warp)].park(warp / subcores_count_, at, now);
}

void Sm::finish_warp(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  w.draining = true;
  w.waiting = false;
  w.since = now;
  retire_if_drained(warp, now);
}

void Sm::retire_if_drained(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  if (w.busy || w.loads || w.gmma || w.results) {
    return;
  }
  w.active = w.draining = false;
  now = std::max(now, w.since);
  charge(w, Stall::kDrain, now - w.since);
  counters_[Counter::kWarpsActive] += now - w.started;
  note_residency(w, warp, now);
  --resident_;
  last_activity_ = std::max(last_activity_, now);
  if (resident_ == 0) {
    active_cycles_ += now - active_since_;
  }
  BlockSlot& b = blocks_[w.block];
  if (--b.warps_left == 0) {
    b.active = false;
    if (b.in_cluster) {
      tell_cluster(ClusterMessage::Kind::kEnded, w.block, now);
    }
    blocks_done_.push_back({now + launch_.block_retire_latency(), w.block, b.cluster});
    return;
  }
  leave_barriers(warp, now);
}

void Sm::profile_charge(const Warp& w, Stall s, uint64_t cycles) {
  profile_[w.next ? w.next->index : 0].stall[static_cast<size_t>(s)] += cycles;
}

// A warp retires; called before its block knows.
void Sm::note_residency(const Warp& w, uint32_t id, Cycle now) {
  BlockSlot& b = blocks_[w.block];
  b.ended = std::max(b.ended, now);
  if (noting_.warps) {
    residencies_.push_back({b.program->linear, b.program->index, id, w.index, w.started, now});
  }
  if (noting_.blocks && b.warps_left == 1) {
    residencies_.push_back({b.program->linear, b.program->index, w.block, -1, b.started, b.ended});
  }
}

uint64_t Sm::warp_cycles(Cycle now) const {
  uint64_t sum = counters_[Counter::kWarpsActive];
  for (const Warp& w : warps_) {
    sum += w.active && w.started < now ? now - w.started : 0;
  }
  return sum;
}

void Sm::describe_stuck(std::vector<std::string>& out) const {
  for (uint32_t i = 0; i < warps_.size(); ++i) {
    const Warp& w = warps_[i];
    if (!w.active) {
      continue;
    }
    const BlockSlot& b = blocks_[w.block];
    std::string line = "SM " + std::to_string(index_) + " block " + std::to_string(b.program->linear) +
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
      line += "; " + lsu_.state();
    }
    out.push_back(line);
  }
}

}  // namespace heddle::sm
