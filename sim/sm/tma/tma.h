// Bulk asynchronous copies (UBLKCP): a simple engine that turns each copy into line requests at a fixed rate.
#pragma once

#include <cstdint>
#include <deque>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/payload.h"
#include "sim/sm/barriers/barriers.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class Tma final : public Unit {
 public:
  Tma(SmState& sm, Barriers& barriers) : sm_(sm), barriers_(barriers), config_(sm.config().async_copy()) {}

  void reset(Cycle origin) override;
  // A bulk copy from global to shared memory; completion counts at its barrier object.
  Cycle start(const Issued& i) override;
  // Sends the next line.
  void event(const UnitEvent& e, Cycle now) override;
  // A line has arrived.
  void answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) override;

  struct Copy {
    uint32_t slot = 0;
    uint32_t generation = 0;  // of the slot: its block can end before the copy does
    uint32_t cluster = 0;
    isa::BulkOp op;
    bool computed = false;
    uint64_t next = 0;    // address of the next line to request
    uint64_t left = 0;    // bytes to request
    uint32_t flying = 0;  // sectors requested and not here

    template <class Archive>
    void serialize(Archive& ar) {
      ar(slot, generation, cluster, op, computed, next, left, flying);
    }
  };
  // Of a request that is on its way.
  const Copy& copy(uint32_t id) const { return copies_[id & ~kRequestTagMask]; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(copies_, queue_, in_flight_, scheduled_);
  }

 private:
  // At least one byte. `computed`: its data is delivered to the program.
  void begin(uint32_t slot, const isa::BulkOp& copy, bool computed, Cycle now);

  SmState& sm_;
  Barriers& barriers_;
  const config::AsyncCopy config_;
  Slots<Copy> copies_;
  std::deque<uint32_t> queue_;  // copies with lines left to request, in order
  uint32_t in_flight_ = 0;      // lines
  bool scheduled_ = false;
};

}  // namespace heddle::sm
