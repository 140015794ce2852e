// Matrices between registers and memory (ptx.md 4.2, 4.3).
#pragma once

#include "sim/exec/matrix_op.h"

namespace heddle::exec {

// ldmatrix, stmatrix: lane 8m + r has the address of row r of tile m.
Refused load_tiles(const Spaces& spaces, MatrixAccess& a);
Refused store_tiles(const Spaces& spaces, MatrixAccess& a);
void transpose_tile(const Register& from, Register& to);

// wmma.load, wmma.store: element by element.
MatrixRefused load_fragment(const Spaces& spaces, MatrixAccess& a);
MatrixRefused store_fragment(const Spaces& spaces, MatrixAccess& a);
// From one row in memory to the next: of wmma, by its first lane.
uint64_t row_bytes(const MatrixAccess& a);

}  // namespace heddle::exec
