#include "sim/exec/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/exec/checks/races.h"
#include "sim/exec/checks/sync_rules.h"
#include "sim/exec/handlers/waiting.h"

namespace heddle::exec {
namespace {

constexpr size_t kShownWarps = 8;  // in messages

}  // namespace

Block::Block(const Launch& launch, Cluster& cluster, isa::Dim3 index, uint32_t rank)
    : launch_(launch),
      cluster_(cluster),
      index_(index),
      rank_(rank),
      shared_(launch.shared_bytes()),
      system_(launch.code->system_shared ? kSharedReserve : 0),
      written_(launch.checks.init ? launch.shared_bytes() : 0) {
  reach_.memory = launch.memory;
  reach_.rank = rank;
  reach_.system = {system_.data(), system_.size()};
  reach_.constants = launch.code->const_data;
  reach_.parameters = launch.parameters;
  reach_.parameter_at = launch.code->parameter_at;
  const uint32_t threads = launch.threads();
  const uint32_t count = launch.warps();
  if (launch.checks.race) {
    races_ = std::make_unique<Races>(count, launch.shared_bytes(), launch.blocks() == 1);
  }
  if (launch.checks.sync) {
    sync_rules_ = std::make_unique<SyncRules>(*launch.code, threads);
  }
  warps_.reserve(count);
  for (uint32_t w = 0; w < count; ++w) {
    const uint32_t lanes = std::min(kLanes, threads - w * kLanes);
    warps_.emplace_back(*this, w, lanes == kLanes ? ~0U : (1U << lanes) - 1);
  }
  live_ = count;
}

Block::~Block() = default;

void Block::join(std::span<const std::span<uint8_t>> shared, std::span<const std::span<uint8_t>> written) {
  reach_.shared = shared;
  reach_.written = written;
}

uint64_t Block::linear() const {
  return index_.x + (index_.y + uint64_t{index_.z} * launch_.grid.y) * launch_.grid.x;
}

uint64_t Block::progress() const {
  uint64_t sum = 0;
  for (const Warp& w : warps_) {
    sum += w.progress();
  }
  return sum;
}

uint64_t Block::executed() const {
  uint64_t sum = 0;
  for (const Warp& w : warps_) {
    sum += w.executed();
  }
  return sum;
}

uint64_t Block::thread_executed() const {
  uint64_t sum = 0;
  for (const Warp& w : warps_) {
    sum += w.thread_executed();
  }
  return sum;
}

uint64_t Block::writes() const {
  uint64_t sum = 0;
  for (const Warp& w : warps_) {
    sum += w.writes();
  }
  return sum;
}

Block::Status Block::run(uint64_t instructions, bool goes_on) {
  if (!goes_on) {
    looked_.assign(warps_.size(), UINT64_MAX);
  }
  uint64_t written = writes();  // a warp adds to its own part alone
  for (uint64_t done = 0; live_ != 0;) {
    bool ran = false, spins = true;
    for (size_t i = 0; i < warps_.size(); ++i) {
      Warp& w = warps_[i];
      if (w.lanes() == 0) {
        continue;
      }
      const uint64_t others = written - w.writes();
      if (looked_[i] == others) {
        ran = true;  // it would look in vain again
        continue;
      }
      const uint64_t before = w.executed();
      const Warp::Status status = w.run(kTurn, kSlice);
      looked_[i] = status == Warp::Status::kSpinning ? others : UINT64_MAX;
      written = others + w.writes();
      const uint64_t more = w.executed() - before;
      done += more;
      ran |= more != 0;
      spins &= status == Warp::Status::kSpinning || (status == Warp::Status::kWaiting && more == 0);
    }
    if (live_ == 0) {
      break;
    }
    if (!ran) {
      return Status::kWaiting;
    }
    if (spins) {
      return Status::kSpinning;
    }
    if (done >= instructions) {
      return Status::kRunning;
    }
  }
  return Status::kDone;
}

void Block::print(const std::string& text) {
  output_ += text.substr(0, kMostOutputBytes - std::min<size_t>(kMostOutputBytes, output_.size()));
}

void Block::arrive(uint32_t number, uint32_t threads, uint32_t lanes, uint32_t holds, BarrierKind kind) {
  Barrier& b = barriers_[number];
  b.arrived += kLanes;
  b.expected = threads;
  b.lanes += lanes;
  b.holds += holds;
  if (kind != BarrierKind::kArrive) {
    b.kind = kind;
  }
  check(number);
}

void Block::warp_ended() {
  --live_;
  for (uint32_t number = 0; number < barriers_.size(); ++number) {
    check(number);
  }
}

void Block::check(uint32_t number) {
  Barrier& b = barriers_[number];
  if (b.arrived == 0 || b.arrived < (b.expected != 0 ? b.expected : live_ * kLanes)) {
    return;
  }
  const uint64_t result = b.kind == BarrierKind::kPopc  ? b.holds
                          : b.kind == BarrierKind::kAnd ? uint64_t{b.holds == b.lanes}
                                                        : uint64_t{b.holds != 0};
  if (races_) {
    races_->complete(number, b.expected == 0);
  }
  if (sync_rules_) {
    sync_rules_->complete(number);
  }
  b = {};
  for (Warp& w : warps_) {
    pass_barrier(w.core(), number, result);
  }
}

void Block::pass_cluster_barrier() {
  if (races_) {
    races_->complete_cluster();
  }
  for (Warp& w : warps_) {
    exec::pass_cluster_barrier(w.core());
  }
}

std::string Block::waits() const {
  std::string out;
  if (launch_.cluster.count() > 1) {
    out = fmt::format("block ({}, {}, {}): ", index_.x, index_.y, index_.z);
  }
  size_t shown = 0;
  for (size_t w = 0; w < warps_.size(); ++w) {
    if (warps_[w].lanes() != 0 && shown++ < kShownWarps) {
      out += fmt::format("{}warp {}: {}", shown > 1 ? "; " : "", w, warps_[w].waits());
    }
  }
  return out + (shown > kShownWarps ? fmt::format("; and {} more warps", shown - kShownWarps) : "");
}

}  // namespace heddle::exec
