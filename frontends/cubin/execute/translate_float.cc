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

Round rounding(const Parsed& line) {
  return line.has("RM")   ? Round::kDown
         : line.has("RP") ? Round::kUp
         : line.has("RZ") ? Round::kZero
                          : Round::kNearest;
}
FloatHow how(const Parsed& line) {
  FloatHow h;
  h.round = rounding(line);
  h.ftz = line.has("FTZ");
  h.sat = line.has("SAT");
  h.relu = line.has("RELU");
  h.nan = line.has("NAN");
  h.xorsign = line.has("XORSIGN");
  return h;
}
int relations(const Parsed& line) {
  using words::Relation;
  constexpr int kAny = words::kLess | words::kEqual | words::kGreater, kNan = words::kUnordered;
  constexpr std::pair<std::string_view, int> kNames[] = {{"F", 0},

                                                         {"LT", words::kLess},
                                                         {"EQ", words::kEqual},
                                                         {"LE", words::kLess | words::kEqual},
                                                         {"GT", words::kGreater},
                                                         {"NE", words::kLess | words::kGreater},
                                                         {"GE", words::kGreater | words::kEqual},
                                                         {"NUM", kAny},
                                                         {"NAN", kNan},
                                                         {"LTU", words::kLess | kNan},
                                                         {"EQU", words::kEqual | kNan},
                                                         {"LEU", words::kLess | words::kEqual | kNan},
                                                         {"GTU", words::kGreater | kNan},
                                                         {"NEU", words::kLess | words::kGreater | kNan},
                                                         {"GEU", words::kGreater | words::kEqual | kNan},
                                                         {"T", kAny | kNan}};
  for (const auto& [name, bits] : kNames) {
    if (line.has(name)) {
      return bits;
    }
  }
  return -1;
}
Boolean boolean(const Parsed& line) {
  return line.has("OR") ? Boolean::kOr : line.has("XOR") ? Boolean::kXor : Boolean::kAnd;
}

}  // namespace

bool Translator::floating() {
  const std::string& n = line_.name;
  const auto f32 = Number::kF32, f64 = Number::kF64;
  if (n == "FADD" || n == "FMUL" || n == "FFMA") {
    fused(f32, n == "FFMA" ? 3 : 2);
  } else if (n == "DADD" || n == "DMUL" || n == "DFMA") {
    fused(f64, n == "DFMA" ? 3 : 2);
  } else if (n == "FSETP" || n == "DSETP" || n == "FSET") {
    compare_floats(n == "DSETP" ? f64 : f32);
  } else if (n == "FMNMX") {
    const Slot a = real(magnitude(op(1)), f32), b = real(magnitude(op(2)), f32), p = truth(op(3));
    const Slot least = temporary(), most = temporary();
    compute(words::float_fn(FloatOp::kMin, f32, false, how(line_)), least, {a, b}, Role::kBefore);
    compute(words::float_fn(FloatOp::kMax, f32, false, how(line_)), most, {a, b}, Role::kBefore);
    compute(WordOp::kSelect, destination(op(0)), kNoSlot, {least, most, p});
  } else if (n == "FADD2" || n == "FMUL2" || n == "FFMA2") {
    fused_pair();
  } else if (n == "FMNMX3") {
    const Slot a = real(op(1), f32), b = real(op(2), f32), c = real(op(3), f32), p = truth(op(4));
    const Slot least = temporary(), most = temporary();
    for (const auto& [what, to] : {std::pair{FloatOp::kMin, least}, {FloatOp::kMax, most}}) {
      compute(words::float_fn(what, f32, false, how(line_)), to, {a, b}, Role::kBefore);
      compute(words::float_fn(what, f32, false, how(line_)), to, {to, c}, Role::kBefore);
    }
    compute(WordOp::kSelect, destination(op(0)), kNoSlot, {least, most, p});
  } else if (n == "FSEL") {
    if (line_.has("FTZ")) {
      missing("FTZ");
    }
    const Slot a = real(op(1), f32), b = real(op(2), f32), p = truth(op(3));
    compute(WordOp::kSelect, destination(op(0)), kNoSlot, {a, b, p});
  } else if (n == "FCHK") {
    compute(words::division_check_fn(), predicate(op(0)), kNoSlot, {real(op(1), f32), real(op(2), f32)}, 0);
  } else if (n == "MUFU") {
    special_function();
  } else {
    return halves() || conversion();
  }
  return true;
}

