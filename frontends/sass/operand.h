// The textual operands of a SASS line, before anything is known about what the instruction does with them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/sass/lexical.h"

namespace heddle::sass {

struct TextOperand {
  enum class Kind : uint8_t {
    kRegister,
    kAddress,     // [R2.64+UR4+0x8], desc[UR4][R2.64]
    kDescriptor,  // gdesc[UR8]: a matrix descriptor in uniform registers; tmem[UR4], idesc[UR5]; `name`:
                  // which
    kConstant,    // c[0x0][0x28], cx[UR4][0x10]
    kImmediate,
    kCounters,  // {5,4} or {SB5,SB4}
    kName,      // SR_TID.X, gsb0, 2D, `(.L_x_3)
  };
  Kind kind = Kind::kName;
  std::array<RegisterName, 4> reg{};  // in the order of the text
  uint8_t n_reg = 0;
  bool integer = false;   // kImmediate: an integer, in `value`
  int64_t value = 0;      // kImmediate
  uint16_t bank = 0;      // kConstant
  uint32_t offset = 0;    // kConstant: immediate part
  uint8_t counters = 0;   // kCounters: bit mask
  std::string_view name;  // kName; the label alone where the text is `(label)
};

inline bool is_predicate(const TextOperand& o) {
  return o.kind == TextOperand::Kind::kRegister &&
         (o.reg[0].file == isa::RegFile::kPredicate || o.reg[0].file == isa::RegFile::kUniformPredicate);
}

// A vector or uniform register.
inline bool is_register(const TextOperand& o) {
  return o.kind == TextOperand::Kind::kRegister &&
         (o.reg[0].file == isa::RegFile::kGpr || o.reg[0].file == isa::RegFile::kUniform);
}

struct TextInstruction {
  RegisterName guard;        // file kNone when there is no guard
  bool guard_never = false;  // @!PT
  std::string_view opcode;
  std::vector<TextOperand> operands;
};

// Splits "@!P0 LDG.E R4, desc[UR4][R2.64+0x8] ;". Throws heddle::Error, without file and line, when the text
// is not an instruction. Views point into `text`.
TextInstruction parse_instruction(std::string_view text);

}  // namespace heddle::sass
