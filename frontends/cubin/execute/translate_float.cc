// Floating point: single, double, half; the special functions.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/arith/float.h"
#include "sim/exec/arith/machine_float.h"
#include "sim/exec/arith/machine_words.h"
#include "sim/exec/arith/special.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::Boolean;
using exec::arith::FloatHow;
using exec::arith::FloatOp;
using exec::arith::Number;
using exec::arith::Round;
using exec::arith::WordOp;
namespace words = exec::arith;

Round rounding(Modifiers& mods) {
  return mods.take(Mod::kRM)   ? Round::kDown
         : mods.take(Mod::kRP) ? Round::kUp
         : mods.take(Mod::kRZ) ? Round::kZero
                               : Round::kNearest;
}
FloatHow how(Modifiers& mods) {
  FloatHow h;
  h.round = rounding(mods);
  h.ftz = mods.take(Mod::kFTZ);
  h.sat = mods.take(Mod::kSAT);
  h.relu = mods.take(Mod::kRELU);
  h.nan = mods.take(Mod::kNAN);
  h.xorsign = mods.take(Mod::kXORSIGN);
  return h;
}
int relations(Modifiers& mods) {
  using words::Relation;
  constexpr int kAny = words::kLess | words::kEqual | words::kGreater, kNan = words::kUnordered;
  constexpr std::pair<Mod, int> kNames[] = {{Mod::kF, 0},

                                            {Mod::kLT, words::kLess},
                                            {Mod::kEQ, words::kEqual},
                                            {Mod::kLE, words::kLess | words::kEqual},
                                            {Mod::kGT, words::kGreater},
                                            {Mod::kNE, words::kLess | words::kGreater},
                                            {Mod::kGE, words::kGreater | words::kEqual},
                                            {Mod::kNUM, kAny},
                                            {Mod::kNAN, kNan},
                                            {Mod::kLTU, words::kLess | kNan},
                                            {Mod::kEQU, words::kEqual | kNan},
                                            {Mod::kLEU, words::kLess | words::kEqual | kNan},
                                            {Mod::kGTU, words::kGreater | kNan},
                                            {Mod::kNEU, words::kLess | words::kGreater | kNan},
                                            {Mod::kGEU, words::kGreater | words::kEqual | kNan},
                                            {Mod::kT, kAny | kNan}};
  for (const auto& [name, bits] : kNames) {
    if (mods.take(name)) {
      return bits;
    }
  }
  return -1;
}
Boolean boolean(Modifiers& mods) {
  return mods.take(Mod::kOR) ? Boolean::kOr : mods.take(Mod::kXOR) ? Boolean::kXor : Boolean::kAnd;
}

}  // namespace

void Translator::extreme_float() {
  const Number f32 = Number::kF32;
  const Slot a = real(magnitude(op(1)), f32), b = real(magnitude(op(2)), f32), p = truth(op(3));
  const Slot least = temporary(), most = temporary();
  compute(words::float_fn(FloatOp::kMin, f32, false, how(d_.mods)), least, {a, b}, Role::kBefore);
  compute(words::float_fn(FloatOp::kMax, f32, false, how(d_.mods)), most, {a, b}, Role::kBefore);
  compute(WordOp::kSelect, destination(op(0)), kNoSlot, {least, most, p});
}

void Translator::extreme_of_three() {
  const Number f32 = Number::kF32;
  const Slot a = real(op(1), f32), b = real(op(2), f32), c = real(op(3), f32), p = truth(op(4));
  const Slot least = temporary(), most = temporary();
  for (const auto& [what, to] : {std::pair{FloatOp::kMin, least}, {FloatOp::kMax, most}}) {
    compute(words::float_fn(what, f32, false, how(d_.mods)), to, {a, b}, Role::kBefore);
    compute(words::float_fn(what, f32, false, how(d_.mods)), to, {to, c}, Role::kBefore);
  }
  compute(WordOp::kSelect, destination(op(0)), kNoSlot, {least, most, p});
}

void Translator::select_float() {
  if (take(Mod::kFTZ)) {
    missing("FTZ");
  }
  const Slot a = real(op(1), Number::kF32), b = real(op(2), Number::kF32), p = truth(op(3));
  compute(WordOp::kSelect, destination(op(0)), kNoSlot, {a, b, p});
}

void Translator::check_division() {
  compute(words::division_check_fn(), predicate(op(0)), kNoSlot,
          {real(op(1), Number::kF32), real(op(2), Number::kF32)}, 0);
}

// The function of XORSIGN takes magnitudes itself.
Operand Translator::magnitude(Operand o) {
  if (take(Mod::kXORSIGN)) {
    if (!o.absolute || o.negate) {
      missing("a sign");
    }
    o.absolute = false;
  }
  return o;
}

