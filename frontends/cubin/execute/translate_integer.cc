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
int relation(Modifiers& mods) {
  constexpr std::pair<Mod, int> kRelations[] = {{Mod::kF, 0},  {Mod::kLT, 1}, {Mod::kEQ, 2}, {Mod::kLE, 3},
                                                {Mod::kGT, 4}, {Mod::kNE, 5}, {Mod::kGE, 6}, {Mod::kT, 7}};
  for (const auto& [name, bits] : kRelations) {
    if (mods.take(name)) {
      return bits;
    }
  }
  return -1;
}
uint64_t logic_of(Modifiers& mods) { return mods.take(Mod::kOR) ? 1 : mods.take(Mod::kXOR) ? 2 : 0; }
// Types are named where they are unsigned.
bool is_signed(Modifiers& mods) { return !mods.take(Mod::kU32) && !mods.take(Mod::kU16x2); }

}  // namespace

// d, [carry, [carry]], a, b, c, [carry in, carry in]
void Translator::add3() {
  const auto is_predicate = [&](size_t i) { return op(i).is_predicate(); };
  const auto wanted = [&](const Operand& o) { return o.index == kTruePredicate ? kNoSlot : predicate(o); };
  if (take(Mod::k64) && is_predicate(1)) {
    if (wanted(op(1)) != kNoSlot || wanted(op(2)) != kNoSlot) {
      missing("a predicate");
    }
    d_.drop(1, 2);
  }
  if (take(Mod::k64)) {
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
  if (take(Mod::kX)) {
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
  if (take(Mod::kWIDE)) {
    return multiply_wide(false);
  }
  if (take(Mod::kHI)) {
    return multiply_wide(true);
  }
  const uint64_t control = signs(op(2), 1) | signs(op(3), 2);
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  const Slot p = take(Mod::kX) ? truth(op(4)) : kNoSlot;
  compute(WordOp::kMultiply, destination(op(0)), kNoSlot, {a, b, c, p}, control);
}

// d, [carry], a, b, c (two words), [carry in]
void Translator::multiply_wide(bool high) {
  size_t i = 1;
  Slot carry = kNoSlot;
  if (op(i).is_predicate()) {
    carry = predicate(op(i++));
  }
  uint64_t control = signs(op(i + 1), 1) | signs(op(i + 2), 2);
  control |= take(Mod::kU32) ? 0 : words::kSigned;
  const Slot a = source(op(i)), b = source(op(i + 1));
  const auto [low, upper] = pair(op(i + 2));
  const Slot p = take(Mod::kX) ? truth(op(i + 3)) : kNoSlot;
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
  if (op(i).is_predicate()) {
    carry = predicate(op(i++));
  }
  const bool high = take(Mod::kHI), extends = take(Mod::kSX32);
  uint64_t control = signs(op(i), 0) | signs(op(i + 1), 1) | (extends ? words::kSigned : 0);
  const Slot a = source(op(i)), b = source(op(i + 1));
  i += 2;
  const Slot c = high && !extends ? source(op(i++)) : kNoSlot;
  control |= op(i++).bits << words::kAmountAt;
  const Slot p = take(Mod::kX) ? truth(op(i)) : kNoSlot;
  compute(high ? WordOp::kShiftAddHigh : WordOp::kShiftAdd, destination(op(0)), carry, {a, b, c, p}, control);
}

// [p], d, a, b, c, table, q: p = d != 0 or q, with PAND and
void Translator::logic() {
  size_t i = 0;
  Slot p = kNoSlot;
  if (op(i).is_predicate()) {
    p = predicate(op(i++));
  }
  const Slot a = source(op(i + 1)), b = source(op(i + 2)), c = source(op(i + 3));
  const Slot q = p != kNoSlot ? truth(op(i + 5)) : kNoSlot;
  compute(words::logic_fn(static_cast<uint8_t>(op(i + 4).bits)), destination(op(i)), p, {a, b, c, q},
          take(Mod::kPAND) ? words::kBoth : 0);
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
  const uint64_t control = (take(Mod::kR) ? words::kRight : 0) | (take(Mod::kHI) ? words::kHigh : 0) |
                           (take(Mod::kU64) || take(Mod::kS64) ? words::kWide : 0) |
                           (take(Mod::kS32) || take(Mod::kS64) ? words::kSigned : 0) |
                           (take(Mod::kW) ? words::kWrap : 0);
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  compute(WordOp::kShift, destination(op(0)), kNoSlot, {a, b, c}, control);
}

// p, q, a, b, with, [of the lower words]
void Translator::compare() {
  if (takes_wide()) {
    return compare_wide();
  }
  const int bits = relation(d_.mods);
  if (bits < 0) {
    missing();
    return;
  }
  const bool extended = take(Mod::kEX);
  const uint64_t control = static_cast<uint64_t>(bits) << words::kRelationAt |
                           logic_of(d_.mods) << words::kLogicAt | (is_signed(d_.mods) ? words::kSigned : 0) |
                           (extended ? words::kExtended : 0);
  const Slot a = source(op(2)), b = source(op(3)), with = truth(op(4));
  const Slot low = extended ? truth(op(5)) : kNoSlot;
  compute(WordOp::kCompare, predicate(op(0)), predicate(op(1)), {a, b, with, low}, control);
}

void Translator::extreme() {
  if (name_ == Mnemonic::kIMNMX && takes_wide()) {
    return extreme_wide();
  }
  if (name_ == Mnemonic::kVIMNMX && takes_bytes()) {
    return of_bytes();
  }
  const bool three = name_ != Mnemonic::kIMNMX && name_ != Mnemonic::kVIMNMX;
  const uint64_t control = (is_signed(d_.mods) ? words::kSigned : 0) |
                           (take(Mod::kU16x2) || take(Mod::kS16x2) ? words::kPairs : 0) |
                           (take(Mod::kRELU) ? words::kRelu : 0) |
                           (name_ == Mnemonic::kVIADDMNMX ? words::kSum : 0);
  if (op(1).is(Kind::kPredicate)) {  // two results of 10.x
    if (op(1).index != kTruePredicate || op(2).index != kTruePredicate) {
      missing("a predicate");
    }
    d_.drop(1, 2);
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

void Translator::add_lanes() {
  if (take(Mod::kISAT)) {
    take(Mod::kS32);
    compute(words::integer_fn(op(2).negate ? IntegerOp::kSubSat : IntegerOp::kAddSat, Number::kS32),
            destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, 0);
    return;
  }
  if (takes_bytes()) {
    return of_bytes();
  }
  if (take(Mod::k16x2)) {
    if (op(1).negate || op(2).negate) {
      missing("a sign");
    }
    compute(words::integer_fn(IntegerOp::kAddX2, Number::kU16), destination(op(0)), kNoSlot,
            {source(op(1)), source(op(2))}, 0);
    return;
  }
  const uint64_t control = signs(op(1), 0) | signs(op(2), 1);
  compute(WordOp::kAdd3, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, control);
}

void Translator::absolute() { compute(WordOp::kAbsolute, destination(op(0)), kNoSlot, {word(op(1))}); }

// From a bit on all are as that one.
void Translator::extend() {
  const uint64_t sign = take(Mod::kU32) ? 0 : words::kSigned, wrap = take(Mod::kW) ? words::kWrap : 0;
  compute(WordOp::kExtend, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))}, sign | wrap);
}

void Translator::mask() {
  compute(WordOp::kMask, destination(op(0)), kNoSlot, {source(op(1)), source(op(2))},
          take(Mod::kW) ? words::kWrap : 0);
}

void Translator::count_bits() {
  const Slot s = word(op(1));
  compute(words::bit_fn(BitOp::kPopc, Number::kU32), destination(op(0)), kNoSlot, {s}, 0);
}

void Translator::reverse_bits() {
  const Slot s = word(op(1));
  compute(words::bit_fn(BitOp::kBrev, Number::kU32), destination(op(0)), kNoSlot, {s}, 0);
}

void Translator::find_leading() {
  const bool p = op(1).is_predicate();
  const Slot s = word(op(p ? 2 : 1));
  const Slot d = destination(op(0));
  const Number type = take(Mod::kU32) ? Number::kU32 : Number::kS32;
  compute(words::bit_fn(take(Mod::kSH) ? BitOp::kBfindShift : BitOp::kBfind, type), d, kNoSlot, {s}, 0,
          p ? Role::kBefore : Role::kMain);
  if (p) {
    missing("a predicate");
  }
}

void Translator::permute() {
  constexpr std::pair<Mod, BitOp> kModes[] = {{Mod::kF4E, BitOp::kPrmtF4e}, {Mod::kB4E, BitOp::kPrmtB4e},
                                              {Mod::kRC8, BitOp::kPrmtRc8}, {Mod::kECL, BitOp::kPrmtEcl},
                                              {Mod::kECR, BitOp::kPrmtEcr}, {Mod::kRC16, BitOp::kPrmtRc16}};
  BitOp mode = BitOp::kPrmt;
  for (const auto& [name, m] : kModes) {
    mode = take(name) ? m : mode;
  }
  const Slot a = source(op(1)), selector = source(op(2)), b = source(op(3));
  compute(words::bit_fn(mode, Number::kU32), destination(op(0)), kNoSlot, {a, b, selector}, 0);
}

void Translator::select() {
  if (takes_wide()) {
    return select_wide();
  }
  const Slot a = source(op(1)), b = source(op(2)), p = truth(op(3));
  compute(WordOp::kSelect, destination(op(0)), kNoSlot, {a, b, p});
}

void Translator::dot_product() {
  bool first = true, a_signed = false, b_signed = false;
  for (const Mod m : d_.mods) {
    const bool sign = m == Mod::kS8 || m == Mod::kS16;
    if (sign || m == Mod::kU8 || m == Mod::kU16) {
      (first ? a_signed : b_signed) = sign;
      first = false;
    }
  }
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  if (op(3).negate) {
    missing("a sign");
  }
  compute(words::dot_fn(take(Mod::k2A), take(Mod::kHI), a_signed, b_signed), destination(op(0)), kNoSlot,
          {a, b, c}, 0);
}

void Translator::byte_differences() {
  const Slot a = source(op(1)), b = source(op(2)), c = source(op(3));
  if (take(Mod::kACC)) {
    compute(words::byte_difference_sum_fn(!take(Mod::kU8)), destination(op(0)), kNoSlot, {a, b, c}, 0);
    return;
  }
  // The third source is of no importance (vabsdiff4 of the oracle).
  compute(words::byte_differences_fn(!take(Mod::kU8)), destination(op(0)), kNoSlot, {a, b}, 0);
}

void Translator::difference() {
  if (!op(1).is(Kind::kRegister)) {
    missing("a predicate");
  }
  compute(words::difference_fn(!take(Mod::kU32)), destination(op(0)), kNoSlot,
          {source(op(1)), source(op(2)), source(op(3))}, 0);
}

void Translator::move() {
  if (takes_wide()) {
    return move_wide();
  }
  if (count() > 2 && op(2).bits != 15) {
    missing("a mask of bytes");
  }
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {source(op(1))});
}

