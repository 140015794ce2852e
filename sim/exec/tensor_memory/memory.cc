#include "sim/exec/tensor_memory/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/exec/async/reach.h"

namespace heddle::exec {

// Columns lie at a multiple of their number (assumed), the first that are free.
std::optional<uint32_t> TensorMemory::allocate(uint32_t columns) {
  if (!std::has_single_bit(columns) || columns < kUnit || columns > kTensorColumns) {
    throw Fault{
        fmt::format("allocation of {} columns of tensor memory (legal: 32, 64, 128, 256, 512)", columns)};
  }
  if (relinquished_) {
    throw Fault{"allocation of tensor memory behind relinquish_alloc_permit (legal: before it)"};
  }
  const uint32_t units = columns / kUnit;
  for (uint32_t at = 0; at + units <= taken_.size(); at += units) {
    const auto first = taken_.begin() + at;
    if (std::none_of(first, first + units, [](bool t) { return t; })) {
      std::fill(first, first + units, true);
      pieces_.push_back({at * kUnit, columns});
      cells_.resize(size_t{kTensorLanes} * kTensorColumns);
      return at * kUnit;
    }
  }
  return std::nullopt;
}

void TensorMemory::free(uint32_t first, uint32_t columns) {
  const auto it = std::find_if(pieces_.begin(), pieces_.end(),
                               [&](const Piece& p) { return p.first == first && p.columns == columns; });
  if (it == pieces_.end()) {
    throw Fault{
        fmt::format("tensor memory of {} columns at {} is freed, but was not allocated so", columns, first)};
  }
  std::fill_n(taken_.begin() + first / kUnit, columns / kUnit, false);
  pieces_.erase(it);
}

uint32_t TensorMemory::allocated() const {
  uint32_t sum = 0;
  for (const Piece& p : pieces_) {
    sum += p.columns;
  }
  return sum;
}

uint32_t& TensorMemory::cell(uint32_t lane, uint32_t column) {
  if (lane >= kTensorLanes || column >= kTensorColumns || !taken_[column / kUnit]) {
    throw Fault{fmt::format("lane {}, column {} of tensor memory is out of bounds ({} columns are allocated)",
                            lane, column, allocated())};
  }
  return cells_[size_t{lane} * kTensorColumns + column];
}

}  // namespace heddle::exec