void Translator::fused() {
  const auto is = [&](Mnemonic single, Mnemonic wide) { return name_ == single || name_ == wide; };
  const Number type =
      is(Mnemonic::kDADD, Mnemonic::kDMUL) || name_ == Mnemonic::kDFMA ? Number::kF64 : Number::kF32;
  const size_t operands = is(Mnemonic::kFFMA, Mnemonic::kDFMA) ? 3 : 2;
  const FloatOp what = operands == 3                          ? FloatOp::kFma
                       : is(Mnemonic::kFADD, Mnemonic::kDADD) ? FloatOp::kAdd
                                                              : FloatOp::kMul;
  const Slot a = real(op(1), type), b = real(op(2), type);
  const Slot c = operands == 3 ? real(op(3), type) : kNoSlot;
  double scale = 1;
  for (const auto& [name, by] : {std::pair{Mod::kD2, 0.5},
                                 {Mod::kD4, 0.25},
                                 {Mod::kD8, 0.125},
                                 {Mod::kM2, 2.0},
                                 {Mod::kM4, 4.0},
                                 {Mod::kM8, 8.0}}) {
    scale = take(name) ? by : scale;
  }
  if (scale != 1) {
    compute(words::scaled_product_fn(), destination(op(0)), kNoSlot, {a, b},
            words::scaled_product(scale, how(d_.mods)));
    return;
  }
  const words::Fn fn = words::float_fn(what, type, false, how(d_.mods));
  if (type == Number::kF32) {
    compute(fn, destination(op(0)), {a, b, c});
    return;
  }
  const Slot t = temporary();
  compute(fn, t, {a, b, c}, Role::kBefore);
  compute(WordOp::kSplit, destination(op(0)), destination(op(0), 1), {t});
}

// FADD2 and the like: two of f32, each with its own registers.
void Translator::fused_pair() {
  const size_t operands = name_ == Mnemonic::kFFMA2 ? 3 : 2;
  const FloatOp what = operands == 3               ? FloatOp::kFma
                       : name_ == Mnemonic::kFADD2 ? FloatOp::kAdd
                                                   : FloatOp::kMul;
  const words::Fn fn = words::float_fn(what, Number::kF32, false, how(d_.mods));
  const Slot results[2] = {temporary(), temporary()};
  for (uint32_t half = 0; half < 2; ++half) {
    Slot sources[3] = {kNoSlot, kNoSlot, kNoSlot};
    for (size_t i = 0; i < operands; ++i) {
      Operand o = op(i + 1);
      const bool both = o.part == Part::kF32, swapped = o.part == Part::kLowHigh;
      if (!o.is(Kind::kRegister) && !o.is(Kind::kNumber)) {
        missing("such an operand");
      }
      if (o.is(Kind::kRegister) && o.index != kZeroRegister && !both) {
        o.index += swapped ? 1 - half : half;
        reg(o.index);
      }
      sources[i] = real(o, Number::kF32);
    }
    compute(fn, results[half], {sources[0], sources[1], sources[2]}, Role::kBefore);
  }
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {results[0]});
  compute(WordOp::kCopy, destination(op(0), 1), kNoSlot, {results[1]}, 0, Role::kBehind);
}

void Translator::compare_floats() {
  const Number type = name_ == Mnemonic::kDSETP ? Number::kF64 : Number::kF32;
  const bool value = name_ == Mnemonic::kFSET;
  const size_t i = value ? 1 : 2;
  if (type == Number::kF64 && (take(Mod::kMIN) || take(Mod::kMAX))) {
    if (!take(Mod::kAND)) {
      missing();
    }
    const Slot a = real(op(2), type), b = real(op(3), type), p = truth(op(4));
    compute(words::double_extreme_fn(take(Mod::kMIN)), predicate(op(0)), predicate(op(1)), {a, b, p}, 0);
    return;
  }
  const int bits = relations(d_.mods);
  if (bits < 0) {
    missing();
    return;
  }
  words::Comparison c;
  c.type = type;
  c.relations = static_cast<uint8_t>(bits);
  c.boolean = boolean(d_.mods);
  c.ftz = take(Mod::kFTZ);
  const Slot a = real(op(i), type), b = real(op(i + 1), type), p = truth(op(i + 2));
  if (value) {
    compute(words::set_fn(c, 0x3f800000), destination(op(0)), {a, b, p});
    return;
  }
  const words::Fn fn = words::setp_fn(c);
  compute(fn, predicate(op(0)), {a, b, p});
  out_.code.insts.back().d[1] = predicate(op(1));
}

// A source of two halves: R1.H0_H0, or two numbers that are one operand.
Slot Translator::half_source(const Operand& o, size_t& next, bool bf16) {
  ++next;
  if (o.is(Kind::kNumber)) {
    if (op(next).is(Kind::kNumber)) {
      ++next;
    }
    return constant(o.bits & 0xffffffff);
  }
  Slot s = real(magnitude(o), bf16 ? Number::kBf16 : Number::kF16);
  const bool low = o.part == Part::kH0H0, high = o.part == Part::kH1H1;
  if (o.part == Part::kF32) {
    missing("a source of f32");
  }
  if (low || high) {
    const Slot t = temporary();
    compute(WordOp::kHalves, t, kNoSlot, {s}, high ? 3 : 2, Role::kBefore);
    s = t;
  }
  return s;
}

