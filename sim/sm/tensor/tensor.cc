#include "sim/sm/tensor/tensor.h"

#include <algorithm>

namespace heddle::sm {

using stats::Counter;

Cycle Tensor::start(const Issued& i) {
  const TimedInstr& t = i.instr;
  Warp& w = sm_.warp(i.warp);
  i.pipe_free = std::max(i.pipe_free, i.now) + t.interval;
  const bool ends_group = !(t.instr->flags & isa::kFlagGroupGoesOn);
  ++w.gmma;
  w.gmma_groups += ends_group;
  sm_.counters()[Counter::kTensorBusy] += t.interval;
  if (w.index % kWarpsPerGroup == 0) {
    sm_.counters()[Counter::kSharedGmmaWavefronts] += t.gmma_wavefronts;  // of the whole warp group
  }
  const Cycle done = i.pipe_free - t.interval + t.latency;
  sm_.schedule(done, {UnitEvent::Kind::kGmmaDone, static_cast<uint8_t>(i.warp), ends_group});
  sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, t);
  sm_.result_at(done, i.warp, t);
  return 0;
}

void Tensor::event(const UnitEvent& e, Cycle now) {
  Warp& w = sm_.warp(e.warp);
  --w.gmma;
  w.gmma_groups -= e.small;
  sm_.recheck(e.warp, now);
  if (w.draining) {
    sm_.retire_if_drained(e.warp, now);
  }
}

}  // namespace heddle::sm
