// Hands the blocks of a grid to SMs: first wave breadth-first over the SMs, then wherever a block has left.
// Blocks of a cluster go to SMs of one GPC, all at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/device/block_sampler.h"
#include "sim/engine/time.h"
#include "sim/isa/kernel.h"
#include "sim/sm/sm.h"
#include "sim/stats/result.h"

namespace heddle::device {

class WorkDistributor {
 public:
  WorkDistributor(const config::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms);

  // `sampler`, which may be null, is told of the first wave and of each block that is done.
  void begin(isa::BlockSource& source, const stats::Occupancy& occupancy, Cycle at,
             BlockSampler* sampler = nullptr);

  // Handles what the SMs reported in the last quantum, then places blocks; nothing starts before `now`.
  void exchange(Cycle now);

  bool finished() const { return exhausted_ && running_ == 0; }
  uint64_t blocks_done() const { return done_; }
  uint64_t blocks_total() const { return total_; }

 private:
  struct Slot {
    isa::BlockTrace trace;
    bool busy = false;
  };
  struct Cluster {
    uint32_t blocks = 0;   // started
    uint32_t left = 0;     // not finished
    uint32_t arrived = 0;  // at the cluster barrier
    Cycle last = 0;
    std::vector<std::pair<uint32_t, uint32_t>> members;  // SM, slot
  };
  struct Free {
    uint32_t blocks = 0;  // free block places under the occupancy limit
    Cycle since = 0;      // when the newest became free
  };

  void notice(uint32_t sm, const sm::Notice& n);
  void place(Cycle now);
  bool place_cluster(Cycle now);
  uint32_t next_sm(Cycle* ready) const;
  void start(uint32_t sm, uint32_t cluster, Cycle ready, Cycle now);
  bool fetch();

  const config::Launch launch_;
  const Cycle cluster_barrier_;
  std::vector<std::unique_ptr<sm::Sm>>& sms_;
  std::vector<uint32_t> gpc_of_sm_;
  std::vector<uint32_t> order_;  // SMs in the order of the first wave
  isa::BlockSource* source_ = nullptr;
  BlockSampler* sampler_ = nullptr;
  std::vector<std::vector<std::unique_ptr<Slot>>> slots_;  // by SM and block slot; storage is reused
  std::vector<Free> free_;
  std::vector<Cycle> sm_next_;  // earliest next block start of each SM
  std::map<uint32_t, Cluster> clusters_;
  std::vector<isa::BlockTrace> fetched_;   // blocks of the next cluster; storage is reused
  uint32_t fetched_end_ = 0, placed_ = 0;  // of `fetched_`: how many were read, and placed
  uint32_t cluster_size_ = 1;
  uint32_t next_cluster_ = 0;
  uint32_t blocks_per_sm_ = 0;
  uint64_t total_ = 0, done_ = 0;
  uint32_t running_ = 0;
  bool exhausted_ = false;
  Ticks issue_free_ = 0;
};

}  // namespace heddle::device
