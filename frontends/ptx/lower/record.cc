#include "frontends/ptx/lower/record.h"

#include "sim/base/error.h"

namespace heddle::ptx::lower {
namespace {

class Recorder {
 public:
  Recorder(const Lowered& f, const Machine& m) : f_(f), m_(m), out_(m.opcode) {}

  sass::Decoded run(uint32_t target) {
    if (m_.guard.there()) {
      out_.guarded = true;
      out_.guard_negated = m_.guard_negated;
      out_.guard = static_cast<uint8_t>(number(m_.guard));
    }
    for (const Field& f : m_.d) {
      add(operand(f));
    }
    if (m_.copied_to) {
      add(address(*m_.copied_to, false));
    }
    if (m_.address) {
      add(address(*m_.address, m_.space == isa::MemSpace::kGlobal || m_.space == isa::MemSpace::kGeneric ||
                                   m_.space == isa::MemSpace::kDistributedShared));  // STAS: a pair
    }
    for (const Field& f : m_.s) {
      add(operand(f));
    }
    if (m_.opcode.name == sass::Mnemonic::kRET) {
      out_.operands[1].after_blank = true;
    }
    if (m_.target != kNone || m_.callee != kNone) {
      add(immediate(target));
    }
    return out_;
  }

 private:
  void add(const sass::Operand& o) {
    if (!out_.add(o)) {
      throw Error("too many operands");
    }
  }

  File file(const Value& v) const { return f_.registers[v.reg].file; }
  uint32_t number(const Value& v) const { return static_cast<uint32_t>(f_.registers[v.reg].number) + v.part; }

  sass::Operand operand(const Field& f) const {
    switch (f.kind) {
      case Field::Kind::kValue: {
        constexpr SassKind kKinds[] = {SassKind::kRegister, SassKind::kUniform, SassKind::kPredicate};
        return {.kind = kKinds[static_cast<size_t>(file(f.value))],
                .negate = f.negated,
                .index = number(f.value)};
      }
      case Field::Kind::kNumber:
        return immediate(f.number);
      case Field::Kind::kPlace: {
        sass::Operand o = bracketed(f.value);
        o.kind = f.place_kind;
        return o;
      }
      case Field::Kind::kOperand:
        return f.operand;
      case Field::Kind::kCode:
        return immediate(f.number < static_cast<int64_t>(f_.blocks.size())
                             ? int64_t{f_.blocks[static_cast<size_t>(f.number)].first} * kInstructionBytes
                             : 0);
      case Field::Kind::kZero:
        break;
    }
    return sass::of_warp(m_.opcode.name) ? kURZ : kRZ;
  }

  sass::Operand bracketed(const Value& v) const {
    sass::Operand o{.kind = SassKind::kAddress};
    (file(v) == File::kUniform ? o.ubase : o.base) = number(v);
    return o;
  }

  sass::Operand address(const Address& a, bool global) const {
    sass::Operand o = a.base.there() ? bracketed(a.base) : sass::Operand{.kind = SassKind::kAddress};
    o.base_wide = a.base.there() && a.wide && global;
    o.offset = a.offset;
    return o;
  }

  const Lowered& f_;
  const Machine& m_;
  sass::Decoded out_;
};

}  // namespace

sass::Decoded record(const Lowered& f, const Machine& m, uint32_t target) {
  return Recorder(f, m).run(target);
}

}  // namespace heddle::ptx::lower
