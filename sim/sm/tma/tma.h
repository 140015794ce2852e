// The TMA: asynchronous copies between global and shared memory, one after the other, line by line.
// TENSOR_COPIES.md has the rules and what they rest on.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"
#include "sim/sm/barriers/barriers.h"
#include "sim/sm/dsm/cluster_port.h"
#include "sim/sm/fences/fences.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"
#include "sim/sm/tma/copy.h"
#include "sim/sm/tma/descriptors.h"

namespace heddle::sm {

class Tma final : public Unit {
 public:
  Tma(SmState& sm, Fences& fences, ClusterPort& cluster, Barriers& barriers)
      : sm_(sm),
        fences_(fences),
        cluster_(cluster),
        barriers_(barriers),
        config_(sm.config().async_copy()),
        descriptors_(config_) {}

  void reset(Cycle origin) override;
  // UBLKCP, UTMALDG and the like; completion counts at their barrier object. UTMACMDFLUSH: its sources count
  // as read when all stores of the warp before it have read shared memory.
  Cycle start(const Issued& i) override;
  // The next line, or row.
  void event(const UnitEvent& e, Cycle now) override;
  // A line has arrived, or been written.
  void answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) override;

  // Of a request that is on its way.
  const Copy& copy(uint32_t id) const { return copies_[id & ~kRequestTagMask]; }
  // Of a recording's multicast: an answer to one of its requests comes to one of the `others` at `at`. When
  // it is the last of all: the cycle in which all of them have come, else 0.
  Cycle arrives_elsewhere(uint32_t id, uint32_t others, Cycle at);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(copies_, loads_, stores_, flushes_, started_stores_, read_stores_, descriptors_, in_flight_);
  }

 private:
  struct Flush {
    uint8_t warp;
    uint32_t code;
    uint64_t stores;  // that have to have read shared memory

    template <class Archive>
    void serialize(Archive& ar) {
      ar(warp, code, stores);
    }
  };

  // Loads and prefetches in one queue, stores and reductions in another: that they do not wait for each other
  // is an assumption.
  struct Queue {
    std::deque<uint32_t> copies;  // with something left to request, in order
    Ticks free{};                 // when it may take the next row
    bool scheduled = false;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(copies, free, scheduled);
    }
  };

  // At least one byte.
  void begin(const Issued& i, const isa::BulkOp& copy, const isa::TensorTile* tile);
  void flush(const Issued& i);
  Queue& queue_of(const Copy& c) { return isa::is_store(c.op.kind) ? stores_ : loads_; }
  void schedule(Queue& q, Cycle at);
  // The next line or row of its first copy.
  void step(Queue& q, uint32_t number, Cycle now);
  // Sends the request for a line of it; returns when the port has it.
  Cycle request(uint32_t number, Copy& c, Cycle now);
  void asked(uint32_t number, Cycle sent, Cycle now);
  void finish(uint32_t number, Cycle now);
  void tell_others(const Copy& c, Cycle now);
  void shared_memory_read(Cycle at);
  bool is_current(const Copy& c) const;
  bool is_for_own_block(const Copy& c) const;

  SmState& sm_;
  Fences& fences_;
  ClusterPort& cluster_;
  Barriers& barriers_;
  const spec::AsyncCopy config_;
  Slots<Copy> copies_;
  Queue loads_, stores_;
  // Stores since the beginning, and those that have read shared memory: in order.
  uint64_t started_stores_ = 0, read_stores_ = 0;
  std::vector<Flush> flushes_;  // that wait for stores, in order
  Descriptors descriptors_;
  uint32_t in_flight_ = 0;  // lines that are read
};

}  // namespace heddle::sm
