// Floating-point operations of an instruction, counted as Nsight Compute's rooflines do: an addition or a
// product is one, a fused multiply-add two, packed halves twice that; a matrix product 2*M*N*K for the warp.
// Conversions, comparisons, MUFU and integer arithmetic are none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/stats/profile.h"

namespace heddle::analysis {

struct Flop {
  uint64_t count = 0;
  std::string_view kind;  // "fp64", "fp32", "fp16", "tensor"; empty without any
};

Flop flop_of(const stats::InstructionProfile& p);
// Of each instruction of a profile.
std::vector<Flop> flops_of(const stats::Profile& p);

}  // namespace heddle::analysis
