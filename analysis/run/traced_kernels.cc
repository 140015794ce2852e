#include "analysis/run/traced_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/residency.h"
#include "analysis/run/simulator.h"
#include "frontends/workload/module_code.h"
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

void refuse_nested(const exec::Launch& l, const modules::LaunchDescription& d) {
  if (l.runtime && l.runtime->may_launch()) {
    throw Error(
        fmt::format("{}: kernel {} launches kernels: a workload says so by device_call, or the program is "
                    "run whole (heddle exec)",
                    d.file.string(), d.kernel));
  }
}

PlannedLaunch planned_trace(const std::filesystem::path& trace) {
  std::vector<PlannedLaunch> plan = plan_launches({trace}, false);
  if (plan.size() != 1) {
    throw Error(fmt::format("{}: {} launches; a kernel of a workload is one", trace.string(), plan.size()));
  }
  return std::move(plan.front());
}

// `open` keeps what it opens alive.
PlannedLaunch planned_module(const std::filesystem::path& file,
                             std::function<std::unique_ptr<isa::BlockSource>()> open) {
  PlannedLaunch out;
  out.source.path = file;
  out.open = [open = std::move(open)] {
    return with_instructions([&] { return trace::OpenedTrace{open(), "executed", ""}; });
  };
  return out;
}

// In a memory of its own.
PlannedLaunch planned_apart(const Source& source) {
  if (const auto* const trace = std::get_if<std::filesystem::path>(&source)) {
    return planned_trace(*trace);
  }
  const auto& d = std::get<modules::LaunchDescription>(source);
  const auto launch = with_instructions([&] { return std::make_shared<modules::DescribedLaunch>(d); });
  refuse_nested(launch->launch(), d);
  return planned_module(d.file, [launch] { return launch->timed(std::make_shared<std::string>()); });
}

// A launch's blocks, checked against the GPU; errors name the file.
class CheckedSource final : public isa::BlockSource {
 public:
  CheckedSource(const config::GpuConfig& gpu, PlannedLaunch plan, const Warn& warn)
      : launch_(gpu, std::move(plan), {}, warn) {}
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
  OpenedLaunch launch_;
};

// Grid, block and what a block needs, as a kernel of a host program has them.
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

}  // namespace

TracedKernels::TracedKernels(const config::GpuConfig& gpu, Options options)
    : gpu_(gpu), options_(std::move(options)) {
  if (options_.together) {
    host::Together::Options o;
    o.open = [this](uint32_t number) {
      return std::make_unique<CheckedSource>(gpu_, planned(known_[number]), options_.warn);
    };
    o.address_offset = [this](uint32_t number) { return address_offset(number); };
    o.threads = threads_for(options_.threads, static_cast<uint32_t>(gpu.topology().sms()), options_.warn);
    o.cancel = options_.cancel;
    o.progress = options_.progress;
    model_ = std::make_unique<host::Together>(gpu, std::move(o));
  }
}

uint32_t TracedKernels::number(const Source& source, const Buffers& buffers) {
  const auto it = std::find_if(known_.begin(), known_.end(),
                               [&](const Known& k) { return k.source == source && k.buffers == buffers; });
  if (it != known_.end()) {
    return static_cast<uint32_t>(it - known_.begin());
  }
  known_.push_back({source, buffers});
  return static_cast<uint32_t>(known_.size() - 1);
}

const TracedKernels::Bound& TracedKernels::bound(Known& k) {
  if (k.bound) {
    return *k.bound;
  }
  const auto& d = std::get<modules::LaunchDescription>(k.source);
  std::unique_ptr<modules::Program>& program = programs_[d.file];
  if (!program) {
    program = with_instructions([&] { return modules::load(d.file, memory_); });
  }
  Bound b{program.get(), &program->kernel(d.kernel), {}};
  const auto& parameters = b.kernel->parameters;
  if (d.arguments.size() != parameters.size()) {
    throw Error(fmt::format("{}: kernel {} has {} parameters, and there are {} arguments", d.file.string(),
                            d.kernel, parameters.size(), d.arguments.size()));
  }
  for (size_t i = 0; i < d.arguments.size(); ++i) {
    const auto buffer = k.buffers.find(i);
    b.arguments.push_back(buffer != k.buffers.end()
                              ? buffer->second
                              : modules::argument(d.arguments[i], parameters[i], memory_).bits);
  }
  return k.bound.emplace(std::move(b));
}

