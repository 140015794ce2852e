#include "analysis/run/opened_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/run/host.h"
#include "frontends/cubin/execute/barrier_operands.h"
#include "frontends/input/out_of_memory.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"
#include "sim/exec/fault.h"

namespace heddle::analysis {
namespace {

// "9.0" for 90.
std::string capability(uint32_t cc) { return fmt::format("{}.{}", cc / 10, cc % 10); }

void check_image(const PlannedLaunch& launch, const config::GpuConfig& gpu, const RunSettings& settings,
                 const Warn& warn, const isa::KernelImage& image) {
  const uint32_t wanted = gpu.limits().compute_capability();
  if (image.compute_capability != 0 && image.compute_capability != wanted) {
    const std::string what = fmt::format("{}: the trace is of compute capability {}, the GPU '{}' has {}",
                                         launch.source.path.string(), capability(image.compute_capability),
                                         gpu.name(), capability(wanted));
    if (!settings.allow_capability_mismatch) {
      throw Error(what + " (--allow-capability-mismatch simulates it all the same)");
    }
    if (warn) {
      warn(what);
    }
  }
  const auto of_clusters = [](const isa::Instr& i) {
    return i.op == isa::OpClass::kClusterBarrier || i.op == isa::OpClass::kClusterWait;
  };
  if (warn && !launch.cluster && image.shape.cluster.count() <= 1 &&
      std::any_of(image.code.begin(), image.code.end(), of_clusters)) {
    warn(
        fmt::format("{}: the kernel synchronises clusters, but the trace names no cluster size (a "
                    "compiled-in one, __cluster_dims__, is not recorded): simulated with clusters of one "
                    "block; --cluster X,Y,Z says what they are",
                    launch.source.path.string()));
  }
  if (settings.strict && !image.unknown_opcodes.empty()) {
    std::string list;
    for (const auto& [opcode, count] : image.unknown_opcodes) {
      list += fmt::format("{}{} ({} in the code)", list.empty() ? "" : ", ", opcode, count);
    }
    throw Error(fmt::format("{}: unknown opcodes: {}", launch.source.path.string(), list));
  }
}

// Errors of the machine do not know the file; those of the reader begin with the trace's name or a
// companion's.
std::string with_file(const PlannedLaunch& launch, std::string_view what) {
  const std::string file = launch.source.path.string();
  const size_t suffix = file.rfind(".traceg");
  return what.starts_with(file.substr(0, suffix)) ? std::string(what) : fmt::format("{}: {}", file, what);
}

// f(), whose errors are the trace's.
template <typename F>
auto of_trace(const PlannedLaunch& launch, const F& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw TraceError(with_file(launch, e.what()));
  }
}

trace::OpenedTrace opened(const PlannedLaunch& launch) {
  trace::OpenedTrace o = launch.open ? launch.open() : trace::open_any(launch.source.path, launch.cluster);
  o.source = cubin::with_barrier_operands(std::move(o.source));
  return o;
}

// Blocks that are made when they are asked for: what that throws is the trace's, too.
class ReadGrid final : public isa::GridProgram {
 public:
  ReadGrid(const PlannedLaunch& launch, std::unique_ptr<isa::GridProgram> grid)
      : launch_(launch), grid_(std::move(grid)) {}
  const isa::KernelImage& image() const override { return grid_->image(); }
  std::unique_ptr<isa::BlockProgram> next() override {
    return of_trace(launch_, [&] { return grid_->next(); });
  }
  bool in_order() const override { return grid_->in_order(); }
  bool reads_at_once() const override { return grid_->reads_at_once(); }
  isa::GlobalMemory* memory() override { return grid_->memory(); }
  void recycle(std::unique_ptr<isa::BlockProgram> block) override { grid_->recycle(std::move(block)); }
  std::string cannot_be_saved() const override { return grid_->cannot_be_saved(); }
  void serialize(Archive& ar) override { grid_->serialize(ar); }

 private:
  const PlannedLaunch& launch_;
  const std::unique_ptr<isa::GridProgram> grid_;
};

class Reader final : public isa::BlockSource {
 public:
  Reader(const PlannedLaunch& launch, isa::BlockSource& source) : launch_(launch), source_(source) {}
  const isa::KernelImage& image() const override { return source_.image(); }
  bool next(isa::BlockTrace& out) override {
    return of_trace(launch_, [&] { return source_.next(out); });
  }
  size_t next_batch(std::span<isa::BlockTrace> out, const isa::ParallelFor& parallel) override {
    return of_trace(launch_, [&] { return source_.next_batch(out, parallel); });
  }
  bool next_runs(isa::BlockTrace& out) override {
    return of_trace(launch_, [&] { return source_.next_runs(out); });
  }
  bool start_over() override {
    return of_trace(launch_, [&] { return source_.start_over(); });
  }
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override {
    auto grid = of_trace(launch_, [&] { return source_.program(device); });
    return grid ? std::make_unique<ReadGrid>(launch_, std::move(grid)) : nullptr;
  }
  void want_refs_of(const std::vector<bool>& wanted) override { source_.want_refs_of(wanted); }

 private:
  const PlannedLaunch& launch_;
  isa::BlockSource& source_;
};

}  // namespace

OpenedLaunch::OpenedLaunch(const config::GpuConfig& gpu, PlannedLaunch launch, const RunSettings& settings,
                           const Warn& warn)
    : launch_(std::move(launch)),
      threads_(settings.threads),
      opened_(of_trace(launch_, [&] { return opened(launch_); })),
      source_(std::make_unique<Reader>(launch_, *opened_.source)) {
  of_trace(launch_, [&] { check_image(launch_, gpu, settings, warn, source().image()); });
  if (warn && !opened_.part.empty()) {
    warn(fmt::format("{}: {}: only they are simulated, as a grid of their own", launch_.source.path.string(),
                     opened_.part));
  }
}

void OpenedLaunch::located(const std::function<void()>& f) const {
  try {
    f();
  } catch (const Cancelled&) {
    throw;
  } catch (const TraceError&) {
    throw;
  } catch (const exec::ThreadFault& e) {  // of what is executed while it is simulated
    throw TraceError(with_file(launch_, e.what()));
  } catch (device::DeadlockError& e) {
    throw device::DeadlockError(with_file(launch_, e.what()), std::move(e.report));
  } catch (const Error& e) {
    throw Error(with_file(launch_, e.what()));
  } catch (const input::OutOfMemory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw input::OutOfMemory(launch_.source.path.string());
  } catch (const std::exception& e) {
    // A mistake of the program's, not of the user's; the trace is what a report about it needs to name.
    throw Error(fmt::format("{}: internal error: {}", launch_.source.path.string(), e.what()));
  }
}

LaunchRecord OpenedLaunch::record(stats::KernelResult result) const {
  LaunchRecord record = make_record(std::move(result));
  record.trace = launch_.trace;
  record.launch = launch_.number;
  record.trace_hash =
      opened_.fingerprint.empty() ? trace_fingerprint(launch_.source.path) : opened_.fingerprint;
  record.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  record.host.hostname = hostname();
  record.host.date = utc_now();
  record.host.threads = threads_;
  record.host.max_rss_bytes = max_rss_bytes();
  record.host.trace_path = launch_.source.path.string();
  return record;
}

device::RunOptions run_options(const RunSettings& settings, int threads) {
  device::RunOptions o;
  o.threads = threads;
  o.quantum = settings.quantum;
  o.l2 = settings.l2;
  o.watchdog_cycles = settings.watchdog_cycles;
  return o;
}

}  // namespace heddle::analysis
