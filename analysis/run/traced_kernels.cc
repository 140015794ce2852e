#include "analysis/run/traced_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/residency.h"
#include "analysis/run/simulator.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

using Source = TracedKernels::Source;

// f(), which says in one line what instructions cannot be done.
template <typename F>
auto with_instructions(const F& f) {
  try {
    return f();
  } catch (const Unsupported& e) {
    constexpr size_t kShown = 8;
    const auto shown = std::span(e.lines()).first(std::min(kShown, e.lines().size()));
    const size_t left = e.lines().size() - shown.size();
    throw Error(fmt::format("{}: {}{}", e.what(), fmt::join(shown, "; "),
                            left > 0 ? fmt::format(" and {} more", left) : ""));
  }
}

// Null of a trace.
std::unique_ptr<modules::DescribedLaunch> described(const Source& source) {
  const auto* const launch = std::get_if<modules::LaunchDescription>(&source);
  if (!launch) {
    return nullptr;
  }
  auto out = with_instructions([&] { return std::make_unique<modules::DescribedLaunch>(*launch); });
  if (out->launch().runtime && out->launch().runtime->may_launch()) {
    throw Error(
        fmt::format("{}: kernel {} launches kernels: a workload says so by device_call, or the program is "
                    "run whole (heddle exec)",
                    launch->file.string(), launch->kernel));
  }
  return out;
}

// `of_module`: as described() made it; it outlives what is opened.
PlannedLaunch planned(const Source& source, const modules::DescribedLaunch* of_module) {
  if (of_module) {
    PlannedLaunch out;
    out.source.path = std::get<modules::LaunchDescription>(source).file;
    out.open = [of_module] {
      return with_instructions([&] {
        return trace::OpenedTrace{of_module->timed(std::make_shared<std::string>()), "executed", ""};
      });
    };
    return out;
  }
  const auto& trace = std::get<std::filesystem::path>(source);
  std::vector<PlannedLaunch> plan = plan_launches({trace}, false);
  if (plan.size() != 1) {
    throw Error(fmt::format("{}: {} launches; a kernel of a workload is one", trace.string(), plan.size()));
  }
  return std::move(plan.front());
}

// A launch's blocks, checked against the GPU; errors name the file.
class CheckedSource final : public isa::BlockSource {
 public:
  CheckedSource(const config::GpuConfig& gpu, const Source& source, const Warn& warn)
      : of_module_(described(source)), launch_(gpu, planned(source, of_module_.get()), {}, warn) {}
  const isa::KernelImage& image() const override { return launch_.source().image(); }
  bool next(isa::BlockTrace& out) override {
    bool more = false;
    launch_.located([&] { more = launch_.source().next(out); });
    return more;
  }
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override {
    return launch_.source().program(device);
  }
  bool start_over() override {
    bool can = false;
    launch_.located([&] { can = launch_.source().start_over(); });
    return can;
  }

 private:
  const std::unique_ptr<modules::DescribedLaunch> of_module_;
  OpenedLaunch launch_;
};

}  // namespace

host::Ps duration_on_device(const LaunchRecord& r, const config::GpuConfig& gpu) {
  const uint64_t fixed = gpu.launch().start_cycles() + gpu.launch().end_cycles();
  return host::from_us(static_cast<double>(r.cycles > fixed ? r.cycles - fixed : 0) /
                       gpu.clocks().core_mhz());
}

TracedKernels::TracedKernels(const config::GpuConfig& gpu, Options options)
    : gpu_(gpu), options_(std::move(options)) {
  if (options_.together) {
    host::Together::Options o;
    o.open = [this](uint32_t number) {
      return std::make_unique<CheckedSource>(gpu_, known_[number].source, options_.warn);
    };
    o.address_offset = [this](uint32_t number) { return address_offset(number); };
    o.threads = threads_for(options_.threads, static_cast<uint32_t>(gpu.topology().sms()), options_.warn);
    o.cancel = options_.cancel;
    o.progress = options_.progress;
    model_ = std::make_unique<host::Together>(gpu, std::move(o));
  }
}

LaunchRecord TracedKernels::simulate(const Source& source, const memory::L2Policy& policy) const {
  RunSettings settings;
  settings.threads = options_.threads;
  settings.l2 = policy;
  const auto of_module = described(source);
  return Simulator(gpu_, settings, *options_.cancel, options_.warn)
      .simulate(planned(source, of_module.get()), nullptr);
}

uint32_t TracedKernels::number(const Source& source) {
  const auto it =
      std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.source == source; });
  if (it != known_.end()) {
    return static_cast<uint32_t>(it - known_.begin());
  }
  known_.push_back({source});
  return static_cast<uint32_t>(known_.size() - 1);
}

const isa::LaunchShape& TracedKernels::shape(const Source& source) {
  Known& k = known_[number(source)];
  if (k.shape) {
    return *k.shape;
  }
  // Simulating it, later, warns of what there is to warn of.
  const Warn nobody = [](std::string_view) {};
  return k.shape.emplace(CheckedSource(gpu_, source, model_ ? options_.warn : nobody).image().shape);
}

uint64_t TracedKernels::stream(const std::filesystem::path& trace) { return shape(trace).stream; }

void TracedKernels::fill(const Source& source, host::KernelDesc& k) {
  k.trace = number(source);
  Known& known = known_[k.trace];
  if (!model_ && !known.duration) {
    const LaunchRecord r = simulate(source, {});
    known.shape = r.shape;
    known.duration = duration_on_device(r, gpu_);
  }
  fill_shape(shape(source), k);
  k.duration = known.duration.value_or(host::Ps());
}

void fill_shape(const isa::LaunchShape& launched, host::KernelDesc& k) {
  const auto dim = [](const isa::Dim3& d) { return host::Extent{d.x, d.y, d.z}; };
  k.has_grid = true;
  k.grid = dim(launched.grid);
  k.block = dim(launched.block);
  k.cluster = dim(launched.cluster);
  k.registers = launched.registers_per_thread;
  k.static_shared_bytes = launched.static_shared_bytes;
  k.dynamic_shared_bytes = launched.dynamic_shared_bytes;
}

host::Ps TracedKernels::under(uint32_t number, const memory::L2Policy& policy) const {
  check(policy, gpu_);
  return duration_on_device(simulate(known_[number].source, policy), gpu_);
}

uint64_t TracedKernels::address_offset(uint32_t number) {
  constexpr int kBits = 48;  // what an address has
  const auto* const trace = std::get_if<std::filesystem::path>(&known_[number].source);
  std::variant<std::filesystem::path, uint32_t> space = number;
  if (trace) {
    space = std::filesystem::weakly_canonical(*trace).parent_path();
  }
  return uint64_t{address_spaces_.try_emplace(space, address_spaces_.size()).first->second} << kBits;
}

}  // namespace heddle::analysis
