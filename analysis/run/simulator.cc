#include "analysis/run/simulator.h"

#include <utility>

#include "analysis/run/opened_launch.h"
#include "sim/sampling/simulate.h"

namespace heddle::analysis {

LaunchRecord Simulator::simulate(const PlannedLaunch& launch,
                                 const std::function<void(const device::Progress&)>& progress) const {
  const OpenedLaunch opened(gpu_, launch, settings_, warn_);
  std::call_once(counted_, [this] {
    threads_ = threads_for(settings_.threads, static_cast<uint32_t>(gpu_.topology().sms()), warn_);
  });
  device::RunOptions run = run_options(settings_, threads_);
  run.progress = progress;
  run.cancel = &cancel_;
  run.profile = settings_.profile;
  stats::KernelResult result;
  // A fresh machine each time, so that no launch can leave anything behind for the next one.
  opened.located([&] { result = sampling::simulate(gpu_, opened.source(), run, settings_.sample); });
  return opened.record(std::move(result));
}

}  // namespace heddle::analysis
