// Hands the blocks of grids to SMs: first wave breadth-first over the SMs, then wherever a block has left.
// Blocks of a cluster go to SMs of one GPC, all at once. Several grids are worked off by priority, then in
// the order of their launches: none starts a block while one before it has blocks left
// (traces/h200/together).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/cluster_network.h"
#include "sim/device/launch_watcher.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/sm.h"
#include "sim/stats/result.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::device {

// A launch as the distributor sees it. What it points to must live until the grid has ended.
struct GridLaunch {
  uint8_t number = 0;  // among those on the machine
  isa::GridProgram* program = nullptr;
  const sm::TimedKernel* kernel = nullptr;
  stats::Occupancy occupancy;
  int32_t priority = 0;              // as CUDA: lower numbers go first
  LaunchWatcher* watcher = nullptr;  // may be null
};

// A grid that has ended: its number, when its first block and its last warp were on an SM, its work.
struct GridEnd {
  uint8_t number = 0;
  Cycle first_block = 0, last_warp = 0;
  isa::BlockWork work;

  template <class A>
  void serialize(A& ar) {
    ar(number, first_block, last_warp, work);
  }
};

class WorkDistributor {
 public:
  WorkDistributor(const spec::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms);

  // No grids; SMs are empty.
  void begin();
  // Its blocks may start at `at`, which is no earlier than any time it was told before. Throws Error when a
  // cluster never fits.
  void launch(const GridLaunch& grid, Cycle at);

  // Takes what the SMs of `gpc` have reported; for several GPCs at a time, before exchange().
  void collect(uint32_t gpc);
  // The SMs have handled everything before `horizon`: takes the blocks that are done by then and the
  // launches, in the order of time, and places blocks. None starts before horizon, if a quantum is at most
  // least_turnaround() long.
  void exchange(Cycle horizon);
  // When the first of the blocks starts that were placed last, or it has something to do that it could not do
  // yet; kNever: nothing.
  Cycle next() const {
    const Cycle done =
        done_blocks_.empty() ? kNever : done_blocks_.front().notice.time - launch_.block_retire_latency();
    return std::min(done, first_start_);
  }
  // From the end of a block's last warp to the first cycle of the next block in its place.
  Cycle least_turnaround() const {
    return Cycle{launch_.block_retire_latency()} + launch_.block_start_latency();
  }
  ClusterNetwork& clusters(uint32_t gpc) { return *clusters_[gpc]; }
  // Between the SMs of `gpc`; while there are clusters, these may advance so many cycles without it.
  void exchange_clusters(uint32_t gpc, Cycle horizon) { clusters_[gpc]->exchange(horizon); }
  Cycle cluster_latency() const { return clusters_.front()->latency(); }
  // There are blocks of clusters on the machine, or will be.
  bool has_clusters() const;

  // No grid has blocks left or on SMs.
  bool finished() const { return grids_.empty(); }
  // Grids that have ended since they were taken last.
  std::vector<GridEnd>& ended() { return ended_; }
  // When it has taken note of the end of all blocks so far, less the time that takes; 0: none has ended.
  Cycle last_end() const {
    return done_ == 0 ? 0 : to_cycles_up(retire_free_) - launch_.block_retire_latency();
  }
  // Of all grids since begin().
  uint64_t blocks_done() const { return done_; }
  uint64_t blocks_total() const { return total_; }

  // Between quanta, of one grid (checkpoint.cc). Whoever reads has begun, and gives the launch again, none of
  // whose blocks have been taken: those that were done are read and passed over. Throws Error.
  void serialize(Archive& ar, const GridLaunch& launch);
  // The blocks that are on an SM or on their way there, by slot; null: none.
  std::vector<isa::BlockProgram*> blocks(uint32_t sm) const;

