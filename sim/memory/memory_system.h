// Everything behind the SMs: NoC, TLBs, L2, DRAM. Packets are worked through all their stages at once, in the
// order in which they left their SMs: up to a horizon before which nobody sends any more. The order is kept
// where packets meet, in the ports of a GPC and in the shards of the L2, so that ports and shards can be
// worked by several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/worker_pool.h"
#include "sim/isa/program.h"
#include "sim/memory/code_lines.h"
#include "sim/memory/fabric.h"
#include "sim/memory/gpc_port.h"
#include "sim/memory/inbox.h"
#include "sim/memory/l2.h"
#include "sim/memory/link_port.h"
#include "sim/memory/membars.h"
#include "sim/memory/noc.h"
#include "sim/memory/outbox.h"
#include "sim/memory/slice_shard.h"
#include "sim/memory/tlb.h"
#include "sim/stats/counters.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::memory {

class MemorySystem {
 public:
  // Its parts are made by the threads of `pool`, if there is one.
  explicit MemorySystem(const spec::GpuConfig& gpu, WorkerPool* pool = nullptr);
  // The same for their end; nothing can be done with it then.
  void dismantle(WorkerPool& pool);

  // SM number `sm`: they come in order.
  void connect(uint32_t sm, Outbox& out, Inbox& in, Payloads& payloads) {
    gpcs_[noc_.gpc_of_sm()[sm]]->connect(out, in, payloads);
  }

  // Who gets multicasts of the SMs of `gpc`.
  void set_multicast(uint32_t gpc, Multicast& m) { gpcs_[gpc]->set_multicast(&m); }

  // Idle queues, zero counters, cold caches; but the L2 keeps what it has when `warm`. A launch that begins
  // at another `origin` takes the same time.
  void reset(const L2Policy& policy = {}, bool warm = false, Cycle origin = 0, WorkerPool* pool = nullptr);
  // What requests with values are performed on; null: there are none. It stays until it is set again.
  // `at_once`: stores are done in the order in which they left, not when they are there
  // (memory/late_writes.h).
  void set_image(isa::GlobalMemory* image, bool at_once);
  // Stores that have been served are done; or those that are there at `until`, for who looks at memory while
  // kernels run.
  void settle_writes(Cycle until = kNever);
  // How many requests have changed it since reset().
  uint64_t changes() const;
  // cudaCtxResetPersistingL2Cache, between launches.
  void reset_persisting();
  uint64_t persisting_bytes();
  // A kernel with so much code is launched at `at`: the GPCs fetch its beginning. `grid` numbers the launches
  // that are on the machine together.
  void launch(uint8_t grid, uint64_t first_code_byte, uint64_t code_bytes, Cycle at);
  // ---- several devices ----
  // This is device `self` of `devices`, joined by links; `owners` says whose memory is where and lives as
  // long. What leaves for others is in link().outbox(); exchange() and arrive() take what comes from them.
  void join(uint8_t self, uint32_t devices, const LinkTiming& timing, const Owners& owners);
  LinkPort& link() { return link_; }
  const LinkPort& link() const { return link_; }
  void arrive(const LinkMessage& m);
  // Before exchange(): what comes from others before `horizon`.
  void take_remote(Cycle horizon) { link_.take(horizon); }
  // When something that comes from others has its turn; kNever: nothing.
  Cycle next_arrival() const;
  // Requests of launch `grid` (reads of any: 0) that others have not answered.
  uint32_t away(uint8_t grid) const;

  // It has ended.
  void finish() { membars_.count(counters_); }

  // Takes what leaves the SMs of `gpc` before `horizon`; for several GPCs at a time. These SMs have handled
  // everything before then.
  void take(uint32_t gpc, Cycle horizon);
  // All GPCs have taken: serves that and delivers the answers, none of which arrives sooner than
  // min_round_trip() cycles after its request has left. `then` is called for each GPC that has its answers,
  // several at a time.
  void exchange(WorkerPool& pool, const std::function<void(uint32_t gpc)>& then);
  // Both.
  void exchange(Cycle horizon, WorkerPool& pool, const std::function<void(uint32_t gpc)>& then);
  Cycle min_round_trip() const { return min_round_trip_; }

  // Core cycle at which the newest request had been performed at L2; of launch `grid`, or, for reads, 0.
  Cycle last_performed(uint8_t grid = 0) const;
  stats::CounterSet counters() const;
  const CodeLines& code_lines() const { return code_lines_; }
  uint32_t gpcs() const { return static_cast<uint32_t>(gpcs_.size()); }

  // Between two exchanges. Whoever reads has reset() with the same policy. Throws Error for a device that is
  // joined to others.
  void serialize(Archive& ar);

 private:
  void walk();
  void book_fabric(WorkerPool& pool);

  stats::CounterSet counters_;
  const AddressMap map_;
  Noc noc_;
  const std::vector<uint32_t> merge_group_;  // of each SM
  Membars membars_;
  PageWalkers walkers_;
  CodeLines code_lines_;
  Fabric fabric_;
  std::vector<uint32_t> shard_of_slice_;
  std::vector<std::unique_ptr<SliceShard>> shards_;
  std::vector<std::vector<Transfer>*> transfers_;  // by shard
  std::vector<std::unique_ptr<GpcPort>> gpcs_;
  LinkPort link_;
  std::vector<ShardPort*> ports_;  // of the GPCs, of the links
  const uint32_t launch_prefetch_bytes_, code_beyond_bytes_, constant_bytes_;
  const Cycle min_round_trip_;
  struct Walk {
    Cycle sent;
    uint32_t gpc, fill;
  };
  std::vector<Walk> walks_;
  std::atomic<uint32_t> sent_across_{0};  // transfers of the shards that have served
};

}  // namespace heddle::memory
