#include "sim/device/gpu.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "sim/device/block_sampler.h"
#include "sim/device/profiler.h"
#include "sim/device/quantum_loop.h"
#include "sim/isa/recorded_program.h"
#include "sim/sm/code/timed_instr.h"

namespace heddle::device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kReportEvery = std::chrono::milliseconds(50);
constexpr uint32_t kBlocksAhead = 4;  // of a recording, for each thread

// A launch on its way.
struct Running {
  // Of a recording, `recorded` is it, and null of a program.
  Running(const isa::KernelImage& i, isa::BlockSource* recorded, isa::GridProgram* p, const RunOptions& o,
          QuantumLoop& loop)
      : image(i),
        options(o),
        occ(occupancy(loop.machine().config, image.shape)),
        timed(sm::bind(image, loop.machine().config.sm())),
        program(p) {
    Machine& m = loop.machine();
    if (options.sample && !recorded) {
      throw Error("kernel " + image.name + ": only recordings can be sampled");
    }
    if (image.computed && !options.image) {
      throw Error("kernel " + image.name + " computes, and there is no memory for it (RunOptions::image)");
    }
    if (options.sample) {
      sampler.emplace(m.config, *recorded, options.cancel);
      replay.emplace(*sampler);
    } else if (recorded) {
      const auto threads = static_cast<uint32_t>(std::max(1, options.threads));
      replay.emplace(*recorded, threads == 1 ? 1 : kBlocksAhead * threads,
                     [&loop](uint32_t n, const auto& f) { loop.pool().parallel_for(n, f); });
    }
    if (replay) {
      program = &*replay;
    }
    if (options.profile.any()) {
      profiler.emplace(options.profile, m, image);
    }
    if (sampler && profiler) {
      throw Error("a profile needs every block: it cannot be had with sampling");
    }
  }

  const isa::KernelImage& image;
  const RunOptions options;
  const stats::Occupancy occ;
  const sm::TimedKernel timed;
  std::optional<BlockSampler> sampler;
  std::optional<isa::RecordedGrid> replay;
  isa::GridProgram* program;
  std::optional<Profiler> profiler;
  Clock::time_point reported = Clock::now();
};

}  // namespace

struct Gpu::Impl {
  Impl(const config::GpuConfig& c, int threads) : loop(c, threads) {}

  QuantumLoop loop;
  std::unique_ptr<Running> running;

  void begin(std::unique_ptr<Running> launch);
  stats::KernelResult to_the_end(Gpu& gpu, const std::function<void()>& begin);
  void quantum(Running& r);
  stats::KernelResult collect(const Running& run) const;
};

Gpu::Gpu(const config::GpuConfig& config, int threads) : impl_(std::make_unique<Impl>(config, threads)) {}
Gpu::~Gpu() = default;

stats::KernelResult Gpu::Impl::collect(const Running& run) const {
  const isa::KernelImage& image = run.image;
  stats::KernelResult r;
  const Machine& machine = loop.machine();
  const config::GpuConfig& c = machine.config;
  r.kernel = image.name;
  r.kernel_id = image.id;
  r.shape = image.shape;
  r.occupancy = run.occ;
  r.sms = c.topology().sms();
  r.subcores_per_sm = c.sm().subcores();
  r.max_warps_per_sm = c.limits().max_warps_per_sm();
  r.core_mhz = c.clocks().core_mhz();
  r.used_control_bits = run.timed.control_bits;
  Cycle last = 0;
  for (const auto& s : machine.sms) {
    const Cycle active = s->active_cycles(loop.now());
    r.sm_active_cycles_sum += active;
    r.sm_active_cycles_max = std::max(r.sm_active_cycles_max, active);
    last = std::max(last, s->last_activity());
  }
  r.totals = loop.counters();
  // The launch ends when its last store has been performed, which can be long after the last warp.
  last = std::max(last, machine.memory->last_performed());
  r.cycles = last + c.launch().end_cycles();
  for (size_t i = 0; i < image.code.size(); ++i) {
    if (!(image.code[i].flags & isa::kFlagUnknownOpcode)) {
      continue;
    }
    uint64_t executed = 0;
    for (const auto& s : machine.sms) {
      executed += s->executed_unknown(static_cast<uint32_t>(i));
    }
    if (executed) {
      r.unknown_opcodes[image.opcodes[image.code[i].opcode]] += executed;
    }
  }
  return r;
}

