// From one type to another.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/convert.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::Conversion;
using exec::arith::Number;
using exec::arith::Round;
using exec::arith::WordOp;

Number number_named(std::string_view n) {
  constexpr std::pair<std::string_view, Number> kNames[] = {
      {"U8", Number::kU8},     {"S8", Number::kS8},     {"U16", Number::kU16},  {"S16", Number::kS16},
      {"U32", Number::kU32},   {"S32", Number::kS32},   {"U64", Number::kU64},  {"S64", Number::kS64},
      {"F16", Number::kF16},   {"BF16", Number::kBf16}, {"F32", Number::kF32},  {"F64", Number::kF64},
      {"E4M3", Number::kE4m3}, {"E5M2", Number::kE5m2}, {"TF32", Number::kTf32}};
  for (const auto& [name, number] : kNames) {
    if (name == n) {
      return number;
    }
  }
  return Number::kNone;
}
// The types among the modifiers, in order.
std::vector<Number> types(const Parsed& line) {
  std::vector<Number> out;
  for (const std::string& m : line.modifiers) {
    if (const Number n = number_named(m); n != Number::kNone) {
      line.has(m);
      out.push_back(n);
    }
  }
  return out;
}
bool is_whole(Number n) { return n >= Number::kU8 && n <= Number::kS64; }
bool is_small(Number n) { return n == Number::kF16 || n == Number::kBf16; }
bool is_wide(Number n) { return n == Number::kU64 || n == Number::kS64 || n == Number::kF64; }
Round rounding(const Parsed& line, Round otherwise) {
  return line.has("RM") || line.has("FLOOR")   ? Round::kDown
         : line.has("RP") || line.has("CEIL")  ? Round::kUp
         : line.has("RZ") || line.has("TRUNC") ? Round::kZero
                                               : otherwise;
}

}  // namespace

bool Translator::conversion() {
  const std::string& n = line_.name;
  if (n == "F2F") {
    float_to_float();
  } else if (n == "F2I") {
    float_to_integer();
  } else if (n == "I2F" || n == "I2FP") {
    integer_to_float();
  } else if (n == "FRND") {
    round_float();
  } else if (n == "F2FP") {
    pack_floats();
  } else if (n == "I2IP") {
    pack_integers();
  } else if (n == "F2IP") {
    pack_bytes();
  } else if (n == "I2I") {
    Conversion c;
    c.from = Number::kS32;
    c.to = types(line_).empty() ? Number::kU8 : types(line_).front();
    c.sat = true;
    compute(exec::arith::convert_fn(c), destination(op(0)), {word(op(1))});
  } else {
    return false;
  }
  return true;
}

// d, a, b, c: a and b above one another, above them the low bits of c.
void Translator::pack_integers() {
  for (const uint32_t bits : {2, 4, 8, 16}) {
    for (const bool sign : {false, true}) {
      if (line_.modifiers.size() != 3 || !line_.has("SAT") ||
          line_.modifiers[0] != (sign ? "S" : "U") + std::to_string(bits)) {
        continue;
      }
      if (op(3).suffix == ".H1") {
        missing("an upper half");
      }
      compute(exec::arith::pack_fn(bits, sign), destination(op(0)),
              {source(op(1)), source(op(2)), source(op(3))});
      return;
    }
  }
  missing();
}

// d, a, b, c: a above b; the others have not been seen.
void Translator::pack_bytes() {
  Conversion c;
  c.from = Number::kF32;
  c.to = Number::kU8;
  c.round = line_.has("TRUNC") ? Round::kZero : Round::kNearest;
  if (!line_.has("U8") || !line_.has("NTZ") || !op(1).is_zero() || !op(3).is_zero()) {
    missing();
    return;
  }
  compute(exec::arith::convert_fn(c), destination(op(0)), {real(op(2), Number::kF32)});
}

// The result of a conversion, in one register of 64 bits or in two.
void Translator::converted(const Conversion& c, Slot from) {
  if (!is_wide(c.to)) {
    compute(exec::arith::convert_fn(c), destination(op(0)), {from});
    return;
  }
  const Slot t = temporary();
  compute(exec::arith::convert_fn(c), t, {from}, Role::kBefore);
  compute(WordOp::kSplit, destination(op(0)), destination(op(0), 1), {t});
}

