// A part of the L2 that shares nothing with the others: some slices of every partition, the DRAM channels
// behind them, and what merges reads on their way there. It serves packets in the order in which they left
// their SMs, (time, SM, order of sending), which is the order of everything that meets here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/isa/program.h"
#include "sim/memory/by_time.h"
#include "sim/memory/fabric.h"
#include "sim/memory/l2.h"
#include "sim/memory/late_writes.h"
#include "sim/memory/packet.h"
#include "sim/memory/request_merger.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class ShardPort;

class SliceShard {
 public:
  // `merge_group`, of each SM: the groups merge reads of their own.
  SliceShard(const spec::GpuConfig& gpu, const Fabric& fabric, const SliceRange& slices, uint32_t shard,
             const std::vector<uint32_t>& merge_group);

  // Cold, or, when `warm`, with the lines of the launch before.
  // Time counts from `origin`.
  void reset(const L2Policy& policy, bool warm, Ticks origin);
  // Serves what the ports have for this shard and notes in each packet when it is done, apart from what
  // crosses the fabric.
  void serve(std::span<ShardPort* const> ports);
  // That has been booked.
  void settle() {
    l2_.settle();
    merger_.settle(l2_);
  }

  // Requests with values are performed on it: reads, atomics and reductions in order, stores when they are
  // there, or, `at_once`, in order, too.
  void set_image(isa::GlobalMemory* image, bool at_once) {
    settle_writes();
    image_ = image;
    at_once_ = at_once;
  }
  // What has been served and is there by then is done.
  void settle_writes(Ticks at = Ticks(UINT64_MAX)) {
    if (!late_.empty()) {
      changes_ += late_.settle(*image_, at) ? 1 : 0;
    }
  }
  uint64_t changes() const { return changes_; }

  L2& l2() { return l2_; }
  const L2& l2() const { return l2_; }
  const stats::CounterSet& counters() const { return counters_; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(counters_, merger_, l2_, changes_, late_);
  }

 private:
  struct Turn {
    Cycle sent;
    uint32_t port, index;
  };
  void gather(std::span<ShardPort* const> ports);
  L2::Served serve(Packet& p, const ShardPort& port);
  void perform(const Packet& p, const ShardPort& port);

  const uint32_t shard_;
  const Ticks request_latency_, merged_latency_;
  stats::CounterSet counters_;
  const std::vector<uint32_t>& merge_group_;
  RequestMerger merger_;
  L2 l2_;
  isa::GlobalMemory* image_ = nullptr;
  bool at_once_ = false;
  LateWrites late_;
  uint64_t changes_ = 0;
  std::vector<Turn> turns_;
  ByTime<Turn> order_;
};

}  // namespace heddle::memory
