// An SM's port to the network between the SMs of its GPC: what its blocks ask of other blocks of their
// clusters, and its answers to what others ask of them. Both take their turns in the port (FINDINGS.md 14).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/event_wheel.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/sm/cluster_message.h"
#include "sim/sm/l1_values.h"

namespace heddle::sm {

class Sm;

class ClusterPort {
 public:
  ClusterPort(Sm& sm, const config::AsyncCopy& c)
      : sm_(sm),
        packet_ticks_(c.dsm_packet_cycles() * static_cast<double>(kTicksPerCycle)),
        latency_(c.dsm_latency()) {}
  void reset();

  // ---- for the LSU ----
  // A memory instruction of `warp`, number `code`, that reads from other blocks.
  struct Access {
    uint8_t warp = 0;
    bool computed = false;  // its program wants the values
    uint16_t bytes = 0;     // written to registers
    uint32_t code = 0;
    uint32_t waiting = 0;  // answers
  };
  uint32_t open(const Access& a) { return accesses_.add(a); }
  L1Values::Load& values(uint32_t access);
  // `packets` of it go through the port; returns when the last has left. `m` has everything but its times.
  Cycle send(const ClusterMessage& m, uint32_t packets, Cycle now);
  // The same where the trace does not say which blocks make a cluster: nobody is visited, and the SM is taken
  // to answer as much as it asks.
  Cycle send_alone(ClusterMessage m, uint32_t packets, Cycle now);
  // A message that takes no time in the port and is not answered.
  void tell(const ClusterMessage& m) { out_.push_back(m); }

  // ---- for the network ----
  std::vector<ClusterMessage>& outbox() { return out_; }
  Cycle next_departure() const;
  void deliver(const ClusterMessage& m);

  // ---- for the SM ----
  Cycle next() const { return in_ ? in_->next() : kNever; }
  void run(Cycle now);

 private:
  void leave(ClusterMessage m, uint32_t packets, Cycle now);
  void await_answer(const ClusterMessage& m);
  void serve(const ClusterMessage& m, Cycle now);
  void answered(const ClusterMessage& m, Cycle now);
  Ticks ticks(uint32_t packets) const { return static_cast<Ticks>(packets * packet_ticks_); }

  Sm& sm_;
  const double packet_ticks_;
  const Cycle latency_;
  Server port_;
  std::vector<ClusterMessage> out_;
  std::unique_ptr<EventWheel<ClusterMessage>> in_;  // null: nothing has come yet
  Slots<Access> accesses_;
  std::vector<L1Values::Load> values_;  // by access
};

}  // namespace heddle::sm
