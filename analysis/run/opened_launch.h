// A launch that is being simulated: its trace, what was checked of it, its record.
#pragma once

#include <chrono>
#include <functional>

#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/trace/launches.h"
#include "sim/stats/result.h"

namespace heddle::analysis {

class OpenedLaunch {
 public:
  // Opens the trace and checks it against the GPU and the settings. Throws heddle::Error that names it.
  OpenedLaunch(const config::GpuConfig& gpu, PlannedLaunch launch, const RunSettings& settings,
               const Warn& warn);

  isa::BlockSource& source() const { return *opened_.source; }

  // f(), which simulates; its errors name the trace.
  void located(const std::function<void()>& f) const;

  LaunchRecord record(stats::KernelResult result) const;

 private:
  const PlannedLaunch launch_;
  const int threads_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const trace::OpenedTrace opened_;
};

}  // namespace heddle::analysis
