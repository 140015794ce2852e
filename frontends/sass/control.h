// The control fields of a Volta-to-Hopper instruction: bits 105..125 of the 128-bit encoding.
#pragma once

#include <cstdint>

#include "sim/isa/instr.h"

namespace heddle::sass {

// `lo` holds bits 0..63 and `hi` bits 64..127.
//
//   105..108 stall    109 yield (0 = yield)    110..112 write barrier    113..115 read barrier
//   116..121 wait mask    122..125 reuse, one bit per source operand slot
//
// Yield is stored inverted: a cleared bit asks the scheduler to prefer another warp. Three patterns of
// compiler output settle the polarity: stall counts of 12..15, which the hardware honours only together with
// a yield, always have the bit cleared; so has the branch to itself after the last EXIT (stall 0, the
// 45-cycle wait); and back-to-back arithmetic has it set.
isa::Control decode_control(uint64_t lo, uint64_t hi);

}  // namespace heddle::sass
