// What the SMs of a GPC share on their way to the L2 and back: the order of their packets, the TLBs, the
// cache of instructions and constants, the ports of TPCs and GPC. It takes what its SMs have sent before a
// horizon, sorts it by slice shard, and when the shards have served it, brings the answers back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/memory/address_map.h"
#include "sim/memory/by_time.h"
#include "sim/memory/crossings.h"
#include "sim/memory/gpc_cache.h"
#include "sim/memory/inbox.h"
#include "sim/memory/link_message.h"
#include "sim/memory/membars.h"
#include "sim/memory/multicast.h"
#include "sim/memory/noc.h"
#include "sim/memory/outbox.h"
#include "sim/memory/packet.h"
#include "sim/memory/payload.h"
#include "sim/memory/shard_port.h"
#include "sim/memory/tlb.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class SliceShard;

class GpcPort final : public ShardPort {
 public:
  // What all ports have in common.
  struct Common {
    const AddressMap& map;
    const std::vector<uint32_t>& shard_of_slice;  // of a partition's slices
    uint32_t shards = 0;
    Noc& noc;
    Membars& membars;
  };
  GpcPort(const spec::GpuConfig& gpu, uint32_t gpc, const Common& common);

  void reset();
  // Of an SM of the GPC, in their order.
  void connect(Outbox& out, Inbox& in, Payloads& payloads) { ends_.push_back({&out, &in, &payloads}); }

  // A launch at `at` fetches these lines, ahead of what the SMs send then. Of several launches in the order
  // of time.
  void fetch(uint64_t first_line, uint64_t lines, Cycle at);
  // ... or has written this one.
  void install(uint64_t line, Cycle at);

  // Takes the packets that leave before `horizon`, in the order (time, SM, sending), and translates their
  // addresses as far as the TLBs of the GPC know them.
  void take(Cycle horizon);
  // Translations that the device's TLB is asked for. Whoever has done them calls settle().
  std::vector<GpcTlb::Fill>& walks() { return tlb_.fills(); }
  // Books the ports towards L2 and sorts by shard.
  void enter();
  // Packets for other devices, in order; until answer().
  const std::vector<const Packet*>& leaving() const { return leaving_; }
  // All have been served: books the ports back and delivers.
  void answer(const std::vector<std::unique_ptr<SliceShard>>& shards);

  Payload& payload(const Packet& p) const override {
    return (*ends_[p.request.sm - first_sm_].payloads)[p.request.payload];
  }

  // Who else gets answers; null: nobody.
  void set_multicast(Multicast* multicast) { multicast_ = multicast; }

  // ---- several devices ----
  // Whose memory is where; `self` is this device.
  void set_owners(const Owners* owners, uint8_t self) {
    owners_ = owners;
    self_ = self;
  }
  // Another device has answered.
  void arrive(const LinkMessage& m) { arrived_.insert(m); }
  // When the next of these has its turn; kNever: none is waiting.
  Cycle next_arrival() const { return arrived_.next(); }
  // Requests of launch `grid` (reads of any: 0) that other devices have not answered.
  uint32_t away(uint8_t grid) const { return away_[grid]; }

  bool idle() const { return packets_.empty(); }
  // Core cycle at which the newest request of launch `grid` had been performed at L2; for reads of any, 0.
  Cycle last_performed(uint8_t grid) const { return last_performed_[grid]; }
  const stats::CounterSet& counters() const { return counters_; }
  // Requests for code that take() has seen since the last call.
  template <class F>
  void code_asked(F f) {
    for (const Request& r : code_asked_) {
      f(r.line, r.time);
    }
    code_asked_.clear();
  }

  Ticks way(const Packet& p) const override { return Ticks(distance(p).count() / 2); }

  // Between two exchanges, of a device that has no links: no packet is on its way.
  template <class Archive>
  void serialize(Archive& ar) {
    ar(counters_, tlb_, gcc_, crossings_, launched_, away_, last_performed_);
  }

 private:
  struct End {
    Outbox* out;
    Inbox* in;
    Payloads* payloads;
  };
  void gather(Cycle horizon);
  void add_fetch(const Request& r);
  void add_arrived(Cycle horizon);
  Ticks answer_several(const Packet& p, Ticks done);
  Ticks cross(const Packet& p, Ticks done);
  // Of the slice that has answered, beyond the nearest one.
  Ticks distance(const Packet& p) const {
    return p.remote ? Ticks() : distance_[common_.map.slice_of_device(p.home)];
  }
  Ticks arrival(const Packet& p, Ticks done);

  const uint32_t first_sm_, merge_sms_;
  const Common common_;
  std::vector<Ticks> distance_;  // by slice of the device
  stats::CounterSet counters_;
  GpcTlb tlb_;
  GpcCache gcc_;
  Crossings crossings_;
  std::vector<End> ends_;
  std::vector<Request> launched_;    // fetches of launches, by time
  std::vector<Request> code_asked_;  // by SMs, since code_asked()
  std::vector<Request> gathered_;
  ByTime<Request> order_;
  Multicast* multicast_ = nullptr;
  const Owners* owners_ = nullptr;
  uint8_t self_ = 0;
  std::vector<const Packet*> leaving_;
  LinkQueue arrived_;                        // answers of other devices
  std::array<uint32_t, 256> away_{};         // by launch
  std::array<Cycle, 256> last_performed_{};  // by launch
};

}  // namespace heddle::memory
