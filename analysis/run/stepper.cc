#include "analysis/run/stepper.h"

#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

const config::GpuConfig& whole(const config::GpuConfig& gpu) {
  if (gpu.share().sms() > 0) {
    throw Error("share.sms = " + std::to_string(gpu.share().sms()) +
                ": a share of the machine cannot be simulated in steps; legal: a configuration without one, "
                "such as fidelity default or detailed");
  }
  return gpu;
}

}  // namespace

Stepper::Stepper(const config::GpuConfig& gpu, const PlannedLaunch& launch, const RunSettings& settings,
                 const Warn& warn)
    : launch_(whole(gpu), launch, settings, warn), gpu_(gpu) {
  launch_.located([&] { gpu_.begin(launch_.source(), run_options(settings, settings.threads)); });
}

bool Stepper::advance(Cycle until) {
  bool more = false;
  launch_.located([&] { more = gpu_.advance(until); });
  return more;
}

}  // namespace heddle::analysis
