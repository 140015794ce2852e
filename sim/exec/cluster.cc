#include "sim/exec/cluster.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kTurn = 1 << 18;  // warp instructions of a block

}  // namespace

Cluster::Cluster(const Launch& launch, uint64_t number) : launch_(launch) {
  const isa::Dim3 size = launch.cluster, grid = launch.grid;
  const uint32_t nx = grid.x / size.x, ny = grid.y / size.y;
  const isa::Dim3 first = {static_cast<uint32_t>(number % nx) * size.x,
                           static_cast<uint32_t>(number / nx % ny) * size.y,
                           static_cast<uint32_t>(number / nx / ny) * size.z};
  const auto count = static_cast<uint32_t>(size.count());
  for (uint32_t rank = 0; rank < count; ++rank) {
    const isa::Dim3 index = {first.x + rank % size.x, first.y + rank / size.x % size.y,
                             first.z + rank / size.x / size.y};
    blocks_.push_back(std::make_unique<Block>(launch, *this, index, rank));
    shared_.push_back(blocks_.back()->shared());
    if (launch.checks.init) {
      written_.push_back(blocks_.back()->written());
    }
  }
  for (const auto& b : blocks_) {
    b->join(shared_, written_);
  }
  running_ = count;
  threads_ = count * launch.threads();
}

Block::Status Cluster::run(uint64_t instructions, bool goes_on) {
  const uint64_t turn = blocks_.size() == 1 ? instructions : kTurn;
  goes_on = goes_on && blocks_.size() == 1;  // blocks of several have turns of their own
  for (uint64_t done = 0; running_ != 0;) {
    bool ran = false, looks = true;
    for (size_t rank = 0; rank < blocks_.size(); ++rank) {
      Block& b = *blocks_[rank];
      if (b.done()) {
        continue;
      }
      const uint64_t before = b.executed();
      const Block::Status status = b.run(turn, goes_on);
      const uint64_t more = b.executed() - before;
      done += more;
      // In a turn that goes on, all may be known to look in vain.
      ran |= more != 0 || status == Block::Status::kSpinning;
      looks &= status == Block::Status::kSpinning || (status == Block::Status::kWaiting && more == 0);
      if (status == Block::Status::kDone) {
        ended(static_cast<uint32_t>(rank));
      }
    }
    if (running_ == 0) {
      break;
    }
    if (!ran) {
      deadlock();
    }
    if (looks) {
      return Block::Status::kSpinning;
    }
    if (done >= instructions) {
      return Block::Status::kRunning;
    }
  }
  return Block::Status::kDone;
}

void Cluster::ended(uint32_t rank) {
  --running_;
  shared_[rank] = {};
}

uint64_t Cluster::executed() const {
  uint64_t sum = 0;
  for (const auto& b : blocks_) {
    sum += b->executed();
  }
  return sum;
}

uint64_t Cluster::progress() const {
  uint64_t sum = 0;
  for (const auto& b : blocks_) {
    sum += b->progress();
  }
  return sum;
}

std::string Cluster::waits() const {
  std::string out;
  for (const auto& b : blocks_) {
    if (!b->done()) {
      out += (out.empty() ? "" : "; ") + b->waits();
    }
  }
  return out;
}

void Cluster::arrive(uint32_t threads) {
  arrived_ += threads;
  check_barrier();
}

void Cluster::leave(uint32_t threads, uint32_t arrived) {
  threads_ -= threads;
  arrived_ -= arrived;
  check_barrier();
}

void Cluster::check_barrier() {
  if (arrived_ == 0 || arrived_ != threads_) {
    return;
  }
  arrived_ = 0;
  for (const auto& b : blocks_) {
    b->pass_cluster_barrier();
  }
}

void Cluster::deadlock() const {
  const isa::Dim3 at = blocks_.front()->index();
  throw Error(fmt::format("{}: no thread of {} ({}, {}, {}) of kernel {} can go on; {}", launch_.code->file,
                          blocks_.size() == 1 ? "block" : "the cluster that begins with block", at.x, at.y,
                          at.z, launch_.code->kernel, waits()));
}

}  // namespace heddle::exec
