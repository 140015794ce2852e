// Where the operands of machine code lie among a warp's registers.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/machine_words.h"
#include "sim/exec/special.h"

namespace heddle::cubin {
namespace {

using exec::Bank;
using exec::Special;
using exec::arith::Number;
using exec::arith::WordOp;

// The frame: predicates with one that nobody reads, RPCMOV's registers; convergence barriers, as many as are
// used; uniform predicates if there are any, one that nobody reads; uniform registers with one that nobody
// reads, registers with four of them, as many temporaries as an instruction needs.
constexpr uint32_t kPredicates = exec::kFirstSlot, kBarrierResult = kPredicates + 8,
                   kReturn = kBarrierResult + 1, kCollective = kReturn + 2, kBarriers = kCollective + 1,
                   kMostTemporaries = 160;
constexpr uint32_t kSinks = 4;

constexpr uint64_t kSign32 = 0x80000000;

}  // namespace

Slot Translator::constant(uint64_t value) {
  const auto [it, added] = constants_.try_emplace(value, 0);
  if (added) {
    it->second = exec::slot(Bank::kConstants, static_cast<uint32_t>(out_.code.constants.size()));
    out_.code.constants.emplace_back().fill(value);
  }
  return it->second;
}

Slot Translator::special(Special s) {
  std::vector<Special>& all = out_.code.specials;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == s) {
      return exec::slot(Bank::kWarp, exec::kFirstSpecial + static_cast<uint32_t>(i));
    }
  }
  all.push_back(s);
  return exec::slot(Bank::kWarp, exec::kFirstSpecial + static_cast<uint32_t>(all.size() - 1));
}

Slot Translator::parameter_word(uint32_t offset) {
  const auto [it, added] = parameters_.try_emplace(offset, 0);
  if (added) {
    const auto index = static_cast<uint32_t>(out_.code.constants.size());
    it->second = exec::slot(Bank::kConstants, index);
    out_.code.constants.emplace_back();
    out_.code.parameter_words.push_back({offset, index});
  }
  return it->second;
}

// A word of constant bank 0: what the driver puts there, then the parameters.
Slot Translator::constant_word(const Operand& o, uint32_t word) {
  const auto offset = static_cast<uint32_t>(o.offset) + 4 * word;
  const Function& kernel = object_.functions[out_.functions.front()];
  if (o.bank == 0) {
    if (offset >= kernel.parameter_offset && kernel.parameter_offset != 0) {
      return parameter_word(offset - kernel.parameter_offset);
    }
    return object_.capability >= kBlackwell ? blackwell_word(offset) : system_word(offset);
  }
  const uint32_t at = (o.bank == 4 ? placement_.bank4_at : o.bank == 2 ? bank2_ : 0) + offset;
  const uint32_t end =
      o.bank == 4 ? static_cast<uint32_t>(placement_.constants.size()) : placement_.bank3_bytes;
  if (o.bank < 2 || o.bank > 4) {
    missing(fmt::format("constant bank {}", o.bank));
    return constant(0);
  }
  if (o.bank != 4) {  // a program may change bank 3: it is read when it is executed
    const Slot t = temporary();
    exec::MemoryOp m;
    m.space = exec::Space::kConst;
    m.values[0] = t;
    exec::Inst& in = emit(exec::Kind::kMemory, Role::kBefore);
    in.offset = at;
    in.target = static_cast<uint32_t>(out_.code.memory.size());
    out_.code.memory.push_back(m);
    if (!uniform_) {
      return t;
    }
    const Slot all = temporary();
    emit_guarded(WordOp::kBroadcast, all, t, 0);
    return all;
  }
  uint64_t value = 0;
  for (uint32_t i = 0; i < 4 && at + i < end; ++i) {
    value |= uint64_t{placement_.constants[at + i]} << 8 * i;
  }
  return constant(value);
}

Slot Translator::reg(uint32_t index, uint32_t word) {
  const uint32_t first = first_uniform() + uniforms_ + 1;
  if (index == kZeroRegister) {
    return exec::slot(Bank::kFrame, first + registers_);
  }
  if (index + word >= registers_) {
    missing(fmt::format("R{} (legal: up to R{})", index + word, kZeroRegister - 1));
  }
  return exec::slot(Bank::kFrame, first + std::min(index + word, registers_));
}
Slot Translator::ureg(uint32_t index, uint32_t word) {
  if (index == kZeroUniform) {
    return exec::slot(Bank::kFrame, first_uniform() + uniforms_);
  }
  if (index + word >= uniforms_) {
    missing(fmt::format("UR{} (legal: up to UR{})", index + word, most_uniforms() - 1));
  }
  return exec::slot(Bank::kFrame, first_uniform() + std::min(index + word, uniforms_));
}
Slot Translator::predicate(const Operand& o) const {
  // PT is the seventh.
  if (!o.is(Kind::kUniformPredicate)) {
    return exec::slot(Bank::kFrame, kPredicates + o.index);
  }
  return exec::slot(Bank::kFrame, kBarriers + barriers_ + std::min<uint32_t>(o.index, uniform_predicates_));
}
Slot Translator::barrier(uint32_t index) const {
  return exec::slot(Bank::kFrame, kBarriers + index % kMostBarriers);
}

