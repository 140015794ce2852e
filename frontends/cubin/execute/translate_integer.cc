// Whole numbers, logic, predicates, moves.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/bits.h"
#include "sim/exec/arith/integer.h"
#include "sim/exec/arith/machine_words.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::BitOp;
using exec::arith::IntegerOp;
using exec::arith::Number;
using exec::arith::WordOp;
namespace words = exec::arith;

// Of ISETP and the like: bits less, equal, greater.
int relation(const Parsed& line) {
  constexpr std::pair<std::string_view, int> kRelations[] = {{"F", 0},  {"LT", 1}, {"EQ", 2}, {"LE", 3},
                                                             {"GT", 4}, {"NE", 5}, {"GE", 6}, {"T", 7}};
  for (const auto& [name, bits] : kRelations) {
    if (line.has(name)) {
      return bits;
    }
  }
  return -1;
}
uint64_t logic_of(const Parsed& line) { return line.has("OR") ? 1 : line.has("XOR") ? 2 : 0; }
// Types are named where they are unsigned.
bool is_signed(const Parsed& line) { return !line.has("U32") && !line.has("U16x2"); }

}  // namespace

bool Translator::integer() {
  const std::string& n = line_.name;
  if (wide_integer()) {
    return true;
  }
  if (n == "IADD3") {
    add3();
  } else if (n == "IMAD") {
    line_.has("WIDE") ? multiply_wide(false) : line_.has("HI") ? multiply_wide(true) : multiply();
  } else if (n == "LEA") {
    shift_add();
  } else if (n == "LOP3") {
    logic();
  } else if (n == "PLOP3") {
    predicate_logic();
  } else if (n == "SHF") {
    shift();
  } else if (n == "ISETP") {
    compare();
  } else if (n == "IMNMX" || n == "VIMNMX" || n == "VIMNMX3" || n == "VIADDMNMX") {
    extreme();
  } else {
    return bits() || moves();
  }
  return true;
}

// d, [carry, [carry]], a, b, c, [carry in, carry in]
void Translator::add3() {
  const auto is_predicate = [&](size_t i) {
    return op(i).is(Kind::kPredicate) || op(i).is(Kind::kUniformPredicate);
  };
  const auto wanted = [&](const Operand& o) { return o.index == kTruePredicate ? kNoSlot : predicate(o); };
  if (line_.has("64") && is_predicate(1)) {
    if (wanted(op(1)) != kNoSlot || wanted(op(2)) != kNoSlot) {
      missing("a predicate");
    }
    line_.operands.erase(line_.operands.begin() + 1, line_.operands.begin() + 3);
  }
  if (line_.has("64")) {
    if (op(1).invert || op(2).invert || op(3).invert) {
      missing("a sign");
    }
    const auto plus = [](const Operand& o) {
      return exec::arith::integer_fn(
          o.negate && !o.is(Kind::kNumber) ? exec::arith::IntegerOp::kSub : exec::arith::IntegerOp::kAdd,
          Number::kU64);
    };
    const Slot a = joined(op(1)), b = joined(op(2)), c = joined(op(3)), sum = temporary();
    compute(plus(op(1)), sum, kNoSlot, {constant(0), a}, 0, Role::kBefore);
    compute(plus(op(2)), sum, kNoSlot, {sum, b}, 0, Role::kBefore);
    compute(plus(op(3)), sum, kNoSlot, {sum, c}, 0, Role::kBefore);
    compute(WordOp::kSplit, destination(op(0)), destination(op(0), 1), {sum});
    return;
  }
  size_t i = 1;
  Slot carry = kNoSlot, second = kNoSlot;
  if (is_predicate(i)) {
    carry = wanted(op(i++));
    if (is_predicate(i)) {
      second = wanted(op(i++));
    }
  }
  const uint64_t control = signs(op(i), 0) | signs(op(i + 1), 1) | signs(op(i + 2), 2);
  const Slot a = source(op(i)), b = source(op(i + 1)), c = source(op(i + 2));
  Slot p = kNoSlot, q = kNoSlot;
  if (line_.has("X")) {
    p = truth(op(i + 3));
    q = truth(op(i + 4));
  }
  const Slot d = destination(op(0));
  if (second == kNoSlot) {
    compute(WordOp::kAdd3, d, carry, {a, b, c, p, q}, control);
    return;
  }
  const Slot sum = temporary(), t = temporary();
  compute(WordOp::kAdd3, sum, t, {a, b, c, p, q}, control | words::kSecondCarry, Role::kBefore);
  compute(WordOp::kAdd3, d, carry, {a, b, c, p, q}, control);
  compute(WordOp::kCopy, second, kNoSlot, {t}, 0, Role::kBehind);
  guard_kept({carry, second});
}

