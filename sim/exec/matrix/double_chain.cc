#include "sim/exec/matrix/double_chain.h"

#include <algorithm>

#include "sim/exec/arith/float.h"

namespace heddle::exec::matrix {

// A function of registers does it, 32 results at once.
void double_chain(const Product& p, const Factorised& x, Words& d) {
  arith::FloatHow how;
  how.round = p.round;
  const arith::Fn fma = arith::float_fn(arith::FloatOp::kFma, arith::Number::kF64, false, how);
  Register a, b, sum, control;
  control.fill(fma.control);
  Arguments arguments;
  arguments.d[0] = &sum;
  arguments.s[0] = &a;
  arguments.s[1] = &b;
  arguments.s[2] = &sum;
  arguments.s[arith::kControlPlace] = fma.controlled ? &control : nullptr;
  const uint32_t results = uint32_t{p.m} * p.n;
  for (uint32_t first = 0; first < results; first += kLanes) {
    const uint32_t lanes = std::min(kLanes, results - first);
    std::copy_n(x.c.bits.begin() + first, lanes, sum.begin());
    for (uint32_t k = 0; k < x.a.cols; ++k) {
      for (uint32_t l = 0; l < lanes; ++l) {
        a[l] = x.a.row((first + l) / p.n)[k];
        b[l] = x.b.row((first + l) % p.n)[k];
      }
      fma.fn(arguments, lanes == kLanes ? ~0U : (1U << lanes) - 1);
    }
    std::copy_n(sum.begin(), lanes, d.bits.begin() + first);
  }
}

}  // namespace heddle::exec::matrix