// A launch by itself, or in memory().
PlannedLaunch TracedKernels::planned(Known& k) {
  const auto* const d = std::get_if<modules::LaunchDescription>(&k.source);
  if (!d || !shares(k)) {
    return planned_apart(k.source);
  }
  const Bound& b = bound(k);
  const auto launch =
      with_instructions([&] { return std::make_shared<exec::Launch>(b.program->launch(*b.kernel)); });
  modules::set_shape(*launch, d->grid, d->block, d->cluster, d->dynamic_shared);
  for (size_t i = 0; i < b.arguments.size(); ++i) {
    modules::set_parameter(*b.kernel, i, b.arguments[i], *launch);
  }
  refuse_nested(*launch, *d);
  return planned_module(
      d->file, [&b, launch, output = printed()] { return b.program->timed(*b.kernel, *launch, output); });
}

// Where a launch prints. What those before have printed is kept once they have ended.
std::shared_ptr<std::string> TracedKernels::printed() {
  while (!printing_.empty() && printing_.front().use_count() == 1) {
    printed_ += *printing_.front();
    printing_.pop_front();
  }
  return printing_.emplace_back(std::make_shared<std::string>());
}

std::string TracedKernels::output() {
  for (const auto& p : std::exchange(printing_, {})) {
    printed_ += *p;
  }
  return std::exchange(printed_, {});
}

LaunchRecord TracedKernels::simulate(const PlannedLaunch& plan, const memory::L2Policy& policy) const {
  RunSettings settings;
  settings.threads = options_.threads;
  settings.l2 = policy;
  return Simulator(gpu_, settings, *options_.cancel, options_.warn).simulate(plan, nullptr);
}

host::Ps TracedKernels::execute(uint32_t number) {
  return host::time_on_device(simulate(planned(known_[number]), {}).cycles, gpu_);
}

const isa::LaunchShape& TracedKernels::shape(Known& k) {
  if (k.shape) {
    return *k.shape;
  }
  // Simulating it, later, warns of what there is to warn of.
  const Warn nobody = [](std::string_view) {};
  return k.shape.emplace(CheckedSource(gpu_, planned(k), model_ ? options_.warn : nobody).image().shape);
}

uint64_t TracedKernels::stream(const std::filesystem::path& trace) {
  return shape(known_[number(trace, {})]).stream;
}

uint32_t TracedKernels::fill(const Source& source, const Buffers& buffers, host::KernelDesc& k) {
  const uint32_t which = number(source, buffers);
  Known& known = known_[which];
  if (model_ || buffers.empty()) {
    k.trace = which;
  }
  if (!shares(known) && !known.duration) {
    const LaunchRecord r = simulate(planned(known), {});
    known.shape = r.shape;
    known.duration = host::time_on_device(r.cycles, gpu_);
  }
  fill_shape(shape(known), k);
  if (std::holds_alternative<modules::LaunchDescription>(source)) {
    k.code = code(known);
  }
  k.duration = known.duration.value_or(host::Ps());
  return which;
}

const host::CodeDesc& TracedKernels::code(Known& k) {
  const auto& d = std::get<modules::LaunchDescription>(k.source);
  const uint32_t module =
      modules_.try_emplace(d.file, static_cast<uint32_t>(modules_.size() + 1)).first->second;
  const auto [it, is_new] = code_.try_emplace({module, d.kernel});
  if (is_new && shares(k)) {
    const Bound& b = bound(k);
    it->second = workload::code_of(*b.program, *b.kernel, module);
  } else if (is_new) {
    exec::Memory memory;
    const auto program = modules::load(d.file, memory);
    it->second = workload::code_of(*program, program->kernel(d.kernel), module);
  }
  return it->second;
}

host::Ps TracedKernels::under(uint32_t number, const memory::L2Policy& policy) const {
  check(policy, gpu_);
  if (shares(known_[number])) {
    return {};  // the model that runs it takes its time
  }
  return host::time_on_device(simulate(planned_apart(known_[number].source), policy).cycles, gpu_);
}

uint64_t TracedKernels::address_offset(uint32_t number) {
  constexpr int kBits = 48;  // what an address has
  const auto* const trace = std::get_if<std::filesystem::path>(&known_[number].source);
  const auto space =
      trace ? std::filesystem::weakly_canonical(*trace).parent_path() : std::filesystem::path();
  return address_spaces_.try_emplace(space, address_spaces_.size()).first->second << kBits;
}

}  // namespace heddle::analysis
