#include "sim/device/gpu.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

#include "sim/device/block_sampler.h"
#include "sim/device/build.h"
#include "sim/device/profiler.h"
#include "sim/engine/worker_pool.h"
#include "sim/memory/memory_system.h"
#include "sim/sm/timed_instr.h"

namespace heddle::device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kReportEvery = std::chrono::milliseconds(50);
constexpr size_t kReportedWarps = 16;  // of a deadlock; mostly all of them wait for the same

// A launch on its way.
struct Running {
  Running(isa::BlockSource& k, const RunOptions& o, Machine& m)
      : kernel(k),
        image(k.image()),
        options(o),
        occ(occupancy(m.config, image.shape)),
        timed(sm::bind(image, m.config.sm())),
        quantum(m.quantum),
        pool(std::max(1, o.threads)),
        now(m.config.launch().start_cycles()),
        progress_at(now) {
    // Blocks of one cluster meet at barriers, which is quicker than any way through memory.
    if (image.shape.cluster.count() > 1) {
      quantum = std::min<Cycle>(quantum, m.config.sm().barrier().cluster_barrier());
    }
    if (options.sample) {
      sampler.emplace(m.config, kernel, options.cancel);
    }
    if (options.profile.any()) {
      profiler.emplace(options.profile, m, image);
    }
    if (sampler && profiler) {
      throw Error("a profile needs every block: it cannot be had with sampling");
    }
  }

  isa::BlockSource& kernel;
  const isa::KernelImage& image;
  const RunOptions options;
  const stats::Occupancy occ;
  const sm::TimedKernel timed;
  std::optional<BlockSampler> sampler;
  std::optional<Profiler> profiler;
  Cycle quantum;
  WorkerPool pool;
  std::vector<uint32_t> active;
  Cycle now;
  uint64_t issued = 0;
  Cycle progress_at;  // when the last instruction was issued
  Clock::time_point reported = Clock::now();
};

}  // namespace

struct Gpu::Impl {
  explicit Impl(const config::GpuConfig& c) : machine(build(c)), responses(machine->sms.size()) {
    for (uint32_t gpc : machine->memory->noc().gpc_of_sm()) {
      first_sm.resize(gpc + 2);
      ++first_sm[gpc + 1];
    }
    first_sm.resize(machine->memory->gpcs() + 1);
    std::partial_sum(first_sm.begin(), first_sm.end(), first_sm.begin());
  }

  std::unique_ptr<Machine> machine;
  std::vector<memory::Request> requests;
  std::vector<std::vector<memory::Response>> responses;
  std::vector<uint32_t> first_sm;  // of each GPC, and the end
  std::unique_ptr<Running> running;

  void exchange(Cycle now, WorkerPool& pool);
  Cycle next_activity() const;
  stats::CounterSet counters() const;
  [[noreturn]] void deadlock(const std::string& kernel, Cycle now) const;
  void quantum(Running& r);
  stats::KernelResult collect(const Running& run) const;
};

