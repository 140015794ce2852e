// One launch on a machine of its own, simulated in steps.
#pragma once

#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {

class Stepper {
 public:
  // Opens the trace and checks it, builds the machine and places the first blocks. Throws heddle::Error that
  // names the trace, and when the configuration wants only a share of the machine (fidelity `fast`), which
  // cannot be stepped. `settings.sample` has no meaning here.
  Stepper(const config::GpuConfig& gpu, const PlannedLaunch& launch, const RunSettings& settings,
          const Warn& warn);

  // As device::Gpu::advance(). Throws heddle::Error that names the trace, device::DeadlockError.
  bool advance(Cycle until);

  // As device::Gpu's.
  Cycle now() const { return gpu_.now(); }
  LaunchRecord so_far() const { return launch_.record(gpu_.so_far()); }
  LaunchRecord finish() { return launch_.record(gpu_.finish()); }

 private:
  const OpenedLaunch launch_;
  device::Gpu gpu_;
};

}  // namespace heddle::analysis
