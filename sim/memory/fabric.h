// The connection between the partitions of the L2: a limited rate for each direction, which all slices share.
// Slices are worked by themselves; what they send across is booked afterwards, in the order in which the
// packets left their SMs, and until then it counts as if nobody else were there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"
#include "sim/memory/by_time.h"
#include "sim/memory/l2_clock.h"

namespace heddle::memory {

// Data on its way from one partition to another.
struct Transfer {
  Cycle sent = 0;   // when the packet it belongs to left its SM
  Ticks at{};       // from then on
  Ticks latency{};  // behind its last byte
  uint32_t bytes = 0;
  uint32_t direction = 0;  // Fabric::direction
  uint32_t behind = 0;     // 1 + number of one, of the same slices, that must have ended, too, ...
  Ticks lag{};             // ... so much earlier; 0: none
  Ticks end{};             // once it is booked
};

class Fabric {
 public:
  explicit Fabric(const spec::GpuConfig& gpu)
      : partitions_(gpu.l2().partitions()),
        ticks_per_byte_(static_cast<double>(l2_ticks(gpu, 1).count()) / gpu.l2().fabric_bytes()),
        lanes_(size_t{partitions_} * partitions_) {}

  void reset(Ticks origin = {}) {
    for (Lane& l : lanes_) {
      l.reset(origin);
    }
  }
  uint32_t directions() const { return partitions_ * partitions_; }
  uint32_t direction(uint32_t from, uint32_t to) const { return from * partitions_ + to; }
  Ticks service(uint32_t bytes) const { return Ticks::truncated(bytes * ticks_per_byte_); }

  // Books the transfers of one direction, of all slices: by time of sending, then in the order of the lists.
  void book(uint32_t direction, const std::vector<std::vector<Transfer>*>& slices);

  // Between two exchanges.
  template <class Archive>
  void serialize(Archive& ar) {
    for (Lane& l : lanes_) {
      ar(l.rate);
    }
  }

 private:
  const uint32_t partitions_;
  const double ticks_per_byte_;
  struct Lane {
    Bandwidth rate;
    std::vector<Transfer*> turns;
    ByTime<Transfer*> order;
    void reset(Ticks origin) { rate.reset(origin); }
  };
  std::vector<Lane> lanes_;
};

// When a transfer of `all` has ended, that is everything it is behind, too.
inline Ticks end_of(const std::vector<Transfer>& all, uint32_t number) {
  Ticks end{}, lag{};
  for (; number != 0; number = all[number - 1].behind) {
    const Transfer& t = all[number - 1];
    end = std::max(end, t.end + lag);
    lag += t.lag;
  }
  return end;
}

}  // namespace heddle::memory
