#include "tools/runtime/running_kernels.h"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "analysis/run/plan.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"
#include "sim/exec/fault.h"
#include "sim/host/core/packets.h"

namespace heddle::runtime {
namespace {

// f(), which simulates: its errors name the program, but for those of the kernel that is executed meanwhile.
void located(const analysis::OpenedLaunch& launch, const std::function<void()>& f) {
  std::exception_ptr failure;
  try {
    launch.located([&] {
      try {
        f();
      } catch (const exec::ThreadFault&) {
        failure = std::current_exception();
        throw;
      } catch (const device::LivelockError& e) {
        std::string what = e.what();
        for (const std::string& line : e.report) {
          what += "\n  " + line;
        }
        failure = std::make_exception_ptr(exec::WaitsInVain(what));
        throw;
      }
    });
  } catch (...) {
    if (failure) {
      std::rethrow_exception(failure);
    }
    throw;
  }
}

uint8_t owner(host::Reach r) {
  return r == host::Reach::kHere     ? memory::kThisDevice
         : r == host::Reach::kRemote ? memory::kHostDevice
                                     : memory::kAway;
}

}  // namespace

RunningKernels::RunningKernels(const config::GpuConfig& gpu, Options options)
    : gpu_(gpu), options_(std::move(options)) {}

host::Period& RunningKernels::period() {
  if (!period_) {
    period_ = std::make_unique<host::Period>(gpu_, options_.settings.threads);
  }
  return *period_;
}

// Kernels reach the host's memory over the link: what a packet takes of it, and the way there and back, are
// the host model's numbers. An integrated device has it in its own.
void RunningKernels::find_host_memory(device::DetailedEngine& e) {
  const bool main = is_main(e);
  const uint64_t known = main ? host_version_ : 0;
  if (gpu_.host().link().integrated() || source_->host_memory_version() == known) {
    return;
  }
  if (known == 0) {
    const host::Params p(gpu_);
    const double ps_per_cycle = 1e6 / gpu_.clocks().core_mhz();
    const double bytes = p.link_rate * ps_per_cycle;
    const auto all = static_cast<Cycle>(host::in_ps(p.access.latency) / ps_per_cycle);
    const Cycle way = std::max(e.quantum_cycles(), (all - std::min(all, e.on_chip_cycles())) / 2);
    e.attach_host({{way, bytes, host::kRequestHeader}, {way, bytes, host::kCompletionHeader}});
  }
  host_version_ = main ? source_->host_memory_version() : host_version_;
  tell_memory(e);
}

void RunningKernels::hold_pages(device::DetailedEngine& e, bool on) const {
  if (host_version_ != 0) {
    e.hold_pages(on);
  }
}

// Where all of it is, and its pages are now.
void RunningKernels::tell_memory(device::DetailedEngine& e) {
  const bool main = is_main(e);  // another one has what is unified in its own
  std::vector<device::DetailedEngine::HostRange> ranges;
  std::map<uint32_t, Unified> unified;
  for (const cuda::KernelSource::HostMemory& m : source_->host_memory()) {
    if (m.page_bytes == 0 || main) {
      ranges.push_back({m.address, m.bytes, m.page_bytes});
    }
    if (m.page_bytes != 0 && main) {
      Unified& u = unified[m.buffer];
      u.address = m.address;
      u.page_bytes = m.page_bytes;
      u.pages = std::move(unified_[m.buffer].pages);
      u.pages.resize((m.bytes + m.page_bytes - 1) / m.page_bytes, host::Reach::kAway);
    }
  }
  e.host_memory(ranges);
  if (!main) {
    return;
  }
  unified_ = std::move(unified);
  for (const auto& [buffer, u] : unified_) {
    for (size_t p = 0; p < u.pages.size(); ++p) {
      e.place(u.address + p * u.page_bytes, owner(u.pages[p]), 0);
    }
  }
}

std::vector<host::KernelModel::Fault> RunningKernels::faults() {
  std::vector<Fault> out;
  if (!period_ || !period_->engine().has_faults()) {
    return out;
  }
  for (const memory::HostEnd::Fault& f : period_->engine().take_faults()) {
    const auto of = std::find_if(unified_.begin(), unified_.end(), [&](const auto& u) {
      return f.page - u.second.address < u.second.pages.size() * u.second.page_bytes;
    });
    const Unified& u = of->second;  // the machine knows of no other pages
    out.push_back({0, of->first, (f.page - u.address) / u.page_bytes, f.writes, period_->time(f.at)});
  }
  return out;
}

void RunningKernels::place(uint32_t /*device*/, uint32_t buffer, uint64_t page, host::Reach reach,
                           host::Ps at) {
  Unified& u = unified_[buffer];
  u.pages.resize(std::max<size_t>(u.pages.size(), page + 1), host::Reach::kAway);
  u.pages[page] = reach;
  if (u.page_bytes != 0) {
    period_->engine().place(u.address + page * u.page_bytes, owner(reach),
                            running_.empty() ? 0 : period_->cycle(at));
  }
}

analysis::PlannedLaunch RunningKernels::planned(const cuda::LoadedFunction& function,
                                                const exec::Launch& launch, uint32_t number,
                                                std::shared_ptr<std::string> output) const {
  analysis::PlannedLaunch plan;
  plan.source.path = program_invocation_name;
  plan.source.trace = plan.trace = program_invocation_short_name;
  plan.source.number = plan.number = number;
  plan.open = [&function, &launch, output = std::move(output)] {
    trace::OpenedTrace t;
    t.source = function.program->timed(*function.kernel, launch, output);
    t.fingerprint = "executed";
    return t;
  };
  return plan;
}

device::RunOptions RunningKernels::run_options() const {
  device::RunOptions o = analysis::run_options(options_.settings, options_.settings.threads);
  o.warm = !options_.cold;
  return o;
}

void RunningKernels::begin(Running& r) {
  find_host_memory(period().engine());
  hold_pages(period().engine(), true);
  const uint32_t number = options_.prepare(r.opened.launch);
  r.launch = std::make_unique<analysis::OpenedLaunch>(
      gpu_, planned(*r.opened.function, r.opened.launch, number, r.output), options_.settings, options_.warn);
  r.launch->located([&] {
    period().launch({.recording = &r.launch->source(), .priority = r.of.priority, .tag = r.of.tag}, r.of.at,
                    run_options());
  });
}

// Alone on the machine, and without pages that would have to come: those that are executed bring none.
bool RunningKernels::reused(Running& r) {
  if (!running_.empty() || !unified_.empty()) {
    for (const auto& other : running_) {
      other->likeness.reset();
    }
    return false;
  }
  Likeness likeness(*r.opened.function, r.opened.launch);
  const std::shared_ptr<const analysis::LaunchRecord> like = reuse_.take(likeness);
  if (like) {
    execute(r, likeness, *like);
  }
  r.likeness = std::move(likeness);
  return like != nullptr;
}

void RunningKernels::execute(Running& r, const Likeness& likeness, const analysis::LaunchRecord& like) {
  analysis::LaunchRecord record = like;
  record.launch = options_.prepare(r.opened.launch);
  exec::Execution execution(r.opened.launch, {.threads = options_.settings.threads});
  if (!execution.run()) {
    throw execution.waits();
  }
  const exec::ExecuteResult done = execution.result();
  if (!reuse_.executed(likeness, done.instructions)) {
    record.cycles = static_cast<uint64_t>(
        std::llround(static_cast<double>(like.cycles) * static_cast<double>(done.instructions) /
                     static_cast<double>(like.warp_instructions)));
  }
  record.warp_instructions = done.instructions;
  stats::Sampling& s = record.sampling;
  s = {.requested = true,
       .total_blocks = r.opened.launch.blocks(),
       .cycles_low = record.cycles,
       .cycles_high = record.cycles};
  s.reason = fmt::format("executed, not timed: the time of launch {}, which is alike (--reuse)", like.launch);
  options_.record(record);
  source_->ended(*r.opened.function, done.output, nullptr);
  over_.push_back({r.of.device, r.of.tag, r.of.at, r.of.at + host::time_on_device(record.cycles, gpu_)});
}

void RunningKernels::launch(const Launch& l) {
  auto r = std::make_unique<Running>();
  r->of = l;
  r->opened = source_->open(l.values);
  if (r->opened.function == nullptr) {
    over_.push_back({l.device, l.tag, l.at, l.at});
    return;
  }
  try {
    if (options_.reuse && reused(*r)) {
      return;
    }
    begin(*r);
  } catch (...) {
    source_->ended(*r->opened.function, "", std::current_exception());
    over_.push_back({l.device, l.tag, l.at, l.at});
    return;
  }
  running_.push_back(std::move(r));
}

host::KernelModel::End RunningKernels::end(size_t which, host::Ps start, host::Ps end) {
  const std::unique_ptr<Running> r = std::move(running_[which]);
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
  source_->ended(*r->opened.function, *r->output, nullptr);
  return {r->of.device, r->of.tag, start, end};
}

// What one does that it may not ends all that run with it.
void RunningKernels::fail(std::exception_ptr failure) {
  const host::Ps now = period_->now();
  period_->abandon();
  for (const auto& r : std::exchange(running_, {})) {
    source_->ended(*r->opened.function, *r->output, std::exchange(failure, nullptr));
    over_.push_back({r->of.device, r->of.tag, r->of.at, std::max(r->of.at, now)});
  }
}

std::optional<host::KernelModel::End> RunningKernels::simulate(host::Ps until) {
  std::optional<host::Period::Ended> ended = period_->advance(until);
  if (!ended) {
    return std::nullopt;
  }
  const auto which = static_cast<size_t>(
      std::find_if(running_.begin(), running_.end(), [&](const auto& r) { return r->of.tag == ended->tag; }) -
      running_.begin());
  Running& r = *running_[which];
  const auto record =
      std::make_shared<const analysis::LaunchRecord>(r.launch->record(std::move(ended->result)));
  options_.record(*record);
  if (r.likeness) {
    reuse_.timed(*r.likeness, record);
  }
  return end(which, ended->start, ended->end);
}

std::optional<host::KernelModel::End> RunningKernels::advance(host::Ps until) {
  if (over_.empty() && !running_.empty()) {
    try {
      std::optional<End> out;
      located(*running_.front()->launch, [&] { out = simulate(until); });
      return out;
    } catch (...) {
      fail(std::current_exception());
    }
  }
  if (over_.empty()) {
    return std::nullopt;
  }
  const End e = over_.front();
  over_.erase(over_.begin());
  return e;
}

host::Ps RunningKernels::run(const cuda::LoadedFunction& function, const exec::Launch& asked,
                             std::shared_ptr<std::string> output) {
  exec::Launch launch = asked;
  const uint32_t number = options_.prepare(launch);
  const analysis::OpenedLaunch opened(gpu_, planned(function, launch, number, std::move(output)),
                                      options_.settings, options_.warn);
  // What runs by itself goes on with its machine.
  std::unique_ptr<device::DetailedEngine> other;
  if (!running_.empty()) {
    other = std::make_unique<device::DetailedEngine>(gpu_, options_.settings.threads);
  }
  device::DetailedEngine& e = other ? *other : period().engine();
  find_host_memory(e);
  hold_pages(e, false);  // nobody would bring them
  stats::KernelResult result;
  try {
    located(opened, [&] {
      e.begin(run_options(), device::DetailedEngine::Launches::kOne,
              "kernel " + opened.source().image().name);
      e.launch({.recording = &opened.source(), .at = e.now()});
      while (!e.done()) {
        e.quantum();
      }
      result = e.finish();
    });
  } catch (...) {
    e.abandon();
    throw;
  }
  const analysis::LaunchRecord record = opened.record(std::move(result));
  options_.record(record);
  return host::time_on_device(record.cycles, gpu_);
}

}  // namespace heddle::runtime
