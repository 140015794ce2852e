#include "sim/exec/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include "sim/base/align.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/engine/worker_pool.h"
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kTurn = 1 << 22;  // warp instructions of a cluster

// The clusters of a launch, handed out to threads: new ones as long as all of their blocks may begin, then
// those that have not ended, in turn.
class Schedule {
 public:
  Schedule(const Launch& launch, const ExecuteOptions& options)
      : launch_(launch), options_(options), resident_(std::min(options.resident, room(launch))) {}

  void work();
  // As far as it goes: false, if all that has begun has only waited for so many turns.
  bool run(WorkerPool& pool, uint64_t fruitless);
  uint64_t progress() const { return progress_; }
  WaitsInVain waits() const {
    return {*launch_.code, fmt::format("{} blocks", begun_), waiting_.front()->waits()};
  }
  ExecuteResult result();

 private:
  std::unique_ptr<Cluster> take();
  void put_back(std::unique_ptr<Cluster> cluster, Block::Status status, uint64_t executed, bool fruitful);
  void failed(uint64_t block, std::exception_ptr error);

  const Launch& launch_;
  const ExecuteOptions& options_;
  const uint64_t resident_;
  uint64_t most_fruitless_ = 0;
  uint64_t progress_ = 0;  // turns that were of use
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Cluster>> waiting_;  // have begun
  uint64_t next_ = 0;                             // to begin
  uint64_t begun_ = 0;                            // blocks, and not ended
  uint64_t fruitless_ = 0;
  uint64_t executed_ = 0;
  bool stopped_ = false;
  uint64_t failed_block_ = UINT64_MAX;
  std::exception_ptr error_;
  ExecuteResult result_;
  std::map<uint64_t, std::string> output_;
};

std::unique_ptr<Cluster> Schedule::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_ || (next_ == launch_.clusters() && begun_ == 0)) {
      return nullptr;
    }
    if (next_ < launch_.clusters() && begun_ + launch_.cluster.count() <= resident_) {
      begun_ += launch_.cluster.count();
      const uint64_t number = next_++;
      lock.unlock();
      return std::make_unique<Cluster>(launch_, number);
    }
    if (!waiting_.empty()) {
      std::unique_ptr<Cluster> cluster = std::move(waiting_.front());
      waiting_.pop_front();
      return cluster;
    }
    changed_.wait(lock);
  }
}

void Schedule::put_back(std::unique_ptr<Cluster> cluster, Block::Status status, uint64_t executed,
                        bool fruitful) {
  const std::lock_guard lock(mutex_);
  executed_ += executed;
  fruitless_ = status == Block::Status::kSpinning && !fruitful ? fruitless_ + 1 : 0;
  if (executed_ > launch_.most_instructions) {
    throw Error(fmt::format("{}: kernel {} has executed more than {} instructions", launch_.code->file,
                            launch_.code->kernel, launch_.most_instructions));
  }
  progress_ += status == Block::Status::kDone || fruitful ? 1 : 0;
  stopped_ = stopped_ || fruitless_ > most_fruitless_;
  if (status == Block::Status::kDone) {
    begun_ -= launch_.cluster.count();
    for (const auto& block : cluster->blocks()) {
      result_.instructions += block->executed();
      result_.thread_instructions += block->thread_executed();
      if (!block->output().empty()) {
        output_[block->linear()] = block->output();
      }
    }
  } else {
    waiting_.push_back(std::move(cluster));
  }
  changed_.notify_all();
}

void Schedule::failed(uint64_t block, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_ || block < failed_block_) {
    error_ = std::move(error);
    failed_block_ = block;
  }
  stopped_ = true;
  changed_.notify_all();
}

void Schedule::work() {
  while (std::unique_ptr<Cluster> cluster = take()) {
    const uint64_t number = cluster->first_block();
    try {
      if (options_.cancelled != nullptr && *options_.cancelled) {
        throw Cancelled("interrupted");
      }
      const uint64_t before = cluster->executed(), progress = cluster->progress();
      const Block::Status status = cluster->run(kTurn);
      const uint64_t more = cluster->executed() - before;
      const bool fruitful = cluster->progress() != progress;
      put_back(std::move(cluster), status, more, fruitful);
    } catch (...) {
      failed(number, std::current_exception());
    }
  }
}

bool Schedule::run(WorkerPool& pool, uint64_t fruitless) {
  stopped_ = false;
  fruitless_ = 0;
  most_fruitless_ = std::max(fruitless, (fruitless + 199) / 200 * begun_);
  pool.parallel_for(static_cast<uint32_t>(pool.threads()), [&](uint32_t) { work(); });
  if (error_) {
    std::rethrow_exception(error_);
  }
  return waiting_.empty();
}

ExecuteResult Schedule::result() {
  for (const auto& [block, text] : output_) {
    result_.output +=
        text.substr(0, kMostOutputBytes - std::min<size_t>(kMostOutputBytes, result_.output.size()));
  }
  return std::move(result_);
}

}  // namespace

uint64_t room(const Launch& launch) {
  constexpr uint64_t kBlocks = 32, kThreads = 2048, kSharedBytes = 228 << 10;
  const uint64_t threads = round_up(uint64_t{launch.threads()}, uint64_t{kLanes});
  const uint64_t shared = uint64_t{launch.shared_bytes()} + kSharedReserve;
  return kMultiprocessors * std::min({kBlocks, kThreads / threads, kSharedBytes / shared});
}

struct Execution::Impl {
  Impl(const Launch& given, const ExecuteOptions& o)
      : launch(completed(given)), options(o), schedule(launch, options), pool(std::max(1, o.threads)) {}
  const Launch launch;
  const ExecuteOptions options;
  Schedule schedule;
  WorkerPool pool;
};

Execution::Execution(const Launch& given, const ExecuteOptions& options)
    : impl_(std::make_unique<Impl>(given, options)) {
  const Launch& launch = impl_->launch;
  if (launch.cluster.count() > std::min(options.resident, room(launch))) {
    throw Error(fmt::format("kernel {}: clusters of {} blocks, of which {} at most may have begun",
                            launch.code->kernel, launch.cluster.count(),
                            std::min(options.resident, room(launch))));
  }
}

Execution::~Execution() = default;

bool Execution::run(uint64_t patience) { return impl_->schedule.run(impl_->pool, patience); }

uint64_t Execution::progress() const { return impl_->schedule.progress(); }

WaitsInVain Execution::waits() const { return impl_->schedule.waits(); }

ExecuteResult Execution::result() { return impl_->schedule.result(); }

ExecuteResult execute(const Launch& launch, const ExecuteOptions& options) {
  Execution e(launch, options);
  if (!e.run()) {
    throw e.waits();
  }
  return e.result();
}

}  // namespace heddle::exec
