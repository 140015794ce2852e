#include "analysis/run/checkpointed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/run/opened_launch.h"
#include "analysis/run/residency.h"
#include "configs/loader/config.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {
namespace {

// Options of `heddle run` that change results or profile, beside the configuration.
std::map<std::string, std::string> options_of(const RunSettings& s, const PlannedLaunch& launch) {
  std::map<std::string, std::string> out;
  for (const std::string& o : describe(s.l2)) {
    const size_t equals = o.find('=');
    out[o.substr(0, equals)] = o.substr(equals + 1);
  }
  if (launch.cluster) {
    out["--cluster"] = fmt::format("{},{},{}", launch.cluster->x, launch.cluster->y, launch.cluster->z);
  }
  if (s.profile.instructions) {
    out["--profile"] = "given";
    out["--profile-interval"] = std::to_string(s.profile.series_interval);
  }
  if (s.profile.spans()) {
    out["--timeline"] = "given";
    out["--timeline-warps"] = fmt::format("{}", fmt::join(s.profile.warps_of_sms, ","));
    out["--timeline-limit"] = std::to_string(s.profile.max_spans);
  }
  return out;
}

const RunSettings& savable(const RunSettings& s, const config::GpuConfig& gpu) {
  if (s.sample) {
    throw Error("--sample: a launch whose blocks are sampled cannot be saved (legal: without --sample)");
  }
  if (gpu.share().sms() > 0) {
    throw Error(
        fmt::format("share.sms = {}: a share of the machine cannot be saved; legal: a configuration "
                    "without one, such as --fidelity default or detailed",
                    gpu.share().sms()));
  }
  return s;
}

// When to save next, in core cycles; kNever: not.
class Schedule {
 public:
  Schedule(const CheckpointSettings& s, bool saved_at, Cycle now)
      : at_(s.file.empty() || saved_at ? kNever : s.at.value_or(kNever)),
        every_(s.file.empty() ? 0 : s.every),
        next_(behind(now)) {}
  Cycle next() const { return std::min(at_, next_); }
  // It has been saved at `now`; true: CheckpointSettings::at has come.
  bool saved(Cycle now) {
    next_ = behind(now);
    return now >= at_ && std::exchange(at_, kNever) != kNever;
  }

 private:
  Cycle behind(Cycle now) const { return every_ == 0 ? kNever : (now / every_ + 1) * every_; }

  Cycle at_;
  const Cycle every_;
  Cycle next_;
};

}  // namespace

std::vector<PlannedLaunch> from_saved(std::vector<PlannedLaunch> launches, const std::filesystem::path& file,
                                      const CheckpointFile& saved) {
  // By name; else, since the paths may be given otherwise, by what is in it.
  auto l = std::find_if(launches.begin(), launches.end(),
                        [&](const PlannedLaunch& p) { return p.label() == saved.label(); });
  if (l == launches.end()) {
    l = std::find_if(launches.begin(), launches.end(),
                     [&](const PlannedLaunch& p) { return trace_hash(p) == saved.trace_hash; });
  }
  if (l == launches.end()) {
    throw Error(
        fmt::format("{}: it is of the launch {} ({}), which the traces given do not have (legal: the "
                    "same traces as when it was saved)",
                    file.string(), saved.label(), saved.kernel));
  }
  launches.erase(launches.begin(), l);
  return launches;
}

CheckpointedRuns::CheckpointedRuns(const config::GpuConfig& gpu, const RunSettings& run,
                                   const CheckpointSettings& settings, const PlannedLaunch& first,
                                   const std::atomic<bool>& cancel, Warn warn)
    : gpu_(gpu),
      run_(savable(run, gpu)),
      settings_(settings),
      cancel_(cancel),
      warn_(std::move(warn)),
      config_hash_(config::hash(gpu)) {
  if (!settings_.file.empty()) {
    output::find_place(settings_.file, checkpoint_file(), settings_.replace);  // before hours of simulation
  }
  if (settings_.resumed) {
    check_same(settings_.resume, *settings_.resumed, describe(first));
  }
}

CheckpointFile CheckpointedRuns::describe(const PlannedLaunch& launch) const {
  CheckpointFile c;
  c.trace = launch.trace;
  c.launch = launch.number;
  c.trace_hash = trace_hash(launch);
  c.gpu = gpu_;
  c.config_hash = config_hash_;
  c.options = options_of(run_, launch);
  return c;
}

void CheckpointedRuns::begin(device::Gpu& gpu, const OpenedLaunch& launch,
                             const device::RunOptions& options) {
  if (!settings_.resumed || std::exchange(resumed_, true)) {
    launch.located([&] { gpu.begin(launch.source(), options); });
    return;
  }
  try {
    gpu.resume(launch.source(), options, settings_.resumed->state);
  } catch (const TraceError&) {
    throw;
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", settings_.resume.string(), e.what()));
  }
}

void CheckpointedRuns::save(device::Gpu& gpu, CheckpointFile& file) {
  file.cycle = gpu.now();
  file.state = gpu.save();
  write_checkpoint(settings_.file, settings_.replace, file);
  saved_ = fmt::format("{} at cycle {}", file.label(), file.cycle);
}

LaunchRecord CheckpointedRuns::simulate(const PlannedLaunch& planned,
                                        const std::function<void(const device::Progress&)>& progress) {
  const OpenedLaunch launch(gpu_, planned, run_, warn_);
  device::RunOptions options =
      run_options(run_, threads_for(run_.threads, static_cast<uint32_t>(gpu_.topology().sms()), warn_));
  options.progress = progress;
  options.profile = run_.profile;
  CheckpointFile file = describe(planned);
  file.kernel = launch.source().image().name;
  device::Gpu gpu(gpu_, options.threads);
  begin(gpu, launch, options);
  Schedule schedule(settings_, saved_at_, gpu.now());
  // A quantum at a time: when it is interrupted, the machine is between two.
  const auto advance = [&] {
    bool more = false;
    launch.located([&] { more = gpu.advance(gpu.now() + 1); });
    return more;
  };
  while (advance()) {
    if (cancel_) {
      if (!settings_.file.empty()) {
        save(gpu, file);
      }
      throw Cancelled(fmt::format("interrupted in {} at cycle {}", planned.label(), gpu.now()));
    }
    if (gpu.now() >= schedule.next()) {
      save(gpu, file);
      saved_at_ = schedule.saved(gpu.now()) || saved_at_;
    }
  }
  stats::KernelResult result;
  launch.located([&] { result = gpu.finish(); });
  return launch.record(std::move(result));
}

}  // namespace heddle::analysis
