// Tensor maps (CUtensorMap) and the tiles that tensor copies move by them: ptx.md's cp.async.bulk.tensor. The
// 128 bytes as measured on an H200: tools/microbench/results/h200_tensor_maps.txt, FINDINGS.md 24.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/isa/kernel.h"

namespace heddle::isa {

inline constexpr uint32_t kMaxTensorRank = 5;

// As the map counts, and tensormap.replace.
enum TensorType : uint8_t { kU8, kU16, kU32, kS32, kU64, kS64, kF16, kF32, kF32Ftz, kF64, kBf16 };
inline constexpr uint8_t kAnyTensorType = 0xff;

struct TensorMap {
  uint64_t address = 0;  // global, of the tensor
  uint8_t rank = 0;      // 1..5
  uint8_t element_bytes = 0;
  uint8_t type = kAnyTensorType;                       // TensorType; encode(): any of that many bytes
  bool tf32 = false;                                   // of kF32, kF32Ftz
  bool nan_fill = false;                               // outside the tensor: a NaN instead of 0
  uint8_t interleave = 0, swizzle = 0, promotion = 0;  // as the driver's enumerations count
  bool im2col = false;
  std::array<uint32_t, kMaxTensorRank> size{};    // elements; of the tensor
  std::array<uint64_t, kMaxTensorRank> stride{};  // bytes; of dimension 0 an element's
  std::array<uint32_t, kMaxTensorRank> box{};     // elements; tiled mode
  std::array<uint32_t, kMaxTensorRank> step{};    // element strides
  uint32_t channels = 0, pixels = 0;              // im2col: elements of dimension 0, positions
  std::array<int32_t, 3> lower{}, upper{};        // im2col: corners of dimensions 1..rank-2
};

// Reads a map; returns what is wrong with it, empty when nothing is.
std::string decode(const TensorMapBytes& bytes, TensorMap& out);

// The same backwards; what does not fit its field is cut.
TensorMapBytes encode(const TensorMap& map);

// What one copy moves: rows of dimension 0, row by row into shared memory without a gap. Plain data, so that
// it can outlive its map.
struct TensorTile {
  struct Row {
    uint64_t address = 0;  // of the first byte inside the tensor
    uint32_t bytes = 0;    // inside; 0: the row lies outside, shared memory gets the fill
  };
  uint64_t base = 0;  // of the row of the first position
  uint32_t rows = 0;
  uint32_t row_bytes = 0;     // in shared memory
  uint32_t inside_bytes = 0;  // of a row, in the tensor
  uint8_t dims = 0;           // of the positions: dimensions 1.. of the tensor
  // Positions: `first` of the tile in the tensor, walked with `step` over `count` of each (tiled), or within
  // [low, high) of the space the pixels move in (im2col).
  struct Axis {
    int64_t first = 0;  // coordinate of the first row
    int64_t low = 0, high = 0;
    int64_t offset = 0;  // added where the tensor is read (im2col)
    uint32_t size = 0;   // of the tensor
    uint32_t count = 0, step = 1;
    uint64_t stride = 0;  // bytes

    template <class Archive>
    void serialize(Archive& ar) {
      ar(first, low, high, offset, size, count, step, stride);
    }
  };
  std::array<Axis, kMaxTensorRank - 1> axis{};
  bool im2col = false;

  // Bytes that it fills in shared memory, and its barrier object counts: outside the tensor, too.
  uint64_t bytes() const { return uint64_t{rows} * row_bytes; }
  Row row(uint32_t i) const;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(base, rows, row_bytes, inside_bytes, dims, axis, im2col);
  }
};

using TensorCoordinates = std::array<int32_t, kMaxTensorRank>;  // elements, dimension 0 first
TensorTile tiled(const TensorMap& map, const TensorCoordinates& at);
// `offsets`: of the dimensions between the channels and the images.
TensorTile im2col(const TensorMap& map, const TensorCoordinates& at, const std::array<uint16_t, 3>& offsets);

}  // namespace heddle::isa
