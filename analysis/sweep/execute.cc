#include "analysis/sweep/execute.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "analysis/run/batch.h"
#include "analysis/run/host.h"
#include "analysis/run/isolation.h"
#include "analysis/run/simulator.h"
#include "analysis/store/result_store.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

using Clock = std::chrono::steady_clock;

// Stops simulations whose time is over, and all of them when the user wants that.
class Stopper {
 public:
  struct Entry {
    std::atomic<bool> stop{false};
    std::atomic<bool> expired{false};
    Clock::time_point deadline = Clock::time_point::max();
  };

  Stopper(double timeout_s, const std::atomic<bool>& cancel) : timeout_s_(timeout_s), cancel_(cancel) {
    try {
      thread_ = std::jthread([this](const std::stop_token& end) { watch(end); });
    } catch (const std::system_error& e) {
      throw Error(fmt::format("the host starts no thread that watches over time-outs: {}", e.what()));
    }
  }

  Entry& add() {
    std::lock_guard lock(mutex_);
    Entry& e = entries_.emplace_back();
    e.stop = cancel_.load();
    if (timeout_s_ > 0) {
      e.deadline = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s_));
    }
    return e;
  }

  void remove(const Entry& entry) {
    std::lock_guard lock(mutex_);
    entries_.remove_if([&entry](const Entry& e) { return &e == &entry; });
  }

 private:
  void watch(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      wake_.wait_for(lock, end, std::chrono::milliseconds(20), [] { return false; });
      const Clock::time_point now = Clock::now();
      for (Entry& e : entries_) {
        if (now >= e.deadline) {
          e.expired = true;
        }
        if (e.expired || cancel_) {
          e.stop = true;
        }
      }
    }
  }

  const double timeout_s_;
  const std::atomic<bool>& cancel_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::list<Entry> entries_;
  std::jthread thread_;
};

analysis::LaunchRecord simulate(const SweepPlan& plan, size_t task, const std::atomic<bool>& cancel,
                                const analysis::ReportProgress& update, const analysis::Warn& warn) {
  analysis::RunSettings settings;
  settings.sample = plan.sweep().sample_blocks();
  settings.allow_capability_mismatch = plan.sweep().allow_capability_mismatch();
  const config::GpuConfig gpu = plan.load(plan.config_of(task));
  return analysis::Simulator(gpu, settings, cancel, warn).simulate(plan.launch_of(task), update);
}

// Workers are not cancelled but killed.
std::unique_ptr<analysis::Isolation> isolate(const SweepPlan& plan, const std::atomic<bool>& cancel) {
  return std::make_unique<analysis::Isolation>(
      [&plan, &cancel](size_t task, const analysis::ReportProgress& update, const analysis::Warn& warn) {
        return simulate(plan, task, cancel, update, warn);
      });
}

class Executor {
 public:
  Executor(const SweepPlan& plan, const Folder& folder, const std::vector<size_t>& tasks,
           const ExecuteOptions& options, const ExecuteCalls& calls)
      : isolation_(options.isolate ? isolate(plan, *options.cancel) : nullptr),
        plan_(plan),
        folder_(folder),
        tasks_(tasks),
        options_(options),
        calls_(calls),
        journal_(folder.journals() / (worker_name() + ".log"), analysis::revision(), options.worker),
        stopper_(plan.sweep().timeout_s(), *options.cancel) {}

  void run() {
    analysis::BatchOptions batch;
    batch.jobs = options_.jobs;
    batch.keep_going = true;
    batch.cancel = options_.cancel;
    analysis::BatchCalls calls;
    calls.simulate = [this](size_t i) {
      task(i);
      return analysis::LaunchRecord();
    };
    // Failures of tasks are dealt with in task(); what comes here is a disk that is full and the like.
    calls.done = [](size_t, const analysis::Outcome& outcome) {
      if (outcome.error) {
        std::rethrow_exception(outcome.error);
      }
    };
    analysis::run_batch(tasks_.size(), {}, batch, calls);
  }

 private:
  // A worker's shard; the run that it wrote last.
  struct Shard {
    std::unique_ptr<analysis::ResultStore> store;
    std::string config_hash;
  };

