// The record of one instruction, put together field by field as the disassembler writes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "frontends/cubin/record.h"

namespace heddle::cubin {

// How a number in an instruction is written.
enum class Number : uint8_t { kUnsigned, kSigned, kFloat, kDouble, kHalves, kBfloats };

// Bits that keep a source in the cache of operands.
inline constexpr uint32_t kReuseFirst = 122, kReuseSecond = 123, kReuseThird = 124;

class Fields {
 public:
  using Kind = Operand::Kind;

  // `pc`: of the instruction in bytes; what jumps names its target.
  Fields(const Word& word, uint64_t pc, uint32_t capability, Decoded& out)
      : w_(word), pc_(pc), capability_(capability), out_(out) {}

  // A value that is asked for counts as said: what nobody asks for has to be as usual (leftover()).
  uint64_t bits(uint32_t first, uint32_t count) const {
    said(first, count);
    return w_.bits(first, count);
  }
  int64_t signed_bits(uint32_t first, uint32_t count) const {
    said(first, count);
    return w_.signed_bits(first, count);
  }
  bool bit(uint32_t i) const { return bits(i, 1) != 0; }
  uint32_t opcode() const { return w_.opcode(); }
  uint32_t form() const { return w_.form(); }
  uint32_t capability() const { return capability_; }
  // Blackwell: 10.x and 12.x; of the latter, with whole numbers of 64 bits.
  bool blackwell() const { return capability_ >= 100; }
  bool wide_integers() const { return capability_ >= 120; }
  // Bits that mean nothing here; any other value makes the instruction unknown.
  Fields& fixed(uint32_t first, uint32_t count, uint64_t value) {
    if (bits(first, count) != value) {
      unknown();
    }
    return *this;
  }
  // That there is a uniform register is said by the two bits above its number; from 10.0 on, where that has
  // eight bits, by another one.
  Fields& described(uint32_t ureg, uint64_t above, uint32_t bit) {
    return blackwell() ? fixed(bit, 1, 1) : fixed(ureg + 6, 2, above);
  }
  bool no_ureg(uint32_t first) const { return bits(first, ureg_bits()) == (1U << ureg_bits()) - 1; }
  // Bits that are set and that nobody has asked for.
  Word leftover() const { return {w_.low & ~said_.low, w_.high & ~said_.high}; }
  // The last call. False: it is not known, or leftover bits do not say nothing (no register, predicates that
  // hold).
  bool finish();

  // ---- the mnemonic
  Fields& op(const Opcode& opcode) {
    static_cast<Opcode&>(out_) = opcode;
    return *this;
  }
  // What it is called in the datapath of a thread and in that of a warp.
  Fields& op(const Opcode& of_thread, const Opcode& of_warp) { return op(uniform_ ? of_warp : of_thread); }
  Fields& suffix(const Suffix& s);
  Fields& shape(uint64_t m, uint64_t n, uint64_t k) {
    return suffix(Shape{static_cast<uint16_t>(m), static_cast<uint16_t>(n), static_cast<uint16_t>(k)});
  }
  Fields& either(bool first, const Suffix& yes, const Suffix& no) { return suffix(first ? yes : no); }
  Fields& flag(uint32_t at, const Suffix& s) { return bit(at) ? suffix(s) : *this; }
  // One of them, by the value of so many bits; values without a name make the instruction unknown.
  Fields& pick(uint32_t first, uint32_t count, std::span<const Suffix> names);
  Fields& pick(uint32_t first, uint32_t count, std::initializer_list<Suffix> names) {
    return pick(first, count, std::span(names.begin(), names.size()));
  }
  Fields& rounding(uint32_t first) { return pick(first, 2, {"", ".RM", ".RP", ".RZ"}); }

