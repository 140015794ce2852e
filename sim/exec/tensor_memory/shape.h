// Which cells of tensor memory an instruction moves (PTX ISA 9.0, 9.7.16.2.3).
#pragma once

#include <cstdint>

#include "sim/exec/tensor_memory/memory.h"
#include "sim/exec/tensor_memory/ops.h"

namespace heddle::exec {

// Of tcgen05.ld and .st: the cell of register `i` of a lane of the warp, from the address on.
TensorAddress cell_of(CellShape shape, uint32_t lane, uint32_t i, uint32_t half_offset);

// The lanes of tensor memory that a load or store of this shape reaches.
constexpr uint32_t lanes_of(CellShape shape) { return shape == CellShape::k32x32b ? 32 : 16; }

// Of tcgen05.cp: rows of shared memory and bytes of each; and the lanes that a row goes to.
struct CopyRows {
  uint32_t rows = 128, bytes = 32;
  uint32_t copies = 1;  // lanes that each row goes to
  uint32_t apart = 0;   // from one of them to the next
};
CopyRows rows_of(CopyShape shape);
// The first lane of a row.
uint32_t lane_of(CopyShape shape, uint32_t row);

}  // namespace heddle::exec
