#include "sim/host/kernels/together.h"

#include <algorithm>
#include <utility>

namespace heddle::host {

Together::Together(const spec::GpuConfig& gpu, Options options) : gpu_(gpu), options_(std::move(options)) {}

void Together::launch(const Launch& l) {
  devices_.resize(std::max<size_t>(devices_.size(), l.device + 1));
  std::unique_ptr<Period>& d = devices_[l.device];
  if (!d) {
    d = std::make_unique<Period>(gpu_, options_.threads);
  }
  const uint64_t offset = options_.address_offset ? options_.address_offset(l.kernel->trace) : 0;
  d->launch({.owned = options_.open(l.kernel->trace),
             .priority = l.priority,
             .tag = l.tag,
             .address_offset = offset},
            l.at, {.threads = options_.threads, .cancel = options_.cancel, .warm = true});
}

// Every device goes as far as the first end among those before it, so that none is beyond what happens next.
std::optional<KernelModel::End> Together::advance(Ps until) {
  for (uint32_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i] || devices_[i]->idle()) {
      continue;
    }
    const std::optional<Period::Ended> e = devices_[i]->advance(until);
    if (options_.progress) {
      options_.progress(devices_[i]->now(), ended_);
    }
    if (e) {
      ++ended_;
      return End{i, static_cast<uint32_t>(e->tag), e->start, e->end};
    }
  }
  return std::nullopt;
}

}  // namespace heddle::host
