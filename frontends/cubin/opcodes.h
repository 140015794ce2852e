// How the instructions of each unit are written, by opcode.
#pragma once

#include <cstdint>
#include <span>

#include "frontends/cubin/line.h"

namespace heddle::cubin {

struct Opcode {
  uint32_t opcode;  // Word::opcode()
  void (*write)(Line&);
};
// With capabilities that have it: those of 10.x, of 12.x, or both.
struct NewOpcode {
  uint32_t first, last;
  Opcode opcode;
};

std::span<const Opcode> integer_opcodes();
std::span<const Opcode> float_opcodes();
std::span<const Opcode> conversion_opcodes();
std::span<const Opcode> memory_opcodes();
std::span<const Opcode> control_opcodes();
std::span<const Opcode> async_opcodes();
std::span<const Opcode> matrix_opcodes();
std::span<const NewOpcode> blackwell_opcodes();

}  // namespace heddle::cubin
