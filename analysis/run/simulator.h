// Simulates launches, each on a machine of its own.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {

class Simulator {
 public:
  // The references must outlive the object. `cancel` stops the simulation with Cancelled; `warn`,
  // where given, is told in the simulating thread of what is odd and was allowed.
  Simulator(const config::GpuConfig& gpu, const RunSettings& settings, const std::atomic<bool>& cancel,
            Warn warn = nullptr)
      : gpu_(gpu), settings_(settings), cancel_(cancel), warn_(std::move(warn)) {}

  // In any thread. Throws heddle::Error that names the trace, Cancelled, device::DeadlockError.
  LaunchRecord simulate(const PlannedLaunch& launch,
                        const std::function<void(const device::Progress&)>& progress) const;

 private:
  const config::GpuConfig& gpu_;
  const RunSettings& settings_;
  const std::atomic<bool>& cancel_;
  const Warn warn_;
  mutable std::once_flag counted_;
  mutable int threads_ = 1;  // once counted
};

}  // namespace heddle::analysis
