// Products of f64: a chain of fused multiply-adds in the order of K.
#pragma once

#include "sim/exec/matrix/product.h"

namespace heddle::exec::matrix {

void double_chain(const Product& p, const Factorised& x, Words& d);

}  // namespace heddle::exec::matrix
