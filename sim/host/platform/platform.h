// Owns the parts of the host model, and carries what one tells another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/host/calls/threads.h"
#include "sim/host/checks/checker.h"
#include "sim/host/core/core.h"
#include "sim/host/graphs/graphs.h"
#include "sim/host/kernels/grids.h"
#include "sim/host/links/kernel_traffic.h"
#include "sim/host/links/migration.h"
#include "sim/host/links/page_faults.h"
#include "sim/host/links/transfers.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/memory/l2_control.h"
#include "sim/host/memory/unified.h"
#include "sim/host/memory/vmm.h"
#include "sim/host/nested/nested.h"
#include "sim/host/platform/run.h"
#include "sim/host/platform/watch.h"
#include "sim/host/streams/clocks.h"
#include "sim/host/streams/connections.h"
#include "sim/host/streams/host_functions.h"
#include "sim/host/streams/ordering.h"

namespace heddle::host {

class Platform final : public Core {
 public:
  Platform(const Program& p, const Params& params, const PlatformOptions& options);
  // On to the end, to `until`, or to where a live thread has no call yet.
  void advance(Ps until = kNever);
  // The call of advance() that is under way goes no further than that.
  void stop_at(Ps at) { until_ = std::min(until_, at); }
  // When something happens next, kernels of a KernelModel apart; kNever: nothing does.
  Ps next_time() const { return threads_.later() ? now : events.next_time(); }
  // What streams wait for that are told so (Call::values of kStreamWaitEvent) has happened, once for each.
  void came(uint64_t values, Ps at);
  // A live thread that is away is asked for its next call at `at`, or now if that is past.
  void come_back(uint32_t thread, Ps at) { threads_.come_back(thread, at); }
  Result finish();
  void finish(uint32_t slot) override;
  void triggered(uint32_t slot, Port port) override;
  void kernel_started(uint32_t slot, Ps at) override { graphs_.kernel_started(slot, at); }
  void block_calls(uint32_t slot, uint32_t block, Ps at, Ps time) override {
    nested_.block_calls(slot, block, at, time);
  }
  void calls_returned(uint32_t slot, uint32_t block) override {
    grids_[commands[slot].device].calls_returned(commands[slot].grid, block);
  }
  void block_leaves(uint32_t slot, uint32_t block) override {
    grids_[commands[slot].device].block_leaves(commands[slot].grid, block);
  }
  void dispatch(uint32_t slot) override;
  void prepared(uint32_t slot) override;
  void begun(uint32_t slot, Ps at) override { migration_.begun(slot, at - now); }
  void resume(uint32_t thread, Ps at) override { events.push(at, Happening::kThread, thread); }
  void set_flag(uint32_t flag) override;
  bool flag(uint32_t flag) const override { return threads_.flag(flag); }

 private:
  void carry_out(uint32_t slot);

  // The kernel's blocks have ended. False: it waits for something else, and comes back.
  bool kernel_ends(uint32_t slot);

  // False: the kernel needs nothing before its blocks and moves nothing over links.
  bool prepare(uint32_t slot);

  // Simulated kernels catch up with what happens next. True when one has ended before that: its end comes
  // next.
  bool kernels_ended();
  void happen(const DueEvent& e);

  // The command is finished: what waits for it may go on.
  void release(uint32_t slot);
  void go_on(const Edge& edge);
  std::vector<Access> accesses(const Command& c) const;
  void show(const Command& c);

  // Nodes of graphs have rows of their own: which of them run side by side is the graph's doing, not the
  // stream's.
  uint32_t stream_track(uint32_t stream);
  uint32_t track_of(const Command& c) {
    return c.run == kNone ? stream_track(c.stream) : graphs_.track_of(c);
  }
  Result result_;
  Ordering ordering_;
  Connections connections_;
  Clocks clocks_;
  Allocations memory_;
  Graphs graphs_;
  Nested nested_;
  AddressSpace space_;
  Checker checker_;
  Unified unified_;
  Migration migration_;
  PageFaults faults_;
  const bool graphs_wanted_;
  L2Control l2_;
  KernelTraffic traffic_;
  Threads threads_;
  HostFunctions host_functions_;
  std::vector<Grids> grids_;
  std::unique_ptr<Transfers> transfers_;
  std::vector<uint32_t> stream_track_;
  std::vector<Overlap> work_;  // of each device: kernels and copies
  Watch watch_;
  uint32_t deep_ = 0;
  Ps until_ = kNever;
  std::map<uint64_t, uint32_t> awaited_;  // commands, by what they wait for outside of the model
  std::map<uint64_t, Ps> came_;           // that no command waits for yet
  bool begun_ = false;
};

}  // namespace heddle::host
