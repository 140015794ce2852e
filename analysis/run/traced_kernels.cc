#include "analysis/run/traced_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/residency.h"
#include "analysis/run/simulator.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

PlannedLaunch planned(const std::filesystem::path& trace) {
  std::vector<PlannedLaunch> plan = plan_launches({trace}, false);
  if (plan.size() != 1) {
    throw Error(fmt::format("{}: {} launches; a kernel of a workload is one", trace.string(), plan.size()));
  }
  return std::move(plan.front());
}

// A launch's trace, checked against the GPU; its errors name the file.
class CheckedSource final : public isa::BlockSource {
 public:
  CheckedSource(const config::GpuConfig& gpu, const std::filesystem::path& trace, const Warn& warn)
      : launch_(gpu, planned(trace), {}, warn) {}
  const isa::KernelImage& image() const override { return launch_.source().image(); }
  bool next(isa::BlockTrace& out) override {
    bool more = false;
    launch_.located([&] { more = launch_.source().next(out); });
    return more;
  }
  bool start_over() override {
    bool can = false;
    launch_.located([&] { can = launch_.source().start_over(); });
    return can;
  }

 private:
  OpenedLaunch launch_;
};

}  // namespace

host::Ps duration_on_device(const LaunchRecord& r, const config::GpuConfig& gpu) {
  const uint64_t fixed = gpu.launch().start_cycles() + gpu.launch().end_cycles();
  return host::from_us(static_cast<double>(r.cycles > fixed ? r.cycles - fixed : 0) / gpu.clocks().core_mhz());
}

TracedKernels::TracedKernels(const config::GpuConfig& gpu, Options options)
    : gpu_(gpu), options_(std::move(options)) {
  if (options_.together) {
    host::Together::Options o;
    o.open = [this](uint32_t trace) {
      return std::make_unique<CheckedSource>(gpu_, traces_[trace].file, options_.warn);
    };
    o.address_offset = [this](uint32_t trace) { return address_offset(traces_[trace].file); };
    o.threads = threads_for(options_.threads, static_cast<uint32_t>(gpu.topology().sms()), options_.warn);
    o.cancel = options_.cancel;
    o.progress = options_.progress;
    model_ = std::make_unique<host::Together>(gpu, std::move(o));
  }
}

LaunchRecord TracedKernels::simulate(const std::filesystem::path& trace,
                                     const memory::L2Policy& policy) const {
  RunSettings settings;
  settings.threads = options_.threads;
  settings.l2 = policy;
  return Simulator(gpu_, settings, *options_.cancel, options_.warn).simulate(planned(trace), nullptr);
}

uint32_t TracedKernels::number(const std::filesystem::path& trace) {
  const auto it =
      std::find_if(traces_.begin(), traces_.end(), [&](const Known& k) { return k.file == trace; });
  if (it != traces_.end()) {
    return static_cast<uint32_t>(it - traces_.begin());
  }
  traces_.push_back({trace});
  return static_cast<uint32_t>(traces_.size() - 1);
}

const isa::LaunchShape& TracedKernels::shape(const std::filesystem::path& trace) {
  Known& k = traces_[number(trace)];
  if (k.shape) {
    return *k.shape;
  }
  // Simulating it, later, warns of what there is to warn of.
  const Warn nobody = [](std::string_view) {};
  return k.shape.emplace(CheckedSource(gpu_, trace, model_ ? options_.warn : nobody).image().shape);
}

uint64_t TracedKernels::stream(const std::filesystem::path& trace) { return shape(trace).stream; }

void TracedKernels::fill(const std::filesystem::path& trace, host::KernelDesc& k) {
  k.trace = number(trace);
  Known& known = traces_[k.trace];
  if (!model_ && !known.duration) {
    const LaunchRecord r = simulate(trace, {});
    known.shape = r.shape;
    known.duration = duration_on_device(r, gpu_);
  }
  const auto dim = [](const isa::Dim3& d) { return host::Extent{d.x, d.y, d.z}; };
  const isa::LaunchShape& launched = shape(trace);
  k.has_grid = true;
  k.grid = dim(launched.grid);
  k.block = dim(launched.block);
  k.cluster = dim(launched.cluster);
  k.registers = launched.registers_per_thread;
  k.static_shared_bytes = launched.static_shared_bytes;
  k.dynamic_shared_bytes = launched.dynamic_shared_bytes;
  k.duration = known.duration.value_or(host::Ps());
}

host::Ps TracedKernels::under(uint32_t trace, const memory::L2Policy& policy) const {
  check(policy, gpu_);
  return duration_on_device(simulate(traces_[trace].file, policy), gpu_);
}

uint64_t TracedKernels::address_offset(const std::filesystem::path& trace) {
  constexpr int kBits = 48;  // what an address has
  const std::filesystem::path folder = std::filesystem::weakly_canonical(trace).parent_path();
  return uint64_t{captures_.try_emplace(folder, captures_.size()).first->second} << kBits;
}

}  // namespace heddle::analysis