void Translator::float_to_float() {
  const std::vector<Number> t = types(line_);
  if (t.size() != 2) {
    missing();
    return;
  }
  Conversion c;
  c.to = t[0];
  c.from = t[1];
  c.round = rounding(line_, Round::kNearest);
  c.ftz = line_.has("FTZ");
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::float_to_integer() {
  Conversion c;
  c.from = Number::kF32;
  c.to = Number::kS32;
  for (const Number n : types(line_)) {
    (is_whole(n) ? c.to : c.from) = n;
  }
  c.round = rounding(line_, Round::kNearest);
  c.ftz = line_.has("FTZ");
  c.register_bits = is_wide(c.to) ? 64 : 32;
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::integer_to_float() {
  Conversion c;
  c.from = Number::kS32;
  c.to = Number::kF32;
  for (const Number n : types(line_)) {
    (is_whole(n) ? c.from : c.to) = n;
  }
  c.round = rounding(line_, Round::kNearest);
  const Operand& o = op(1);
  Slot s = is_wide(c.from) ? joined(o) : word(o);
  const unsigned first = o.suffix == ".B1"                        ? 8
                         : o.suffix == ".B2" || o.suffix == ".H1" ? 16
                         : o.suffix == ".B3"                      ? 24
                                                                  : 0;
  if (first != 0) {
    const Slot t = temporary();
    compute(WordOp::kShift, t, kNoSlot, {s, constant(first), constant(0)}, exec::arith::kRight,
            Role::kBefore);
    s = t;
  }
  converted(c, s);
}

void Translator::round_float() {
  Conversion c;
  c.to = c.from = types(line_).empty() ? Number::kF32 : types(line_).front();
  c.whole = true;
  c.round = rounding(line_, Round::kNearest);
  c.ftz = line_.has("FTZ");
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::pack_floats() {
  const std::vector<Number> t = types(line_);
  Conversion c;
  c.satfinite = line_.has("SATFINITE");
  c.relu = line_.has("RELU");
  c.round = rounding(line_, Round::kNearest);
  if (t.size() != 2) {
    missing();
    return;
  }
  c.to = t[0];
  c.from = t[1];
  if (line_.has("PACK_AB") && c.from == Number::kF32) {
    compute(exec::arith::convert_two_fn(c), destination(op(0)),
            {real(op(1), Number::kF32), real(op(2), Number::kF32)});
    return;
  }
  if (line_.has("MERGE_C") || line_.has("PACK_B")) {
    if (line_.has("MERGE_C") && !op(2).is_zero()) {
      missing("what is merged");
    }
    compute(exec::arith::convert_fn(c), destination(op(0)), {real(op(1), Number::kF32)});
    return;
  }
  if (line_.has("PACK_AB_MERGE_C") || line_.has("UNPACK_B_MERGE_C")) {
    // 16 bits of the result are those of c.
    const bool unpack = line_.has("UNPACK_B_MERGE_C");
    const Slot two = temporary(), moved = temporary(), merged = source(op(unpack ? 2 : 3));
    if (unpack) {
      compute(exec::arith::convert_pair_fn(c), two, {source(op(1))}, Role::kBefore);
    } else {
      compute(exec::arith::convert_two_fn(c), two, {real(op(1), Number::kF32), real(op(2), Number::kF32)},
              Role::kBefore);
    }
    compute(WordOp::kShift, moved, kNoSlot, {merged, constant(16), constant(0)}, 0, Role::kBefore);
    compute(exec::arith::logic_fn(0xfc), destination(op(0)), kNoSlot, {two, moved, constant(0)}, 0);
    return;
  }
  if (line_.has("UNPACK_B")) {
    Slot s = source(op(1));
    if (op(1).suffix == ".H1") {
      const Slot shifted = temporary();
      compute(WordOp::kShift, shifted, kNoSlot, {s, constant(16), constant(0)}, exec::arith::kRight,
              Role::kBefore);
      s = shifted;
    }
    compute(exec::arith::convert_pair_fn(c), destination(op(0)), {s});
    return;
  }
  missing();
}

}  // namespace heddle::cubin
