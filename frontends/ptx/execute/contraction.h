// Products that ptxas adds without rounding them first. PTX leaves that open where mul, add and sub of
// floating point have no rounding; these rules are those of ptxas 13.0 for sm_90a, found by compiling small
// cases.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "frontends/ptx/module.h"

namespace heddle::ptx {

struct Contraction {
  uint32_t product = 0;  // the mul, an instruction before the sum
  uint8_t place = 1;     // operand 1 or 2 of the sum is the product
};

// By the sum's instruction. A product is contracted when all that uses it are sums of its type and .ftz in
// its block, and it becomes a part of all of them. Of two products, a sum takes the one that is used once,
// else the first. Not covered: products that come through mov, neg or guarded instructions.
std::unordered_map<uint32_t, Contraction> contractions(const Module& module, const Function& function);

}  // namespace heddle::ptx
