// Which functions a kernel may reach, in the order in which they can be lowered.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/ptx/module.h"

namespace heddle::ptx::lower {

struct Reached {
  uint32_t function = 0;  // of the module; has a body
  // Recursive, or its address is somewhere: keeps to the ABI. The others get registers that suit their
  // callers (README.md, Calls: only the former have a stack frame and 24 registers).
  bool standard = false;
};

// Functions before those who call them, the kernel last.
std::vector<Reached> reached_functions(const Module& module, uint32_t kernel);

// The function itself, or the one that it is another name of.
uint32_t resolved(const Module& module, uint32_t function);

}  // namespace heddle::ptx::lower
