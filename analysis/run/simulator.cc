#include "analysis/run/simulator.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <string_view>
#include <utility>

#include "analysis/run/host.h"
#include "frontends/trace/launches.h"
#include "sim/device/simulate.h"
#include "sim/engine/error.h"

namespace heddle::analysis {
namespace {

// "9.0" for 90.
std::string capability(uint32_t cc) { return fmt::format("{}.{}", cc / 10, cc % 10); }

// Errors of the machine do not know the file; those of the reader begin with the trace's name or a
// companion's.
std::string located(const PlannedLaunch& launch, std::string_view what) {
  const std::string file = launch.source.path.string();
  const size_t suffix = file.rfind(".traceg");
  return what.starts_with(file.substr(0, suffix)) ? std::string(what) : fmt::format("{}: {}", file, what);
}

}  // namespace

void Simulator::check_image(const PlannedLaunch& launch, const isa::KernelImage& image) const {
  const uint32_t wanted = gpu_.limits().compute_capability();
  if (image.compute_capability != 0 && image.compute_capability != wanted) {
    const std::string what = fmt::format("{}: the trace is of compute capability {}, the GPU '{}' has {}",
                                         launch.source.path.string(), capability(image.compute_capability),
                                         gpu_.name(), capability(wanted));
    if (!settings_.allow_capability_mismatch) {
      throw Error(what + " (--allow-capability-mismatch simulates it all the same)");
    }
    if (warn_) {
      warn_(what);
    }
  }
  if (settings_.strict && !image.unknown_opcodes.empty()) {
    std::string list;
    for (const auto& [opcode, count] : image.unknown_opcodes) {
      list += fmt::format("{}{} ({} in the code)", list.empty() ? "" : ", ", opcode, count);
    }
    throw Error(fmt::format("{}: unknown opcodes: {}", launch.source.path.string(), list));
  }
}

LaunchRecord Simulator::simulate(const PlannedLaunch& launch,
                                 const std::function<void(const device::Progress&)>& progress) const {
  const auto start = std::chrono::steady_clock::now();
  trace::OpenedTrace opened = trace::open_any(launch.source.path, launch.cluster);
  const std::unique_ptr<isa::BlockSource>& source = opened.source;
  check_image(launch, source->image());
  device::RunOptions run;
  run.threads = settings_.threads;
  run.sample = settings_.sample;
  run.progress = progress;
  run.cancel = &cancel_;
  run.watchdog_cycles = settings_.watchdog_cycles;
  run.profile = settings_.profile;
  stats::KernelResult result;
  try {
    // A fresh machine each time, so that no launch can leave anything behind for the next one.
    result = device::simulate(gpu_, *source, run);
  } catch (const device::Cancelled&) {
    throw;
  } catch (device::DeadlockError& e) {
    throw device::DeadlockError(located(launch, e.what()), std::move(e.report));
  } catch (const Error& e) {
    throw Error(located(launch, e.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    // A mistake of the program's, not of the user's; the trace is what a report about it needs to name.
    throw Error(fmt::format("{}: internal error: {}", launch.source.path.string(), e.what()));
  }
  LaunchRecord record = make_record(std::move(result));
  record.trace = launch.trace;
  record.launch = launch.number;
  record.trace_hash = opened.fingerprint.empty() ? trace_fingerprint(launch.source.path) : opened.fingerprint;
  record.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.host.hostname = hostname();
  record.host.date = utc_now();
  record.host.threads = settings_.threads;
  record.host.max_rss_bytes = max_rss_bytes();
  record.host.trace_path = launch.source.path.string();
  return record;
}

}  // namespace heddle::analysis
