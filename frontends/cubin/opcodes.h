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

std::span<const Opcode> integer_opcodes();
std::span<const Opcode> float_opcodes();
std::span<const Opcode> conversion_opcodes();
std::span<const Opcode> memory_opcodes();
std::span<const Opcode> control_opcodes();
std::span<const Opcode> async_opcodes();
std::span<const Opcode> matrix_opcodes();

}  // namespace heddle::cubin
