// Whole numbers of 64 bits and lanes of 8 bits, of 12.x.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/bits.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/arith/integer.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::BitOp;
using exec::arith::IntegerOp;
using exec::arith::Number;
using exec::arith::WordOp;
namespace words = exec::arith;

}  // namespace

bool Translator::takes_wide() { return take(Mod::k64) || take(Mod::kS64) || take(Mod::kU64); }
bool Translator::takes_bytes() { return take(Mod::kU8x4) || take(Mod::kS8x4); }

void Translator::move_wide() {
  const auto [low, high] = pair(op(1));
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {low});
  compute(WordOp::kCopy, destination(op(0), 1), kNoSlot, {high}, 0, Role::kBehind);
}

void Translator::select_wide() {
  const Slot p = truth(op(3));
  for (uint32_t i = 0; i < 2; ++i) {
    compute(WordOp::kSelect, destination(op(0), i), kNoSlot, {source(op(1), i), source(op(2), i), p}, 0,
            i == 0 ? Role::kMain : Role::kBehind);
  }
}

void Translator::compare_wide() {
  constexpr std::pair<Mod, uint8_t> kRelations[] = {{Mod::kLT, words::kLess},
                                                    {Mod::kEQ, words::kEqual},
                                                    {Mod::kLE, words::kLess | words::kEqual},
                                                    {Mod::kGT, words::kGreater},
                                                    {Mod::kNE, words::kLess | words::kGreater},
                                                    {Mod::kGE, words::kGreater | words::kEqual}};
  words::Comparison c;
  c.type = take(Mod::kS64) ? Number::kS64 : Number::kU64;
  c.boolean = take(Mod::kOR)    ? words::Boolean::kOr
              : take(Mod::kXOR) ? words::Boolean::kXor
                                : words::Boolean::kAnd;
  for (const auto& [name, bits] : kRelations) {
    c.relations = take(name) ? bits : c.relations;
  }
  if (c.relations == 0) {
    missing();
  }
  const Slot a = joined(op(2)), b = joined(op(3)), with = truth(op(4));
  compute(words::setp_fn(c), predicate(op(0)), {a, b, with});
  out_.code.insts.back().d[1] = predicate(op(1));
}

// PT, PT, d, a, b, which, !PT: what the other predicates do has not been seen.
void Translator::extreme_wide() {
  if (op(0).index != kTruePredicate || op(1).index != kTruePredicate || op(6).index != kTruePredicate ||
      !op(6).negate) {
    missing("a predicate");
  }
  const Number type = take(Mod::kS64) ? Number::kS64 : Number::kU64;
  const Slot a = joined(op(3)), b = joined(op(4)), p = truth(op(5)), least = temporary(), most = temporary();
  compute(words::integer_fn(IntegerOp::kMin, type), least, kNoSlot, {a, b}, 0, Role::kBefore);
  compute(words::integer_fn(IntegerOp::kMax, type), most, kNoSlot, {a, b}, 0, Role::kBefore);
  compute(words::bit_fn(BitOp::kSelect, Number::kU64), least, kNoSlot, {least, most, p}, 0, Role::kBefore);
  compute(WordOp::kSplit, destination(op(2)), destination(op(2), 1), {least});
}

// d, [carry], a, b, [carry in]: the lower words, then the upper ones with what is carried.
void Translator::add_wide() {
  if (!take(Mod::k64)) {
    missing();
  }
  size_t i = 1;
  Slot carry = kNoSlot;
  if (op(i).is(Kind::kPredicate)) {
    carry = predicate(op(i++));
  }
  const Operand &a = op(i), &b = op(i + 1);
  if (a.negate && b.negate) {
    missing("two signs");
  }
  const Slot in = take(Mod::kX) ? truth(op(i + 2)) : kNoSlot, low = temporary(), carried = temporary();
  const auto [a_low, a_high] = pair(a);
  const auto [b_low, b_high] = pair(b);
  compute(WordOp::kAdd3, low, carried, {a_low, b_low, constant(0), in}, signs(a, 0) | signs(b, 1),
          Role::kBefore);
  guard_kept({carry});
  const uint64_t high =
      (a.negate || a.invert ? words::kComplement0 : 0) | (b.negate || b.invert ? words::kComplement1 : 0);
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {low});
  compute(WordOp::kAdd3, destination(op(0), 1), carry, {a_high, b_high, constant(0), carried}, high,
          Role::kBehind);
}

// VIADD and VIMNMX of four bytes, one after the other.
void Translator::of_bytes() {
  const bool sum = name_ == Mnemonic::kVIADD;
  const uint64_t sign = take(Mod::kS8x4) ? words::kSigned : 0;
  if (take(Mod::kRELU) || op(1).negate) {
    missing();
  }
  const Slot all = temporary(), a = temporary(), b = temporary(), p = sum ? kNoSlot : truth(op(3));
  for (uint32_t at = 0; at < 32; at += 8) {
    for (const auto& [from, to] : {std::pair{source(op(1)), a}, {source(op(2)), b}}) {
      compute(WordOp::kShift, to, kNoSlot, {from, constant(at), constant(0)}, words::kRight, Role::kBefore);
      compute(WordOp::kExtend, to, kNoSlot, {to, constant(8)}, sign, Role::kBefore);
    }
    if (sum) {
      compute(WordOp::kAdd3, a, kNoSlot, {a, b}, signs(op(2), 1), Role::kBefore);
    } else {
      compute(WordOp::kExtreme, a, kNoSlot, {a, b, p}, sign, Role::kBefore);
    }
    compute(words::logic_fn(0xc0), a, kNoSlot, {a, constant(0xff), constant(0)}, 0, Role::kBefore);
    compute(WordOp::kShift, a, kNoSlot, {a, constant(at), constant(0)}, 0, Role::kBefore);
    compute(words::logic_fn(0xfc), all, kNoSlot, {at == 0 ? constant(0) : all, a, constant(0)}, 0,
            Role::kBefore);
  }
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {all});
}

}  // namespace heddle::cubin