// The function of XORSIGN takes magnitudes itself.
Operand Translator::magnitude(Operand o) {
  if (line_.has("XORSIGN")) {
    if (!o.absolute || o.negate) {
      missing("a sign");
    }
    o.absolute = false;
  }
  return o;
}

void Translator::fused(Number type, size_t operands) {
  const FloatOp what = operands == 3                   ? FloatOp::kFma
                       : line_.name.substr(1) == "ADD" ? FloatOp::kAdd
                                                       : FloatOp::kMul;
  const Slot a = real(op(1), type), b = real(op(2), type);
  const Slot c = operands == 3 ? real(op(3), type) : kNoSlot;
  double scale = 1;
  for (const auto& [name, by] :
       {std::pair{"D2", 0.5}, {"D4", 0.25}, {"D8", 0.125}, {"M2", 2.0}, {"M4", 4.0}, {"M8", 8.0}}) {
    scale = line_.has(name) ? by : scale;
  }
  if (scale != 1) {
    compute(words::scaled_product_fn(), destination(op(0)), kNoSlot, {a, b},
            words::scaled_product(scale, how(line_)));
    return;
  }
  const words::Fn fn = words::float_fn(what, type, false, how(line_));
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
  const size_t operands = line_.name == "FFMA2" ? 3 : 2;
  const FloatOp what = operands == 3 ? FloatOp::kFma : line_.name == "FADD2" ? FloatOp::kAdd : FloatOp::kMul;
  const words::Fn fn = words::float_fn(what, Number::kF32, false, how(line_));
  const Slot results[2] = {temporary(), temporary()};
  for (uint32_t half = 0; half < 2; ++half) {
    Slot sources[3] = {kNoSlot, kNoSlot, kNoSlot};
    for (size_t i = 0; i < operands; ++i) {
      Operand o = op(i + 1);
      const bool both = o.suffix == ".F32", swapped = o.suffix == ".F32x2.LO_HI";
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

void Translator::compare_floats(Number type) {
  const bool value = line_.name == "FSET";
  const size_t i = value ? 1 : 2;
  if (type == Number::kF64 && (line_.has("MIN") || line_.has("MAX"))) {
    if (!line_.has("AND")) {
      missing();
    }
    const Slot a = real(op(2), type), b = real(op(3), type), p = truth(op(4));
    compute(words::double_extreme_fn(line_.has("MIN")), predicate(op(0)), predicate(op(1)), {a, b, p}, 0);
    return;
  }
  const int bits = relations(line_);
  if (bits < 0) {
    missing();
    return;
  }
  words::Comparison c;
  c.type = type;
  c.relations = static_cast<uint8_t>(bits);
  c.boolean = boolean(line_);
  c.ftz = line_.has("FTZ");
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
  const bool low = o.suffix.find(".H0_H0") != std::string::npos,
             high = o.suffix.find(".H1_H1") != std::string::npos;
  if (o.suffix.find(".F32") != std::string::npos) {
    missing("a source of f32");
  }
  if (low || high) {
    const Slot t = temporary();
    compute(WordOp::kHalves, t, kNoSlot, {s}, high ? 3 : 2, Role::kBefore);
    s = t;
  }
  return s;
}

bool Translator::halves() {
  const std::string& n = line_.name;
  if (n == "HSETP2" || n == "HSET2") {
    compare_halves(n == "HSETP2");
    return true;
  }
  if (n != "HADD2" && n != "HMUL2" && n != "HFMA2" && n != "HMNMX2") {
    return false;
  }
  const bool bf16 = line_.has("BF16_V2");
  const Number type = bf16 ? Number::kBf16 : Number::kF16;
  size_t next = 1;
  const Slot a = half_source(op(next), next, bf16), b = half_source(op(next), next, bf16);
  const Slot d = destination(op(0));
  if (n == "HMNMX2") {
    const Slot p = truth(op(next)), least = temporary(), most = temporary();
    compute(words::float_fn(FloatOp::kMin, type, true, how(line_)), least, {a, b}, Role::kBefore);
    compute(words::float_fn(FloatOp::kMax, type, true, how(line_)), most, {a, b}, Role::kBefore);
    compute(WordOp::kSelect, d, kNoSlot, {least, most, p});
    return true;
  }
  if (line_.has("F32")) {  // one sum, as f32
    if (n != "HADD2") {
      missing();
      return true;
    }
    compute(words::half_sum_fn(), d, kNoSlot, {a, b}, bf16 ? 1 : 0);
    return true;
  }
  const Slot c = n == "HFMA2" ? half_source(op(next), next, bf16) : kNoSlot;
  if (next < count()) {
    missing("a predicate");
  }
  const FloatOp what = n == "HFMA2" ? FloatOp::kFma : n == "HADD2" ? FloatOp::kAdd : FloatOp::kMul;
  compute(words::float_fn(what, type, true, how(line_)), d, {a, b, c});
  return true;
}

void Translator::compare_halves(bool predicates) {
  const bool bf16 = line_.has("BF16_V2");
  const int bits = relations(line_);
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
  c.boolean = boolean(line_);
  if (!predicates) {
    compute(words::set_fn(c, !line_.has("BF") ? 0xffff
                             : bf16           ? 0x3f80
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
  if (o.suffix != ".H1") {
    return s;
  }
  const Slot t = temporary();
  compute(WordOp::kShift, t, kNoSlot, {s, constant(16), constant(0)}, words::kRight, Role::kBefore);
  return t;
}

void Translator::special_function() {
  using words::MachineFunction;
  constexpr std::pair<std::string_view, MachineFunction> kNames[] = {
      {"COS", MachineFunction::kCos},       {"SIN", MachineFunction::kSin},
      {"EX2", MachineFunction::kEx2},       {"LG2", MachineFunction::kLg2},
      {"RCP", MachineFunction::kRcp},       {"RSQ", MachineFunction::kRsq},
      {"RCP64H", MachineFunction::kRcp64h}, {"RSQ64H", MachineFunction::kRsq64h},
      {"SQRT", MachineFunction::kSqrt},     {"TANH", MachineFunction::kTanh}};
  if (line_.has("F16x2") || line_.has("BF16x2")) {
    const bool bf16_pair = line_.has("BF16x2");
    if (!line_.has("EX2")) {
      missing();
      return;
    }
    const auto type = bf16_pair ? Number::kBf16 : Number::kF16;
    compute(words::special_fn(words::SpecialOp::kEx2, type, true, bf16_pair), destination(op(0)), kNoSlot,
            {real(op(1), type)}, 0);
    return;
  }
  const bool f16 = line_.has("F16"), bf16 = line_.has("BF16");
  if (f16 || bf16) {
    const auto type = f16 ? Number::kF16 : Number::kBf16;
    const bool exponential = line_.has("EX2");
    if (!exponential && !line_.has("TANH")) {
      missing();
      return;
    }
    compute(words::special_fn(exponential ? words::SpecialOp::kEx2 : words::SpecialOp::kTanh, type, false,
                              bf16 && exponential),
            destination(op(0)), kNoSlot, {half_value(op(1), type)}, 0);
    return;
  }
  for (const auto& [name, function] : kNames) {
    if (line_.has(name)) {
      compute(words::special_word_fn(function), destination(op(0)), kNoSlot, {real(op(1), Number::kF32)}, 0);
      return;
    }
  }
  missing();
}

}  // namespace heddle::cubin
