// The launch's parameters that our text tracer writes: one "-param N = HEX" line for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::accelsim {

// As they lie in constant bank 0 from byte `base` on, each at its alignment in the bank, which the lines do
// not tell: 64 for what can hold a tensor map (a multiple of 64 bytes), else the largest power of two that
// divides the size, up to 8. Throws std::invalid_argument with what is wrong, when a line is not hexadecimal.
std::vector<uint8_t> parameter_bytes(const std::vector<std::string>& lines, uint32_t base);

// Where they begin in constant bank 0 of that compute capability (sm_90: tools/microbench/FINDINGS.md 24;
// others as the compiler's code for them shows); 0: not known.
uint32_t parameter_base(uint32_t compute_capability);

}  // namespace heddle::accelsim
