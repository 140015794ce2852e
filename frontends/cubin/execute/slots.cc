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

// The frame: convergence barriers, predicates with one that nobody reads, RPCMOV's register, temporaries,
// uniform registers with one that nobody reads, registers with four of them.
constexpr uint32_t kBarriers = exec::kFirstSlot, kPredicates = kBarriers + 16,
                   kUniformPredicates = kPredicates + 8, kBarrierResult = kUniformPredicates + 8,
                   kReturn = kBarrierResult + 1, kTemporaries = kReturn + 1, kMostTemporaries = 160,
                   kUniforms = kTemporaries + kMostTemporaries;
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

// Numbered for now as if there were no special registers; finish() moves them behind these.
Slot Translator::parameter_word(uint32_t offset) {
  const auto [it, added] = parameters_.try_emplace(offset, 0);
  if (added) {
    it->second = exec::slot(Bank::kWarp, kFirstParameterWord + static_cast<uint32_t>(parameters_.size() - 1));
    out_.code.parameter_words.push_back(offset);
  }
  return it->second;
}

// Words that the driver puts into constant bank 0, by what ptxas makes of PTX's special registers; those from
// 0x10c on of compute capability 9.0.
struct SystemWord {
  uint32_t at;
  Special what;
};
constexpr SystemWord kSystemWords[] = {{0x00, Special::kNtidX},
                                       {0x04, Special::kNtidY},
                                       {0x08, Special::kNtidZ},
                                       {0x0c, Special::kNctaidX},
                                       {0x10, Special::kNctaidY},
                                       {0x14, Special::kNctaidZ},
                                       {0x2c, Special::kDynamicShared},
                                       {0x30, Special::kGridid},
                                       {0x34, Special::kZero},
                                       {0x44, Special::kWorkspaceHigh},
                                       {0x48, Special::kWorkspaceLow},
                                       {0x10c, Special::kNsmid},
                                       {0x140, Special::kIsExplicitCluster},
                                       {0x144, Special::kClusterNctaidX},
                                       {0x148, Special::kClusterNctaidY},
                                       {0x14c, Special::kClusterNctaidZ},
                                       {0x150, Special::kClusterPartX},
                                       {0x154, Special::kClusterPartY},
                                       {0x158, Special::kClusterPartZ},
                                       {0x15c, Special::kNclusteridX},
                                       {0x160, Special::kNclusteridY},
                                       {0x164, Special::kNclusteridZ},
                                       {0x188, Special::kClusterNctarank}};

// Of 10.0 and 12.0, found in the same way, and those that are read at an offset that SR_CgaSize says.
constexpr SystemWord kBlackwellWords[] = {{0x140, Special::kGridid},
                                          {0x144, Special::kZero},
                                          {0x2d0, Special::kNsmid},
                                          {0x360, Special::kNtidX},
                                          {0x364, Special::kNtidY},
                                          {0x368, Special::kNtidZ},
                                          {0x36c, Special::kIsExplicitCluster},
                                          {0x370, Special::kNctaidX},
                                          {0x374, Special::kNctaidY},
                                          {0x378, Special::kNctaidZ}};
constexpr SystemWord kClusterWords[] = {
    {0x254, Special::kWorkspaceHigh},  {0x258, Special::kWorkspaceLow},   {0x2a0, Special::kClusterNctaidX},
    {0x2a4, Special::kClusterNctaidY}, {0x2a8, Special::kClusterNctaidZ}, {0x2ac, Special::kDynamicShared},
    {0x2b0, Special::kClusterPartX},   {0x2b4, Special::kClusterPartY},   {0x2b8, Special::kClusterPartZ},
    {0x2c0, Special::kNclusteridX},    {0x2c4, Special::kNclusteridY},    {0x2c8, Special::kNclusteridZ},
    {0x2cc, Special::kClusterNctarank}};

// What the driver puts into constant bank 0 of Blackwell.
Slot Translator::blackwell_word(uint32_t offset) {
  const Function& kernel = object_.functions[out_.functions.front()];
  const auto half = [&](uint64_t address, bool high) {
    return constant(high ? address >> 32 : address & UINT32_MAX);
  };
  for (const auto& [at, what] : kBlackwellWords) {
    if (at == offset) {
      return special(what);
    }
  }
  switch (offset) {
    case 0x120:  // bank 3
    case 0x124:
      return half(exec::kConstWindow, offset == 0x124);
    case 0x16c:
      return constant(exec::kSharedReserve);
    case 0x2f8:
    case 0x2fc:
      return half(exec::kLocalWindow, offset == 0x2fc);
    case 0x348:  // the parameters, for tensor maps
    case 0x34c:
      return half(exec::kBankWindow + kernel.parameter_offset, offset == 0x34c);
    case 0x358:  // the descriptor of global memory
    case 0x35c:
      return constant(0);
    case 0x37c:
      return constant(out_.code.functions.front().local_bytes);
    default:
      missing(fmt::format("word 0x{:x} of constant bank 0", offset));
      return constant(0);
  }
}

