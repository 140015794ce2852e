// From one type to another.
#include <algorithm>

#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/convert.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::Conversion;
using exec::arith::Number;
using exec::arith::Round;
using exec::arith::WordOp;

// The types among the modifiers, in order.
std::vector<Number> types(Modifiers& mods) {
  constexpr std::pair<Mod, Number> kNames[] = {
      {Mod::kU8, Number::kU8},     {Mod::kS8, Number::kS8},     {Mod::kU16, Number::kU16},
      {Mod::kS16, Number::kS16},   {Mod::kU32, Number::kU32},   {Mod::kS32, Number::kS32},
      {Mod::kU64, Number::kU64},   {Mod::kS64, Number::kS64},   {Mod::kF16, Number::kF16},
      {Mod::kBF16, Number::kBf16}, {Mod::kF32, Number::kF32},   {Mod::kF64, Number::kF64},
      {Mod::kE4M3, Number::kE4m3}, {Mod::kE5M2, Number::kE5m2}, {Mod::kTF32, Number::kTf32}};
  std::vector<Number> out;
  for (const Mod m : mods) {
    for (const auto& [name, number] : kNames) {
      if (m == name) {
        mods.take(m);
        out.push_back(number);
      }
    }
  }
  return out;
}
bool is_whole(Number n) { return n >= Number::kU8 && n <= Number::kS64; }
bool is_small(Number n) { return n == Number::kF16 || n == Number::kBf16; }
bool is_wide(Number n) { return n == Number::kU64 || n == Number::kS64 || n == Number::kF64; }
Round rounding(Modifiers& mods, Round otherwise) {
  return mods.take(Mod::kRM) || mods.take(Mod::kFLOOR)   ? Round::kDown
         : mods.take(Mod::kRP) || mods.take(Mod::kCEIL)  ? Round::kUp
         : mods.take(Mod::kRZ) || mods.take(Mod::kTRUNC) ? Round::kZero
                                                         : otherwise;
}

}  // namespace

// I2I: to what a narrower register holds.
void Translator::saturate() {
  const std::vector<Number> t = types(d_.mods);
  Conversion c;
  c.from = Number::kS32;
  c.to = t.empty() ? Number::kU8 : t.front();
  c.sat = true;
  compute(exec::arith::convert_fn(c), destination(op(0)), {word(op(1))});
}

// d, a, b, c: a and b above one another, above them the low bits of c.
void Translator::pack_integers() {
  constexpr std::pair<Mod, uint32_t> kTypes[] = {{Mod::kU2, 2},   {Mod::kS2, 2},  {Mod::kU4, 4},
                                                 {Mod::kS4, 4},   {Mod::kU8, 8},  {Mod::kS8, 8},
                                                 {Mod::kU16, 16}, {Mod::kS16, 16}};
  const Mod first = d_.mods[0];
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.first == first; });
  if (type == std::end(kTypes) || d_.mods.size() != 3 || !take(Mod::kSAT)) {
    missing();
    return;
  }
  if (op(3).part == Part::kH1) {
    missing("an upper half");
  }
  const bool sign = (type - std::begin(kTypes)) % 2 != 0;
  compute(exec::arith::pack_fn(type->second, sign), destination(op(0)),
          {source(op(1)), source(op(2)), source(op(3))});
}

// d, a, b, c: a above b; the others have not been seen.
void Translator::pack_bytes() {
  Conversion c;
  c.from = Number::kF32;
  c.to = Number::kU8;
  c.round = take(Mod::kTRUNC) ? Round::kZero : Round::kNearest;
  if (!take(Mod::kU8) || !take(Mod::kNTZ) || !op(1).is_zero() || !op(3).is_zero()) {
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
  const std::vector<Number> t = types(d_.mods);
  if (t.size() != 2) {
    missing();
    return;
  }
  Conversion c;
  c.to = t[0];
  c.from = t[1];
  c.round = rounding(d_.mods, Round::kNearest);
  c.ftz = take(Mod::kFTZ);
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::float_to_integer() {
  Conversion c;
  c.from = Number::kF32;
  c.to = Number::kS32;
  for (const Number n : types(d_.mods)) {
    (is_whole(n) ? c.to : c.from) = n;
  }
  c.round = rounding(d_.mods, Round::kNearest);
  c.ftz = take(Mod::kFTZ);
  c.register_bits = is_wide(c.to) ? 64 : 32;
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::integer_to_float() {
  Conversion c;
  c.from = Number::kS32;
  c.to = Number::kF32;
  for (const Number n : types(d_.mods)) {
    (is_whole(n) ? c.from : c.to) = n;
  }
  c.round = rounding(d_.mods, Round::kNearest);
  const Operand& o = op(1);
  Slot s = is_wide(c.from) ? joined(o) : word(o);
  const uint32_t first = first_bit(o.part);
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
  const std::vector<Number> t = types(d_.mods);
  c.to = c.from = t.empty() ? Number::kF32 : t.front();
  c.whole = true;
  c.round = rounding(d_.mods, Round::kNearest);
  c.ftz = take(Mod::kFTZ);
  converted(c, is_small(c.from) ? half_value(op(1), c.from) : real(op(1), c.from));
}

void Translator::pack_floats() {
  const std::vector<Number> t = types(d_.mods);
  Conversion c;
  c.satfinite = take(Mod::kSATFINITE);
  c.relu = take(Mod::kRELU);
  c.round = rounding(d_.mods, Round::kNearest);
  if (t.size() != 2) {
    missing();
    return;
  }
  c.to = t[0];
  c.from = t[1];
  if (take(Mod::kPACK_AB) && c.from == Number::kF32) {
    compute(exec::arith::convert_two_fn(c), destination(op(0)),
            {real(op(1), Number::kF32), real(op(2), Number::kF32)});
    return;
  }
  if (take(Mod::kMERGE_C) || take(Mod::kPACK_B)) {
    if (take(Mod::kMERGE_C) && !op(2).is_zero()) {
      missing("what is merged");
    }
    compute(exec::arith::convert_fn(c), destination(op(0)), {real(op(1), Number::kF32)});
    return;
  }
  if (take(Mod::kPACK_AB_MERGE_C) || take(Mod::kUNPACK_B_MERGE_C)) {
    // 16 bits of the result are those of c.
    const bool unpack = take(Mod::kUNPACK_B_MERGE_C);
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
  if (take(Mod::kUNPACK_B)) {
    Slot s = source(op(1));
    if (op(1).part == Part::kH1) {
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
