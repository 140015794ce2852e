// How many registers each operand takes, from the opcode and the operand's place. Shared by the two decoders.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/sass/mma_shape.h"
#include "frontends/sass/opcode_table.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

class Widths {
 public:
  Widths() = default;
  Widths(std::string_view opcode, const OpcodeInfo& info);

  // Registers of the register destination.
  uint8_t dest() const;
  // Registers of a source that is not an address; `position` counts the source operands from 0, addresses
  // included. Matrix instructions have A, B, C at 0, 1, 2.
  uint8_t source(int position) const;
  // Registers of an address's base register where the text names no width.
  uint8_t address() const;

  const MmaShape& shape() const { return shape_; }

 private:
  OpcodeInfo info_;
  MmaShape shape_;
  bool extended_ = false;  // .E: a 64-bit address
};

// `count` cut to the registers that `file` has from `index` on, so that no consumer's table is overrun.
uint8_t clamp_count(isa::RegFile file, uint8_t index, uint8_t count);

// Fills the fields of `in` that follow from the opcode text alone: class, space, width, flags, matrix shape
// ...
void fill_from_opcode(const OpcodeInfo& info, const Widths& widths, isa::Instr& in);

}  // namespace heddle::sass
