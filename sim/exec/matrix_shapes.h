// The fragments of products: how their matrices lie in registers (ptx.md 4.1, 4.3, 4.4).
#pragma once

#include <cstdint>

#include "sim/exec/code.h"

namespace heddle::exec::matrix {

// A and B of mma and wgmma: a cell is a register. Of bits, 32 are one element of K.
Fragment factor(Element e, uint32_t rows, uint32_t k, bool rows_first);
// C and D: a cell has two elements.
Fragment sums(Element e, uint32_t rows, uint32_t cols);

// Fill in the fragments and the numerics of a product whose elements, m and n are in m.product.
// `k`: of B; a sparse A has half of it.
void shape_mma(MatrixOp& m, uint32_t k, bool sparse);
// Of a warp: 16 of the 64 rows.
void shape_wgmma(MatrixOp& m, uint32_t k, bool sparse);

}  // namespace heddle::exec::matrix
