// Where packets wait for the slice shards: those of a GPC, or of other devices.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/memory/packet.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

class ShardPort {
 public:
  ShardPort(uint32_t partition, uint32_t shards) : partition_(partition), bins_(shards) {}
  virtual ~ShardPort() = default;
  ShardPort(const ShardPort&) = delete;
  ShardPort& operator=(const ShardPort&) = delete;

  // For a shard: its packets in order.
  const std::vector<PacketRef>& bin(uint32_t shard) const { return bins_[shard]; }
  Packet& packet(uint32_t i) { return packets_[i]; }
  const Packet& packet(uint32_t i) const { return packets_[i]; }
  // The partition whose slices are near.
  uint32_t partition() const { return partition_; }
  // From where packets count as arrived to the packet's slice, beyond the nearest one.
  virtual Ticks way(const Packet& p) const = 0;
  // The values that the packet carries; only if it does.
  virtual Payload& payload(const Packet& p) const = 0;

 protected:
  void clear_bins() {
    for (std::vector<PacketRef>& b : bins_) {
      b.clear();
    }
  }

  const uint32_t partition_;
  std::vector<Packet> packets_;
  std::vector<std::vector<PacketRef>> bins_;  // by shard
};

}  // namespace heddle::memory
