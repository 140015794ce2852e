// An instruction's text (disassemble.h) taken apart again: guard, mnemonic, operands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cubin/word.h"

namespace heddle::cubin {

inline constexpr uint32_t kZeroRegister = 255, kZeroUniform = 255, kTruePredicate = 7;
inline constexpr uint32_t kNoIndex = UINT32_MAX;

struct Operand {
  enum class Kind : uint8_t {
    kRegister,          // index; kZeroRegister
    kUniform,           // index; kZeroUniform
    kPredicate,         // index; kTruePredicate
    kUniformPredicate,  //
    kNumber,            // bits
    kConstant,          // c[bank][offset], c[bank][base+offset], c[bank][ubase+offset]
    kAddress,           // [base+ubase+offset], desc[UR][...], gdesc[UR]
    kBarrier,           // B0
    kSpecial,           // suffix: "SR_TID.X"
    kOther,             // suffix: as it is
  };
  Kind kind = Kind::kOther;
  bool negate = false;    // -, of predicates !
  bool absolute = false;  // |R1|
  bool invert = false;    // ~
  uint32_t index = 0;
  uint64_t bits = 0;
  uint32_t bank = 0;
  uint32_t base = kNoIndex, ubase = kNoIndex;
  uint32_t base_shift = 0;   // .X4 and so on
  bool base_narrow = false;  // .U32, beside a uniform register of 64 bits
  bool described = false;    // desc[...], gdesc[...]: of the latter `ubase` is the register
  int64_t offset = 0;
  std::string suffix;  // ".H0_H0", ".B1", ".tnspB"

  bool is(Kind k) const { return kind == k; }
  bool is_zero() const {
    return (kind == Kind::kRegister && index == kZeroRegister) ||
           (kind == Kind::kUniform && index == kZeroUniform) || (kind == Kind::kNumber && bits == 0);
  }
};

struct Parsed {
  bool guarded = false, guard_negated = false, guard_uniform = false;
  uint32_t guard = kTruePredicate;
  std::string name;      // "IMAD"
  std::string mnemonic;  // "IMAD.WIDE.U32"
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  std::string text;

  mutable std::vector<bool> asked;  // of the modifiers: somebody has looked for it

  bool has(std::string_view modifier) const;
};

// A number that is written as a float is taken from the word, where it has 32 bits.
Parsed parse_line(const std::string& text, const Word& word);

}  // namespace heddle::cubin
