#include "sim/sm/issue/subcore.h"

#include <algorithm>

#include "sim/sm/issue/fma_halves.h"

namespace heddle::sm {
namespace {

using isa::Pipe;
using stats::Stall;

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

}  // namespace

SharedPipes::SharedPipes(const spec::Sm& config) {
  for (const spec::PipeTiming& p : config.pipe()) {
    if (p.shared_by_sm()) {
      mask_ |= 1u << static_cast<int>(isa::pipe_from_name(p.pipe()).value_or(Pipe::kNone));
    }
  }
}

SubCore::SubCore(const IssueWires& wires, uint32_t index) : SubCore(wires, index, wires.state.config()) {}

SubCore::SubCore(const IssueWires& wires, uint32_t index, const spec::Sm& c)
    : wires_(wires),
      sm_(wires.state),
      index_(index),
      dual_issue_(c.issue().dual_issue()),
      wasted_fetches_(c.issue().wasted_fetches()),
      fetch_ahead_(c.issue().fetch_ahead()),
      branch_cycles_(c.issue().branch_cycles()),
      branch_next_line_cycles_(c.issue().branch_next_line_cycles()),
      branch_far_cycles_(c.issue().branch_far_cycles()),
      ports_(c.registers()),
      array_(wires.arrays[index]),
      order_(c.issue().policy()) {
  for (const spec::PipeTiming& p : c.pipe()) {
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
  order_.reset();
  lines_.reset();
  turns_ = {};
  hold_until_ = fetched_until_ = 0;
  issued_at_.fill(0);
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
  order_.greet(slot, w);
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
  if (now != issued_at_[slot] + 1) {
    turns_.stream[slot] = 0;
  }
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
      if (why == Stall::kWait) {
        order_.waits(slot);
      }
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
  // Who may use either half does not take one from those who wait for it and can use no other.
  const uint32_t taken = busy_ports_ | lines_.ports();
  if (wanting_[kFma] && (taken & (1u << kHeavy)) && (taken & (1u << kLite))) {
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

// Ready warps whose port is taken, or for whose port others wait already, get into its line.
void SubCore::line_up(uint32_t stopped) {
  for (uint32_t m = busy_ports_ | full_ports_ | (1u << kFma) | (1u << kBoth); m; m &= m - 1) {
    const uint32_t p = std::countr_zero(m);
    lines_.join(p, wanting_[p] & stopped, order_);
  }
  for (uint32_t m = lines_.ports(); m; m &= m - 1) {
    const uint32_t p = std::countr_zero(m);
    lines_.join(p, wanting_[p], order_);
  }
}

// A step of the tensor array is due and has the port next, but for warps that issue cycle after cycle: each
// has its turns first (FINDINGS.md 60). Returns them.
uint32_t SubCore::before_step(uint32_t eligible, Cycle now) {
  if (turns_.step != array_.steps() || turns_.until != now) {
    return 0;
  }
  if (turns_.run < array_.turns()) {
    return turns_.stream[turns_.slot] < array_.stream() ? 0 : eligible & (1u << turns_.slot);
  }
  return eligible & ~turns_.had;
}

// The warp in `slot` has issued, and whatever that holds up is known.
void SubCore::note_turn(uint32_t slot, Cycle now) {
  if (turns_.step != array_.steps()) {
    turns_ = {.step = array_.steps(), .stream = turns_.stream};
  }
  turns_.run = turns_.slot == slot && turns_.until == now ? turns_.run + 1 : 1;
  turns_.slot = slot;
  turns_.had |= 1u << slot;
  turns_.stream[slot] += turns_.stream[slot] < 255;
  turns_.until = std::max(now + 1, hold_until_);
  array_.others_have(turns_.until);
}

void SubCore::step(Cycle now) {
  if (pending_reasons_) {
    account_gap(now);
  }
  array_.advance(now);
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
    if (stopped || now < held_until()) {
      charge_waits(now, stopped, false);
    }
    if (stopped || !lines_.empty()) {
      line_up(stopped);
    }
    for (uint32_t m = stopped & ready_; m; m &= m - 1) {
      turns_.stream[std::countr_zero(m)] = 0;
    }
    const uint32_t eligible = now < held_until() ? 0 : ready_ & ~stopped;
    if (eligible) {
      // Of those in line at a port that is free now the first is eligible, of those at one that is not none.
      uint32_t candidates = eligible & ~lines_.behind();
      if (array_.wants(now)) {
        candidates = before_step(candidates, now);
      }
      if (candidates) {
        const uint32_t slot = order_.pick(candidates);
        if (uint32_t others = eligible & ~(1u << slot)) {
          charge_slots(Stall::kNotSelected, others, 1);
        }
        issue(slot, now);
        if (!array_.idle()) {
          note_turn(slot, now);
        }
      } else {
        array_.take(now);
        order_.issued(turns_.slot, true);  // the others come first now
        charge_slots(Stall::kDispatchStall, eligible, 1);
      }
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
  if (cycle < held_until()) {
    charge(cycle < port_until() ? Stall::kDispatchStall : Stall::kNoInstruction, ready_);
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
  if (stopped) {
    line_up(stopped);
  }
  if (now + 1 < held_until()) {
    next_ = std::min(next_, now + 1 < port_until() ? port_until() : fetched_until_);
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
  if (next_ > now + 1 && (stopped || now + 1 < held_until())) {
    charge_waits(now + 1, stopped, true);
  }
}

}  // namespace heddle::sm