void Translator::multiply() {
  const uint64_t control = signs(op(2), 1) | signs(op(3), 2);
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  const Slot p = line_.has("X") ? truth(op(4)) : kNoSlot;
  compute(WordOp::kMultiply, destination(op(0)), kNoSlot, {a, b, c, p}, control);
}

// d, [carry], a, b, c (two words), [carry in]
void Translator::multiply_wide(bool high) {
  size_t i = 1;
  Slot carry = kNoSlot;
  if (op(i).is(Kind::kPredicate) || op(i).is(Kind::kUniformPredicate)) {
    carry = predicate(op(i++));
  }
  uint64_t control = signs(op(i + 1), 1) | signs(op(i + 2), 2);
  control |= line_.has("U32") ? 0 : words::kSigned;
  const Slot a = source(op(i)), b = source(op(i + 1));
  const auto [low, upper] = pair(op(i + 2));
  const Slot p = line_.has("X") ? truth(op(i + 3)) : kNoSlot;
  const Slot d = destination(op(0));
  if (carry != kNoSlot) {
    const Slot t = temporary();
    compute(WordOp::kMultiplyWideCarry, t, kNoSlot, {a, b, low, upper, p}, control, Role::kBefore);
    guard_kept({carry});
    compute(high ? WordOp::kMultiplyHigh : WordOp::kMultiplyWide, d, high ? kNoSlot : destination(op(0), 1),
            {a, b, low, upper, p}, control);
    compute(WordOp::kCopy, carry, kNoSlot, {t}, 0, Role::kBehind);
    return;
  }
  compute(high ? WordOp::kMultiplyHigh : WordOp::kMultiplyWide, d, high ? kNoSlot : destination(op(0), 1),
          {a, b, low, upper, p}, control);
}

// d, [carry], a, b, [upper word of a], amount, [carry in]
void Translator::shift_add() {
  size_t i = 1;
  Slot carry = kNoSlot;
  if (op(i).is(Kind::kPredicate) || op(i).is(Kind::kUniformPredicate)) {
    carry = predicate(op(i++));
  }
  const bool high = line_.has("HI"), extends = line_.has("SX32");
  uint64_t control = signs(op(i), 0) | signs(op(i + 1), 1) | (extends ? words::kSigned : 0);
  const Slot a = source(op(i)), b = source(op(i + 1));
  i += 2;
  const Slot c = high && !extends ? source(op(i++)) : kNoSlot;
  control |= op(i++).bits << words::kAmountAt;
  const Slot p = line_.has("X") ? truth(op(i)) : kNoSlot;
  compute(high ? WordOp::kShiftAddHigh : WordOp::kShiftAdd, destination(op(0)), carry, {a, b, c, p}, control);
}

// [p], d, a, b, c, table, q: p = d != 0 or q, with PAND and
void Translator::logic() {
  size_t i = 0;
  Slot p = kNoSlot;
  if (op(i).is(Kind::kPredicate) || op(i).is(Kind::kUniformPredicate)) {
    p = predicate(op(i++));
  }
  const Slot a = source(op(i + 1)), b = source(op(i + 2)), c = source(op(i + 3));
  const Slot q = p != kNoSlot ? truth(op(i + 5)) : kNoSlot;
  compute(words::logic_fn(static_cast<uint8_t>(op(i + 4).bits)), destination(op(i)), p, {a, b, c, q},
          line_.has("PAND") ? words::kBoth : 0);
}

// d, e, a, b, c, table of d, table of e
void Translator::predicate_logic() {
  // PLOP3 of registers takes their signs.
  const auto input = [&](const Operand& o) {
    if (!o.is(Kind::kRegister)) {
      return truth(o);
    }
    const Slot t = temporary();
    compute(WordOp::kShift, t, kNoSlot, {source(o), constant(31), constant(0)}, words::kRight, Role::kBefore);
    return t;
  };
  const Slot a = input(op(2)), b = input(op(3)), c = input(op(4));
  compute(WordOp::kPredicates, predicate(op(0)), predicate(op(1)), {a, b, c},
          (op(5).bits & 255) << 16 | (op(6).bits & 255) << 24);
}

void Translator::shift() {
  const uint64_t control = (line_.has("R") ? words::kRight : 0) | (line_.has("HI") ? words::kHigh : 0) |
                           (line_.has("U64") || line_.has("S64") ? words::kWide : 0) |
                           (line_.has("S32") || line_.has("S64") ? words::kSigned : 0) |
                           (line_.has("W") ? words::kWrap : 0);
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  compute(WordOp::kShift, destination(op(0)), kNoSlot, {a, b, c}, control);
}

