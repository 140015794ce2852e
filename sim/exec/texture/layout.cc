#include "sim/exec/texture/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/align.h"
#include "sim/base/error.h"

namespace heddle::exec::texture {
namespace {

constexpr uint64_t kBlockBytes = 64, kBlockRows = 8, kBlock = kBlockBytes * kBlockRows;

uint64_t row_bytes(const Image& i, uint32_t level) {
  return round_up(uint64_t{width_at(i, level)} * i.texel_bytes(), kBlockBytes);
}

bool in_blocks(const Image& i) { return i.storage == Storage::kBlocks && i.geometry != Geometry::k1d; }

uint64_t plane_bytes(const Image& i, uint32_t level) {
  if (!in_blocks(i)) {
    return i.storage == Storage::kPitch ? uint64_t{i.pitch} * i.height : row_bytes(i, level);
  }
  return row_bytes(i, level) * round_up(uint64_t{height_at(i, level)}, kBlockRows);
}

// Of a slice.
uint64_t slice_bytes(const Image& i, uint32_t level) { return plane_bytes(i, level) * depth_at(i, level); }

// All slices of the levels before this one.
uint64_t level_at(const Image& i, uint32_t level) {
  uint64_t out = 0;
  for (uint32_t l = 0; l < level; ++l) {
    out += slice_bytes(i, l) * i.slices();
  }
  return out;
}

// Calls f(address, place among the elements) for each element of a level.
template <class F>
void for_elements(const Image& i, uint32_t level, F f) {
  uint64_t at = 0;
  for (uint32_t slice = 0; slice < i.slices(); ++slice) {
    for (uint32_t z = 0; z < depth_at(i, level); ++z) {
      for (uint32_t y = 0; y < height_at(i, level); ++y) {
        for (uint32_t x = 0; x < width_at(i, level); ++x, at += i.texel_bytes()) {
          f(address_of(i, level, x * i.texel_bytes(), y, z, slice), at);
        }
      }
    }
  }
}

uint8_t* all_of(const Memory& memory, const Image& i) {
  const Memory::Range* const r = memory.range(i.data);
  uint8_t* const at = r != nullptr ? r->at(i.data, bytes_of(i)) : nullptr;
  if (at == nullptr) {
    throw Error(
        fmt::format("an image of {} bytes at {:#x} is not all in one allocation", bytes_of(i), i.data));
  }
  return at;
}

}  // namespace

uint32_t width_at(const Image& i, uint32_t level) { return std::max(1U, i.width >> level); }
uint32_t height_at(const Image& i, uint32_t level) { return std::max(1U, i.height >> level); }
uint32_t depth_at(const Image& i, uint32_t level) { return std::max(1U, i.depth >> level); }

uint64_t bytes_of(const Image& i) {
  if (i.storage == Storage::kBuffer) {
    return uint64_t{i.width} * i.texel_bytes();
  }
  return level_at(i, i.levels);
}

uint64_t address_of(const Image& i, uint32_t level, uint32_t x, uint32_t y, uint32_t z, uint32_t slice) {
  if (i.storage != Storage::kBlocks) {
    return i.data + x + uint64_t{y} * i.pitch;
  }
  uint64_t at = i.data + level_at(i, level) + slice * slice_bytes(i, level);
  at += z * plane_bytes(i, level);
  if (!in_blocks(i)) {
    return at + x;
  }
  const uint64_t block = y / kBlockRows * (row_bytes(i, level) / kBlockBytes) + x / kBlockBytes;
  const uint64_t inside = x / 32 % 2 * 256 + y / 2 % 4 * 64 + x / 16 % 2 * 32 + y % 2 * 16 + x % 16;
  return at + block * kBlock + inside;
}

uint64_t packed_bytes(const Image& i, uint32_t level) {
  return uint64_t{width_at(i, level)} * height_at(i, level) * depth_at(i, level) * i.slices() *
         i.texel_bytes();
}

void fill(Memory& memory, const Image& i, uint32_t level, std::span<const uint8_t> elements) {
  if (elements.size() != packed_bytes(i, level)) {
    throw Error(fmt::format("{} bytes for a level of {} bytes", elements.size(), packed_bytes(i, level)));
  }
  uint8_t* const all = all_of(memory, i);
  for_elements(i, level, [&](uint64_t address, uint64_t at) {
    std::copy_n(elements.data() + at, i.texel_bytes(), all + (address - i.data));
  });
  memory.mark_written(i.data, bytes_of(i));
}

std::vector<uint8_t> contents(const Memory& memory, const Image& i, uint32_t level) {
  std::vector<uint8_t> out(packed_bytes(i, level));
  const uint8_t* const all = all_of(memory, i);
  for_elements(i, level, [&](uint64_t address, uint64_t at) {
    std::copy_n(all + (address - i.data), i.texel_bytes(), out.data() + at);
  });
  return out;
}

}  // namespace heddle::exec::texture
