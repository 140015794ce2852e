// The load/store unit: queues from the sub-cores, arbitration, address generation, shared memory and L1.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <string>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/access/coalesce.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/payload.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/dsm/cluster_port.h"
#include "sim/sm/fences/fences.h"
#include "sim/sm/l1/l1_cache.h"
#include "sim/sm/lsu/packets.h"
#include "sim/sm/state/queue_room.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"
#include "sim/sm/tensor/tensor_array.h"
#include "sim/stats/counters.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::sm {

class Lsu final : public Unit, public ClusterMemory {
 public:
  Lsu(SmState& sm, Fences& fences, ClusterPort& cluster, QueueRoom& room);

  void reset(Cycle origin) override;
  // Whose operands come from the same data array.
  void connect(TensorArray& products) { shared_stage().products = &products; }
  // Only while no load is in flight.
  void resize_l1(uint32_t bytes) { l1_.reset(bytes); }
  // Blocks of programs that compute will come.
  void keep_values() { l1_.keep_values(); }

  // A memory instruction enters its sub-core's queue.
  Cycle start(const Issued& i) override;
  // Takes the next instruction, if there is one that can go.
  void event(const UnitEvent&, Cycle now) override { arbitrate(now); }
  void answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) override;
  isa::LaneRoom* room() override;
  // Behind other work of the LSU it is a wavefront (FINDINGS.md 18).
  void barrier_opened() override;
  std::string describe() const override;

  Cycle visit(const ClusterMessage& m, Cycle now) override;
  void acknowledged(uint32_t posted, Cycle now) override { answer(posted, 0, nullptr, now); }
  void finish_remote(const ClusterAccess& a, Cycle now) override;

  // Of one kernel (lsu_serialize.cc).
  void serialize(Archive& ar, const TimedKernel& kernel);

 private:
  // What an instruction at the head of its queue did not find: it is tried again at every response, and its
  // addresses need not be looked at before there is room.
  enum class Shortage : uint8_t { kUnknown, kLoad, kPlace, kEntries };
  struct Entry {
    uint8_t warp = 0;
    uint8_t group = 0;  // LDGSTS group it belongs to
    uint32_t mask = 0;
    uint32_t room = 0;    // programs that compute: 1 + its number in rooms_
    bool served = false;  // and the access has values
    const TimedInstr* instr = nullptr;
    Cycle issued = 0;
    Cycle ready = 0;
    Shortage shortage = Shortage::kUnknown;
    uint16_t lacking = 0;  // sectors, or entries for posted packets
    isa::LaneAddresses address, copy_to;
  };
  // What else an instruction of a program that computes needs until it has been taken.
  struct Room {
    isa::LaneRoom lanes;
    isa::AtomicOp atomic;
    isa::MbarrierOp mbarrier;
    uint32_t ticket = 0;
  };
  // First in, first out; a sub-core whose queue is full sends nothing. As short as may be: it goes round and
  // round through the host's cache.
  struct Queue {
    explicit Queue(uint32_t depth) : entry(std::bit_ceil(depth + kBeyond)) {}
    std::vector<Entry> entry;  // a power of two
    uint32_t head = 0, count = 0;
    Entry& front() { return entry[head]; }
    const Entry& front() const { return entry[head]; }
    Entry& push() { return entry[(head + count++) & (entry.size() - 1)]; }
    void pop() {
      head = (head + 1) & static_cast<uint32_t>(entry.size() - 1);
      --count;
    }
  };
  static constexpr uint32_t kBeyond = 3;  // so that 5 entries, which is usual, make 8

  // The stages behind the queues: tags and data of an L1, or of shared memory, or of the array that is both.
  struct Stage {
    explicit Stage(const spec::Sm& c)
        : posted(c.l1().posted_queue()), loads(c.memory().lg_places()), shared(c.memory().mio_places()) {}

    Cycle free = 0;     // when it takes its next instruction
    Cycle lg_free = 0;  // of an LG queue: whoever was the next had to wait until then
    Cycle data = 0;     // when the data array is free,
    Cycle tags = 0;     // and the tags
    TurnQueue posted, loads, shared;
    uint32_t filled = 0;  // bytes written into the data array that do not make a whole turn yet

    TensorArray* products = nullptr;  // whose operands come from the data array, too
    uint32_t half_cycles = 0;         // that they have taken beyond `data`

    // What products have taken until now: they do not wait, whoever else comes does (FINDINGS.md 60).
    void read_products(Cycle now) {
      products->advance(now);
      const TensorArray::Data d = products->take_data();
      half_cycles += d.half_cycles;
      data = std::max(data + half_cycles / 2, d.last);
      half_cycles %= 2;
    }
    // The data array works for so many cycles when its turn comes: that is what is returned.
    Cycle use_data(Cycle cycles, Cycle now) {
      if (products) {
        read_products(now);
      }
      const Cycle begin = std::max(now, data);
      data = begin + cycles;
      return begin;
    }
    // Sectors that come back share turns: what they are written to leaves banks for those who read meanwhile
    // (FINDINGS.md 49).
    void fill(uint32_t bytes, uint32_t width, Cycle now) {
      filled += bytes;
      if (filled >= width) {
        use_data(filled / width, now);
        filled %= width;
      }
    }
    void reset() {
      free = lg_free = data = tags = 0;
      posted.reset();
      loads.reset();
      shared.reset();
      filled = half_cycles = 0;
    }
    template <class A>
    void serialize(A& ar) {
      ar(free, lg_free, data, tags, posted, loads, shared, filled, half_cycles);
    }
  };

  Lsu(SmState& sm, Fences& fences, ClusterPort& cluster, QueueRoom& room, const spec::Sm& config);
  // Which L1 the sub-core uses.
  uint32_t unit(uint32_t subcore) const { return unit_of_[subcore]; }
  // Where an instruction of the sub-core's LG queue goes, and one of the MIO queues.
  Stage& l1_stage(uint32_t subcore) { return stages_[unit(subcore)]; }
  Stage& shared_stage() { return stages_.back(); }
  Stage& stage(uint32_t subcore, bool lg) { return lg ? l1_stage(subcore) : shared_stage(); }
  void taken(Cycle now);
  // When the first of the sub-core's queue can go.
  Cycle lg_turn(uint32_t subcore);
  Cycle mio_turn(uint32_t subcore);

  void serialize(Archive& ar, Queue& q, const TimedKernel& kernel);
  void serialize(Archive& ar, isa::LaneAddresses& a, uint32_t mask);
  void serialize_room(Archive& ar, Entry& e, const TimedKernel& kernel);
  void arbitrate(Cycle now);
  // The LG queue of the sub-core, or its MIO queue.
  void set_full(uint32_t subcore, bool lg, bool full, Cycle now);
  void request_arbitration(Cycle at);
  // False when a resource is missing; the entry stays in its queue until a response frees one.
  bool process(Entry& e, Cycle now);
  // Notes in `e` what there is no room for.
  bool lacks_load(Entry& e, uint32_t sectors) const;
  bool lacks_place(Entry& e) const;
  bool lacks_entries(Entry& e, uint32_t entries) const;

  // Shared memory and lane exchange (lsu_shared.cc).
  void lane_exchange(const Entry& e, Cycle now);
  void shared_access(const Entry& e, const uint64_t addr[32], uint32_t mask, Cycle now);
  // Shared memory of the cluster's blocks (lsu_cluster.cc).
  void pass_own_lanes(const TimedInstr& t, const uint64_t addr[32], uint32_t own, Cycle now);
  bool cluster_access(Entry& e, const uint64_t addr[32], Cycle now);
  // Global, local and the rest (lsu_global.cc).
  void note_sectors(const TimedInstr& t, uint32_t sectors, uint32_t hits);
  bool global_access(Entry& e, const uint64_t addr[32], uint32_t mask, bool local, Cycle now);
  Cycle book_tags(Stage& stage, const memory::Coalesced& c, Cycle now);
  // A place in the queue to the port: the tags wait for it. Returns when that is.
  Cycle wait_for_port(Stage& stage);
  bool passes_by(const isa::Instr& in) const;
  // Adds `sectors` to the request for miss `id` if it has not left the L1 yet.
  bool join_request(uint32_t id, uint8_t sectors, bool computed, Cycle now);
  struct Found {
    uint32_t hit_sectors = 0, found_sectors = 0, hit_lines = 0;
  };
  Found find_lines(const Entry& e, const memory::Coalesced& c, uint32_t load, bool computed, Cycle miss_at);
  void count_load(const TimedInstr& t, bool is_local, uint32_t sectors, uint32_t found);
  bool load_lines(Entry& e, const memory::Coalesced& c, const uint64_t addr[32], Cycle now, bool is_local);
  uint8_t write_copy(const Entry& e, const uint64_t from[32], uint32_t width, uint32_t& sectors);
  bool atomic_lines(Entry& e, const memory::Coalesced& c, const uint64_t addr[32], uint32_t mask, Cycle now);
  // (lsu_store.cc)
  bool store_lines(Entry& e, const memory::Coalesced& c, const uint64_t addr[32], Cycle now, bool is_local);
  // Its turn at the tags begins at `at`.
  bool join_store(const Entry& e, const memory::LineAccess& a, uint32_t payload, Cycle at, Cycle looked_up);
  void local_addresses(const Entry& e, const uint64_t addr[32], memory::Coalesced& out) const;
  // A packet that will be acknowledged: a number for its request id.
  uint32_t new_posted_packet(uint32_t warp, uint32_t entries);
  // Whoever waits for a packet: another one for `packet`'s, or the first (kNobody).
  uint32_t add_sender(uint32_t warp, uint32_t entries, uint32_t packet);
  // Whether the network has room for a packet of so many entries: at once, or as soon as it is empty.
  bool network_takes(uint32_t entries) const {
    return entries == 0 || posted_ == 0 || posted_ + entries <= config_.l1().posted_entries();
  }
  // A packet goes to the port, or is held until the network has room for it and those in front of it. Returns
  // its number in the outbox (lsu_store.cc).
  uint32_t send(const memory::Request& q, uint32_t bytes, Cycle ready);
  uint32_t dispatch(memory::Request q, uint32_t bytes, Cycle ready);
  void release_held(Cycle now);
  OpenLine* open_line(uint64_t line, uint8_t grid, Cycle at, memory::Request** request);
  void complete_load(uint32_t load, Cycle now);
  void finish(uint32_t warp, const TimedInstr& t, Cycle at, uint32_t bytes);
  Cycle late(const Entry& e, Cycle now) const;
  // Values of programs that compute (lsu_values.cc).
  void release_room(Entry& e);
  uint32_t reachable(const Entry& e, const uint64_t addr[32], Cycle now);
  void begin_values(const Entry& e, uint32_t load, const uint64_t addr[32]);
  void begin_values(const Entry& e, L1Values::Load& l, const uint64_t addr[32], uint32_t mask);
  void add_values(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32], ClusterMessage& m);
  uint32_t store_payload(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32]);
  uint32_t atomic_payload(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32]);
  void complete_values(uint32_t load);

  SmState& sm_;
  Fences& fences_;
  ClusterPort& cluster_;
  QueueRoom& queue_room_;
  const spec::Sm& config_;
  const bool apart_;               // the L1's arrays from that of shared memory
  std::vector<uint32_t> unit_of_;  // by sub-core
  std::vector<Stage> stages_;      // of the L1s; and of shared memory, where it is apart
  L1Cache l1_;
  std::vector<Queue> lg_, mio_;       // per sub-core
  std::vector<Cycle> subcore_next_;   // when each sub-core may send its next instruction
  std::vector<Bandwidth> writeback_;  // per sub-core
  uint32_t turn_ = 0;
  bool starved_ = false;      // LG: waits for a response
  bool worked_ = false;       // since the last barrier that counted
  Cycle scheduled_ = kNever;  // earliest pending arbitration event
  uint32_t posted_ = 0;       // entries of the network taken by stores and reductions
  PacketQueue packets_;
  uint32_t held_ = 0;  // packets that are held; a reduction counts for its passes
  static constexpr uint32_t kNobody = ~0u;
  struct Sender {
    uint64_t age;
    uint32_t next;  // who else has stored with that packet, or kNobody
    uint8_t warp, entries;

    template <class A>
    void serialize(A& ar) {
      ar(age, next, warp, entries);
    }
  };
  Slots<Sender> senders_;  // of each store packet in flight, by id
  Slots<Room, std::deque<Room>> rooms_;
  uint32_t next_room_ = 0;                                // of the instruction that issues
  std::forward_list<std::array<uint64_t, 32>> restored_;  // addresses of entries that were saved
};

}  // namespace heddle::sm