// p, q, a, b, with, [of the lower words]
void Translator::compare() {
  const int bits = relation(line_);
  if (bits < 0) {
    missing();
    return;
  }
  const bool extended = line_.has("EX");
  const uint64_t control = static_cast<uint64_t>(bits) << words::kRelationAt |
                           logic_of(line_) << words::kLogicAt | (is_signed(line_) ? words::kSigned : 0) |
                           (extended ? words::kExtended : 0);
  const Slot a = source(op(2)), b = source(op(3)), with = truth(op(4));
  const Slot low = extended ? truth(op(5)) : kNoSlot;
  compute(WordOp::kCompare, predicate(op(0)), predicate(op(1)), {a, b, with, low}, control);
}

void Translator::extreme() {
  const bool three = line_.name != "IMNMX" && line_.name != "VIMNMX";
  const uint64_t control = (is_signed(line_) ? words::kSigned : 0) |
                           (line_.has("U16x2") || line_.has("S16x2") ? words::kPairs : 0) |
                           (line_.has("RELU") ? words::kRelu : 0) |
                           (line_.name == "VIADDMNMX" ? words::kSum : 0);
  if (op(1).is(Kind::kPredicate)) {  // two results of 10.x
    if (op(1).index != kTruePredicate || op(2).index != kTruePredicate) {
      missing("a predicate");
    }
    line_.operands.erase(line_.operands.begin() + 1, line_.operands.begin() + 3);
  }
  const Slot d = destination(op(0)), a = source(op(1)), b = source(op(2));
  if (three) {
    const uint64_t all = control | signs(op(2), 1) | signs(op(3), 2);
    const Slot c = source(op(3)), p = truth(op(4));
    compute(WordOp::kExtreme3, d, kNoSlot, {a, b, c, p}, all);
  } else {
    const Slot p = truth(op(3));
    compute(WordOp::kExtreme, d, kNoSlot, {a, b, p}, control);
  }
}

bool Translator::bits() {
  const std::string& n = line_.name;
  const auto of = [](BitOp o, Number t = Number::kU32) { return words::bit_fn(o, t); };
  const auto sign = line_.has("U32") ? 0 : words::kSigned;
  const auto wrap = line_.has("W") ? words::kWrap : 0;
  if (n == "VIADD" && line_.has("16x2")) {
    if (op(1).negate || op(2).negate) {
      missing("a sign");
    }
    compute(words::integer_fn(IntegerOp::kAddX2, Number::kU16), destination(op(0)), kNoSlot,
            {source(op(1)), source(op(2))}, 0);
  } else if (n == "VIADD") {
    const uint64_t control = signs(op(1), 0) | signs(op(2), 1);
    compute(WordOp::kAdd3, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, control);
  } else if (n == "IABS") {
    compute(WordOp::kAbsolute, destination(op(0)), kNoSlot, {word(op(1))});
  } else if (n == "SGXT") {
    compute(WordOp::kExtend, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, sign | wrap);
  } else if (n == "BMSK") {
    compute(WordOp::kMask, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, wrap);
  } else if (n == "POPC" || n == "BREV") {
    const Slot s = word(op(1));
    compute(of(n == "POPC" ? BitOp::kPopc : BitOp::kBrev), destination(op(0)), kNoSlot, {s}, 0);
  } else if (n == "FLO") {
    const bool p = op(1).is(Kind::kPredicate) || op(1).is(Kind::kUniformPredicate);
    const Slot s = word(op(p ? 2 : 1));
    const Slot d = destination(op(0));
    compute(of(line_.has("SH") ? BitOp::kBfindShift : BitOp::kBfind, sign != 0 ? Number::kS32 : Number::kU32),
            d, kNoSlot, {s}, 0, p ? Role::kBefore : Role::kMain);
    if (p) {
      missing("a predicate");
    }
  } else if (n == "PRMT") {
    constexpr std::pair<std::string_view, BitOp> kModes[] = {
        {"F4E", BitOp::kPrmtF4e}, {"B4E", BitOp::kPrmtB4e}, {"RC8", BitOp::kPrmtRc8},
        {"ECL", BitOp::kPrmtEcl}, {"ECR", BitOp::kPrmtEcr}, {"RC16", BitOp::kPrmtRc16}};
    BitOp mode = BitOp::kPrmt;
    for (const auto& [name, m] : kModes) {
      mode = line_.has(name) ? m : mode;
    }
    const Slot a = source(op(1)), selector = source(op(2)), b = source(op(3));
    compute(of(mode), destination(op(0)), kNoSlot, {a, b, selector}, 0);
  } else if (n == "SEL") {
    const Slot a = source(op(1)), b = source(op(2)), p = truth(op(3));
    compute(WordOp::kSelect, destination(op(0)), kNoSlot, {a, b, p});
  } else if (n == "IDP") {
    bool first = true, a_signed = false, b_signed = false;
    for (const std::string& m : line_.modifiers) {
      if (m[0] == 'S' || m[0] == 'U') {
        (first ? a_signed : b_signed) = m[0] == 'S';
        first = false;
      }
    }
    const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
    if (op(3).negate) {
      missing("a sign");
    }
    compute(words::dot_fn(line_.has("2A"), line_.has("HI"), a_signed, b_signed), destination(op(0)), kNoSlot,
            {a, b, c}, 0);
  } else if (n == "VABSDIFF4") {
    const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
    if (line_.has("ACC")) {
      compute(words::byte_difference_sum_fn(!line_.has("U8")), destination(op(0)), kNoSlot, {a, b, c}, 0);
      return true;
    }
    // The third source is of no importance (vabsdiff4 of the oracle).
    compute(words::byte_differences_fn(!line_.has("U8")), destination(op(0)), kNoSlot, {a, b}, 0);
  } else if (n == "VABSDIFF") {
    if (!op(1).is(Kind::kRegister)) {
      missing("a predicate");
    }
    compute(words::difference_fn(!line_.has("U32")), destination(op(0)), kNoSlot,
            {source(op(1)), source(op(2)), source(op(3))}, 0);
  } else {
    return false;
  }
  return true;
}

