#include "tools/runtime/copies.h"

#include "frontends/cuda/status.h"

namespace heddle::runtime {

using cuda::Status;

cuda::CopyWork plain_copy(uint64_t to, uint64_t from, uint64_t bytes, int32_t kind) {
  cuda::require(kind >= 0 && kind <= 4, Status::kInvalidMemcpyDirection);
  cuda::require(bytes == 0 || (to != 0 && from != 0), Status::kInvalidValue, "a null pointer");
  cuda::CopyWork c;
  c.to = to;
  c.from = from;
  c.width = bytes;
  c.direction = static_cast<cuda::CopyWork::Direction>(kind);
  return c;
}

cuda::CopyWork copy_2d(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, uint64_t width,
                       uint64_t height, int32_t kind) {
  cuda::CopyWork c = plain_copy(to, from, width, kind);
  cuda::require(width <= to_pitch && width <= from_pitch, Status::kInvalidPitchValue);
  c.height = height;
  c.to_pitch = to_pitch;
  c.from_pitch = from_pitch;
  return c;
}

cuda::CopyWork copy_3d(const abi::Copy3D& p, cuda::AddressSpace& space) {
  cuda::require(p.from_array == nullptr && p.to_array == nullptr, Status::kNotSupported,
                "copies of CUDA arrays");
  const auto at = [&](const abi::PitchedPointer& a, const abi::Position& o) {
    uint64_t rows = 0, offset = 0;
    const bool beyond =
        __builtin_mul_overflow(a.height, o.z, &rows) || __builtin_add_overflow(rows, o.y, &rows) ||
        __builtin_mul_overflow(rows, a.pitch, &offset) || __builtin_add_overflow(offset, o.x, &offset);
    cuda::require(!beyond, Status::kInvalidValue, "a position beyond all memory");
    return space.behind(reinterpret_cast<uint64_t>(a.pointer), offset);
  };
  if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) {
    return plain_copy(0, 0, 0, p.kind);
  }
  cuda::CopyWork c = plain_copy(at(p.to, p.to_at), at(p.from, p.from_at), p.extent.width, p.kind);
  c.height = p.extent.height;
  c.depth = p.extent.depth;
  cuda::require((c.height <= 1 && c.depth <= 1) || (c.width <= p.to.pitch && c.width <= p.from.pitch),
                Status::kInvalidPitchValue);
  cuda::require(c.depth <= 1 || (c.height <= p.to.height && c.height <= p.from.height), Status::kInvalidValue,
                "planes that overlap");
  c.to_pitch = p.to.pitch;
  c.from_pitch = p.from.pitch;
  const bool beyond = __builtin_mul_overflow(p.to.pitch, p.to.height, &c.to_plane) ||
                      __builtin_mul_overflow(p.from.pitch, p.from.height, &c.from_plane);
  cuda::require(!beyond || c.depth == 1, Status::kInvalidValue, "planes beyond all memory");
  return c;
}

cuda::MemsetWork memset_of(uint64_t to, uint64_t pitch, int32_t value, uint64_t width, uint64_t height) {
  cuda::MemsetWork m;
  m.to = to;
  m.value = static_cast<uint32_t>(value);
  m.width = width;
  m.height = height;
  m.pitch = pitch;
  return m;
}

}  // namespace heddle::runtime
