// Tensor memory of an SM of capability 10.x (PTX ISA 9.0, 9.7.16.1): 128 lanes of 512 columns of 32 bits.
// Programs ask for columns; which block of an SM gets which is not modelled here: each block has its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::exec {

inline constexpr uint32_t kTensorLanes = 128;
inline constexpr uint32_t kTensorColumns = 512;
inline constexpr uint32_t kTensorLanesOfWarp = 32;  // those that a warp reaches: of its number modulo 4

struct TensorAddress {
  uint32_t lane = 0, column = 0;

  static TensorAddress decode(uint64_t bits) {
    return {static_cast<uint32_t>(bits >> 16 & 0xffff), static_cast<uint32_t>(bits & 0xffff)};
  }
};

class TensorMemory {
 public:
  // The first column of so many that are free; nothing: there are none now. Throws Fault when no program may
  // ask for so many, or the block has said that it asks no more.
  std::optional<uint32_t> allocate(uint32_t columns);
  // Throws Fault when they were not allocated as a whole.
  void free(uint32_t first, uint32_t columns);
  void relinquish() { relinquished_ = true; }
  uint32_t allocated() const;  // columns

  // Throws Fault when there is no such cell, or it is not allocated.
  uint32_t& cell(uint32_t lane, uint32_t column);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(pieces_, taken_, cells_, relinquished_);
  }

 private:
  static constexpr uint32_t kUnit = 32;  // columns
  struct Piece {
    uint32_t first, columns;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(first, columns);
    }
  };
  std::vector<Piece> pieces_;
  std::array<bool, kTensorColumns / kUnit> taken_{};
  std::vector<uint32_t> cells_;  // lane after lane; none before the first allocation
  bool relinquished_ = false;
};

}  // namespace heddle::exec