bool Translator::moves() {
  const std::string& n = line_.name;
  if (n == "MOV") {
    if (count() > 2 && op(2).bits != 15) {
      missing("a mask of bytes");
    }
    compute(WordOp::kCopy, destination(op(0)), kNoSlot, {source(op(1))});
  } else if (n == "R2UR") {
    const Slot s = source(op(count() - 1));
    if (count() > 2) {
      // Lanes that have another value than the one that is taken: they come again.
      const Slot taken = temporary(), differs = temporary();
      const Slot before = line_.has("OR") ? truth(op(0)) : constant(0);
      emit_guarded(WordOp::kBroadcast, taken, s, 0);
      compute(WordOp::kBroadcast, destination(op(1)), kNoSlot, {s});
      compute(words::logic_fn(0x3c), differs, kNoSlot, {s, taken, constant(0)}, 0, Role::kBehind);
      compute(WordOp::kNotEqual, differs, kNoSlot, {differs}, 0, Role::kBehind);
      compute(words::logic_fn(0xfc), predicate(op(0)), kNoSlot, {differs, before, constant(0)}, 0,
              Role::kBehind);
    } else {
      compute(WordOp::kBroadcast, destination(op(0)), kNoSlot, {s});
    }
  } else if (n == "RPCMOV") {
    // Code that has been seen keeps registers there and takes them back.
    const bool to = op(0).is(Kind::kOther);
    const Slot kept = return_register(op(to ? 0 : 1).suffix == "Rpc.HI" ? 1 : 0);
    compute(WordOp::kCopy, to ? kept : destination(op(0)), kNoSlot, {to ? source(op(1)) : kept});
  } else if (n == "P2R" || n == "P2UR") {
    // d, PR, others, which
    unsigned first = 0;
    for (const char* b : {"B1", "B2", "B3"}) {
      first = line_.has(b) ? 8U * static_cast<unsigned>(b[1] - '0') : first;
    }
    if (!op(3).is(Kind::kNumber)) {
      missing("a mask in a register");
    }
    Operand p0;
    p0.kind = uniform_ ? Kind::kUniformPredicate : Kind::kPredicate;
    compute(WordOp::kGather, destination(op(0)), kNoSlot, {predicate(p0), source(op(2))},
            first | (op(3).bits & 0x7f) << words::kAmountAt);
  } else if (n == "R2P") {
    unsigned first = 0;
    for (const char* b : {".B1", ".B2", ".B3"}) {
      first = op(1).suffix == b ? 8U * static_cast<unsigned>(b[2] - '0') : first;
    }
    Operand p0;
    p0.kind = Kind::kPredicate;
    compute(WordOp::kScatter, predicate(p0), kNoSlot, {source(op(1)), source(op(2))}, first);
  } else {
    return false;
  }
  return true;
}

}  // namespace heddle::cubin
