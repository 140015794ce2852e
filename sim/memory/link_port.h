// A device's end of the links to others: requests of its SMs for memory of theirs, the requests of theirs for
// its own, and the answers to both. For the slice shards it is one port more.
//
// Every message has a key, the cycle in which a request that was here would have left its SM to be as far: so
// it takes its turn among those of the device, whatever the quantum. A link's latency is at least a quantum,
// so a key is never in the past of the device that gets the message.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"
#include "sim/memory/address_map.h"
#include "sim/memory/link_message.h"
#include "sim/memory/shard_port.h"

namespace heddle::memory {

class GpcPort;
class SliceShard;

// One direction of a link between two devices. Requests and answers have a channel each.
struct LinkTiming {
  Cycle latency = 0;           // core cycles, from port to port
  double bytes_per_cycle = 0;  // core cycle, each channel
  uint32_t header_bytes = 0;   // of a packet without data
};

class LinkPort final : public ShardPort {
 public:
  // Device number `self`.
  LinkPort(const spec::GpuConfig& gpu, const AddressMap& map, const std::vector<uint32_t>& shard_of_slice,
           uint32_t shards);

  // Joined with `devices` (itself included).
  void join(uint8_t self, uint32_t devices, const LinkTiming& timing);
  bool joined() const { return !requests_.empty(); }
  void reset();

  // What the SMs of the device ask of others, in the order (time, SM, sending).
  void send(std::vector<std::unique_ptr<GpcPort>>& gpcs);
  // A request of another device.
  void arrive(const LinkMessage& m) { waiting_.insert(m); }
  // Takes the requests whose turn is before `horizon`.
  void take(Cycle horizon);
  // All have been served.
  void answer(const std::vector<std::unique_ptr<SliceShard>>& shards);
  Ticks way(const Packet&) const override { return {}; }
  Payload& payload(const Packet& p) const override { return *taken_[&p - packets_.data()].values; }

  // The turn of an answer that arrives at `at`.
  Cycle answer_key(Ticks at) const { return to_cycles_up(at) - request_latency_ - hit_latency_; }
  // What a request and its answer take on their ways between SM and L2, which a link's latencies do not have.
  Cycle on_chip() const { return request_latency_ + hit_latency_; }
  bool idle() const { return packets_.empty(); }
  // When the next request has its turn; kNever: none is waiting.
  Cycle next() const { return waiting_.next(); }
  // What is to be handed to other devices.
  std::vector<LinkMessage>& outbox() { return outbox_; }
  // That this device has sent.
  uint64_t bytes() const { return bytes_; }

 private:
  Ticks send(Server& channel, uint32_t bytes, Ticks at);

  const AddressMap& map_;
  const std::vector<uint32_t>& shard_of_slice_;
  const Cycle request_latency_, hit_latency_;
  uint8_t self_ = 0;
  LinkTiming timing_;
  std::vector<Server> requests_, answers_;  // by device
  LinkQueue waiting_;
  std::vector<LinkMessage> taken_;  // parallel to packets_
  std::vector<LinkMessage> outbox_;
  std::vector<std::pair<const Packet*, GpcPort*>> leaving_;
  uint64_t bytes_ = 0;
};

}  // namespace heddle::memory
