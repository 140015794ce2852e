// What arithmetic instructions calculate: from the text of an instruction to a function on registers.
#pragma once

#include <cstdint>

#include "frontends/ptx/module.h"
#include "frontends/ptx/op.h"
#include "sim/exec/arith/number.h"

namespace heddle::ptx {

// What of the operands the function has to know. Destinations stand at Arguments::d and sources at
// Arguments::s in the order of the form; predicates come without their "!", which the caller does.
struct ArithOperands {
  uint32_t register_bits = 32;  // of the first destination's register: cvt extends to it
  bool second = false;          // a second result is wanted
  // Video instructions: parts of registers, and the signs of vmad. The registers come whole.
  const Operand* d = nullptr;
  const Operand* s[3] = {};
};

// Fn::fn is nullptr when `op` is no arithmetic or is not covered. Fn::control: see sim/exec/arith/number.h.
exec::arith::Fn arith_handler(const Op& op, const ArithOperands& operands);

// Of a sum (add or sub) whose first or second operand is a product that is not rounded: a * b + c, a * b - c
// or c - a * b of s0 = a, s1 = b, s2 = c.
exec::arith::Fn contracted_handler(const Op& sum, bool product_first);

// Those of arith_handler that are video instructions.
bool is_video(const Op& op);
exec::arith::Fn video_handler(const Op& op, const ArithOperands& operands);

}  // namespace heddle::ptx
