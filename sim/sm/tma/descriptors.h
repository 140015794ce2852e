// The tensor maps that an SM's TMA has at hand, and those that it has had (FINDINGS.md 24).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"

namespace heddle::sm {

class Descriptors {
 public:
  explicit Descriptors(const spec::AsyncCopy& c)
      : at_hand_(c.tensor_maps_at_hand()),
        refill_(c.tensor_map_refill()),
        first_use_(c.tensor_map_first_use()),
        parameter_first_use_(c.tensor_parameter_first_use()) {}

  void reset() { known_.clear(); }
  // A copy by the map at `address`: core cycles until it is at hand. `parameter`: it is one of the kernel's.
  Cycle use(uint64_t address, bool parameter) {
    const auto it = std::find(known_.begin(), known_.end(), address);
    const auto place = static_cast<size_t>(it - known_.begin());
    const bool fresh = it == known_.end();
    if (!fresh) {
      std::rotate(known_.begin(), it, it + 1);
    } else {
      if (known_.size() == kSecondLevel) {
        known_.pop_back();
      }
      known_.insert(known_.begin(), address);
    }
    return fresh ? (parameter ? parameter_first_use_ : first_use_) : place < at_hand_ ? 0 : refill_;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(known_);
  }

 private:
  static constexpr size_t kSecondLevel = 1024;  // more were not measured

  const size_t at_hand_;
  const Cycle refill_, first_use_, parameter_first_use_;
  std::vector<uint64_t> known_;  // the one used last first
};

}  // namespace heddle::sm