Gpu::Gpu(const config::GpuConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Gpu::~Gpu() = default;

// Between quanta: requests to memory and answers back, finished blocks to the distributor and new blocks out.
void Gpu::Impl::exchange(Cycle now, WorkerPool& pool) {
  requests.clear();
  for (auto& s : machine->sms) {
    requests.insert(requests.end(), s->outbox().begin(), s->outbox().end());
    s->outbox().clear();
  }
  if (!requests.empty()) {
    // Stable: each SM's requests stay in the order of sending, and SMs are in order.
    std::stable_sort(requests.begin(), requests.end(),
                     [](const memory::Request& a, const memory::Request& b) { return a.time < b.time; });
    memory::MemorySystem& memory = *machine->memory;
    memory.serve(requests);
    pool.parallel_for(memory.gpcs(), [&](uint32_t gpc) {
      memory.respond(gpc, requests, responses);
      for (uint32_t i = first_sm[gpc]; i < first_sm[gpc + 1]; ++i) {
        machine->sms[i]->deliver(responses[i]);
        responses[i].clear();
      }
    });
  }
  machine->distributor->exchange(now);
}

Cycle Gpu::Impl::next_activity() const {
  Cycle t = kNever;
  for (const auto& s : machine->sms) {
    t = std::min(t, s->next());
  }
  return t;
}

stats::CounterSet Gpu::Impl::counters() const {
  stats::CounterSet all = machine->memory->counters();
  for (const auto& s : machine->sms) {
    all.add(s->counters());
  }
  return all;
}

void Gpu::Impl::deadlock(const std::string& kernel, Cycle now) const {
  std::vector<std::string> lines;
  for (const auto& s : machine->sms) {
    s->describe_stuck(lines);
  }
  const std::string what = "deadlock in kernel " + kernel + " at cycle " + std::to_string(now) + ": " +
                           std::to_string(lines.size()) + " warps cannot go on";
  if (lines.size() > kReportedWarps) {
    const std::string rest = "... and " + std::to_string(lines.size() - kReportedWarps) + " more";
    lines.resize(kReportedWarps);
    lines.push_back(rest);
  }
  throw DeadlockError(what, std::move(lines));
}

stats::KernelResult Gpu::Impl::collect(const Running& run) const {
  const isa::KernelImage& image = run.image;
  stats::KernelResult r;
  const config::GpuConfig& c = machine->config;
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
  for (const auto& s : machine->sms) {
    const Cycle active = s->active_cycles(run.now);
    r.sm_active_cycles_sum += active;
    r.sm_active_cycles_max = std::max(r.sm_active_cycles_max, active);
    last = std::max(last, s->last_activity());
  }
  r.totals = counters();
  // The launch ends when its last store has been performed, which can be long after the last warp.
  last = std::max(last, machine->memory->last_performed());
  r.cycles = last + c.launch().end_cycles();
  for (size_t i = 0; i < image.code.size(); ++i) {
    if (!(image.code[i].flags & isa::kFlagUnknownOpcode)) {
      continue;
    }
    uint64_t executed = 0;
    for (const auto& s : machine->sms) {
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
  Machine& m = *machine;
  const Cycle next = next_activity();
  if (next == kNever) {
    deadlock(r.image.name, r.now);
  }
  // Quanta need not be aligned: idle time is skipped at once.
  r.now = std::max(r.now, next);
  const Cycle end = r.now + r.quantum;
  r.active.clear();
  for (uint32_t i = 0; i < m.sms.size(); ++i) {
    if (m.sms[i]->next() < end) {
      r.active.push_back(i);
    }
  }
  r.pool.parallel_for(static_cast<uint32_t>(r.active.size()),
                      [&](uint32_t i) { m.sms[r.active[i]]->advance(end); });
  exchange(end, r.pool);
  r.now = end;
  if (r.profiler) {
    r.profiler->exchange(end);
  }

  const RunOptions& options = r.options;
  if (options.cancel && options.cancel->load(std::memory_order_relaxed)) {
    throw Cancelled("interrupted in kernel " + r.image.name + " at cycle " + std::to_string(r.now));
  }
  uint64_t issued = 0;
  for (auto& s : m.sms) {
    issued += s->issued();
  }
  if (r.sampler) {
    r.sampler->exchange(r.now, issued, [this] { return counters(); });
  }
  if (issued != r.issued) {
    r.issued = issued;
    r.progress_at = r.now;
  } else if (r.now - r.progress_at > options.watchdog_cycles) {
    deadlock(r.image.name, r.now);
  }
  if (options.progress && Clock::now() - r.reported > kReportEvery) {
    r.reported = Clock::now();
    options.progress({r.now, issued, m.distributor->blocks_done() + (r.sampler ? r.sampler->skipped() : 0),
                      m.distributor->blocks_total()});
  }
}

void Gpu::begin(isa::BlockSource& kernel, const RunOptions& options) {
  Machine& m = *impl_->machine;
  impl_->running = std::make_unique<Running>(kernel, options, m);
  Running& r = *impl_->running;
  m.memory->reset(options.l2, options.warm);
  m.memory->launch(uint64_t{r.timed.lines} * m.config.sm().fetch().line_bytes());
  for (auto& s : m.sms) {
    s->begin(r.timed, r.occ.l1_bytes, options.observer, Profiler::noting(options.profile, s->index()));
  }
  m.distributor->begin(r.sampler ? *r.sampler : kernel, r.occ, r.now, r.sampler ? &*r.sampler : nullptr);
}

void Gpu::reset_persisting_l2() { impl_->machine->memory->reset_persisting(); }

uint64_t Gpu::persisting_l2_bytes() const { return impl_->machine->memory->persisting_bytes(); }

bool Gpu::advance(Cycle until) {
  Running& r = *impl_->running;
  while (!impl_->machine->distributor->finished()) {
    if (r.now >= until) {
      return true;
    }
    impl_->quantum(r);
  }
  return false;
}

Cycle Gpu::now() const { return impl_->running->now; }

stats::KernelResult Gpu::so_far() const {
  stats::KernelResult result = impl_->collect(*impl_->running);
  result.cycles = impl_->running->now;
  return result;
}

stats::KernelResult Gpu::finish() {
  impl_->machine->memory->finish();
  stats::KernelResult result = impl_->collect(*impl_->running);
  if (impl_->running->sampler) {
    impl_->running->sampler->complete(result);
  }
  if (impl_->running->profiler) {
    impl_->running->profiler->complete(result);
  }
  impl_->running.reset();
  return result;
}

stats::KernelResult Gpu::run(isa::BlockSource& kernel, const RunOptions& options) {
  try {
    begin(kernel, options);
    advance(kNever);
    return finish();
  } catch (...) {
    impl_->running.reset();  // ends its threads
    throw;
  }
}

}  // namespace heddle::device
