#include "sim/sm/issue/dispatch.h"

#include <bit>

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

namespace {

// What a warp's wait on a variable-latency result is called.
Stall wait_reason(const TimedInstr& t) {
  if (uses_lg_queue(t.port) || t.handler == Handler::kLdgdepbar) {
    return Stall::kLongScoreboard;
  }
  return Stall::kShortScoreboard;
}

}  // namespace

Dispatch::Dispatch(SmState& sm, ConstantCache& constants, const spec::GpuConfig& gpu)
    : sm_(sm),
      constants_(constants),
      nanosleep_cycles_(
          static_cast<Cycle>(gpu.launch().nanosleep_ns() / (1000.0 / gpu.clocks().core_mhz()))) {}

void Dispatch::reset() {
  issued_ = 0;
  unknown_.clear();
}

void Dispatch::hand_out(uint32_t warp, const TimedInstr& t, Cycle now) {
  static constexpr isa::Operands kNone{};
  operands_ = &kNone;
  Warp& w = sm_.warp(warp);
  const uint32_t mask = w.stream.mask();
  uint32_t& active = sm_.active_mask(warp);
  // A recording has active AND predicate; a predicated instruction's active mask is that of the code around
  // it.
  if (!(t.instr->flags & isa::kFlagPredicated)) {
    active = mask;
  }
  if (!t.hands_out) {
    return;
  }
  const bool computed = w.stream.kernel().image->computed;
  if (mask == 0 && !computed) {
    return;
  }
  if (computed && t.handler == Handler::kFixed) {
    // Nobody asks for its operands: what those of others have left need not be cleared.
    handed_out_.active = ~0u;
    handed_out_.room = nullptr;
  } else {
    handed_out_ = {};
    operands_ = &handed_out_;
  }
  handed_out_.now = now;
  if (Unit* unit = units_[static_cast<size_t>(t.handler)]; unit && computed) {
    handed_out_.room = unit->room();
  }
  w.stream.issue(handed_out_);
  if (computed) {
    active = handed_out_.active;
  }
}

void Dispatch::count(uint32_t warp, const TimedInstr& t, bool paired) {
  const uint32_t mask = sm_.warp(warp).stream.mask();
  const auto threads = static_cast<uint32_t>(std::popcount(mask));
  if (stats::InstructionCounts* p = sm_.profile(t)) {
    ++p->executed;
    p->threads += threads;
  }
  ++issued_;
  stats::CounterSet& n = sm_.counters();
  ++n[Counter::kInstExecuted];
  ++n[paired ? Counter::kDualIssued : Counter::kIssueActive];
  n[Counter::kThreadInstExecuted] += static_cast<uint32_t>(std::popcount(sm_.active_mask(warp) | mask));
  n[Counter::kThreadInstPredOn] += threads;
  if (t.flags & kUnknownOp) {
    ++n[Counter::kUnknownOpcodes];
    ++unknown_[t.index];
  }
}

Cycle Dispatch::start(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now, Cycle start,
                      Cycle& pipe_free) {
  sm_.expect(warp, t, wait_reason(t));
  if (t.handler == Handler::kFixed) {
    return fixed(subcore, warp, t, start);
  }
  const uint32_t mask = sm_.warp(warp).stream.mask();
  if (Unit* unit = units_[static_cast<size_t>(t.handler)]) {
    return unit->start({subcore, warp, t, mask, *operands_, now, start, pipe_free});
  }
  sm_.result_at(now + 2, warp, t);
  sm_.operands_read_at(now + 1, warp, t);
  return t.handler == Handler::kNanosleep && mask ? now + nanosleep_cycles_ : 0;
}

Cycle Dispatch::fixed(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle start) {
  Cycle done = start + t.latency;
  if (t.constant != kNoConstant && !(t.flags & kFixedLatencyConstant)) {
    Cycle wait = constants_.load(t.constant, start) - start;
    done += wait;
    // The ADU counts a load that found its line missing again when it repeats it (FINDINGS.md 18).
    sm_.counters()[Counter::kPipeAdu] += wait > 0;
  }
  if (sm_.by_scoreboard(warp) && t.write_barrier == kNoBarrier) {
    // Fixed latency: readable from then on, no event needed.
    bool queued = t.pipe == isa::Pipe::kXu || t.pipe == isa::Pipe::kAdu;
    sm_.scoreboard(warp).set(*t.instr, done, queued ? Stall::kShortScoreboard : Stall::kWait);
  } else {
    sm_.result_at(done, warp, t);
  }
  sm_.operands_read_at(start + kOperandReadCycles, warp, t);
  return 0;
}

}  // namespace heddle::sm
