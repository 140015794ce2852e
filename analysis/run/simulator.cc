#include "analysis/run/simulator.h"

#include <utility>

#include "analysis/run/residency.h"
#include "sim/base/error.h"
#include "sim/sampling/simulate.h"

namespace heddle::analysis {

void check(const RunSettings& s, const config::GpuConfig& gpu) {
  check(s.l2, gpu);
  const bool fresh = s.between == Between::kFlush && s.warm_up == 0;
  if (!fresh && (s.sample || gpu.share().sms() != 0)) {
    throw Error(
        "--between keep and --warm-up need the whole L2, of which sampled launches and a share of the "
        "machine have a part "
        "(legal: --between flush without --warm-up)");
  }
}

device::Gpu& Simulator::machine_of(const PlannedLaunch& launch) const {
  Machine* m = nullptr;
  {
    const std::lock_guard lock(mutex_);
    m = &machines_[std::this_thread::get_id()];
  }
  if (!m->gpu || m->trace != launch.trace || settings_.between == Between::kFlush) {
    *m = {launch.trace, nullptr};  // one at a time is enough memory
    m->gpu = std::make_unique<device::Gpu>(gpu_, threads_);
  }
  return *m->gpu;
}

// On a machine on which others have been, and this launch itself, too.
stats::KernelResult Simulator::warm(const PlannedLaunch& launch, const OpenedLaunch& opened,
                                    device::RunOptions run) const {
  run.warm = true;
  device::Gpu& machine = machine_of(launch);
  device::RunOptions before = run;
  before.progress = nullptr;
  before.profile = {};
  for (uint32_t i = 0; i < settings_.warm_up; ++i) {
    const OpenedLaunch again(gpu_, launch, settings_, warn_);
    again.located([&] { machine.run(again.source(), before); });
  }
  return machine.run(opened.source(), run);
}

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
  opened.located([&] {
    // A fresh machine each time, so that no launch can leave anything behind for the next one; unless it is
    // to.
    result = settings_.between == Between::kFlush && settings_.warm_up == 0
                 ? sampling::simulate(gpu_, opened.source(), run, settings_.sample)
                 : warm(launch, opened, run);
  });
  return opened.record(std::move(result));
}

}  // namespace heddle::analysis
