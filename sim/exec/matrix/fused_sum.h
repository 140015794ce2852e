// One step of a Hopper tensor core (ptx.md 4.4, the rules of MMA-Sim): all products and the addend are
// aligned to the largest exponent, truncated, and added exactly.
#pragma once

#include <cstdint>

#include "sim/exec/matrix/unpacked.h"

namespace heddle::exec::matrix {

// value * 2^exponent
struct Sum {
  int64_t value = 0;
  int32_t exponent = 0;
};

// Numbers and the exponents that they count with. Both types are exact: they are what the host multiplies and
// compares several of at once.
struct Factors {
  const double* values;
  const float* exponents;
};

// `kept`: fraction bits of the largest addend that are kept, at most 25; `c_fraction`: of c. All are finite.
Sum fused_sum(Factors a, Factors b, uint32_t count, const Unpacked& c, int32_t c_fraction, int32_t kept);

// Truncated to `fraction` bits. Beyond the largest number: infinity. A zero is positive, also one that came
// of truncation.
uint32_t truncated_f32(Sum s, int32_t fraction);
uint16_t nearest_f16(Sum s);

}  // namespace heddle::exec::matrix