 private:
  struct Grid {
    GridLaunch launch;
    uint64_t serial = 0;  // in the order of launches
    Cycle at = 0;
    uint32_t warps = 0;  // of a block
    uint32_t cluster_size = 1;
    std::vector<std::unique_ptr<isa::BlockProgram>> fetched;  // blocks of the next cluster
    uint32_t placed = 0;                                      // of `fetched`
    bool exhausted = false;
    uint64_t running = 0;
    std::vector<uint32_t> own;     // blocks on each SM
    std::vector<uint32_t> places;  // for more of them, on each SM
    std::vector<uint32_t> turns;   // clusters that each region has got
    GridEnd result;
    bool started = false;

    // But what is not known of a launch that is given again.
    template <class A>
    void serialize(A& ar) {
      ar(serial, at, placed, exhausted, running, result, started);
      ar.elements(own);
      ar.elements(places);
      ar.elements(turns);
    }
  };
  struct Slot {
    std::unique_ptr<isa::BlockProgram> block;
    Grid* grid = nullptr;  // null: free
  };
  // A block that is done, of which the distributor has not heard yet.
  struct Done {
    uint32_t sm;
    sm::Notice notice;

    template <class A>
    void serialize(A& ar) {
      ar(sm, notice);
    }
  };
  // What an SM has left, and for whom its L1 array is split.
  struct Room {
    uint32_t blocks = 0, warps = 0, registers = 0, shared = 0;
    uint32_t resident = 0;  // blocks
    uint32_t carveout = 0;
    uint64_t split_for = 0;  // Grid::serial
    Cycle since = 0;         // when the newest block left
    Cycle next = 0;          // earliest next block start

    template <class A>
    void serialize(A& ar) {
      ar(blocks, warps, registers, shared, resident, carveout, split_for, since, next);
    }
  };

  // SMs that clusters are placed on together.
  struct Region {
    uint32_t first, end;  // SMs
    uint32_t gpc;
    bool single;  // no cluster larger than a TPC
  };

  std::unique_ptr<Grid> new_grid(const GridLaunch& launch) const;
  bool takes_clusters(const Region& r, uint32_t size) const { return !r.single || size <= sms_per_tpc_; }
  using Wanted = std::map<uint64_t, std::unique_ptr<isa::BlockProgram>*>;  // by number: where it goes
  Wanted serialize_blocks(Archive& ar, Grid* grid);
  static void take_again(Archive& ar, const GridLaunch& launch, const Wanted& wanted, uint64_t taken);
  void block_done(uint32_t sm, const sm::Notice& n);
  void place();
  bool place_one(Grid& g);
  bool place_cluster(Grid& g);
  uint32_t next_sm(const Grid& g, Cycle* ready) const;
  Cycle ready(const Grid& g, uint32_t sm) const { return std::max({room_[sm].since, room_[sm].next, g.at}); }
  void start(Grid& g, uint32_t sm, uint32_t cluster, Cycle ready);
  bool fetch(Grid& g);
  uint32_t places(const Grid& g, uint32_t sm) const;
  bool take(Grid& g, uint32_t sm);
  void give(Grid& g, uint32_t sm);
  void update_places(uint32_t sm);

  const spec::Launch launch_;
  const Room empty_;
  const uint32_t sms_per_tpc_;
  std::vector<std::unique_ptr<sm::Sm>>& sms_;
  std::vector<uint32_t> gpc_of_sm_;
  std::vector<std::unique_ptr<Grid>> grids_;               // by turn; those without blocks left among them
  std::vector<std::vector<Slot>> slots_;                   // by SM and block slot
  std::vector<Room> room_;                                 // by SM
  std::vector<uint32_t> first_sm_;                         // of each GPC, and the end
  std::vector<Region> regions_;                            // singleton TPCs, and the GPCs without them
  std::vector<std::unique_ptr<ClusterNetwork>> clusters_;  // by GPC
  std::vector<GridEnd> ended_;
  std::vector<std::vector<Done>> reported_;  // by GPC
  std::vector<Done> done_blocks_;            // by time, then SM
  Cycle first_start_ = kNever;
  uint32_t next_cluster_ = 0;
  uint64_t launches_ = 0;
  uint64_t total_ = 0, done_ = 0;
  Ticks issue_free_{}, retire_free_{};
  std::vector<Cycle> tpc_free_;  // when the TPC takes its next block
};

}  // namespace heddle::device
