#include "sim/host/kernels/together.h"

#include <algorithm>
#include <cmath>

#include "sim/device/detailed_engine.h"

namespace heddle::host {

Together::Together(const spec::GpuConfig& gpu, Options options)
    : gpu_(gpu), options_(std::move(options)), ps_per_cycle_(1e6 / gpu.clocks().core_mhz()) {}

Cycle Together::cycles(Ps at) const {
  return at == kNever ? heddle::kNever : static_cast<Cycle>(std::ceil(in_ps(at) / ps_per_cycle_));
}

Ps Together::time(Cycle at) const { return Ps(std::llround(static_cast<double>(at) * ps_per_cycle_)); }

void Together::launch(const Launch& l) {
  devices_.resize(std::max<size_t>(devices_.size(), l.device + 1));
  std::unique_ptr<device::Engine>& d = devices_[l.device];
  if (!d) {
    d = std::make_unique<device::DetailedEngine>(
        gpu_, device::RunOptions{.threads = options_.threads, .cancel = options_.cancel});
  }
  const uint64_t offset = options_.address_offset ? options_.address_offset(l.kernel->trace) : 0;
  d->launch({.owned = options_.open(l.kernel->trace),
             .priority = l.priority,
             .at = cycles(l.at),
             .tag = l.tag,
             .address_offset = offset});
}

// Every device goes as far as the first end among those before it, so that none is beyond what happens next.
std::optional<KernelModel::End> Together::advance(Ps until) {
  for (uint32_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i] || devices_[i]->launches() == 0) {
      continue;
    }
    const std::optional<device::LaunchEnd> e = devices_[i]->advance(cycles(until));
    if (options_.progress) {
      options_.progress(time(devices_[i]->now()), ended_);
    }
    if (e) {
      ++ended_;
      // The host model's blocks start when the distributor hands them out.
      const Cycle start = e->start - std::min<Cycle>(e->start, gpu_.launch().block_start_latency());
      return End{i, static_cast<uint32_t>(e->tag), time(start), time(e->end)};
    }
  }
  return std::nullopt;
}

stats::CounterSet Together::counters() const {
  stats::CounterSet all;
  for (const auto& d : devices_) {
    if (d) {
      all.add(d->counters());
    }
  }
  return all;
}

}  // namespace heddle::host
