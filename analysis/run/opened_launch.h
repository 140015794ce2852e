// A launch that is being simulated: its trace, what was checked of it, its record.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/trace/launches.h"
#include "sim/base/error.h"
#include "sim/device/run_options.h"
#include "sim/isa/recording.h"
#include "sim/stats/result.h"

namespace heddle::analysis {

// What is wrong with a trace, found when it is opened or while it is read; the message names the file.
struct TraceError : Error {
  using Error::Error;
};

class OpenedLaunch {
 public:
  // Opens the trace and checks it against the GPU and the settings. Throws TraceError.
  OpenedLaunch(const config::GpuConfig& gpu, PlannedLaunch launch, const RunSettings& settings,
               const Warn& warn);

  // Its errors are TraceErrors.
  isa::BlockSource& source() const { return *source_; }

  // f(), which simulates; its errors name the trace.
  void located(const std::function<void()>& f) const;

  LaunchRecord record(stats::KernelResult result) const;

 private:
  const PlannedLaunch launch_;
  const int threads_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const trace::OpenedTrace opened_;
  const std::unique_ptr<isa::BlockSource> source_;  // opened_.source, with errors that say whose they are
};

// What the settings say of how the device runs a launch, but for the profile, which not everybody takes.
device::RunOptions run_options(const RunSettings& settings, int threads);

}  // namespace heddle::analysis
