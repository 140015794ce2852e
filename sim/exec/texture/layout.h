// Where the elements of an image lie. Silicon's arrays are opaque (GM17); ours lie in blocks of 64 bytes by 8
// rows, whose 32-byte sectors hold 16 bytes of two rows, as public documentation of NVIDIA's block-linear
// surfaces has them (Tegra X1 TRM, "block linear"): what is near in two dimensions is in the same sectors and
// lines (LC10). That an H200 has just these blocks is assumed; it decides sectors, never values. Arrays of
// one dimension are rows. Levels lie one behind the other with all their slices, so each is an image itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/exec/memory.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::exec::texture {

uint32_t width_at(const Image& i, uint32_t level);
uint32_t height_at(const Image& i, uint32_t level);
uint32_t depth_at(const Image& i, uint32_t level);

// Bytes of all of an image.
uint64_t bytes_of(const Image& i);
// The address of byte `x` of a row. `slice`: layer * faces + face. All inside the image.
uint64_t address_of(const Image& i, uint32_t level, uint32_t x, uint32_t y, uint32_t z, uint32_t slice);

// Copies elements in the order x, y, z, slice, of one level, without gaps: as cudaMemcpy3D does. Throw Error
// when the sizes differ or the image is not in the memory.
void fill(Memory& memory, const Image& i, uint32_t level, std::span<const uint8_t> elements);
std::vector<uint8_t> contents(const Memory& memory, const Image& i, uint32_t level);
// Of a level.
uint64_t packed_bytes(const Image& i, uint32_t level);

}  // namespace heddle::exec::texture
