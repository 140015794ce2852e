// The operands of a bulk copy from global to shared memory (UBLKCP.S.G, kFlagBulkLoad), as traces have them.
#pragma once

#include <cstdint>
#include <span>

#include "sim/isa/program.h"

namespace heddle::isa {

inline constexpr size_t kBulkCopyValues = 5;
inline constexpr uint64_t kBulkCopyUnit = 16;  // bytes

// Of 32-bit registers: destination, barrier object, source (low, high word), size in units.
// `v` has at least kBulkCopyValues.
inline BulkOp bulk_copy(std::span<const uint64_t> v) {
  constexpr uint64_t kWord = 0xffffffff;
  return {.source = (v[2] & kWord) | v[3] << 32,
          .bytes = (v[4] & kWord) * kBulkCopyUnit,
          .destination = v[0] & kWord,
          .barrier = v[1] & kWord};
}

}  // namespace heddle::isa
