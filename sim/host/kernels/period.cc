#include "sim/host/kernels/period.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::host {

Ps time_on_device(uint64_t cycles, const spec::GpuConfig& gpu) {
  const uint64_t fixed = gpu.launch().start_cycles() + gpu.launch().end_cycles();
  return from_us(static_cast<double>(cycles > fixed ? cycles - fixed : 0) / gpu.clocks().core_mhz());
}

Period::Period(const spec::GpuConfig& gpu, int threads)
    : gpu_(gpu), ps_per_cycle_(1e6 / gpu.clocks().core_mhz()), engine_(gpu, threads) {}

Cycle Period::cycle(Ps at) const {
  return at == kNever
             ? heddle::kNever
             : first_ + static_cast<Cycle>(std::ceil(in_ps(at - std::min(at, origin_)) / ps_per_cycle_));
}

Ps Period::time(Cycle at) const {
  return origin_ + Ps(std::llround(static_cast<double>(at - std::min(at, first_)) * ps_per_cycle_));
}

void Period::launch(device::Launch launch, Ps at, const device::RunOptions& options) {
  if (idle()) {
    const std::string& name = (launch.owned ? *launch.owned : *launch.recording).image().name;
    engine_.begin(options, device::DetailedEngine::Launches::kPeriod, "kernel " + name);
    origin_ = at;
    first_ = engine_.now();
  }
  launch.at = cycle(at);
  const uint64_t tag = launch.tag;
  engine_.launch(std::move(launch));
  alone_ = launches_ == 0;
  tag_ = tag;
  ++launches_;
}

std::optional<Period::Ended> Period::advance(Ps until) {
  const Cycle limit = cycle(until);
  // As long as somebody else can still do something, waiting for it is no live lock.
  engine_.watch_repetition(until == kNever);
  if (alone_) {
    while (!engine_.done()) {
      if (engine_.now() >= limit || engine_.has_faults()) {
        engine_.show_stores();
        return std::nullopt;
      }
      engine_.quantum(limit);
    }
    launches_ = 0;
    Ended e{tag_, origin_, {}, engine_.finish()};
    e.end = origin_ + time_on_device(e.result.cycles, gpu_);
    return e;
  }
  const std::optional<device::LaunchEnd> ended = engine_.advance(limit);
  if (!ended) {
    engine_.show_stores();
    return std::nullopt;
  }
  --launches_;
  return Ended{ended->tag, time(ended->start), time(ended->end), engine_.ended_result()};
}

void Period::abandon() {
  engine_.abandon();
  launches_ = 0;
}

}  // namespace heddle::host
