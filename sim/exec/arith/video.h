// Video instructions (ptx.md 2.13): arithmetic on bytes and halves of registers, one, two or four at once.
// Hopper has none of one at a time: those are what ptxas (13.0, sm_90a) makes of them, edges that the PTX
// manual has otherwise included (saturation, signs of what is compared with c, d.h1); an H200's results are
// those (tests/exec/oracle).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class VideoOp : uint8_t { kAdd, kSub, kAbsdiff, kMin, kMax, kAverage, kShl, kShr, kSet, kMad };
enum class Second : uint8_t { kNone, kAdd, kMin, kMax };  // with c

struct Video {
  VideoOp op = VideoOp::kAdd;
  Second second = Second::kNone;
  uint8_t lanes = 1;  // 1, 2, 4
  bool d_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool sat = false;
  bool clamp = false;     // shifts; else the count wraps
  uint8_t relations = 0;  // kSet: of Relation (compare.h)
  uint8_t scale = 0;      // kMad: 0, 7, 15
  bool plus_one = false;  // kMad
  bool negate_product = false;
  bool negate_c = false;
  // Of one: 0 all of the register, 1 to 4 its bytes, 5 and 6 its halves. Of several: 4 bits for each element,
  // the number of a part of {b, a}; of d a mask of the elements that are written.
  uint16_t part_a = 0;
  uint16_t part_b = 0;
  uint8_t part_d = 0;
};

// s0 = a, s1 = b, s2 = c or null.
Fn video_fn(const Video& v);

}  // namespace heddle::exec::arith
