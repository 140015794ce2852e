#include "sim/device/quantum_loop.h"

#include <algorithm>
#include <numeric>

#include "sim/base/cancelled.h"
#include "sim/device/run_options.h"

namespace heddle::device {
namespace {

constexpr size_t kReportedWarps = 16;  // of a deadlock; mostly all of them wait for the same
// What so few SMs do in a quantum takes less time than calling other threads, much less where these share
// cores.
constexpr uint32_t kFewSms = 2;
// Programs that are asked in order see what other SMs do up to so much too early: a compromise between that
// and the cost of a step.
constexpr Cycle kStepInOrder = 32;

}  // namespace

QuantumLoop::QuantumLoop(const spec::GpuConfig& config, int threads)
    : gpc_of_sm_(memory::gpc_of_sm(config.topology())),
      first_sm_(memory::first_sms(gpc_of_sm_)),
      gpcs_(first_sm_.size() - 1) {
  use_threads(threads);
  machine_ = build(config, *pool_);
}

// The host takes its time to take back what a large kernel has used.
QuantumLoop::~QuantumLoop() {
  pool_->parallel_for(static_cast<uint32_t>(machine_->sms.size()),
                      [this](uint32_t i) { machine_->sms[i].reset(); });
  machine_->memory->dismantle(*pool_);
}

void QuantumLoop::use_threads(int threads) {
  if (threads != threads_) {
    pool_ = std::make_unique<WorkerPool>(std::max(1, threads));
    threads_ = threads;
  }
}

void QuantumLoop::begin(const Options& options, Cycle at) {
  options_ = options;
  use_threads(options.threads);
  now_ = progress_at_ = at;
  in_order_ = false;
  repetition_.reset(at);
  issued_ = 0;
  for (GpcState& g : gpcs_) {
    g.next = kNever;
    g.issued = 0;
  }
  sm_next_.assign(machine_->sms.size(), kNever);
  quantum_ = options.quantum == 0 ? machine_->quantum : std::min(options.quantum, machine_->quantum);
}

void QuantumLoop::run_in_order() {
  in_order_ = true;
  quantum_ = std::min(quantum_, kStepInOrder);
}

Cycle QuantumLoop::next_activity() const {
  Cycle t = std::min(machine_->distributor->next(), machine_->memory->next_arrival());
  for (const GpcState& g : gpcs_) {
    t = std::min(t, g.next);
  }
  return t;
}

// What the SMs of a GPC have done and will do, seen by the thread that had them last.
void QuantumLoop::summarize(uint32_t gpc) {
  GpcState& g = gpcs_[gpc];
  g.next = kNever;
  g.issued = 0;
  for (uint32_t i = first_sm_[gpc]; i < first_sm_[gpc + 1]; ++i) {
    sm::Sm& s = *machine_->sms[i];
    sm_next_[i] = s.next();
    g.next = std::min({g.next, sm_next_[i], s.outbox().next(), s.cluster().next_departure()});
    g.issued += s.issued();
  }
  machine_->distributor->collect(gpc);
}

stats::CounterSet QuantumLoop::counters() const {
  stats::CounterSet all = machine_->memory->counters();
  for (const auto& s : machine_->sms) {
    all.add(s->counters());
  }
  return all;
}

template <class Stuck>
void QuantumLoop::stuck(const std::string& kind, const std::string& why) const {
  std::vector<std::string> lines;
  for (const auto& s : machine_->sms) {
    s->describe_stuck(lines);
  }
  const std::string what = kind + " in " + options_.what + " at cycle " + std::to_string(now_) + ": " +
                           std::to_string(lines.size()) + " warps " + why;
  if (lines.size() > kReportedWarps) {
    const std::string rest = "... and " + std::to_string(lines.size() - kReportedWarps) + " more";
    lines.resize(kReportedWarps);
    lines.push_back(rest);
  }
  throw Stuck(what, std::move(lines));
}

// Waits of recordings for barrier objects did end: where nothing else can go on, what completes their phases
// is something that the recording does not tell (heddle__mbarrier_waits_forced). They end the longest quantum
// after the last event, wherever the last quantum has ended: results do not depend on quanta.
Cycle QuantumLoop::end_recorded_waits() {
  Cycle at = now_;
  for (const auto& s : machine_->sms) {
    at = std::max(at, s->last_event() + machine_->quantum);
  }
  bool any = false;
  for (const auto& s : machine_->sms) {
    s->advance(at);
    any |= s->end_recorded_waits(at);
  }
  if (!any) {
    deadlock();
  }
  for (uint32_t gpc = 0; gpc < gpcs_.size(); ++gpc) {
    summarize(gpc);
  }
  return next_activity();
}

void QuantumLoop::deadlock() const { stuck<DeadlockError>("deadlock", "cannot go on"); }

// Those that have something to do before `end`. Whoever is the last of a GPC takes on what its SMs have sent.
void QuantumLoop::advance_sms(Cycle end) {
  find_busy(end);
  hands_ = in_order_ || busy_.size() <= kFewSms ? &alone_ : pool_.get();
  for (GpcState& g : gpcs_) {
    g.left.store(g.busy, std::memory_order_relaxed);
  }
  const auto busy = static_cast<uint32_t>(busy_.size());
  const auto idle = static_cast<uint32_t>(idle_gpcs_.size());
  hands_->parallel_for(busy + idle, [this, end, busy](uint32_t i) {
    if (i >= busy) {
      machine_->memory->take(idle_gpcs_[i - busy], end);  // packets of quanta before may leave
      return;
    }
    const uint32_t sm = busy_[i];
    machine_->sms[sm]->advance(end);
    const uint32_t gpc = gpc_of_sm_[sm];
    if (gpcs_[gpc].left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      machine_->memory->take(gpc, end);
    }
  });
}

// Threads share out those that have something to do, so that the work is even and each of them stays with a
// thread: what it has in the caches of one core would take as long to get as the quantum. When nearly all
// have, all count, so that one that has not does not move the others.
void QuantumLoop::find_busy(Cycle end) {
  const bool placed = machine_->distributor->next() < end;
  busy_.clear();
  for (GpcState& g : gpcs_) {
    g.busy = 0;
  }
  for (uint32_t i = 0; i < sm_next_.size(); ++i) {
    if (sm_next_[i] < end || (placed && machine_->sms[i]->next() < end)) {
      busy_.push_back(i);
    }
  }
  if (busy_.size() * 2 > sm_next_.size()) {
    busy_.resize(sm_next_.size());
    std::iota(busy_.begin(), busy_.end(), 0u);
  }
  for (uint32_t i : busy_) {
    ++gpcs_[gpc_of_sm_[i]].busy;
  }
  idle_gpcs_.clear();
  for (uint32_t g = 0; g < gpcs_.size(); ++g) {
    if (gpcs_[g].busy == 0) {
      idle_gpcs_.push_back(g);
    }
  }
}

// While there are clusters, the SMs of a GPC meet more often, among themselves.
void QuantumLoop::advance_together(Cycle end) {
  WorkDistributor& d = *machine_->distributor;
  const Cycle step = d.cluster_latency();
  hands_ = in_order_ ? &alone_ : pool_.get();
  for (Cycle at = std::min(now_ + step, end);; at = std::min(at + step, end)) {
    hands_->parallel_for(static_cast<uint32_t>(machine_->sms.size()), [&](uint32_t i) {
      if (machine_->sms[i]->next() < at) {
        machine_->sms[i]->advance(at);
      }
    });
    hands_->parallel_for(machine_->memory->gpcs(), [&](uint32_t gpc) {
      d.exchange_clusters(gpc, at);
      if (at == end) {
        machine_->memory->take(gpc, end);
      }
    });
    if (at == end) {
      return;
    }
  }
}

void QuantumLoop::advance(Cycle limit) {
  Cycle next = next_activity();
  if (next == kNever) {
    next = end_recorded_waits();
  }
  // Quanta need not be aligned: idle time is skipped at once.
  now_ = std::max(now_, std::min(next, limit));
  const Cycle end = std::min(now_ + quantum_, limit);
  if (machine_->distributor->has_clusters()) {
    advance_together(end);
  } else {
    advance_sms(end);
  }
  machine_->memory->take_remote(end);
  machine_->memory->exchange(*hands_, [this](uint32_t gpc) { summarize(gpc); });
  machine_->distributor->exchange(end);
  now_ = end;
  watch();
}

void QuantumLoop::settle() {
  // Answers make room for what SMs hold.
  while (std::any_of(machine_->sms.begin(), machine_->sms.end(),
                     [](const auto& s) { return s->outbox().held() != 0 || s->outbox().next() != kNever; })) {
    advance();
  }
  machine_->memory->exchange(kNever, *pool_, [](uint32_t) {});
}

// What programs that compute did wrong first, and whether they still do anything.
void QuantumLoop::look_at_programs() {
  const sm::Fault* first = nullptr;
  uint64_t changes = machine_->memory->changes() + machine_->distributor->blocks_done();
  for (const auto& s : machine_->sms) {
    if (s->fault() && (!first || s->fault()->time < first->time)) {
      first = s->fault();
    }
    changes += s->openings();
  }
  if (first) {
    throw Error(first->text);
  }
  if (options_.livelock_cycles != 0 &&
      repetition_.look(machine_->sms, changes, now_, options_.livelock_cycles)) {
    stuck<LivelockError>("live lock", "repeat themselves or wait, and nothing changes");
  }
}

void QuantumLoop::watch() {
  if (options_.computed) {
    look_at_programs();
  }
  if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
    throw Cancelled("interrupted in " + options_.what + " at cycle " + std::to_string(now_));
  }
  uint64_t issued = 0;
  for (const GpcState& g : gpcs_) {
    issued += g.issued;
  }
  if (issued != issued_) {
    issued_ = issued;
    progress_at_ = now_;
  } else if (now_ - progress_at_ > options_.watchdog_cycles) {
    deadlock();
  }
}

}  // namespace heddle::device
