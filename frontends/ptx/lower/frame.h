// What functions need of a stack: registers that they give back as they were, arguments that are in memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

// Positions in the order of the code: 2 * n instruction n reads, 2 * n + 1 it writes; n from 1 on.
struct Span {
  uint32_t first = 0, last = 0;
};
using Refused = std::array<std::vector<std::vector<Span>>, 3>;  // by file and number

// When registers with numbers of their own are alive, and when calls change which.
Refused refused_numbers(const Lowered& f);
// One more than the highest vector register that has a number of its own.
uint32_t fixed_registers(const Lowered& f);

// Once registers have numbers: R1 goes down at the beginning, and up again before each return; between that,
// what must be kept is stored and loaded.
void add_frame(Lowered& f);

}  // namespace heddle::ptx::lower
