// One instruction's function, called on values.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/decode.h"
#include "frontends/ptx/execute/arith_handler.h"
#include "frontends/ptx/form.h"

namespace heddle::exec::test {

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
inline uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }

// A register's word: of floating-point numbers their bits.
struct Word {
  template <std::integral T>
  Word(T x) : v(static_cast<uint64_t>(x)) {}
  Word(float x) : v(bits(x)) {}
  Word(double x) : v(bits(x)) {}
  uint64_t v;
};

// An instruction, by its text before the operands.
class Instruction {
 public:
  // `sources`: how many, where forms differ in that. `register_bits`: of the destination, 0: as its type.
  explicit Instruction(std::string_view text, size_t sources = 0, uint32_t register_bits = 0,
                       bool second = false)
      : text_(text) {
    const auto decoded = ptx::decode(text_, {90, 90, 'a'});
    for (const ptx::Op& op : decoded.candidates) {
      size_t count = 0;
      for (const ptx::OperandSpec& o : op.form->operands) {
        count += o.role != ptx::OperandRole::kDestination && o.role != ptx::OperandRole::kDestinationOrSink;
      }
      if (sources == 0 || count >= sources) {
        op_ = op;
        break;
      }
    }
    if (op_.form == nullptr) {
      throw std::runtime_error(text_ + ": " + decoded.error);
    }
    ptx::ArithOperands operands;
    operands.register_bits =
        register_bits != 0 ? register_bits : ptx::bits(ptx::type_of(op_.form->operands[0], op_));
    operands.second = second;
    fn_ = ptx::arith_handler(op_, operands);
    if (fn_.fn == nullptr) {
      throw std::runtime_error(text_ + " is not covered");
    }
  }

  // Results of the operands; the lanes beside them hold others, and a lane outside the mask keeps its value.
  uint64_t operator()(std::initializer_list<Word> values) {
    size_t i = 0;
    for (const auto& [v] : values) {
      s_[i].fill(~v & (v > UINT32_MAX ? ~uint64_t{0} : 0xffff));
      s_[i][kLane] = v;
      ++i;
    }
    const uint64_t alone = run(1U << kLane, i, kLane);
    for (size_t k = 0; k < i; ++k) {
      s_[k].fill(s_[k][kLane]);
    }
    const uint64_t together = run(~0U, i, 31);
    if (alone != together) {
      throw std::runtime_error(text_ + ": one lane and all lanes differ");
    }
    return alone;
  }

  uint64_t second = 0;  // d1
  uint64_t carry = 0;   // before and after

 private:
  static constexpr uint32_t kLane = 5;

  uint64_t run(uint32_t mask, size_t count, uint32_t lane) {
    Arguments a;
    d_[0].fill(kOther);
    d_[1].fill(kOther);
    carry_.fill(carry_before_ = carry_count_++ == 0 ? carry : carry_before_);
    a.d[0] = &d_[0];
    a.d[1] = &d_[1];
    for (size_t i = 0; i < count; ++i) {
      a.s[i] = &s_[i];
    }
    Register control;
    control.fill(fn_.control);
    if (fn_.controlled) {
      a.s[arith::kControlPlace] = &control;
    }
    a.carry = &carry_;
    fn_.fn(a, mask);
    if (mask != ~0U && d_[0][lane + 1] != kOther) {
      throw std::runtime_error(text_ + ": writes lanes outside the mask");
    }
    if (mask == ~0U) {
      carry_count_ = 0;
    }
    second = d_[1][lane];
    carry = carry_[lane];
    return d_[0][lane];
  }

  static constexpr uint64_t kOther = 0x1234567812345678;
  std::string text_;
  ptx::Op op_;
  arith::Fn fn_;
  Register d_[2], s_[5], carry_{};
  uint64_t carry_before_ = 0;
  int carry_count_ = 0;
};

inline uint64_t value(std::string_view text, std::initializer_list<Word> s, uint32_t register_bits = 0) {
  return Instruction(text, s.size(), register_bits)(s);
}

}  // namespace heddle::exec::test
