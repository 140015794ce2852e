// Copies by tensor maps (ptx.md 5): isa/tensor_map.h says which rows a tile has; here they go into shared
// memory and back.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "sim/base/align.h"
#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/transfer.h"
#include "sim/isa/tensor_map.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kMapBytes = 128, kMapAlign = 64;
constexpr uint64_t kTileAlign = 128;
constexpr uint64_t kUnit = 16;  // bytes that stay together in all swizzles

// Which bits of a shared address a swizzle changes: bits 4.. by those 3 further up.
uint64_t swizzled(uint64_t address, uint8_t swizzle) {
  constexpr uint64_t kBits[] = {0, 1, 3, 7};
  return address ^ (address >> 3 & kBits[swizzle] << 4);
}

isa::TensorMap map_at(const Spaces& spaces, uint32_t lane, const At& at) {
  isa::TensorMapBytes bytes;
  std::memcpy(bytes.data(), reach(spaces, lane, at, kMapBytes, kMapAlign, Use::kRead, "tensor map"),
              kMapBytes);
  isa::TensorMap m;
  if (const std::string wrong = isa::decode(bytes, m); !wrong.empty()) {
    throw Fault{fmt::format("{}, at 0x{:x}", wrong, at.address)};
  }
  return m;
}

isa::TensorMap map_of(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  isa::TensorMap m = map_at(spaces, lane, {Space::kGeneric, t.map});
  if (m.rank != t.op->dimensions || m.im2col != t.op->im2col) {
    throw Fault{fmt::format("copy of {} dimensions{} by a tensor map of {}{}", t.op->dimensions,
                            t.op->im2col ? ", im2col," : "", m.rank, m.im2col ? ", im2col" : "")};
  }
  if (m.interleave != 0) {
    throw Fault{"copies by tensor maps with an interleave cannot be executed yet"};
  }
  m.step[0] = 1;  // counts with an interleave only (driver's manual)
  return m;
}

uint64_t nan_of(const isa::TensorMap& m) {
  return m.element_bytes == 2   ? 0x7fff7fff7fff7fff
         : m.element_bytes == 4 ? 0x7fffffff7fffffff
                                : ~uint64_t{0} >> 1;
}

std::optional<AtomicType> atomic_type(uint8_t type) {
  constexpr AtomicType kTypes[] = {AtomicType::kU32, AtomicType::kS32, AtomicType::kU64,
                                   AtomicType::kS64, AtomicType::kF16, AtomicType::kF32,
                                   AtomicType::kF32, AtomicType::kF64, AtomicType::kBf16};
  return type < isa::kU32 ? std::nullopt : std::optional(kTypes[type - isa::kU32]);
}

AtomicFn reduction(const Transfer& t, const isa::TensorMap& m) {
  const auto type = atomic_type(m.type);
  const AtomicFn fn = type ? atomic_fn(t.op->reduction, *type, true) : nullptr;
  if (fn == nullptr) {
    throw Fault{fmt::format("reduction of this kind of elements of type {} of a tensor map", m.type)};
  }
  return fn;
}

// A row's bytes that are inside the tensor: where they begin in the row.
struct Inside {
  uint64_t begin = 0, bytes = 0, address = 0;
};
Inside inside(const isa::TensorTile& tile, const isa::TensorMap& m, const Transfer& t, uint32_t row) {
  const isa::TensorTile::Row r = tile.row(row);
  const auto before = static_cast<uint64_t>(std::max<int64_t>(0, -int64_t{t.coordinates[0]}));
  return {before * m.element_bytes, r.bytes, r.address};
}

// The tile's place in shared memory, in units of 16 bytes as the swizzle puts them.
class Box {
 public:
  Box(const Spaces& spaces, uint32_t lane, const At& at, uint64_t bytes, const isa::TensorMap& m, Use use)
      : swizzle_(m.swizzle), first_(at.address) {
    // Of a swizzled tile that ends inside 128 bytes, all of them are used.
    const uint64_t all = m.swizzle == 0 ? bytes : round_up(bytes, uint64_t{32} << (m.swizzle - 1));
    begin_ = reach(spaces, lane, at, all, kTileAlign, use, "tensor copy");
  }
  // For the bytes [from, to) of the tile, in pieces: f(bytes in shared memory, how far behind `from`, how
  // many).
  template <class F>
  void pieces(uint64_t from, uint64_t to, F f) const {
    for (uint64_t p = from; p < to;) {
      const uint64_t n = std::min(kUnit - p % kUnit, to - p);
      f(begin_ + (swizzled(first_ + p, swizzle_) - first_), p - from, n);
      p += n;
    }
  }

 private:
  uint8_t swizzle_;
  uint64_t first_;
  uint8_t* begin_ = nullptr;
};