  // ---- operands
  Fields& add(const Operand& o);
  Fields& reg(uint32_t first) { return add(reg_at(first)); }
  Fields& ureg(uint32_t first) { return add(ureg_at(first)); }
  Fields& destination() { return uniform_ ? ureg(16) : reg(16); }
  // A predicate that is written, and one that is read: three bits, and one that negates it.
  Fields& pred(uint32_t first) { return add(pred_at(first)); }
  Fields& pred(uint32_t first, uint32_t negated) { return add(pred_at(first, bit(negated))); }
  // The same of the warp, of an instruction of threads.
  Fields& upred(uint32_t first, bool negated = false);
  // The sources of an arithmetic instruction; 0: it has no such bit.
  Fields& a(uint32_t negated = 0, uint32_t absolute = 0, Part behind = Part::kNone);
  Fields& b(Number n, uint32_t negated = 0, uint32_t absolute = 0, Part behind = Part::kNone);
  Fields& c(Number n, uint32_t negated = 0, uint32_t absolute = 0, Part behind = Part::kNone);
  // Of two sources the second one; `reuse`: the bit that keeps it in the cache of operands.
  Fields& second(Number n, uint32_t negated = 0, uint32_t absolute = 0, Part behind = Part::kNone,
                 uint32_t reuse = kReuseSecond);
  Fields& number(uint64_t value) { return add(number_of(value, Operand::Written::kUnsigned)); }
  Fields& signed_number(int64_t value) {
    return add(number_of(static_cast<uint64_t>(value), Operand::Written::kSigned));
  }
  // Where it goes on: bytes behind the next instruction.
  Fields& target(int64_t bytes) { return signed_number(target_of(bytes)); }
  int64_t target_of(int64_t bytes) const { return static_cast<int64_t>(pc_) + 16 + bytes; }
  // A number behind a register, with a blank between them.
  Fields& beside(int64_t value);
  Fields& named(Kind kind, uint32_t index = 0);

  // The datapath of a warp instead of a thread: registers UR, predicates UP.
  Fields& uniform() {
    uniform_ = true;
    return *this;
  }
  bool is_uniform() const { return uniform_; }
  // Of the source in the place from bit 64 on: where it is negated and where absolute.
  Fields& wide_signs(uint32_t negated, uint32_t absolute) {
    wide_negated_ = negated;
    wide_absolute_ = absolute;
    return *this;
  }
  bool swapped() const;  // the place from bit 32 on has the third source
  // A negative source is written ~: of a sum with a carry in.
  Fields& complemented(bool yes) {
    complemented_ = yes;
    return *this;
  }
  // The guard is a predicate of that datapath.
  Fields& uniform_guard() {
    uniform_guard_ = true;
    return *this;
  }
  void unknown() const { known_ = false; }

  Operand reg_at(uint32_t first) const;
  Operand ureg_at(uint32_t first) const;
  uint32_t ureg_index(uint32_t first) const { return ureg_at(first).index; }
  Operand pred_at(uint32_t first, bool negated = false) const;
  // [R2+0x10], [R1+UR4+-0x8], [0x20]; `reg`: where its register is; `ureg`: number of the uniform one.
  Operand address(uint32_t reg, int64_t offset, uint32_t ureg = kNoIndex) const;
  // [R2.64+0x10], [R2.64+UR4]
  Operand wide_address(uint32_t reg, int64_t offset, uint32_t ureg = kNoIndex) const {
    Operand o = address(reg, offset, ureg);
    o.base_wide = true;
    return o;
  }
  // [UR4+0x10]
  Operand uniform_address(uint32_t ureg, int64_t offset) const {
    Operand o = of(Kind::kAddress, 0);
    o.ubase = ureg_index(ureg);
    o.offset = offset;
    return o;
  }
  // [R2.64+UR4], [R2.U32+UR4]: by bit 90; both are always written.
  Operand mixed_address(uint32_t reg, int64_t offset, uint32_t ureg) const;
  // c[0x0][0x210], c[0x0][R2+0x10], c[0x0][UR2]
  Operand constant(uint32_t base = kNoIndex, uint32_t ubase = kNoIndex) const;
  static Operand number_of(uint64_t value, Operand::Written written);
  static Operand of(Kind kind, uint32_t index);

 private:
  uint32_t ureg_bits() const { return blackwell() ? 8 : 6; }
  Fields& place32(Number n, uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind);
  Fields& place64(uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind);
  Fields& immediate(Number n);
  // -|R1|.reuse
  Fields& source(Operand o, uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind);
  bool all_said() const;
  void said(uint32_t first, uint32_t count) const {
    const uint64_t mask = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    if (first >= 64) {
      said_.high |= mask << (first - 64);
      return;
    }
    said_.low |= mask << first;
    said_.high |= first + count > 64 ? mask >> (64 - first) : 0;
  }

  // Opcode and form; when it is issued, which registers are kept.
  mutable Word said_{0xfff, ~uint64_t{0} << 41};
  const Word w_;
  const uint64_t pc_;
  const uint32_t capability_;
  Decoded& out_;
  uint32_t wide_negated_ = 75, wide_absolute_ = 74;
  bool complemented_ = false;
  bool uniform_ = false, uniform_guard_ = false;
  mutable bool known_ = true;
  mutable bool names_uniform_ = false;  // a register or a predicate of the warp is an operand
};

}  // namespace heddle::cubin
