#include "sim/sm/issue/subcore.h"

#include <algorithm>

namespace heddle::sm {
namespace {

using isa::Pipe;
using stats::Counter;
using stats::Stall;

constexpr uint8_t kFma = static_cast<uint8_t>(Pipe::kFma);
constexpr uint8_t kHeavy = static_cast<uint8_t>(Pipe::kFmaHeavy);
constexpr uint8_t kLite = static_cast<uint8_t>(Pipe::kFmaLite);
constexpr uint8_t kTensor = static_cast<uint8_t>(Pipe::kTensor);
constexpr uint8_t kBoth = static_cast<uint8_t>(Pipe::kFp16);  // both halves of FMA at once

Stall throttle(uint8_t port) {
  switch (port) {
    case kPortLg:
      return Stall::kLgThrottle;
    case kPortMio:
    case static_cast<uint8_t>(Pipe::kXu):  // tools/microbench/stall.cu
    case static_cast<uint8_t>(Pipe::kAdu):
    case static_cast<uint8_t>(Pipe::kTma):
      return Stall::kMioThrottle;
    case kPortTex:
      return Stall::kTexThrottle;
    default:
      return Stall::kMathPipeThrottle;
  }
}

Counter pipe_counter(Pipe p) {
  switch (p) {
    case Pipe::kAlu:
      return Counter::kPipeAlu;
    case Pipe::kFma:
    case Pipe::kFmaHeavy:
    case Pipe::kFmaLite:
      return Counter::kPipeFma;
    case Pipe::kFp16:
      return Counter::kPipeFp16;
    case Pipe::kFp64:
      return Counter::kPipeFp64;
    case Pipe::kXu:
      return Counter::kPipeXu;
    case Pipe::kTensor:
      return Counter::kPipeTensor;
    case Pipe::kUniform:
      return Counter::kPipeUniform;
    case Pipe::kCbu:
      return Counter::kPipeCbu;
    case Pipe::kAdu:
      return Counter::kPipeAdu;
    case Pipe::kTex:
      return Counter::kPipeTex;
    default:
      return Counter::kPipeLsu;
  }
}

}  // namespace

SharedPipes::SharedPipes(const config::Sm& config) {
  for (const config::PipeTiming& p : config.pipe()) {
    if (p.shared_by_sm()) {
      mask_ |= 1u << static_cast<int>(isa::pipe_from_name(p.pipe()).value_or(Pipe::kNone));
    }
  }
}

SubCore::SubCore(const IssueWires& wires, uint32_t index) : SubCore(wires, index, wires.state.config()) {}

SubCore::SubCore(const IssueWires& wires, uint32_t index, const config::Sm& c)
    : wires_(wires),
      sm_(wires.state),
      index_(index),
      policy_(c.issue().policy()),
      branch_cycles_(c.issue().branch_cycles()),
      branch_next_line_cycles_(c.issue().branch_next_line_cycles()),
      branch_far_cycles_(c.issue().branch_far_cycles()),
      ports_(c.registers()) {
  for (const config::PipeTiming& p : c.pipe()) {
    if (p.queue()) {
      auto i = static_cast<int>(isa::pipe_from_name(p.pipe()).value_or(Pipe::kNone));
      queue_[i].depth = std::min(p.queue(), kMaxPipeQueue);
      queue_[i].latency = p.queue_latency();
      queued_pipes_ |= 1u << i;
    }
  }
}

void SubCore::reset() {
  ports_.reset();
  ready_ = 0;
  wanting_.fill(0);
  pipe_free_.fill(0);
  for (PipeQueue& q : queue_) {
    q.next = 0;
    q.free = 0;
    q.done.fill(0);
  }
  busy_ports_ = full_ports_ = 0;
  wheel_.fill(0);
  wheel_bits_ = 0;
  last_ = 0;
  hold_until_ = 0;
  next_ = kNever;
  stepped_ = 0;
  pending_.fill(0);
  pending_reasons_ = 0;
}

void SubCore::park(uint32_t slot, Cycle at, Cycle now) {
  if (at - now < kWheel) {
    wheel_[at % kWheel] |= 1u << slot;
    wheel_bits_ |= uint64_t{1} << (at % kWheel);
    wake(at);
  } else {
    sm_.schedule(at, {UnitEvent::Kind::kWarpReady, sm_.warp_of(index_, slot)});
  }
}

void SubCore::set_port_full(uint8_t port, bool full, Cycle now) {
  if (full) {
    full_ports_ |= 1u << port;
  } else if (full_ports_ & (1u << port)) {
    full_ports_ &= ~(1u << port);
    if (wanting_[port]) {
      wake(now);
    }
  }
}

void SubCore::evaluate(uint32_t slot, Cycle now) {
  Warp& w = sm_.warp(index_, slot);
  const TimedInstr& t = *w.next;
  if (t.line != w.line && t.line != w.fetched) {
    Cycle there = wires_.instructions.want(index_, t.line, now);
    w.fetched = t.line;
    if (there > now) {
      sm_.charge(w, Stall::kNoInstruction, there - now);
      park(slot, there, now);
      return;
    }
  }
  if (w.behind_barrier && !(t.flags & kPassesBarrier)) {
    sm_.hold(sm_.warp_of(index_, slot), Stall::kBarrier, now);
    return;
  }
  if (uint8_t waits = t.wait_mask & w.busy) {
    w.waiting = true;
    w.since = now;
    w.state = w.reason[std::countr_zero(waits)];
    for (uint8_t m = waits; m; m &= static_cast<uint8_t>(m - 1)) {
      if (w.reason[std::countr_zero(m)] == Stall::kLongScoreboard) {
        w.state = Stall::kLongScoreboard;
      }
    }
    return;
  }
  if (hold_for_operands(w, t, slot, now)) {
    return;
  }
  ready_ |= 1u << slot;
  wanting_[t.port] |= 1u << slot;
  wake(now);
}

// Waits other than the wait mask's. True when the warp was put aside.
bool SubCore::hold_for_operands(Warp& w, const TimedInstr& t, uint32_t slot, Cycle now) {
  auto wait = [&](Stall s) {
    w.waiting = true;
    w.since = now;
    w.state = s;
    return true;
  };
  if (t.handler == Handler::kDepbar) {
    const isa::Instr& in = *t.instr;
    bool counted = in.depbar_sb < kBarriersPerWarp && w.counter[in.depbar_sb] > in.depbar_count;
    if (counted || (in.depbar_mask & w.busy)) {
      return wait(counted ? w.reason[in.depbar_sb]
                          : w.reason[std::countr_zero<uint8_t>(in.depbar_mask & w.busy)]);
    }
  } else if (t.handler == Handler::kWarpgroupDepbar && w.gmma_groups > t.instr->depbar_count) {
    return wait(Stall::kBarrier);  // so Nsight calls it: tools/microbench/FINDINGS.md 15
  }
  if (t.flags & kFixedLatencyConstant) {
    Cycle there = wires_.constants.read(index_, t.constant, now);
    if (there > now && !w.constant) {
      w.constant = true;
      sm_.charge(w, Stall::kImcMiss, there - now);
      park(slot, there, now);
      return true;
    }
  }
  if (!w.stream.kernel().control_bits) {
    Stall why = Stall::kWait;
    Cycle at = sm_.scoreboard(sm_.warp_of(index_, slot)).ready(*t.instr, now, &why);
    if (at == kNever) {
      return wait(why);
    }
    if (at > now) {
      sm_.charge(w, why, at - now);
      park(slot, at, now);
      return true;
    }
  }
  return false;
}

// Each warp in `slots` was waiting for so long.
inline void SubCore::charge_slots(Stall s, uint32_t slots, Cycle cycles) {
  sm_.counters()[s] += cycles * static_cast<uint32_t>(std::popcount(slots));
  if (sm_.profiles()) [[unlikely]] {
    profile_slots(s, slots, cycles);
  }
}

void SubCore::profile_slots(Stall s, uint32_t slots, Cycle cycles) {
  for (; slots; slots &= slots - 1) {
    sm_.profile(*sm_.warp(index_, std::countr_zero(slots)).next)->stall[static_cast<size_t>(s)] += cycles;
  }
}

// Charges the cycles in which nothing was done to what the ready warps were waiting for.
void SubCore::account_gap(Cycle now) {
  for (; pending_reasons_; pending_reasons_ &= pending_reasons_ - 1) {
    int s = std::countr_zero(pending_reasons_);
    if (now > stepped_ + 1) {
      charge_slots(static_cast<Stall>(s), pending_[s], now - stepped_ - 1);
    }
    pending_[s] = 0;
  }
}

// Slots whose port is taken at `now`.
uint32_t SubCore::blocked(Cycle now) {
  uint32_t mask = 0;
  for (uint32_t m = busy_ports_; m; m &= m - 1) {
    uint32_t p = std::countr_zero(m);
    if (pipe_free_[p] <= now) {
      busy_ports_ &= ~(1u << p);
    } else {
      mask |= wanting_[p];
    }
  }
  if (wanting_[kFma] && (busy_ports_ & (1u << kHeavy)) && (busy_ports_ & (1u << kLite))) {
    mask |= wanting_[kFma];
  }
  if (busy_ports_ & ((1u << kHeavy) | (1u << kLite))) {
    mask |= wanting_[kBoth];
  }
  for (uint32_t m = full_ports_; m; m &= m - 1) {
    mask |= wanting_[std::countr_zero(m)];
  }
  return mask;
}

uint32_t SubCore::pick(uint32_t eligible) const {
  if (policy_ == config::Issue::LOOSE_ROUND_ROBIN) {
    uint32_t after = last_ + 1 < 32 ? eligible & (~0u << (last_ + 1)) : 0;
    return std::countr_zero(after ? after : eligible);
  }
  if (eligible & (1u << last_)) {
    return last_;
  }
  const auto before = [this](const Warp& a, const Warp& b) {
    return policy_ == config::Issue::GREEDY_THEN_YOUNGEST ? a.priority > b.priority : a.age < b.age;
  };
  uint32_t best = std::countr_zero(eligible);
  for (uint32_t m = eligible & (eligible - 1); m; m &= m - 1) {
    uint32_t s = std::countr_zero(m);
    if (before(sm_.warp(index_, s), sm_.warp(index_, best))) {
      best = s;
    }
  }
  return best;
}

void SubCore::step(Cycle now) {
  if (pending_reasons_) {
    account_gap(now);
  }
  stepped_ = now;
  uint32_t slot_now = now % kWheel;
  uint32_t woken = wheel_[slot_now];
  if (woken) {
    wheel_[slot_now] = 0;
    wheel_bits_ &= ~(uint64_t{1} << slot_now);
    for (; woken; woken &= woken - 1) {
      evaluate(std::countr_zero(woken), now);
    }
  }
  if (ready_) {
    uint32_t stopped = blocked(now);
    if (stopped || now < hold_until_) {
      charge_waits(now, stopped, false);
    }
    uint32_t eligible = now < hold_until_ ? 0 : ready_ & ~stopped;
    if (eligible) {
      uint32_t slot = pick(eligible);
      if (uint32_t others = eligible & ~(1u << slot)) {
        charge_slots(Stall::kNotSelected, others, 1);
      }
      issue(slot, now);
    }
  }
  compute_next(now);
}

// What the ready warps that cannot issue at `cycle` wait for: charged for that cycle, or noted for the cycles
// that will be skipped from there on.
void SubCore::charge_waits(Cycle cycle, uint32_t stopped, bool skipped) {
  auto charge = [&](Stall s, uint32_t slots) {
    if (skipped) {
      pending_[static_cast<int>(s)] |= slots;
      pending_reasons_ |= 1u << static_cast<int>(s);
    } else {
      charge_slots(s, slots, 1);
    }
  };
  if (cycle < hold_until_) {
    charge(Stall::kDispatchStall, ready_);
    return;
  }
  for (uint32_t m = busy_ports_ | full_ports_ | (1u << kFma) | (1u << kBoth); m; m &= m - 1) {
    uint32_t p = std::countr_zero(m);
    if (uint32_t slots = wanting_[p] & stopped) {
      charge(throttle(static_cast<uint8_t>(p)), slots);
    }
  }
}

void SubCore::compute_next(Cycle now) {
  next_ = kNever;
  if (wheel_bits_) {
    uint32_t from = (now + 1) % kWheel;
    next_ = now + 1 + std::countr_zero(std::rotr(wheel_bits_, static_cast<int>(from)));
  }
  if (!ready_) {
    return;
  }
  uint32_t stopped = blocked(now + 1);
  if (now + 1 < hold_until_) {
    next_ = std::min(next_, hold_until_);
  } else if (ready_ & ~stopped) {
    next_ = now + 1;
  } else {
    for (uint32_t m = busy_ports_; m; m &= m - 1) {
      uint32_t p = std::countr_zero(m);
      if (wanting_[p] || ((p == kHeavy || p == kLite) && (wanting_[kFma] || wanting_[kBoth]))) {
        next_ = std::min(next_, pipe_free_[p]);
      }
    }
  }
  if (next_ > now + 1 && (stopped || now + 1 < hold_until_)) {
    charge_waits(now + 1, stopped, true);
  }
}

// The pipe works through its queue in order; the sub-core may add to it when the entry `depth` before has
// left.
Cycle SubCore::enter_queue(uint8_t p, uint32_t interval, Cycle now) {
  PipeQueue& q = queue_[p];
  Cycle& free = wires_.shared_pipes.shared(p) ? wires_.shared_pipes.free(p) : q.free;
  Cycle start = std::max(free, now + q.latency);
  free = start + interval;
  q.done[q.next] = free;
  q.next = (q.next + 1) % q.depth;
  if (q.done[q.next] > now) {
    take_pipe(p, q.done[q.next]);
  }
  return start - q.latency;
}

SubCore::Booking SubCore::occupy(const TimedInstr& t, Cycle now) {
  auto p = static_cast<uint8_t>(t.pipe);
  if (t.flags & kFmaEither) {
    p = pipe_free_[kLite] <= now ? kLite : kHeavy;
  }
  if (p == kBoth) {
    take_pipe(kHeavy, now + t.interval);
    take_pipe(kLite, now + t.interval);
    return {p, now};
  }
  if (p == kTensor) {
    sm_.counters()[Counter::kTensorBusy] += t.interval;
  }
  if (queued_pipes_ & (1u << p)) {
    return {p, enter_queue(p, t.interval, now)};
  }
  if (wires_.shared_pipes.shared(p)) {
    for (SubCore& s : wires_.subcores) {
      s.take_pipe(p, now + t.interval);
    }
  } else if (t.interval > 1) {
    take_pipe(p, now + t.interval);
  }
  return {p, now};
}

// A change of flow: cycles to the target's issue. Loops go back to lines that are still at hand; calls and
// returns take as long wherever they go (FINDINGS.md 11, 43).
uint32_t SubCore::jump_cycles(const TimedInstr& t, uint32_t to) const {
  if (t.op == isa::OpClass::kCall) {
    return branch_far_cycles_;
  }
  bool loop = to < t.line && t.op == isa::OpClass::kBranch;
  if (loop || to == t.line) {
    return branch_cycles_;
  }
  return to == t.line + 1 || to + 1 == t.line ? branch_next_line_cycles_ : branch_far_cycles_;
}

// The warp has issued the last of its stream. That need not be an EXIT: a recording can stop early. Then
// what holds the warp, or the barrier that it waits at, ends it (SmState::wake_held).
void SubCore::end_stream(uint32_t id, Cycle now, uint32_t gap, Cycle again) {
  if (again == kNever) {
    return;
  }
  Warp& w = sm_.warp(id);
  sm_.charge(w, Stall::kWait, gap - 1);
  if (w.behind_barrier) {
    sm_.hold(id, Stall::kBarrier, now + gap);
    return;
  }
  sm_.finish_warp(id, now + gap);
}

void SubCore::issue(uint32_t slot, Cycle now) {
  uint32_t id = sm_.warp_of(index_, slot);
  Warp& w = sm_.warp(index_, slot);
  const TimedInstr& t = *w.next;
  ready_ &= ~(1u << slot);
  wanting_[t.port] &= ~(1u << slot);
  last_ = slot;
  w.line = t.line;
  w.fetched = ~0u;
  w.constant = false;
  if (IssueObserver* observer = sm_.observer()) {
    observer->issued(sm_.index(), index_, id, t.instr->pc, now);
  }

  wires_.dispatch.hand_out(id, t, now);
  wires_.dispatch.count(id, t);
  sm_.charge(w, Stall::kSelected, 1);
  if (t.counted != Pipe::kNone) {
    ++sm_.counters()[pipe_counter(t.counted)];
  }
  Cycle start = now;
  if (t.port < isa::kPipeCount && t.handler != Handler::kGmma) {
    Booking booking = occupy(t, now);
    uint8_t used = booking.pipe;
    start = booking.start;
    if (used == kHeavy || used == kLite || used == kBoth) {
      sm_.counters()[Counter::kPipeFmaHeavy] += used != kLite;
      sm_.counters()[Counter::kPipeFmaLite] += used != kHeavy;
      if (t.flags & kCountsAsHalf) {
        ++sm_.counters()[Counter::kPipeFp16];
      }
    }
    if (uint32_t held = ports_.read(t, id, now, sm_.counters())) {
      hold_until_ = now + 1 + held;
    }
  }
  uint32_t gap = std::max<uint32_t>(1, t.stall);
  Cycle again = wires_.dispatch.start(index_, id, t, now, start, pipe_free_[static_cast<int>(t.pipe)]);

  bool diverged = t.op == isa::OpClass::kBranch && sm_.is_partial(id);
  bool in_order = w.stream.advance();
  if (w.stream.done()) {
    end_stream(id, now, gap, again);
    return;
  }
  w.next = &w.stream.peek();
  uint32_t jump = 0;
  if (!in_order) {
    jump = jump_cycles(t, w.next->line);
  } else if (diverged) {
    jump = branch_cycles_;  // falls through, after the split has been worked out
  }
  if (again == kNever) {
    return;  // the handler keeps the warp until something happens (barrier, fence)
  }
  sm_.charge(w, Stall::kWait, gap - 1);
  if (t.resume > std::max(gap, jump)) {
    sm_.charge(w, t.op == isa::OpClass::kCall ? Stall::kBranchResolve : Stall::kNoInstruction,
               t.resume - gap);
    gap = t.resume;
  }
  if (jump > gap) {
    sm_.charge(w, Stall::kBranchResolve, jump - gap);
    gap = jump;
  }
  if (again > now + gap) {
    sm_.charge(w, t.handler == Handler::kNanosleep ? Stall::kSleeping : Stall::kMembar, again - now - gap);
  }
  park(slot, std::max(now + gap, again), now);
}

}  // namespace heddle::sm