// Of BAR.RED, for B2R.RESULT.
Slot Translator::barrier_result() const { return exec::slot(Bank::kFrame, kBarrierResult); }

// Of RPCMOV: Rpc.LO, Rpc.HI.
Slot Translator::return_register(uint32_t word) const { return exec::slot(Bank::kFrame, kReturn + word); }

// The mask of WARPSYNC.COLLECTIVE.
Slot Translator::collective_lanes() const { return exec::slot(Bank::kFrame, kCollective); }

Slot Translator::temporary() {
  if (temporaries_ >= kMostTemporaries) {
    missing("so many operands");
    return exec::slot(Bank::kFrame, first_temporary());
  }
  return exec::slot(Bank::kFrame, first_temporary() + temporaries_++);
}

uint32_t Translator::most_uniforms() const { return object_.capability >= kBlackwell ? 80 : 63; }

uint32_t Translator::first_uniform() const { return kBarriers + barriers_ + uniform_predicates_ + 1; }

uint32_t Translator::first_temporary() const { return first_uniform() + uniforms_ + 1 + registers_ + kSinks; }

Slot Translator::source(const Operand& o, uint32_t word) {
  switch (o.kind) {
    case Kind::kRegister:
      return o.index == kZeroRegister ? constant(0) : reg(o.index, word);
    case Kind::kUniform:
      return o.index == kZeroUniform ? constant(0) : ureg(o.index, word);
    case Kind::kNumber:
      // Of a number with a sign the upper word is that of the 64-bit number.
      return constant(word == 0 ? o.bits & 0xffffffff : o.bits >> 32);
    case Kind::kConstant:
      if (o.has_base() || o.has_ubase()) {
        missing("an indexed constant");
        return constant(0);
      }
      return constant_word(o, word);
    default:
      missing("such an operand");
      return constant(0);
  }
}

Slot Translator::destination(const Operand& o, uint32_t word) {
  if (o.is(Kind::kRegister)) {
    return reg(o.index, word);
  }
  if (o.is(Kind::kUniform)) {
    return ureg(o.index, word);
  }
  missing("such a destination");
  return constant(0);
}

std::pair<Slot, Slot> Translator::pair(const Operand& o) { return {source(o, 0), source(o, 1)}; }

uint64_t Translator::signs(const Operand& o, unsigned place) const {
  return (o.negate ? exec::arith::kNegate0 << place : 0) |
         (o.invert ? exec::arith::kComplement0 << place : 0);
}

uint32_t Translator::first_bit(Part p) {
  return p == Part::kB1 ? 8 : p == Part::kB2 || p == Part::kH1 ? 16 : p == Part::kB3 ? 24 : 0;
}

// A whole number with its sign, in a register.
Slot Translator::word(const Operand& o) {
  const Slot s = source(o);
  if (!o.negate && !o.invert) {
    return s;
  }
  const Slot t = temporary();
  compute(WordOp::kAdd3, t, exec::kNoSlot, {s}, signs(o, 0), Role::kBefore);
  return t;
}

Slot Translator::joined(const Operand& o, uint32_t word) {
  const Slot t = temporary();
  compute(WordOp::kJoin, t, exec::kNoSlot, {source(o, word), source(o, word + 1)}, 0, Role::kBefore);
  return t;
}

Slot Translator::real(const Operand& o, Number type) {
  const bool wide = type == Number::kF64, small = type == Number::kF16 || type == Number::kBf16;
  const bool number = o.is(Kind::kNumber);
  const uint64_t sign = small ? 0x80008000 : kSign32;
  // An immediate double is its upper word.
  Slot s = number && wide ? constant(o.bits & 0xffffffff) : source(o, wide ? 1 : 0);
  if (!number && !wide && (o.negate || o.absolute)) {
    const Slot t = temporary();
    const uint64_t keep = o.absolute ? 0xffffffff & ~sign : 0xffffffff;
    compute(WordOp::kModify, t, exec::kNoSlot, {s}, keep | (o.negate ? sign << 32 : 0), Role::kBefore);
    s = t;
  }
  if (!wide) {
    return s;
  }
  const Slot t = temporary();
  compute(WordOp::kJoin, t, exec::kNoSlot, {number ? constant(0) : source(o, 0), s}, 0, Role::kBefore);
  if (!number && (o.negate || o.absolute)) {
    const uint64_t how = (o.absolute ? exec::arith::kAbsolute : 0) | (o.negate ? exec::arith::kNegative : 0);
    compute(exec::arith::double_sign_fn(), t, exec::kNoSlot, {t}, how, Role::kBefore);
  }
  return t;
}

Slot Translator::truth(const Operand& o) {
  if (!o.is_predicate()) {
    missing("no predicate");
    return constant(0);
  }
  if (o.index == kTruePredicate) {
    return constant(o.negate ? 0 : 1);
  }
  if (!o.negate) {
    return predicate(o);
  }
  const Slot t = temporary();
  compute(WordOp::kModify, t, exec::kNoSlot, {predicate(o)}, uint64_t{1} | uint64_t{1} << 32, Role::kBefore);
  return t;
}

}  // namespace heddle::cubin
