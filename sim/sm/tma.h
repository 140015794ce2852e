// Bulk asynchronous copies (UBLKCP): a simple engine that turns each copy into line requests at a fixed rate.
#pragma once

#include <cstdint>
#include <deque>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/payload.h"

namespace heddle::sm {

class Sm;

class Tma {
 public:
  Tma(Sm& sm, const config::AsyncCopy& c) : sm_(sm), config_(c) {}

  void reset() {
    queue_.clear();
    copies_.clear();
    in_flight_ = 0;
    scheduled_ = false;
  }

  // Global to shared: `bytes` from `source`, at least one; completion counts at the barrier object `barrier`
  // of block `slot`.
  // `computed`: its data is delivered to the program.
  void start(uint32_t slot, const isa::BulkOp& copy, bool computed, Cycle now);
  // Sends the next line.
  void step(Cycle now);
  // A line of `copy` has arrived.
  void arrived(uint32_t copy, uint8_t sectors, const memory::Payload* values, Cycle now);

 private:
  struct Copy {
    uint32_t slot = 0;
    uint32_t generation = 0;  // of the slot: its block can end before the copy does
    isa::BulkOp op;
    bool computed = false;
    uint64_t next = 0;    // address of the next line to request
    uint64_t left = 0;    // bytes to request
    uint32_t flying = 0;  // sectors requested and not here
  };

  uint64_t deliver(const Copy& c, uint8_t sectors, const memory::Payload& values) const;

  Sm& sm_;
  const config::AsyncCopy config_;
  Slots<Copy> copies_;
  std::deque<uint32_t> queue_;  // copies with lines left to request, in order
  uint32_t in_flight_ = 0;      // lines
  bool scheduled_ = false;
};

}  // namespace heddle::sm
