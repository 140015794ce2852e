// Simulates launches, each on a machine of its own; or, with Between::kKeep, those that one thread simulates
// one after the other and that are of one recording on the same.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {

// Throws Error for settings that go together with each other or with the GPU in no way.
void check(const RunSettings& settings, const config::GpuConfig& gpu);

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
  // Of a thread, and whose launches have been on it.
  struct Machine {
    std::string trace;
    std::unique_ptr<device::Gpu> gpu;
  };
  device::Gpu& machine_of(const PlannedLaunch& launch) const;
  stats::KernelResult warm(const PlannedLaunch& launch, const OpenedLaunch& opened,
                           device::RunOptions run) const;

  mutable std::mutex mutex_;  // guards machines_
  mutable std::map<std::thread::id, Machine> machines_;
  mutable std::once_flag counted_;
  mutable int threads_ = 1;  // once counted
};

}  // namespace heddle::analysis
