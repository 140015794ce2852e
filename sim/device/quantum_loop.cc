#include "sim/device/quantum_loop.h"

#include <algorithm>
#include <numeric>

#include "sim/device/gpu.h"

namespace heddle::device {
namespace {

constexpr size_t kReportedWarps = 16;  // of a deadlock; mostly all of them wait for the same

}  // namespace

QuantumLoop::QuantumLoop(const config::GpuConfig& config)
    : machine_(build(config)), responses_(machine_->sms.size()) {
  for (uint32_t gpc : machine_->memory->noc().gpc_of_sm()) {
    first_sm_.resize(gpc + 2);
    ++first_sm_[gpc + 1];
  }
  first_sm_.resize(machine_->memory->gpcs() + 1);
  std::partial_sum(first_sm_.begin(), first_sm_.end(), first_sm_.begin());
}

void QuantumLoop::begin(const Options& options, Cycle at) {
  options_ = options;
  pool_ = std::make_unique<WorkerPool>(std::max(1, options.threads));
  now_ = progress_at_ = at;
  issued_ = 0;
}

// Between quanta: requests to memory and answers back, finished blocks to the distributor and new blocks out.
void QuantumLoop::exchange(Cycle now) {
  requests_.clear();
  for (auto& s : machine_->sms) {
    requests_.insert(requests_.end(), s->outbox().begin(), s->outbox().end());
    s->outbox().clear();
  }
  if (!requests_.empty()) {
    // Stable: each SM's requests stay in the order of sending, and SMs are in order.
    std::stable_sort(requests_.begin(), requests_.end(),
                     [](const memory::Request& a, const memory::Request& b) { return a.time < b.time; });
    memory::MemorySystem& memory = *machine_->memory;
    memory.serve(requests_);
    pool_->parallel_for(memory.gpcs(), [&](uint32_t gpc) {
      memory.respond(gpc, requests_, responses_);
      for (uint32_t i = first_sm_[gpc]; i < first_sm_[gpc + 1]; ++i) {
        machine_->sms[i]->deliver(responses_[i]);
        responses_[i].clear();
      }
    });
  }
  machine_->distributor->exchange(now);
}

Cycle QuantumLoop::next_activity() const {
  Cycle t = kNever;
  for (const auto& s : machine_->sms) {
    t = std::min(t, s->next());
  }
  return t;
}

stats::CounterSet QuantumLoop::counters() const {
  stats::CounterSet all = machine_->memory->counters();
  for (const auto& s : machine_->sms) {
    all.add(s->counters());
  }
  return all;
}

void QuantumLoop::deadlock() const {
  std::vector<std::string> lines;
  for (const auto& s : machine_->sms) {
    s->describe_stuck(lines);
  }
  const std::string what = "deadlock in " + options_.what + " at cycle " + std::to_string(now_) + ": " +
                           std::to_string(lines.size()) + " warps cannot go on";
  if (lines.size() > kReportedWarps) {
    const std::string rest = "... and " + std::to_string(lines.size() - kReportedWarps) + " more";
    lines.resize(kReportedWarps);
    lines.push_back(rest);
  }
  throw DeadlockError(what, std::move(lines));
}

void QuantumLoop::advance(Cycle longest, Cycle limit) {
  const Cycle next = next_activity();
  if (next == kNever) {
    deadlock();
  }
  // Quanta need not be aligned: idle time is skipped at once.
  now_ = std::max(now_, std::min(next, limit));
  const Cycle end = std::min(now_ + longest, limit);
  active_.clear();
  for (uint32_t i = 0; i < machine_->sms.size(); ++i) {
    if (machine_->sms[i]->next() < end) {
      active_.push_back(i);
    }
  }
  pool_->parallel_for(static_cast<uint32_t>(active_.size()),
                      [&](uint32_t i) { machine_->sms[active_[i]]->advance(end); });
  exchange(end);
  now_ = end;
  watch();
}

void QuantumLoop::watch() {
  if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
    throw Cancelled("interrupted in " + options_.what + " at cycle " + std::to_string(now_));
  }
  uint64_t issued = 0;
  for (auto& s : machine_->sms) {
    issued += s->issued();
  }
  if (issued != issued_) {
    issued_ = issued;
    progress_at_ = now_;
  } else if (now_ - progress_at_ > options_.watchdog_cycles) {
    deadlock();
  }
}

}  // namespace heddle::device