// One quantum of a launch that is not over.
void Gpu::Impl::quantum(Running& r) {
  loop.advance();
  if (r.profiler) {
    r.profiler->exchange(loop.now());
  }
  if (r.sampler) {
    r.sampler->exchange(loop.now(), loop.issued(), [this] { return loop.counters(); });
  }
  if (r.options.progress && Clock::now() - r.reported > kReportEvery) {
    r.reported = Clock::now();
    const WorkDistributor& d = *loop.machine().distributor;
    r.options.progress({loop.now(), loop.issued(), d.blocks_done() + (r.sampler ? r.sampler->skipped() : 0),
                        d.blocks_total()});
  }
}

void Gpu::begin(isa::BlockSource& kernel, const RunOptions& options) {
  impl_->begin(std::make_unique<Running>(kernel.image(), &kernel, nullptr, options, impl_->loop));
}

void Gpu::begin(isa::GridProgram& kernel, const RunOptions& options) {
  impl_->begin(std::make_unique<Running>(kernel.image(), nullptr, &kernel, options, impl_->loop));
}

void Gpu::Impl::begin(std::unique_ptr<Running> launch) {
  running = std::move(launch);
  Running& r = *running;
  const RunOptions& options = r.options;
  Machine& m = loop.machine();
  const Cycle at = m.config.launch().start_cycles();
  loop.begin({.threads = options.threads,
              .quantum = options.quantum,
              .cancel = options.cancel,
              .watchdog_cycles = options.watchdog_cycles,
              .computed = r.image.computed,
              .livelock_cycles = options.livelock_cycles,
              .what = "kernel " + r.image.name},
             at);
  m.memory->reset(options.l2, options.warm, at, &loop.pool());
  m.memory->set_image(options.image);
  m.memory->launch(0, 0, uint64_t{r.timed.lines} * m.config.sm().fetch().line_bytes(), 0);
  loop.pool().parallel_for(static_cast<uint32_t>(m.sms.size()), [&](uint32_t i) {
    m.sms[i]->begin(at, options.observer, Profiler::noting(options.profile, i), options.image);
    m.sms[i]->add_kernel(r.timed);
  });
  m.distributor->begin();
  m.distributor->launch({.program = r.program,
                         .kernel = &r.timed,
                         .occupancy = r.occ,
                         .sampler = r.sampler ? &*r.sampler : nullptr},
                        at);
}

void Gpu::reset_persisting_l2() { impl_->loop.machine().memory->reset_persisting(); }

uint64_t Gpu::persisting_l2_bytes() const { return impl_->loop.machine().memory->persisting_bytes(); }

bool Gpu::advance(Cycle until) {
  while (!impl_->loop.machine().distributor->finished()) {
    if (impl_->loop.now() >= until) {
      return true;
    }
    impl_->quantum(*impl_->running);
  }
  return false;
}

Cycle Gpu::now() const { return impl_->loop.now(); }

stats::KernelResult Gpu::so_far() const {
  stats::KernelResult result = impl_->collect(*impl_->running);
  result.cycles = impl_->loop.now();
  return result;
}

stats::KernelResult Gpu::finish() {
  impl_->loop.settle();
  impl_->loop.machine().memory->finish();
  Running& running = *impl_->running;
  stats::KernelResult result = impl_->collect(running);
  if (running.sampler) {
    running.sampler->complete(result);
  }
  if (running.profiler) {
    running.profiler->complete(result);
  }
  impl_->running.reset();
  return result;
}

stats::KernelResult Gpu::Impl::to_the_end(Gpu& gpu, const std::function<void()>& begin) {
  try {
    begin();
    gpu.advance(kNever);
    return gpu.finish();
  } catch (...) {
    running.reset();
    throw;
  }
}

stats::KernelResult Gpu::run(isa::BlockSource& kernel, const RunOptions& options) {
  return impl_->to_the_end(*this, [&] { begin(kernel, options); });
}

stats::KernelResult Gpu::run(isa::GridProgram& kernel, const RunOptions& options) {
  return impl_->to_the_end(*this, [&] { begin(kernel, options); });
}

}  // namespace heddle::device
