// Simulated time. SMs count core-clock cycles. The memory side, whose clocks are other, counts in fixed
// fractions of a core cycle: every service time of another clock domain is converted once, when the machine
// is built.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/base/quantity.h"

namespace heddle {

using Cycle = uint64_t;  // core-clock cycles since the kernel's launch
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

using Ticks = Quantity<struct TicksTag>;  // 1/kTicksPerCycle core cycles
inline constexpr uint64_t kTicksPerCycle = 256;

constexpr Ticks to_ticks(Cycle c) { return Ticks(c * kTicksPerCycle); }
constexpr Cycle to_cycles_up(Ticks t) { return (t.count() + kTicksPerCycle - 1) / kTicksPerCycle; }
constexpr Cycle to_cycles_down(Ticks t) { return t.count() / kTicksPerCycle; }

// `cycles` cycles of a clock of `domain_mhz`, as ticks of a core clock of `core_mhz`, to the nearest tick.
inline Ticks domain_ticks(double cycles, double domain_mhz, double core_mhz) {
  return Ticks(std::llround(cycles * core_mhz / domain_mhz * kTicksPerCycle));
}

// A unit that serves one request after the other, in the order of the calls. reserve() returns when the
// service of a request ends that arrives at `at` and takes `service`. Only for callers whose `at` never goes
// back far: a request never overtakes an earlier call.
class Server {
 public:
  Ticks reserve(Ticks at, Ticks service) {
    free_ = (at > free_ ? at : free_) + service;
    return free_;
  }
  Ticks free_at() const { return free_; }
  // A request takes less than was reserved for it, which those that come from now on find.
  void give_back(Ticks service) { free_ -= service; }
  void reset() { free_ = {}; }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(free_);
  }

 private:
  Ticks free_{};
};

}  // namespace heddle
