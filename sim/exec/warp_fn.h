// A warp's registers, and what computes with them: the seam between what executes instructions and what they
// calculate.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::exec {

inline constexpr unsigned kLanes = 32;

// One register of a warp: a word for each lane. A value narrower than 64 bits stands in the low bits and the
// others are 0; a predicate is 0 or 1. Values of 128 bits take two registers, the low half first.
using Register = std::array<uint64_t, kLanes>;

// The operands of one instruction for all lanes. Immediates are registers that hold them in each lane.
// Results may be the same registers as operands.
struct Arguments {
  Register* d[2] = {};        // results; the second one: q of p|q; null: not wanted (_)
  const Register* s[5] = {};  // operands, in the order of the instruction; null: not written
  Register* carry = nullptr;  // CC.CF, 0 or 1
  uint64_t control = 0;       // Inst::offset: what form of the function
};

// Calculates the lanes of the mask; the others stay as they are.
using WarpFn = void (*)(const Arguments& a, uint32_t mask);

}  // namespace heddle::exec
