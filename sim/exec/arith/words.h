// What machine instructions calculate: words of 32 bits in registers, predicates of 0 or 1, sources that are
// negated or complemented on the way. A value of 64 bits is two words. Forms are in Arguments::control.
#pragma once

#include <cstdint>

#include "sim/exec/warp_fn.h"

namespace heddle::exec::arith {

enum class WordOp : uint8_t {
  // clang-format off
  kModify,      // d0 = (s0 & low half of control) ^ high half
  kCopy,        // d0 = s0; d1, if wanted, is 0
  kFill,        // d0 = control
  kAdd3,        // d0 = s0 + s1 + s2 + predicates s3, s4; d1: the carry. Control: Source bits, kSecondCarry
  kMultiply,    // d0 = low word of s0 * s1 + s2 + predicate s3. Control: Source bits of s1 and s2
  kMultiplyWide,       // d0, d1 = s0 * s1 + {s2, s3} + predicate s4. Control: kSigned, Source bits of s1, s2
  kMultiplyHigh,       // d0 = the high word of that
  kMultiplyWideCarry,  // d0 = its carry
  kShiftAdd,      // d0 = (s0 << n) + s1 + predicate s3, d1: the carry. Control: n, Source bits of s0, s1
  kShiftAddHigh,  // d0 = high word of ({s0, s2} << n) + s1 + predicate s3; kSigned: s2 is s0's sign
  kShift,         // d0 = of {s0, s2} shifted by s1. Control: Shift bits
  kPredicates,    // d0, d1 = tables of predicates s0, s1, s2. Control: tables, Source bits (complement)
  kCompare,       // d0 = (s0 ? s1) logic s2, d1 = not (s0 ? s1) logic s2; s3: of the lower words. Control: Compare bits
  kSelect,        // d0 = s2 ? s0 : s1. Control: kComplement of s2
  kExtreme,       // d0 = s2 ? the lesser of s0, s1 : the greater. Control: kSigned, kComplement of s2, kPairs, kRelu
  kExtreme3,      // the same of s0, s1, s2 by s3; kSum: of s0 + s1 and s2
  kAbsolute,
  kExtend,   // d0 = the low s1 bits of s0. Control: kSigned, kWrap
  kMask,     // d0 = s1 ones from bit s0 on. Control: kWrap
  kJoin,     // d0 = s0 | s1 << 32, one register of 64 bits
  kSplit,    // d0 = low word of s0, d1 = its high word
  kBroadcast,   // d0, in all lanes = s0 of the first lane of the mask
  kBallot,      // d0, in all lanes = lanes of the mask whose s0 holds
  kVote,        // d0, in all lanes: control 0 all, 1 any, 2 equal
  kHalves,      // d0 = control 2: low half of s0 twice, 3: high half twice
  kGather,      // d0 = predicates P0 to P6 from register s0 on, a bit each, and s1's other bits. Control: first bit, which
  kScatter,     // predicates from d0 on = bits of s0 where s1 has ones; control: first bit
  kNotEqual,    // d0 = s0 != control
  kAddressIndex,  // d0 = (s0 + control) / 16
  kAddress,       // d0 = {s0, s1} + s2 + control, one register of 64 bits
  kInside,        // d0 = s0 - s1 < s2, of 64 bits: whether an address is in s2 bytes from s1 on
  // clang-format on
};

// Control of the sources: bits by source.
constexpr uint64_t kNegate0 = 1, kNegate1 = 2, kNegate2 = 4;
constexpr uint64_t kComplement0 = 8, kComplement1 = 16, kComplement2 = 32;
constexpr uint64_t kSecondCarry = 64, kSigned = 128, kWrap = 256, kPairs = 512, kRelu = 1024, kSum = 2048;
constexpr uint64_t kNegatePredicate = 4096, kNegatePredicate2 = 8192;  // the carries, or what selects
constexpr uint64_t kBoth = 16384;                                      // logic_fn(): and instead of or
// P0 to P6.
constexpr uint32_t kGathered = 7;
constexpr unsigned kAmountAt = 16;  // a shift's amount
// Shift.
constexpr uint64_t kRight = 1, kHigh = 2, kWide = 4;
// Compare.
constexpr unsigned kRelationAt = 16, kLogicAt = 20;  // bits: less, equal, greater; 0 and, 1 or, 2 xor
constexpr uint64_t kExtended = uint64_t{1} << 24;
// Predicates: tables at bits 16 and 24; complement of inputs by kComplement0 to 2.

WarpFn word_fn(WordOp op);
// d0 = table of the bits of s0, s1, s2; d1, where wanted: (d0 != 0) or s3 (control: kNegatePredicate,
// kBoth).
WarpFn logic_fn(uint8_t table);

}  // namespace heddle::exec::arith