  void task(size_t i) {
    const int attempts = static_cast<int>(plan_.sweep().retries()) + 1;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
      const std::optional<Failure> failure = try_once(i, attempt);
      if (!failure || !worth_retrying(*failure) || *options_.cancel) {
        break;
      }
    }
    if (calls_.finish) {
      calls_.finish(i, instructions_of(i));
    }
  }

  std::optional<Failure> try_once(size_t i, int attempt) {
    const size_t task = tasks_[i];
    const std::string key = plan_.key_of(task).text();
    if (calls_.begin) {
      calls_.begin(i);
    }
    journal_.start(key);
    Stopper::Entry& entry = stopper_.add();
    const auto failed = [&](Failure kind, const std::string& message) {
      journal_.failed(key, kind, message);
      if (calls_.failure) {
        calls_.failure(i, kind, attempt, message);
      }
      return kind;
    };
    std::optional<Failure> failure;
    std::optional<analysis::LaunchRecord> record;
    try {
      const auto update = [&](const device::Progress& p) {
        if (calls_.update) {
          calls_.update(i, p);
        }
      };
      record = isolation_ ? isolation_->run(task, entry.stop, update, options_.warn)
                          : simulate(plan_, task, entry.stop, update, options_.warn);
    } catch (const analysis::Crashed& e) {
      failure = failed(Failure::kKilled, e.what());
    } catch (const Cancelled&) {
      if (entry.expired) {
        failure =
            failed(Failure::kTimeout, fmt::format("not finished after {:g} s", plan_.sweep().timeout_s()));
      } else if (options_.stop_is_failure && options_.stop_is_failure()) {
        failure = failed(Failure::kTerminated, "the batch system ended the job");
      } else {
        journal_.stopped(key);
      }
    } catch (const device::DeadlockError& e) {
      failure = failed(Failure::kDeadlock, e.what());
    } catch (const std::bad_alloc&) {
      failure = failed(Failure::kMemory, "out of memory");
    } catch (const Error& e) {
      failure = failed(Failure::kError, e.what());
    }
    stopper_.remove(entry);
    if (record) {
      store(task, *record);
      journal_.done(key);
      std::lock_guard lock(mutex_);
      instructions_[i] = record->warp_instructions;
    }
    return failure;
  }

  void store(size_t task, const analysis::LaunchRecord& record) {
    const PlannedConfig& config = plan_.config_of(task);
    Shard shard = take_shard();
    if (!shard.store || shard.config_hash != config.hash) {
      analysis::RunRecord run = plan_.record_of(config, 1);
      run.config_text = kConfigText[plan_.sweep().sample_blocks()];
      if (shard.store) {
        shard.store->begin_run(run);
      } else {
        shard.store =
            std::make_unique<analysis::ResultStore>(folder_.shards() / (worker_name() + ".db"), run);
      }
      shard.config_hash = config.hash;
    }
    shard.store->add(record);
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(shard));
  }

  // No two threads have the same one, so there are at most as many as threads.
  Shard take_shard() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return {};
    }
    Shard s = std::move(idle_.back());
    idle_.pop_back();
    return s;
  }

  uint64_t instructions_of(size_t i) {
    std::lock_guard lock(mutex_);
    auto it = instructions_.find(i);
    return it == instructions_.end() ? 0 : it->second;
  }

  // First of all: it forks, and the members behind it open files and start a thread.
  std::unique_ptr<analysis::Isolation> isolation_;
  const SweepPlan& plan_;
  const Folder& folder_;
  const std::vector<size_t>& tasks_;
  const ExecuteOptions& options_;
  const ExecuteCalls& calls_;
  Journal journal_;
  std::mutex mutex_;  // guards what follows
  std::vector<Shard> idle_;
  std::map<size_t, uint64_t> instructions_;
  Stopper stopper_;
};

}  // namespace

void execute(const SweepPlan& plan, const Folder& folder, const std::vector<size_t>& tasks,
             const ExecuteOptions& options, const ExecuteCalls& calls) {
  if (!tasks.empty()) {
    Executor(plan, folder, tasks, options, calls).run();
  }
}

}  // namespace heddle::sweep
