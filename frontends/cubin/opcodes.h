// How the instructions of each unit are written, by opcode.
#pragma once

#include <cstdint>
#include <span>

#include "frontends/cubin/fields.h"

namespace heddle::cubin {

struct OpcodeRow {
  uint32_t opcode;  // Word::opcode()
  void (*write)(Fields&);
};
// With capabilities that have it: those of 10.x, of 12.x, or both.
struct NewOpcodeRow {
  uint32_t first, last;
  OpcodeRow opcode;
};

std::span<const OpcodeRow> integer_opcodes();
std::span<const OpcodeRow> float_opcodes();
std::span<const OpcodeRow> conversion_opcodes();
std::span<const OpcodeRow> memory_opcodes();
std::span<const OpcodeRow> control_opcodes();
std::span<const OpcodeRow> async_opcodes();
std::span<const OpcodeRow> matrix_opcodes();
std::span<const OpcodeRow> texture_opcodes();
std::span<const NewOpcodeRow> blackwell_opcodes();

}  // namespace heddle::cubin
