// An SM's port to the network between the SMs of its GPC: what its blocks ask of other blocks of their
// clusters, and its answers to what others ask of them. Both take their turns in the port (FINDINGS.md 14).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/event_wheel.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/sm/dsm/cluster_message.h"
#include "sim/sm/l1/l1_values.h"
#include "sim/sm/state/sm_state.h"

namespace heddle::sm {

// A memory instruction of `warp`, number `code`, that reads from other blocks.
struct ClusterAccess {
  uint8_t warp = 0;
  bool computed = false;  // its program wants the values
  uint16_t bytes = 0;     // written to registers
  uint32_t code = 0;
  uint32_t waiting = 0;  // answers

  template <class Archive>
  void serialize(Archive& ar) {
    ar(warp, computed, bytes, code, waiting);
  }
};

// The SM's shared memory, and what waits for that of others: the LSU.
class ClusterMemory {
 public:
  virtual ~ClusterMemory() = default;
  // An access of another SM passes over the shared memory; returns when it begins.
  virtual Cycle visit(const ClusterMessage& m, Cycle now) = 0;
  // What fences wait for: ClusterMessage::posted.
  virtual void acknowledged(uint32_t posted, Cycle now) = 0;
  // All answers have come.
  virtual void finish_remote(const ClusterAccess& a, Cycle now) = 0;
};

// The barriers that other blocks reach.
class ClusterBarriers {
 public:
  virtual ~ClusterBarriers() = default;
  // All blocks of the cluster have come to its barrier, or ended.
  virtual void open_cluster_barrier(uint32_t slot, Cycle now) = 0;
  // A bulk copy has delivered `bytes` for the barrier object at `address` of the block in `slot`.
  virtual void bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now) = 0;
  // Does that to a barrier object of the block in `slot`.
  virtual void change_mbarrier(uint32_t slot, const isa::MbarrierOp& op, Cycle now) = 0;
};

class ClusterPort {
 public:
  explicit ClusterPort(SmState& sm) : ClusterPort(sm, sm.config().async_copy()) {}
  // Whom it serves and tells; they must live as long.
  void connect(ClusterMemory& memory, ClusterBarriers& barriers) {
    memory_ = &memory;
    barriers_ = &barriers;
  }
  void reset();

  // ---- for the LSU ----
  using Access = ClusterAccess;
  uint32_t open(const Access& a) { return accesses_.add(a); }
  L1Values::Load& values(uint32_t access);
  // Its parts go through the port; returns when the last has left. `m` has everything but its times.
  Cycle send(const ClusterMessage& m, Cycle now);
  // The same where the trace does not say which blocks make a cluster: nobody is visited, and the SM is taken
  // to answer as much as it asks.
  Cycle send_alone(ClusterMessage m, Cycle now);
  // The network learns that of the block in `slot`: it takes no time in the port and is not answered.
  void tell(ClusterMessage::Kind kind, uint32_t slot, Cycle at);

  // ---- for the network ----
  std::vector<ClusterMessage>& outbox() { return out_; }
  Cycle next_departure() const;
  void deliver(const ClusterMessage& m);

  // ---- for the SM ----
  Cycle next() const {
    const Cycle in = in_ ? in_->next() : kNever;
    return bulk_ ? std::min(in, bulk_->next()) : in;
  }
  void run(Cycle now);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(port_, out_, in_, bulk_, accesses_);
  }

 private:
  ClusterPort(SmState& sm, const spec::AsyncCopy& c)
      : sm_(sm),
        part_ticks_(c.dsm_packet_cycles() * static_cast<double>(kTicksPerCycle) / ClusterMessage::kPacket),
        latency_(c.dsm_latency()) {}
  Ticks turn(uint32_t parts, Cycle now);
  void leave(ClusterMessage m, Ticks begin);
  void await_answer(const ClusterMessage& m);
  void take_bulk(const ClusterMessage& m, Cycle now);
  void serve(const ClusterMessage& m, Cycle now);
  void answered(const ClusterMessage& m, Cycle now);
  Ticks ticks(uint32_t parts) const { return Ticks::truncated(parts * part_ticks_); }

  SmState& sm_;
  ClusterMemory* memory_ = nullptr;
  ClusterBarriers* barriers_ = nullptr;
  const double part_ticks_;
  const Cycle latency_;
  Server port_;
  std::vector<ClusterMessage> out_;
  std::unique_ptr<EventWheel<ClusterMessage>> in_;  // null: nothing has come yet
  // From L2; apart, so that the order does not depend on when either was handed over.
  std::unique_ptr<EventWheel<ClusterMessage>> bulk_;
  Slots<Access> accesses_;
  std::vector<L1Values::Load> values_;  // by access
};

}  // namespace heddle::sm
