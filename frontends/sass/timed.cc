#include "frontends/sass/timed.h"

#include "frontends/sass/operands.h"
#include "frontends/sass/record/text.h"

namespace heddle::sass {
namespace {

using isa::RegFile;

RegisterName named(RegFile file, uint32_t index, uint32_t zero) {
  RegisterName r;
  r.file = file;
  r.zero = index == zero;
  r.index = r.zero ? 0 : static_cast<uint8_t>(index);
  return r;
}
RegisterName uniform(uint32_t index) { return named(RegFile::kUniform, index, kZeroUniform); }

void add(TextOperand& to, const RegisterName& r) { to.reg[to.n_reg++] = r; }

// Registers between the brackets.
void inside(const Operand& o, TextOperand& to) {
  if (o.descriptor != kNoIndex) {
    RegisterName r = uniform(o.descriptor);
    r.descriptor = true;
    add(to, r);
  }
  if (o.base != kNoIndex) {
    RegisterName r = named(RegFile::kGpr, o.base, kZeroRegister);
    r.wide = o.base_wide;
    r.narrow = o.base_narrow;
    add(to, r);
  }
  if (o.ubase != kNoIndex) {
    RegisterName r = uniform(o.ubase);
    r.wide = o.base_wide && o.base == kNoIndex;
    add(to, r);
  }
  to.offset = static_cast<uint32_t>(o.offset);
}

TextOperand in_register(const RegisterName& r) {
  TextOperand to;
  to.kind = TextOperand::Kind::kRegister;
  add(to, r);
  return to;
}
TextOperand in_predicates(RegFile file) {
  RegisterName r;
  r.file = file;
  r.all = true;
  return in_register(r);
}

TextOperand operand(const Operand& o) {
  TextOperand to;
  switch (o.kind) {
    case Operand::Kind::kRegister:
      return in_register(named(RegFile::kGpr, o.index, kZeroRegister));
    case Operand::Kind::kUniform:
      return in_register(uniform(o.index));
    case Operand::Kind::kPredicate:
      return in_register(named(RegFile::kPredicate, o.index, kTruePredicate));
    case Operand::Kind::kUniformPredicate:
      return in_register(named(RegFile::kUniformPredicate, o.index, kTruePredicate));
    case Operand::Kind::kPredicates:
      return in_predicates(RegFile::kPredicate);
    case Operand::Kind::kUniformPredicates:
      return in_predicates(RegFile::kUniformPredicate);
    case Operand::Kind::kBarrier:
      return in_register(named(RegFile::kConvergence, o.index, kNoIndex));
    case Operand::Kind::kScoreboard:
      return in_register(named(RegFile::kScoreboard, o.index, kNoIndex));
    case Operand::Kind::kScoreboards:
      to.kind = TextOperand::Kind::kCounters;
      to.counters = static_cast<uint8_t>(o.bits);
      return to;
    case Operand::Kind::kNumber:
      to.kind = TextOperand::Kind::kImmediate;
      to.integer = o.written == Operand::Written::kUnsigned || o.written == Operand::Written::kSigned;
      to.value = to.integer ? static_cast<int64_t>(o.bits) : 0;
      return to;
    case Operand::Kind::kConstant:
      to.kind = TextOperand::Kind::kConstant;
      to.bank = static_cast<uint16_t>(o.bank);
      inside(o, to);
      return to;
    case Operand::Kind::kAddress:
      to.kind = TextOperand::Kind::kAddress;
      inside(o, to);
      return to;
    case Operand::Kind::kMatrix:
    case Operand::Kind::kPolicy:
    case Operand::Kind::kTensorMemory:
    case Operand::Kind::kTensorShape:
      to.kind = TextOperand::Kind::kDescriptor;
      to.name = bracketed(o.kind);
      inside(o, to);
      to.reg[0].descriptor = true;
      return to;
    case Operand::Kind::kSpecial:
      to.name = special_name(o.index);
      return to;
    case Operand::Kind::kGroupCounter:
      to.name = "gsb0";
      return to;
    case Operand::Kind::kTexture:
      to.name = text(static_cast<Mod>(o.index));
      return to;
    case Operand::Kind::kReturn:
    case Operand::Kind::kThreadState:
    case Operand::Kind::kTextureHeader:
    case Operand::Kind::kNone:
      return to;
  }
  return to;
}

}  // namespace

isa::Instr timed(uint32_t pc, const Decoded& d, OpcodePool& pool) {
  const uint16_t opcode = pool.intern(static_cast<const Opcode&>(d));
  TextInstruction t;
  if (d.guarded) {
    t.guard =
        named(d.guard_uniform ? RegFile::kUniformPredicate : RegFile::kPredicate, d.guard, kTruePredicate);
    t.guard_never = t.guard.zero && d.guard_negated;
  }
  t.opcode = pool.opcodes()[opcode];
  t.operands.reserve(d.count);
  for (size_t i = 0; i < d.count; ++i) {
    t.operands.push_back(operand(d.operands[i]));
  }
  const Encoding e{d.word.low, d.word.high};
  const bool encoded = (e.lo | e.hi) != 0;
  return decode_operands(pc, t, opcode, encoded ? &e : nullptr, pool);
}

}  // namespace heddle::sass
