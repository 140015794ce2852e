// The SM's port to the NoC, which the LSU and the TMA share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"

namespace heddle::sm {

// Request ids carry their kind in the upper bits.
enum class RequestTag : uint32_t { kMiss = 0, kStore = 1u << 30, kBulk = 2u << 30 };
inline constexpr uint32_t kRequestTagMask = 3u << 30;

class RequestPort {
 public:
  explicit RequestPort(const config::L1Cache& c) : bytes_per_cycle_(c.store_bytes_per_cycle()) {}

  // Least cycles of a packet: a line's address or a reduction; a store (FINDINGS.md 6, 7: 32 lines of one
  // sector each take a reduction 32 cycles, a store 64).
  static constexpr uint32_t kRequestCycles = 1, kStoreCycles = 2;

  void reset() { port_.reset(); }
  // Takes a packet from cycle `at` on; returns when it has left.
  Cycle book(uint32_t payload_bytes, uint32_t least_cycles, Cycle at) {
    const Ticks service =
        std::max(to_ticks(least_cycles),
                 Ticks::truncated(payload_bytes * static_cast<double>(kTicksPerCycle) / bytes_per_cycle_));
    return to_cycles_up(port_.reserve(to_ticks(at), service));
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(port_);
  }

 private:
  const double bytes_per_cycle_;
  Server port_;
};

}  // namespace heddle::sm
