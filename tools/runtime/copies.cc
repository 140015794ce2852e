#include "tools/runtime/copies.h"

#include <algorithm>
#include <utility>
#include <vector>

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

namespace {

uint64_t address_at(const CopyEnd& e, cuda::Context& c) {
  uint64_t rows = 0, offset = 0;
  const bool beyond =
      __builtin_mul_overflow(e.rows, e.z, &rows) || __builtin_add_overflow(rows, e.y, &rows) ||
      __builtin_mul_overflow(rows, e.pitch, &offset) || __builtin_add_overflow(offset, e.x_bytes, &offset);
  cuda::require(!beyond, Status::kInvalidValue, "a position beyond all memory");
  return c.space().behind(e.address, offset);
}

// Of a side in memory: the address, from a row and from a plane to the next.
void place(const CopyEnd& e, size_t bytes, size_t rows, size_t planes, uint64_t& address, uint64_t& pitch,
           uint64_t& plane, cuda::Context& c) {
  address = address_at(e, c);
  cuda::require((rows <= 1 && planes <= 1) || bytes <= e.pitch, Status::kInvalidPitchValue);
  cuda::require(planes <= 1 || rows <= e.rows, Status::kInvalidValue, "planes that overlap");
  pitch = e.pitch;
  const bool beyond = __builtin_mul_overflow(e.pitch, e.rows, &plane);
  cuda::require(!beyond || planes == 1, Status::kInvalidValue, "planes beyond all memory");
}

}  // namespace

cuda::CopyWork copy_between(const CopyEnd& to, const CopyEnd& from, size_t bytes, size_t rows, size_t planes,
                            int32_t kind, cuda::Context& c) {
  if (bytes == 0 || rows == 0 || planes == 0) {
    return plain_copy(0, 0, 0, kind);
  }
  cuda::CopyWork w = plain_copy(1, 1, bytes, kind);
  w.height = rows;
  w.depth = planes;
  if (to.array != nullptr) {
    w.to_array = cuda::place_in(c.array(to.array), to.x_bytes, to.y, to.z, bytes, rows, planes);
    w.to = w.to_array->image.data;
  } else {
    place(to, bytes, rows, planes, w.to, w.to_pitch, w.to_plane, c);
  }
  if (from.array != nullptr) {
    w.from_array = cuda::place_in(c.array(from.array), from.x_bytes, from.y, from.z, bytes, rows, planes);
    w.from = w.from_array->image.data;
  } else {
    place(from, bytes, rows, planes, w.from, w.from_pitch, w.from_plane, c);
  }
  return w;
}

cuda::CopyWork copy_3d(const abi::Copy3D& p, cuda::Context& c) {
  cuda::require((p.from_array == nullptr || p.from.pointer == nullptr) &&
                    (p.to_array == nullptr || p.to.pointer == nullptr),
                Status::kInvalidValue, "an array and a pointer");
  // Where there is an array, widths count its elements.
  const auto element = [&](const void* array) -> size_t {
    return array == nullptr ? 0 : c.array(array).image.texel_bytes();
  };
  const size_t to_element = element(p.to_array), from_element = element(p.from_array);
  cuda::require(to_element == 0 || from_element == 0 || to_element == from_element, Status::kInvalidValue,
                "arrays whose elements differ in size");
  const auto times = [](size_t a, size_t b) {
    size_t out = 0;
    cuda::require(!__builtin_mul_overflow(a, b, &out), Status::kInvalidValue,
                  "more than all bytes that there are");
    return out;
  };
  const auto end = [&](void* array, size_t bytes, const abi::Position& at,
                       const abi::PitchedPointer& pointer) {
    return CopyEnd{reinterpret_cast<uint64_t>(pointer.pointer),  array, pointer.pitch, pointer.height,
                   array == nullptr ? at.x : times(at.x, bytes), at.y,  at.z};
  };
  return copy_between(end(p.to_array, to_element, p.to_at, p.to),
                      end(p.from_array, from_element, p.from_at, p.from),
                      times(p.extent.width, std::max<size_t>(1, std::max(to_element, from_element))),
                      p.extent.height, p.extent.depth, p.kind, c);
}

void copy_through(CopyEnd to, CopyEnd from, size_t bytes, int32_t kind, cuda::Stream& stream, bool waits,
                  cuda::Context& c) {
  const auto row_of = [&](const CopyEnd& e) -> size_t {
    if (e.array == nullptr) {
      return 0;
    }
    const exec::texture::Image& i = c.array(e.array).image;
    return size_t{i.width} * i.texel_bytes();
  };
  const size_t to_row = row_of(to), from_row = row_of(from);
  // All pieces have to be there before the first one is copied.
  std::vector<cuda::CopyWork> all;
  while (bytes != 0) {
    size_t piece = bytes, rows = 1;
    for (const auto& [e, row] : {std::pair(&to, to_row), std::pair(&from, from_row)}) {
      cuda::require(row == 0 || e->x_bytes < row, Status::kInvalidValue, "a place that is not in the array");
      piece = row == 0 ? piece : std::min(piece, row - e->x_bytes);
    }
    const bool whole = (to_row == 0 || (to.x_bytes == 0 && piece == to_row)) &&
                       (from_row == 0 || (from.x_bytes == 0 && piece == from_row));
    rows = whole ? bytes / piece : 1;
    to.pitch = from.pitch = piece;
    all.push_back(copy_between(to, from, piece, rows, 1, kind, c));
    bytes -= piece * rows;
    for (const auto& [e, row] : {std::pair(&to, to_row), std::pair(&from, from_row)}) {
      if (row == 0) {
        e->address += piece * rows;
      } else {
        e->x_bytes += piece;
        e->y += whole ? rows : e->x_bytes == row ? 1 : 0;
        e->x_bytes = e->x_bytes == row ? 0 : e->x_bytes;
      }
    }
  }
  for (const cuda::CopyWork& w : all) {
    c.copy(w, stream, waits);
  }
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