void load(const Transfer& t, const Spaces& spaces, uint32_t lane, const isa::TensorMap& m,
          const isa::TensorTile& tile) {
  check_blocks(t, spaces);
  const uint64_t fill = m.nan_fill ? nan_of(m) : 0;
  uint8_t pattern[kUnit];
  for (uint64_t i = 0; i < kUnit; ++i) {
    pattern[i] = static_cast<uint8_t>(fill >> 8 * (i % 8));
  }
  for_blocks(t, [&](const At& to, const At& barrier) {
    const Box box(spaces, lane, to, tile.bytes(), m, Use::kWrite);
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const uint64_t begin = uint64_t{row} * tile.row_bytes;
      const Inside in = inside(tile, m, t, row);
      box.pieces(begin, begin + tile.row_bytes,
                 [&](uint8_t* at, uint64_t, uint64_t n) { copy_bytes(at, pattern, n); });
      if (in.bytes != 0) {
        const uint8_t* from = reach(spaces, lane, {Space::kGlobal, in.address}, in.bytes, 1, Use::kRead,
                                    "row of a tensor copy");
        box.pieces(begin + in.begin, begin + in.begin + in.bytes,
                   [&](uint8_t* at, uint64_t behind, uint64_t n) { copy_bytes(at, from + behind, n); });
      }
    }
    complete_bytes(spaces, lane, barrier, tile.bytes());
  });
}

// What a store writes of a row: an H200 fills the 16 bytes in which the tensor's row ends
// (tests/runtime/programs/tensormaps.cu), where there is memory and the box has elements for it. Loads, and
// what is left of the tensor, are exact.
uint64_t stored_bytes(const Spaces& spaces, const isa::TensorTile& tile, const Inside& in) {
  const uint64_t filled =
      std::min(round_up(in.address + in.bytes, kUnit) - in.address, tile.row_bytes - in.begin);
  const Memory::Range* r = spaces.memory->range(in.address);
  return r != nullptr && r->at(in.address, filled) != nullptr ? filled : in.bytes;
}

void store(const Transfer& t, const Spaces& spaces, uint32_t lane, const isa::TensorMap& m,
           const isa::TensorTile& tile) {
  const AtomicFn fn = t.op->reduces ? reduction(t, m) : nullptr;
  const Box box(spaces, lane, t.from, tile.bytes(), m, Use::kName);
  for (uint32_t row = 0; row < tile.rows; ++row) {
    const uint64_t begin = uint64_t{row} * tile.row_bytes;
    Inside in = inside(tile, m, t, row);
    if (in.bytes == 0) {
      continue;
    }
    in.bytes = fn == nullptr ? stored_bytes(spaces, tile, in) : in.bytes;
    uint8_t* const to =
        reach(spaces, lane, {Space::kGlobal, in.address}, in.bytes, 1, Use::kWrite, "row of a tensor copy");
    box.pieces(begin + in.begin, begin + in.begin + in.bytes,
               [&](uint8_t* from, uint64_t behind, uint64_t n) {
                 for (uint64_t i = 0; fn != nullptr && i < n; i += m.element_bytes) {
                   uint64_t operand[2] = {}, old[2] = {};
                   std::memcpy(operand, from + i, m.element_bytes);
                   fn(to + behind + i, operand, nullptr, old);
                 }
                 if (fn == nullptr) {
                   copy_bytes(to + behind, from, n);
                 }
               });
  }
}

}  // namespace

void perform_tensor(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  const isa::TensorMap m = map_of(t, spaces, lane);
  const isa::TensorTile tile =
      m.im2col ? isa::im2col(m, t.coordinates, t.offsets) : isa::tiled(m, t.coordinates);
  if (t.op->kind == TransferOp::Kind::kTensorLoad) {
    load(t, spaces, lane, m, tile);
  } else if (t.op->kind == TransferOp::Kind::kTensorStore) {
    store(t, spaces, lane, m, tile);
  }
}

void replace_field(const MapFieldOp& op, const Spaces& spaces, uint32_t lane, const At& at, uint64_t value) {
  using Field = MapFieldOp::Field;
  isa::TensorMap m = map_at(spaces, lane, at);
  const uint32_t i = op.dimension, most = op.field == Field::kStride ? 3 : isa::kMaxTensorRank - 1;
  if (i > most) {
    throw Fault{fmt::format("tensormap.replace of dimension {} (legal: 0 to {})", i, most)};
  }
  switch (op.field) {
    case Field::kAddress:
      m.address = value;
      break;
    case Field::kRank:
      m.rank = static_cast<uint8_t>(value + 1);
      break;
    case Field::kBox:
      m.box[i] = static_cast<uint32_t>(value);
      break;
    case Field::kSize:
      m.size[i] = static_cast<uint32_t>(value);
      break;
    case Field::kStride:
      m.stride[i + 1] = op.stride_in_bytes ? value : value * 16;
      break;
    case Field::kStep:
      m.step[i] = static_cast<uint32_t>(value);
      break;
    case Field::kType:  // 11, 12: tf32, with and without ftz
      m.tf32 = value > isa::kBf16;
      m.type = static_cast<uint8_t>(m.tf32 ? value - 4 : value);
      break;
    case Field::kInterleave:
      m.interleave = static_cast<uint8_t>(value);
      break;
    case Field::kSwizzle:
      m.swizzle = static_cast<uint8_t>(value);
      break;
    case Field::kFill:
      m.nan_fill = value != 0;
  }
  // The second half says nothing that the first does not.
  const isa::TensorMapBytes bytes = isa::encode(m);
  std::memcpy(reach(spaces, lane, at, kMapBytes, kMapAlign, Use::kWrite, "tensor map"), bytes.data(),
              kMapBytes / 2);
}

}  // namespace heddle::exec
