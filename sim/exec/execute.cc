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
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kTurn = 1 << 22;          // warp instructions of a cluster
constexpr uint64_t kFruitlessTurns = 20000;  // one after the other in which all that ran only waited

// How many blocks an H200 has room for, as far as that is known without the registers (CUDA guide, limits of
// compute capability 9.0).
uint64_t room(const Launch& launch) {
  constexpr uint64_t kBlocks = 32, kThreads = 2048, kSharedBytes = 228 << 10;
  const uint64_t threads = round_up(uint64_t{launch.threads()}, uint64_t{kLanes});
  const uint64_t shared = uint64_t{launch.shared_bytes()} + kSharedReserve;
  return kMultiprocessors * std::min({kBlocks, kThreads / threads, kSharedBytes / shared});
}

// The clusters of a launch, handed out to threads: new ones as long as all of their blocks may begin, then
// those that have not ended, in turn.
class Schedule {
 public:
  Schedule(const Launch& launch, const ExecuteOptions& options)
      : launch_(launch), options_(options), resident_(std::min(options.resident, room(launch))) {}

  void work();
  ExecuteResult result();

 private:
  std::unique_ptr<Cluster> take();
  void put_back(std::unique_ptr<Cluster> cluster, Block::Status status, uint64_t executed, bool fruitful);
  void failed(uint64_t block, std::exception_ptr error);

  const Launch& launch_;
  const ExecuteOptions& options_;
  const uint64_t resident_;
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
  if (fruitless_ > std::max(kFruitlessTurns, 100 * begun_)) {
    throw Error(
        fmt::format("{}: kernel {}: all {} blocks that have begun wait in loops for something that "
                    "does not come; {}",
                    launch_.code->file, launch_.code->kernel, begun_, cluster->waits()));
  }
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

ExecuteResult Schedule::result() {
  if (error_) {
    std::rethrow_exception(error_);
  }
  for (const auto& [block, text] : output_) {
    result_.output +=
        text.substr(0, kMostOutputBytes - std::min<size_t>(kMostOutputBytes, result_.output.size()));
  }
  return std::move(result_);
}

void check_cluster(const Launch& launch) {
  const Code& code = *launch.code;
  const isa::Dim3 c = launch.cluster, g = launch.grid;
  const uint32_t* r = code.required_cluster;
  if (code.explicit_cluster && r[0] == 0 && !launch.with_cluster) {
    throw Error(fmt::format("kernel {} is launched with clusters only (.explicitcluster)", code.kernel));
  }
  if (r[0] != 0 && (c.x != r[0] || c.y != r[1] || c.z != r[2])) {
    throw Error(fmt::format("kernel {}: clusters of {} x {} x {} blocks (legal: {} x {} x {})", code.kernel,
                            c.x, c.y, c.z, r[0], r[1], r[2]));
  }
  const uint64_t most = code.most_cluster_blocks != 0 ? std::min(code.most_cluster_blocks, kMostClusterBlocks)
                                                      : kMostClusterBlocks;
  if (c.count() == 0 || c.count() > most) {
    throw Error(fmt::format("kernel {}: clusters of {} x {} x {} blocks (legal: 1 to {} together)",
                            code.kernel, c.x, c.y, c.z, most));
  }
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    throw Error(
        fmt::format("kernel {}: a grid of {} x {} x {} blocks in clusters of {} x {} x {} (legal: "
                    "multiples)",
                    code.kernel, g.x, g.y, g.z, c.x, c.y, c.z));
  }
}

void check(const Launch& launch) {
  const Code& code = *launch.code;
  const isa::Dim3 b = launch.block;
  if (b.count() == 0 || b.count() > code.most_threads) {
    throw Error(fmt::format("kernel {}: blocks of {} x {} x {} threads (legal: 1 to {} together)",
                            code.kernel, b.x, b.y, b.z, code.most_threads));
  }
  const uint32_t* r = code.required_threads;
  if (r[0] != 0 && (b.x != r[0] || b.y != r[1] || b.z != r[2])) {
    throw Error(fmt::format("kernel {}: blocks of {} x {} x {} threads (legal: {} x {} x {})", code.kernel,
                            b.x, b.y, b.z, r[0], r[1], r[2]));
  }
  if (launch.grid.count() == 0 || launch.grid.x > INT32_MAX || launch.grid.y > 65535 ||
      launch.grid.z > 65535) {
    throw Error(
        fmt::format("kernel {}: a grid of {} x {} x {} blocks (legal: 1 to 2147483647 x 65535 x 65535)",
                    code.kernel, launch.grid.x, launch.grid.y, launch.grid.z));
  }
  if (launch.shared_bytes() > kMostSharedBytes) {
    throw Error(fmt::format("kernel {}: {} bytes of shared memory (legal: up to {})", code.kernel,
                            launch.shared_bytes(), kMostSharedBytes));
  }
  check_cluster(launch);
}

// The kernel's cluster where the launch names none, and a grid in blocks.
Launch completed(Launch launch) {
  const Code& code = *launch.code;
  if (!launch.with_cluster && code.required_cluster[0] != 0) {
    launch.cluster = {code.required_cluster[0], code.required_cluster[1], code.required_cluster[2]};
    launch.with_cluster = true;
  }
  if (code.grid_in_clusters) {
    launch.grid = {launch.grid.x * launch.cluster.x, launch.grid.y * launch.cluster.y,
                   launch.grid.z * launch.cluster.z};
  }
  return launch;
}

}  // namespace

ExecuteResult execute(const Launch& given, const ExecuteOptions& options) {
  const Launch launch = completed(given);
  check(launch);
  if (launch.cluster.count() > std::min(options.resident, room(launch))) {
    throw Error(fmt::format("kernel {}: clusters of {} blocks, of which {} at most may have begun",
                            launch.code->kernel, launch.cluster.count(),
                            std::min(options.resident, room(launch))));
  }
  Schedule schedule(launch, options);
  WorkerPool pool(std::max(1, options.threads));
  pool.parallel_for(static_cast<uint32_t>(pool.threads()), [&](uint32_t) { schedule.work(); });
  return schedule.result();
}

}  // namespace heddle::exec