void Translator::move_to_warp() {
  const Slot s = source(op(count() - 1));
  if (count() > 2) {
    // Lanes that have another value than the one that is taken: they come again.
    const Slot taken = temporary(), differs = temporary();
    const Slot before = take(Mod::kOR) ? truth(op(0)) : constant(0);
    emit_guarded(WordOp::kBroadcast, taken, s, 0);
    compute(WordOp::kBroadcast, destination(op(1)), kNoSlot, {s});
    compute(words::logic_fn(0x3c), differs, kNoSlot, {s, taken, constant(0)}, 0, Role::kBehind);
    compute(WordOp::kNotEqual, differs, kNoSlot, {differs}, 0, Role::kBehind);
    compute(words::logic_fn(0xfc), predicate(op(0)), kNoSlot, {differs, before, constant(0)}, 0,
            Role::kBehind);
  } else {
    compute(WordOp::kBroadcast, destination(op(0)), kNoSlot, {s});
  }
}

// Code that has been seen keeps registers there and takes them back.
void Translator::move_return() {
  const bool to = op(0).is(Kind::kReturn);
  const Slot kept = return_register(op(to ? 0 : 1).index);
  compute(WordOp::kCopy, to ? kept : destination(op(0)), kNoSlot, {to ? source(op(1)) : kept});
}

// d, PR, others, which
void Translator::gather_predicates() {
  unsigned first = 0;
  for (const auto& [byte, at] : {std::pair{Mod::kB1, 8U}, {Mod::kB2, 16U}, {Mod::kB3, 24U}}) {
    first = take(byte) ? at : first;
  }
  if (!op(3).is(Kind::kNumber)) {
    missing("a mask in a register");
  }
  Operand p0;
  p0.kind = uniform_ ? Kind::kUniformPredicate : Kind::kPredicate;
  compute(WordOp::kGather, destination(op(0)), kNoSlot, {predicate(p0), source(op(2))},
          first | (op(3).bits & 0x7f) << words::kAmountAt);
}

void Translator::scatter_predicates() {
  Operand p0;
  p0.kind = Kind::kPredicate;
  compute(WordOp::kScatter, predicate(p0), kNoSlot, {source(op(1)), source(op(2))}, first_bit(op(1).part));
}

}  // namespace heddle::cubin