void Translator::halves() {
  const bool bf16 = take(Mod::kBF16_V2);
  const Number type = bf16 ? Number::kBf16 : Number::kF16;
  size_t next = 1;
  const Slot a = half_source(op(next), next, bf16), b = half_source(op(next), next, bf16);
  const Slot d = destination(op(0));
  if (name_ == Mnemonic::kHMNMX2) {
    const Slot p = truth(op(next)), least = temporary(), most = temporary();
    compute(words::float_fn(FloatOp::kMin, type, true, how(d_.mods)), least, {a, b}, Role::kBefore);
    compute(words::float_fn(FloatOp::kMax, type, true, how(d_.mods)), most, {a, b}, Role::kBefore);
    compute(WordOp::kSelect, d, kNoSlot, {least, most, p});
    return;
  }
  if (take(Mod::kF32)) {  // one sum, as f32
    if (name_ != Mnemonic::kHADD2) {
      missing();
      return;
    }
    compute(words::half_sum_fn(), d, kNoSlot, {a, b}, bf16 ? 1 : 0);
    return;
  }
  const Slot c = name_ == Mnemonic::kHFMA2 ? half_source(op(next), next, bf16) : kNoSlot;
  if (next < count()) {
    missing("a predicate");
  }
  const FloatOp what = name_ == Mnemonic::kHFMA2   ? FloatOp::kFma
                       : name_ == Mnemonic::kHADD2 ? FloatOp::kAdd
                                                   : FloatOp::kMul;
  compute(words::float_fn(what, type, true, how(d_.mods)), d, {a, b, c});
}

void Translator::compare_halves() {
  const bool predicates = name_ == Mnemonic::kHSETP2;
  const bool bf16 = take(Mod::kBF16_V2);
  const int bits = relations(d_.mods);
  size_t next = predicates ? 2 : 1;
  const Slot a = half_source(op(next), next, bf16), b = half_source(op(next), next, bf16),
             p = truth(op(next));
  if (bits < 0) {
    missing();
    return;
  }
  words::Comparison c;
  c.type = bf16 ? Number::kBf16 : Number::kF16;
  c.pair = true;
  c.relations = static_cast<uint8_t>(bits);
  c.boolean = boolean(d_.mods);
  if (!predicates) {
    compute(words::set_fn(c, !take(Mod::kBF) ? 0xffff
                             : bf16          ? 0x3f80
                                             : 0x3c00),
            destination(op(0)), {a, b, p});
    return;
  }
  compute(words::setp_fn(c), predicate(op(0)), {a, b, p});
  out_.code.insts.back().d[1] = predicate(op(1));
}

// One half: R1, R1.H1.
Slot Translator::half_value(const Operand& o, Number type) {
  const Slot s = real(o, type);
  if (o.part != Part::kH1) {
    return s;
  }
  const Slot t = temporary();
  compute(WordOp::kShift, t, kNoSlot, {s, constant(16), constant(0)}, words::kRight, Role::kBefore);
  return t;
}

void Translator::special_function() {
  using words::MachineFunction;
  constexpr std::pair<Mod, MachineFunction> kNames[] = {
      {Mod::kCOS, MachineFunction::kCos},       {Mod::kSIN, MachineFunction::kSin},
      {Mod::kEX2, MachineFunction::kEx2},       {Mod::kLG2, MachineFunction::kLg2},
      {Mod::kRCP, MachineFunction::kRcp},       {Mod::kRSQ, MachineFunction::kRsq},
      {Mod::kRCP64H, MachineFunction::kRcp64h}, {Mod::kRSQ64H, MachineFunction::kRsq64h},
      {Mod::kSQRT, MachineFunction::kSqrt},     {Mod::kTANH, MachineFunction::kTanh}};
  if (take(Mod::kF16x2) || take(Mod::kBF16x2)) {
    const bool bf16_pair = take(Mod::kBF16x2);
    if (!take(Mod::kEX2)) {
      missing();
      return;
    }
    const auto type = bf16_pair ? Number::kBf16 : Number::kF16;
    compute(words::special_fn(words::SpecialOp::kEx2, type, true, bf16_pair), destination(op(0)), kNoSlot,
            {real(op(1), type)}, 0);
    return;
  }
  const bool f16 = take(Mod::kF16), bf16 = take(Mod::kBF16);
  if (f16 || bf16) {
    const auto type = f16 ? Number::kF16 : Number::kBf16;
    const bool exponential = take(Mod::kEX2);
    if (!exponential && !take(Mod::kTANH)) {
      missing();
      return;
    }
    compute(words::special_fn(exponential ? words::SpecialOp::kEx2 : words::SpecialOp::kTanh, type, false,
                              bf16 && exponential),
            destination(op(0)), kNoSlot, {half_value(op(1), type)}, 0);
    return;
  }
  for (const auto& [name, function] : kNames) {
    if (take(name)) {
      compute(words::special_word_fn(function), destination(op(0)), kNoSlot, {real(op(1), Number::kF32)}, 0);
      return;
    }
  }
  missing();
}

}  // namespace heddle::cubin
