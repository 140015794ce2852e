// The shapes and types of instructions on matrices, as fragments and products (ptx.md 4.1, 4.3, 4.4).
#pragma once

#include "frontends/ptx/op.h"
#include "sim/exec/code.h"

namespace heddle::ptx {

uint32_t element_bits(Type type);  // in memory: 1 for b1, 32 for tf32
bool is_float_product(const exec::matrix::Product& p);

// What wmma.load and wmma.store move: elements narrower than 8 bits as 32 bits at once.
exec::matrix::Fragment wmma_fragment(const Op& op);

// Fill in fragments and the product, for operands that have their slots. False: there is no such product.
bool shape_of_mma(const Op& op, exec::MatrixOp& m);  // wmma.mma, mma, mma.sp
void shape_of_wgmma(const Op& op, exec::MatrixOp& m);

}  // namespace heddle::ptx
