// The SM's port to the NoC, which the LSU and the TMA share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "configs/schema/spec.h"
#include "sim/access/line.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"

namespace heddle::sm {

// Request ids carry their kind in the upper bits.
enum class RequestTag : uint32_t { kMiss = 0, kStore = 1u << 30, kBulk = 2u << 30 };
inline constexpr uint32_t kRequestTagMask = 3u << 30;

class RequestPort {
 public:
  explicit RequestPort(const spec::L1Cache& c) : bytes_per_cycle_(c.store_bytes_per_cycle()) {}

  void reset() {
    port_.reset();
    last_ = 0;
  }
  // A line's address, or a reduction with its operands, leaves from cycle `at` on (FINDINGS.md 7: a cycle at
  // least). Returns when it has left; so do the others.
  Cycle book(uint32_t payload_bytes, Cycle at) { return reserve(payload_bytes, to_ticks(1), at); }
  // A store, whose masks of bytes take a sector's place if one of its sectors is written in part, and which
  // takes four thirds of a cycle at least (FINDINGS.md 42).
  Cycle book_store(uint32_t sectors, bool partial, Cycle at) {
    return reserve((sectors + (partial ? 1 : 0)) * memory::kSectorBytes, to_ticks(4) / 3, at);
  }

  // A store that has not left takes more sectors along.
  void add_sectors(uint32_t sectors) { port_.reserve(Ticks(), service(sectors * memory::kSectorBytes)); }
  // Who comes now does not leave earlier.
  void nobody_before(Cycle at) { last_ = std::max(last_, at); }
  // Every byte of its sectors is written by now: its masks stay.
  void drop_masks() { port_.give_back(service(memory::kSectorBytes)); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(port_, last_);
  }

 private:
  Cycle reserve(uint32_t bytes, Ticks least, Cycle at) {
    last_ = std::max(last_, to_cycles_up(port_.reserve(to_ticks(at), std::max(least, service(bytes)))));
    return last_;
  }
  Ticks service(uint32_t bytes) const {
    return Ticks::truncated(bytes * static_cast<double>(kTicksPerCycle) / bytes_per_cycle_);
  }

  const double bytes_per_cycle_;
  Server port_;
  Cycle last_ = 0;  // nobody leaves before who was in front, though that one has given time back
};

}  // namespace heddle::sm
