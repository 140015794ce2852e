// Simulates one launch: opens its trace, checks it against the GPU and the options, runs it on a machine of
// its own.
#pragma once

#include <atomic>
#include <functional>

#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"
#include "tools/heddle/options.h"
#include "tools/heddle/plan.h"

namespace heddle::cli {

class Simulator {
 public:
  // The references must outlive the object. `cancel` stops the simulation with device::Cancelled.
  Simulator(const config::GpuConfig& gpu, const SimOptions& options, const std::atomic<bool>& cancel)
      : gpu_(gpu), options_(options), cancel_(cancel) {}

  // In any thread. Throws heddle::Error that names the trace, device::Cancelled, device::DeadlockError.
  analysis::LaunchRecord simulate(const PlannedLaunch& launch,
                                  const std::function<void(const device::Progress&)>& progress) const;

 private:
  void check_image(const PlannedLaunch& launch, const isa::KernelImage& image) const;

  const config::GpuConfig& gpu_;
  const SimOptions& options_;
  const std::atomic<bool>& cancel_;
};

}  // namespace heddle::cli
