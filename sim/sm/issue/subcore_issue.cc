// A sub-core's issue: the pipe, the registers, and when the warp is looked at again.
#include <algorithm>

#include "sim/sm/issue/fma_halves.h"
#include "sim/sm/issue/subcore.h"

namespace heddle::sm {
namespace {

using isa::Pipe;
using stats::Counter;
using stats::Stall;

constexpr uint8_t kTensor = static_cast<uint8_t>(Pipe::kTensor);

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
// what holds the warp, or the barrier that it waits at, ends it (SmState::wake_held). A program that is
// executed may not know yet what comes next.
void SubCore::end_stream(uint32_t id, Cycle now, uint32_t gap, Cycle again) {
  Warp& w = sm_.warp(id);
  w.asks = w.stream.waits();
  if (again == kNever) {
    return;
  }
  sm_.charge(w, Stall::kWait, gap - 1);
  if (w.behind_barrier) {
    sm_.hold(id, Stall::kBarrier, now + gap);
    return;
  }
  if (w.asks) {
    sm_.ask_at(id, std::max(now + gap, again), now + gap);
    return;
  }
  sm_.finish_warp(id, now + gap);
}

// Fetch brings an instruction a cycle, for all warps of the sub-core, and runs ahead of what issues. While a
// warp has to wait with a branch, it also brings what stands behind: in vain, when the branch is taken.
void SubCore::note_fetch(uint32_t slot, bool jumps, Cycle now) {
  fetched_until_ = std::max(fetched_until_ + fetch_ahead_, now) - fetch_ahead_ + 1;
  if (jumps && now > issued_at_[slot]) {
    fetched_until_ += std::min<Cycle>(wasted_fetches_, now - issued_at_[slot] - 1);
  }
  issued_at_[slot] = now;
}

void SubCore::issue(uint32_t slot, Cycle now) {
  Warp& w = sm_.warp(index_, slot);
  const TimedInstr& first = *w.next;
  sm_.charge(w, Stall::kSelected, 1);
  Cycle next = issue_one(slot, now, false);
  if (dual_issue_ && next == now + 1 && (first.flags & kPairs) && goes_along(slot, first, now)) {
    next = issue_one(slot, now, true);
  }
  if (next != kNever) {
    park(slot, next, now);
  }
}

// Whether the warp's next instruction may issue in the same cycle as `first`: it is the one behind it, in the
// same line of code, and has its operands and its port.
bool SubCore::goes_along(uint32_t slot, const TimedInstr& first, Cycle now) {
  Warp& w = sm_.warp(index_, slot);
  const TimedInstr& t = *w.next;
  if (t.index != first.index + 1 || t.line != w.line || w.behind_barrier || now < port_until()) {
    return false;
  }
  if ((t.flags & kFixedLatencyConstant) && wires_.constants.read(index_, t.constant, now) > now) {
    return false;
  }
  Stall why = Stall::kWait;
  if (sm_.scoreboard(sm_.warp_of(index_, slot)).ready(*t.instr, now, &why) > now) {
    return false;
  }
  const uint32_t bit = 1u << slot;
  wanting_[t.port] |= bit;
  const bool room = (blocked(now) & bit) == 0;
  wanting_[t.port] &= ~bit;
  return room;
}

// The warp's next instruction issues, `paired` in the cycle of the one before. Returns when the warp may be
// looked at again; kNever: what keeps it, or has ended it, sees to that.
Cycle SubCore::issue_one(uint32_t slot, Cycle now, bool paired) {
  uint32_t id = sm_.warp_of(index_, slot);
  Warp& w = sm_.warp(index_, slot);
  const TimedInstr& t = *w.next;
  ready_ &= ~(1u << slot);
  wanting_[t.port] &= ~(1u << slot);
  lines_.leave(t.port, slot);
  order_.issued(slot, (t.flags & kYields) != 0);
  w.line = t.line;
  w.fetched = ~0u;
  w.constant = false;
  if (IssueObserver* observer = sm_.observer()) {
    observer->issued(sm_.index(), index_, id, t.instr->pc, now);
  }

  wires_.dispatch.hand_out(id, t, now);
  wires_.dispatch.count(id, t, paired);
  if (t.counted != Pipe::kNone) {
    ++sm_.counters()[pipe_counter(t.counted)];
  }
  Cycle start = now;
  uint32_t held = 0;
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
    held = ports_.read(t, id, now, sm_.counters());
  } else if (t.port >= isa::kPipeCount) {
    held = ports_.read_queued(*t.instr, now, sm_.counters());
  }
  if (held) {
    hold_until_ = now + 1 + held;
  }
  uint32_t gap = std::max<uint32_t>(1, t.stall);
  Cycle again = wires_.dispatch.start(index_, id, t, now, start, pipe_free_[static_cast<int>(t.pipe)]);

  bool diverged = t.op == isa::OpClass::kBranch && sm_.is_partial(id);
  bool in_order = w.stream.advance(now);
  if (w.stream.done()) {
    end_stream(id, now, gap, again);
    return kNever;
  }
  w.next = &w.stream.peek();
  if (!paired) {
    note_fetch(slot, !in_order, now);
  }
  uint32_t jump = 0;
  if (!in_order) {
    jump = jump_cycles(t, w.next->line);
  } else if (diverged) {
    jump = branch_cycles_;  // falls through, after the split has been worked out
  }
  if (again == kNever) {
    return kNever;  // the handler keeps the warp until something happens (barrier, fence)
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
  return std::max(now + gap, again);
}

}  // namespace heddle::sm
