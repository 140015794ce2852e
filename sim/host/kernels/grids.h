// The work distributor of one device: which grids are resident, and which block goes to which SM when. Blocks
// are never taken back (ST13); a freed place goes to the grid of the highest priority, among equals to the
// one that came first, and nobody overtakes the one whose turn it is.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/kernels/resources.h"

namespace heddle::host {

class Grids {
 public:
  Grids(Core& core, uint32_t device);

  // A kernel whose turn has come in its stream.
  void launch(uint32_t slot);
  // kGridStart: its blocks may be handed out.
  void grid_start(uint32_t grid);
  // kBlocks: the distributor is free again.
  void hand_out();
  // kBlockEnd: blocks of the grid leave their SMs now. `alone`: the end of its `alone`-th run by a known
  // time.
  void block_ends(uint32_t grid, uint32_t alone);
  // The kernel model runs it.
  bool is_simulated(uint32_t kernel) const;
  // kKernelEnd: the kernel model has run it from `start` until now.
  void simulated_end(uint32_t grid, Ps start);
  void flag_set(uint32_t flag);
  // The block's calls have returned (Core::block_calls).
  void calls_returned(uint32_t grid, uint32_t block);
  // It gives its place to others, and goes on later without one.
  void block_leaves(uint32_t grid, uint32_t block);
  // All kernels that this one may run beside are finished: its blocks go on from where they wait (PD04).
  void primaries_done(uint32_t slot);

  // Blocks, how long they waited for kernels before theirs, hazards.
  void count(Result& result) const;
  // The kernels that are under way or wait, for reports.
  std::vector<uint32_t> commands() const;

 private:
  struct Sm {
    uint32_t warps, blocks, registers, shared;  // free
    Ps next;                                    // earliest start of another block
  };
  // A block that waits for the kernels before: on which SM, since when.
  struct Waiting {
    uint32_t sm;
    Ps since;
  };
  // A block with calls of its own.
  struct Caller {
    uint32_t sm;
    Ps end;  // of its own time
  };
  struct End {
    Ps at;
    uint32_t sm;
  };
  struct ResidentGrid {
    void reset();  // as new, with its memory

    uint32_t slot = kNone;
    uint32_t kernel = 0;
    BlockNeeds needs;
    uint64_t left = 0;     // blocks not handed out
    uint64_t running = 0;  // on SMs
    Ps block_time{};
    Ps started = kNever;
    uint32_t step = kNone;  // what its start followed
    int32_t priority = 0;
    uint64_t order = 0;
    uint64_t untriggered = 0;  // blocks whose trigger's time is not known
    Ps triggered_at{};         // the last of the others
    Ps last_start{};
    uint32_t cluster = 1;  // blocks
    bool all_started = false;
    // Of running blocks, in order from `first_end` on. An event stands for the first; outdated ones do no
    // harm.
    std::vector<End> ends;
    size_t first_end = 0;
    Ps next_event = kNever;
    std::vector<uint32_t> held;     // SMs of blocks that only a flag lets end
    std::vector<Waiting> waiting;   // blocks at their grid dependency
    uint64_t callers_left = 0;      // blocks that will call, of those not begun
    std::vector<Caller> callers;    // those that have, in the order of their starts
    bool behind_primaries = false;  // of a simulated kernel: not given to the kernel model yet
  };
  // How a grid ran that had the device to itself, from its start on: the same kernel does so again.
  struct Alone {
    Ps end, first_start, last_start;
    uint32_t turn = 0;  // SMs that the cursor has gone on
  };
  // Nothing outside of the grid has a part in when its blocks start and end. (grids_alone.cc)
  bool runs_by_itself(const ResidentGrid& g) const;
  bool starts_alone(uint32_t grid);
  void another_starts(uint32_t grid);
  void ended_alone(uint32_t grid);
  void known_end(uint32_t grid);
  // Neither a graph's node nor launched by a kernel.
  static bool from_host(const Command& c) { return c.run == kNone && !c.is_child; }
  void simulate(uint32_t grid);
  void admit(uint32_t slot);
  void grid_done(uint32_t grid);
  bool fits(const ResidentGrid& g, const Sm& sm) const;
  bool all_fit(const ResidentGrid& g) const;
  uint32_t find_sm(const ResidentGrid& g);
  void place(uint32_t grid, uint32_t sm, Ps at);
  bool place_cluster(uint32_t grid, Ps at);
  uint32_t places(const ResidentGrid& g, const Sm& sm) const;
  void leave(uint32_t grid, uint32_t sm);
  bool waits_for_flag(const ResidentGrid& g) const;
  bool at_barrier(const ResidentGrid& g) const;
  // A block runs from `begin` on (sm kNone: a kernel without blocks), to its end or to what it waits for.
  void run_block(uint32_t grid, uint32_t sm, Ps begin);
  void add_end(uint32_t grid, uint32_t sm, Ps at);
  void end_block(uint32_t grid, uint32_t sm, Ps from, Ps left);
  void block_triggers(ResidentGrid& g, Ps at);
  void all_started(uint32_t grid);

  Core& core_;
  const uint32_t device_;
  const uint32_t track_;
  const bool device_runtime_;  // some kernel launches others
  std::vector<Sm> sms_;
  std::vector<ResidentGrid> grids_;
  std::vector<uint32_t> free_grids_;
  std::vector<uint32_t> active_;  // with blocks to hand out, in the order of their turns
  std::deque<uint32_t> waiting_;  // commands beyond the limit of resident grids (OC20)
  uint32_t resident_ = 0;
  Ps distributor_free_{};
  Ps wake_ = kNever;
  uint32_t cursor_ = 0;
  bool look_everywhere_ = true;
  std::deque<uint32_t> freed_;  // SMs that have got room since
  // ---- grids that are alone
  std::map<std::pair<uint32_t, Ps>, Alone> known_;  // by kernel and a block's time
  uint32_t started_ = 0;                            // grids that have begun and not ended
  uint32_t watched_ = kNone;                        // a grid that has been alone so far
  bool by_known_time_ = false;                      // and has no blocks: only its end comes
  Ps alone_since_{};
  uint32_t cursor_before_ = 0;
  uint32_t alone_runs_ = 0;  // tells outdated ends
  uint32_t behind_ = kNone;  // the grid that has come, until the blocks of now have ended
  uint64_t orders_ = 0;
  uint64_t blocks_run_ = 0;
  Ps dependency_wait_{};
  // Kernels that ran beside one before them and do not wait for it: launches of each (PD05).
  std::map<uint32_t, uint64_t> hazards_;
};

}  // namespace heddle::host
