// Constant expressions (ptx.md 1.2): C's operators on 64-bit integers, some of them on f64.
#pragma once

#include <cstdint>

#include "frontends/ptx/tokens.h"
#include "frontends/ptx/type.h"

namespace heddle::ptx {

enum class ConstantKind : uint8_t { kSigned, kUnsigned, kFloat64, kFloat32 };

struct Constant {
  ConstantKind kind = ConstantKind::kSigned;
  uint64_t bits = 0;  // of floating point: IEEE; kFloat32 in the low 32

  bool is_float() const { return kind >= ConstantKind::kFloat64; }
  friend bool operator==(const Constant&, const Constant&) = default;
};

// The expression that begins here. Throws heddle::Error where it is malformed, divides by zero, or is nested
// more than 64 deep.
Constant parse_constant(Tokens& tokens);
// A product or less: what may follow "name +".
Constant parse_term(Tokens& tokens);
// The same when its '-' has been read.
Constant parse_negative(Tokens& tokens, const Token& minus);
// An integer that is not negative.
uint64_t parse_count(Tokens& tokens, std::string_view what);

// The bits that the constant has as a value of `type`: integers are cut to it, floating point is rounded once
// to the nearest (ptx.md 1.2). kNone: as they are. Predicates: 0 or 1.
uint64_t bits_as(const Constant& constant, Type type);

// IEEE half precision and bfloat16 of a double, rounded to nearest even.
uint16_t half_bits(double value);
uint16_t bfloat_bits(double value);

}  // namespace heddle::ptx
