#include "frontends/cuda/shared_kernels.h"

#include <algorithm>

namespace heddle::cuda {

void SharedKernels::share(Share* share, host::Ps now) {
  share_ = share;
  if (share_ != nullptr && running_ > 0) {
    share_->wants(now);
  }
}

void SharedKernels::launch(const Launch& launch) {
  if (running_++ == 0 && share_ != nullptr) {
    share_->wants(launch.at);
  }
  Launch on_device = launch;
  if (share_ != nullptr) {
    on_device.at = share_->device().to_device(launch.at);
  }
  machine_.launch(on_device);
}

std::optional<host::KernelModel::End> SharedKernels::advance(host::Ps until) {
  if (share_ == nullptr) {
    const std::optional<End> end = machine_.advance(until);
    running_ -= end ? 1 : 0;
    return end;
  }
  host::SlicedTime& time = share_->device();
  std::optional<End> end = machine_.advance(time.to_device(until));
  if (!end) {
    if (until != host::kNever && running_ > 0) {
      share_->reached(until);
    }
    return std::nullopt;
  }
  end->start = time.to_host_start(end->start);
  end->end = std::max(time.to_host_end(end->end), end->start);
  share_->reached(end->end);
  if (--running_ == 0) {
    share_->rests(end->end);
  }
  return end;
}

std::vector<host::KernelModel::Fault> SharedKernels::faults() {
  std::vector<Fault> out = machine_.faults();
  if (share_ != nullptr) {
    for (Fault& f : out) {
      f.at = share_->device().to_host_end(f.at);
    }
  }
  return out;
}

void SharedKernels::place(uint32_t device, uint32_t buffer, uint64_t page, host::Reach reach, host::Ps at) {
  machine_.place(device, buffer, page, reach, share_ == nullptr ? at : share_->device().to_device(at));
}

}  // namespace heddle::cuda
