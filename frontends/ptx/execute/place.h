// Where a module's variables lie: what loading a module does.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/ptx/module.h"
#include "sim/exec/memory.h"

namespace heddle::ptx {

constexpr uint64_t kNowhere = UINT64_MAX;

struct Placement {
  std::vector<uint64_t> address;    // by variable, in its space; of .global and .const
  std::vector<uint8_t> const_data;  // the constant space
};

// Puts the .global variables into the memory, each as an allocation of its own, and fills them; a .texref,
// .samplerref or .surfref has room for an exec::texture::Descriptor, which is none at first. Throws Error
// when the constants do not fit into 64 KiB.
Placement place(const Module& module, exec::Memory& memory);

// The generic address of a byte of a variable.
uint64_t generic_address(const Variable& variable, uint64_t address);
uint64_t function_address(uint32_t function);

}  // namespace heddle::ptx
