// The operands of a bulk copy from global to shared memory (UBLKCP.S.G), as traces have them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/isa/instr.h"

namespace heddle::isa {

inline constexpr size_t kBulkCopyValues = 5;
inline constexpr uint64_t kBulkCopyUnit = 16;  // bytes

// Whether it is one. Stores (.G.S), copies between blocks (.S.S), prefetches, reductions and tensor-map
// copies have other operands; they issue and move nothing.
inline bool is_bulk_load(const Instr& in, std::string_view opcode) {
  return in.op == OpClass::kBulkCopy && in.space == MemSpace::kGlobal && opcode.starts_with("UBLKCP") &&
         opcode.find(".G.S") == opcode.npos && opcode.find(".S.S") == opcode.npos;
}

struct BulkCopy {
  uint64_t destination = 0, barrier = 0;  // in shared memory
  uint64_t source = 0, bytes = 0;
};

// Of 32-bit registers: destination, barrier object, source (low, high word), size in units.
// `v` has at least kBulkCopyValues.
inline BulkCopy bulk_copy(std::span<const uint64_t> v) {
  constexpr uint64_t kWord = 0xffffffff;
  return {v[0] & kWord, v[1] & kWord, (v[2] & kWord) | v[3] << 32, (v[4] & kWord) * kBulkCopyUnit};
}

}  // namespace heddle::isa
