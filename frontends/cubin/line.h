// The text of one instruction, put together piece by piece as the disassembler writes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "frontends/cubin/word.h"

namespace heddle::cubin {

// How a number in an instruction is written.
enum class Number : uint8_t { kUnsigned, kSigned, kFloat, kDouble, kHalves, kBfloats };

// Bits that keep a source in the cache of operands.
inline constexpr uint32_t kReuseFirst = 122, kReuseSecond = 123, kReuseThird = 124;

class Line {
 public:
  // `pc`: of the instruction in bytes; what jumps names its target.
  Line(const Word& word, uint64_t pc, uint32_t capability) : w_(word), pc_(pc), capability_(capability) {}

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
  Line& fixed(uint32_t first, uint32_t count, uint64_t value) {
    if (bits(first, count) != value) {
      unknown();
    }
    return *this;
  }
  // That there is a uniform register is said by the two bits above its number; from 10.0 on, where that has
  // eight bits, by another one.
  Line& described(uint32_t ureg, uint64_t above, uint32_t bit) {
    return blackwell() ? fixed(bit, 1, 1) : fixed(ureg + 6, 2, above);
  }
  bool no_ureg(uint32_t first) const { return bits(first, ureg_bits()) == (1U << ureg_bits()) - 1; }
  // Bits that are set and that nobody has asked for.
  Word leftover() const { return {w_.low & ~said_.low, w_.high & ~said_.high}; }
  // Whether these say nothing: no register, predicates that hold.
  bool all_said() const;

  // ---- the mnemonic
  Line& op(std::string_view name) {
    name_ = name;
    return *this;
  }
  Line& suffix(std::string_view text) {
    name_ += text;
    return *this;
  }
  Line& flag(uint32_t at, std::string_view text) { return bit(at) ? suffix(text) : *this; }
  // One of the names, by the value of so many bits; values without a name make the instruction unknown.
  Line& pick(uint32_t first, uint32_t count, std::span<const std::string_view> names);
  Line& pick(uint32_t first, uint32_t count, std::initializer_list<std::string_view> names) {
    return pick(first, count, std::span(names.begin(), names.size()));
  }
  Line& rounding(uint32_t first) { return pick(first, 2, {"", ".RM", ".RP", ".RZ"}); }

  // ---- operands
  Line& text(const std::string& text);
  Line& reg(uint32_t first) { return text(reg_name(first)); }
  Line& ureg(uint32_t first) { return text(ureg_name(first)); }
  Line& destination() { return uniform_ ? ureg(16) : reg(16); }
  // A predicate that is written, and one that is read: three bits, and one that negates it.
  Line& pred(uint32_t first) { return text(pred_name(first, false)); }
  Line& pred(uint32_t first, uint32_t negated) { return text(pred_name(first, bit(negated))); }
  // The sources of an arithmetic instruction; 0: it has no such bit.
  Line& a(uint32_t negated = 0, uint32_t absolute = 0, std::string_view behind = "");
  Line& b(Number n, uint32_t negated = 0, uint32_t absolute = 0, std::string_view behind = "");
  Line& c(Number n, uint32_t negated = 0, uint32_t absolute = 0, std::string_view behind = "");
  // Of two sources the second one; `reuse`: the bit that keeps it in the cache of operands.
  Line& second(Number n, uint32_t negated = 0, uint32_t absolute = 0, std::string_view behind = "",
               uint32_t reuse = kReuseSecond);
  Line& number(uint64_t value);
  Line& signed_number(int64_t value);
  // Where it goes on: bytes behind the next instruction.
  Line& target(int64_t bytes) { return text(target_text(bytes)); }
  std::string target_text(int64_t bytes) const;

  // The datapath of a warp instead of a thread: registers UR, predicates UP.
  Line& uniform() {
    uniform_ = true;
    return *this;
  }
  bool is_uniform() const { return uniform_; }
  // Of the source in the place from bit 64 on: where it is negated and where absolute.
  Line& wide_signs(uint32_t negated, uint32_t absolute) {
    wide_negated_ = negated;
    wide_absolute_ = absolute;
    return *this;
  }
  bool swapped() const;  // the place from bit 32 on has the third source
  // A negative source is written ~: of a sum with a carry in.
  Line& complemented(bool yes) {
    minus_ = yes ? "~" : "-";
    return *this;
  }
  // The guard is a predicate of that datapath.
  Line& uniform_guard() {
    uniform_guard_ = true;
    return *this;
  }
  void unknown() const { known_ = false; }
  bool known() const { return known_ && !name_.empty(); }

  std::string reg_name(uint32_t first) const;
  std::string ureg_name(uint32_t first) const;
  std::string pred_name(uint32_t first, bool negated) const;
  // [R2.64+0x10], [R1+UR4+-0x8], [0x20]; `reg`: where its register is, or kNoPlace; `wide`: behind it.
  static constexpr uint32_t kNoPlace = 128;
  std::string address(uint32_t reg, std::string_view wide, int64_t offset,
                      const std::string& ureg = "") const;
  // c[0x0][0x210], c[0x0][R2+0x10]
  std::string constant(const std::string& index = "") const;

  std::string str() const;

 private:
  uint32_t ureg_bits() const { return blackwell() ? 8 : 6; }
  std::string place32(Number n, uint32_t negated, uint32_t absolute, uint32_t reuse,
                      std::string_view behind) const;
  std::string place64(uint32_t negated, uint32_t absolute, uint32_t reuse, std::string_view behind) const;
  std::string immediate(Number n) const;
  // -|R1|.reuse
  std::string source(std::string text, uint32_t negated, uint32_t absolute, uint32_t reuse,
                     std::string_view behind) const;
  void said(uint32_t first, uint32_t count) const {
    for (uint32_t i = first; i < first + count; ++i) {
      (i < 64 ? said_.low : said_.high) |= uint64_t{1} << i % 64;
    }
  }

  // Opcode and form; when it is issued, which registers are kept.
  mutable Word said_{0xfff, ~uint64_t{0} << 41};
  const Word w_;
  const uint64_t pc_;
  const uint32_t capability_;
  std::string name_, operands_;
  std::string_view minus_ = "-";
  uint32_t wide_negated_ = 75, wide_absolute_ = 74;
  bool uniform_ = false, uniform_guard_ = false;
  mutable bool known_ = true;
  mutable bool names_uniform_ = false;  // a register or a predicate of the warp is an operand
};

// What a float is as the disassembler writes it.
std::string float_text(double value);

}  // namespace heddle::cubin