// A word of those that code reads at an offset by SR_CgaSize, which is 0 here: with another one it is a trap.
Slot Translator::cluster_word(const Operand& o) {
  for (const auto& [at, what] : kClusterWords) {
    if (at == o.offset) {
      const bool uniform = o.ubase != kNoIndex;
      const Slot index = uniform ? ureg(o.ubase) : reg(o.base), other = temporary();
      compute(WordOp::kNotEqual, other, exec::kNoSlot, {index}, 0, Role::kBefore);
      const Slot guard = guarded_by(other);
      exec::Inst& in = emit(exec::Kind::kTrap, Role::kBefore);
      in.guard = guard;
      return special(what);
    }
  }
  missing(fmt::format("word 0x{:x} of constant bank 0, at an offset", o.offset));
  return constant(0);
}

// A word of constant bank 0: what the driver puts there, then the parameters.
Slot Translator::constant_word(const Operand& o, uint32_t word) {
  const auto offset = static_cast<uint32_t>(o.offset) + 4 * word;
  const Function& kernel = object_.functions[out_.functions.front()];
  if (o.bank == 0) {
    if (offset >= kernel.parameter_offset && kernel.parameter_offset != 0) {
      return parameter_word(offset - kernel.parameter_offset);
    }
    if (object_.capability >= kBlackwell) {
      return blackwell_word(offset);
    }
    for (const auto& [at, what] : kSystemWords) {
      if (at == offset) {
        return special(what);
      }
    }
    switch (offset) {
      case 0x20:
        return constant(exec::kLocalWindow & 0xffffffff);
      case 0x24:
        return constant(exec::kLocalWindow >> 32);
      case 0x28:
        return constant(out_.code.functions.front().local_bytes);
      case 0xc0:  // where the bank itself lies, so that parameters have addresses
        return constant(exec::kBankWindow & 0xffffffff);
      case 0xc4:
        return constant(exec::kBankWindow >> 32);
      case 0x198:  // where the parameters begin, for tensor maps, and end: asked of an H200
        return constant((exec::kBankWindow & 0xffffffff) + kernel.parameter_offset);
      case 0x1a0:
        return constant((exec::kBankWindow & 0xffffffff) + kernel.parameter_offset + kernel.parameter_bytes);
      case 0x19c:
      case 0x1a4:
        return constant(exec::kBankWindow >> 32);
      case 0x114:
        return constant(exec::kSharedReserve);
      case 0xd0:  // the same of bank 3: __constant__ variables
        return constant(exec::kConstWindow & 0xffffffff);
      case 0xd4:
        return constant(exec::kConstWindow >> 32);
      default:
        // The descriptor of global memory, which says nothing here.
        if (offset >= 0x200 && offset < 0x210 && object_.capability >= 90) {
          return constant(0);
        }
        if ((offset == 0x118 || offset == 0x11c) && object_.capability >= 80) {
          return constant(0);
        }
        missing(fmt::format("word 0x{:x} of constant bank 0", offset));
        return constant(0);
    }
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
  const uint32_t first = kUniforms + uniforms_ + 1;
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
    return exec::slot(Bank::kFrame, kUniforms + uniforms_);
  }
  if (index + word >= uniforms_) {
    missing(fmt::format("UR{} (legal: up to UR{})", index + word, most_uniforms() - 1));
  }
  return exec::slot(Bank::kFrame, kUniforms + std::min(index + word, uniforms_));
}
Slot Translator::predicate(const Operand& o) const {
  const uint32_t first = o.is(Kind::kUniformPredicate) ? kUniformPredicates : kPredicates;
  return exec::slot(Bank::kFrame, first + o.index);  // PT is the seventh
}
Slot Translator::barrier(uint32_t index) const { return exec::slot(Bank::kFrame, kBarriers + index % 16); }

// Of BAR.RED, for B2R.RESULT.
Slot Translator::barrier_result() const { return exec::slot(Bank::kFrame, kBarrierResult); }

// Of RPCMOV.
Slot Translator::return_register() const { return exec::slot(Bank::kFrame, kReturn); }

Slot Translator::temporary() {
  if (temporaries_ >= kMostTemporaries) {
    missing("so many operands");
    return exec::slot(Bank::kFrame, kTemporaries);
  }
  return exec::slot(Bank::kFrame, kTemporaries + temporaries_++);
}

uint32_t Translator::most_uniforms() const { return object_.capability >= kBlackwell ? 80 : 63; }

uint32_t Translator::frame_registers() const { return kUniforms + uniforms_ + 1 + registers_ + kSinks; }

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
      if (o.base != kNoIndex || o.ubase != kNoIndex) {
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

uint64_t Translator::negated(const Operand& o) const { return o.negate ? exec::arith::kNegatePredicate : 0; }

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
  if (!o.is(Kind::kPredicate) && !o.is(Kind::kUniformPredicate)) {
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
