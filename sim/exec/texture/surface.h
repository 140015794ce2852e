// Loads, stores and reductions on surfaces, and what queries give (LC16; ptx.md 2.13).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/exec/memory.h"
#include "sim/exec/texture/descriptor.h"
#include "sim/exec/texture/ops.h"

namespace heddle::exec::texture {

// One lane's place. x counts bytes, of TextureOp::formatted elements.
struct SurfacePlace {
  std::array<int32_t, 3> n{};
  int32_t layer = 0;
};

// The address of the first byte that the instruction reaches: outside, of the nearest place (kClamp) or
// nothing (kZero). Throws Fault for what is outside (kTrap), for an x that is no multiple of the access's
// size, and for memory that is not there.
std::optional<uint64_t> place_on(const TextureOp& op, const Image& i, const SurfacePlace& p,
                                 const Memory& memory);

// What is loaded or stored, or the operand: by register, as wide as TextureOp::bytes.
using SurfaceData = std::array<uint64_t, 4>;

// At an address that place_on() has given.
void perform_on(const TextureOp& op, const Image& i, uint64_t address, const Memory& memory,
                SurfaceData& data);

// txq, suq. `level`: of a width, height or depth. Heights of arrays of one dimension are those that an H200
// gives: 1 of textures, 0 of surfaces and buffers, the number of layers; depths of layered objects are their
// layers.
uint32_t answer(TextureOp::Query query, const Descriptor& d, uint32_t level);

}  // namespace heddle::exec::texture
