// The network between the SMs of a GPC, and the clusters whose blocks are on them. It carries what they send
// in the order (time, SM, sending), and counts the arrivals at the clusters' barriers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/gpc_network.h"
#include "sim/engine/time.h"
#include "sim/memory/multicast.h"
#include "sim/sm/dsm/cluster_message.h"
#include "sim/sm/sm.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::device {

class ClusterNetwork final : public memory::Multicast {
 public:
  // Of the SMs number `first` to `end`.
  ClusterNetwork(const spec::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms, uint32_t first,
                 uint32_t end);

  void begin();
  // A block of that cluster starts there: the next rank.
  void place(uint32_t cluster, uint32_t sm, uint32_t slot);
  // One of its blocks is done, and its place given away.
  void done(uint32_t cluster);

  // Carries what leaves before `horizon`. Nothing arrives sooner than latency() after it has left.
  void exchange(Cycle horizon);
  // Bulk copies of one block that others of its cluster get, too.
  std::span<const uint16_t> targets(const memory::Request& r) override;
  void deliver(const memory::Request& r, size_t target, const memory::Payload* values, Cycle at) override;

  void serialize(Archive& ar);

  Cycle latency() const { return std::min(barrier_latency_, way_there_); }

 private:
  struct Member {
    uint32_t sm, slot;
    bool arrived = false;  // at the cluster barrier
    bool done = false;

    template <class A>
    void serialize(A& ar) {
      ar(sm, slot, arrived, done);
    }
  };
  struct Cluster {
    uint32_t left = 0;  // blocks that are not done
    Cycle last = 0;     // arrival, or end of a block
    std::vector<Member> members;

    template <class A>
    void serialize(A& ar) {
      ar(left, last, members);
    }
  };

  void hand_over(const sm::Copy& copy, const memory::Request& r, size_t target, const memory::Payload* values,
                 Cycle at);
  void barrier(const sm::ClusterMessage& m);
  void carry(sm::ClusterMessage m);

  std::vector<std::unique_ptr<sm::Sm>>& sms_;
  const uint32_t first_, end_;
  const Cycle barrier_latency_, way_there_, way_back_;
  GpcNetwork network_;
  std::map<uint32_t, Cluster> clusters_;
  std::vector<sm::ClusterMessage> carried_;
  std::vector<uint16_t> target_sms_;
  std::vector<uint8_t> target_slots_;
};

}  // namespace heddle::device
