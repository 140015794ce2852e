// m8n8k4 of f16: Hopper has no instruction for it, ptxas (13.0) calls a function that adds up in f32.
#pragma once

#include "sim/exec/matrix/product.h"

namespace heddle::exec::matrix {

// f32 D: fused multiply-adds from 0 on in the order of K, then C. f16 D: C, then the first two products, then
// the last two (pairs are a product and a fused multiply-add), then rounded to f16.
void quad_chain(const Product& p, const Factorised& x, Words& d);

}  // namespace heddle::exec::matrix
