// Whose kernels a device runs, where several contexts have some: one context at a time (AX07). Each gets a
// slice of time in its turn; when it has no kernels any more, or its slice is over and another one waits, the
// device saves what is on its SMs and the next one's goes on (MU10). Plain data: several processes have it in
// memory that they share.
#pragma once

#include <array>
#include <cstdint>

#include "sim/host/program/time.h"

namespace heddle::host {

class Slices {
 public:
  static constexpr uint32_t kContexts = 64;
  static constexpr uint32_t kNobody = UINT32_MAX;

  Slices() = default;
  // A slice, and what it takes to change from a context to another one.
  Slices(Ps slice, Ps change) : slice_(slice), change_(change) {}

  // The context, which had none, has kernels from `at` on; it has none any more.
  void wants(uint32_t context, Ps at);
  void rests(uint32_t context, Ps at);
  // Slices that end until then are over.
  void advance(Ps now);

  // Who has the device, from when on (the change is over then), and until when if nobody's kernels end
  // before. kNever: nobody waits for it.
  struct Turn {
    uint32_t context = kNobody;
    Ps from{}, until = kNever;
  };
  const Turn& turn() const { return turn_; }

 private:
  void give(Ps at);  // to who has waited longest

  Ps slice_{}, change_{};
  Turn turn_;
  uint32_t last_ = kNobody;  // whose state is on the SMs
  uint32_t count_ = 0;
  std::array<uint32_t, kContexts> waiting_{};  // the first `count_`, in their order
};

}  // namespace heddle::host
