// Modifiers of PTX as sim/exec/arith names them.
#pragma once

#include "frontends/ptx/op.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/arith/float.h"
#include "sim/exec/arith/number.h"

namespace heddle::ptx {

// Plain bits are unsigned numbers; of pairs (f16x2) the number of one half. kNone: predicates and others.
exec::arith::Number number_of(Type type);
bool is_pair(Type type);  // of floating-point numbers

exec::arith::Round round_of(Rounding rounding);
exec::arith::FloatHow float_how(const Op& op);
exec::arith::Comparison comparison_of(const Op& op, Type type);

}  // namespace heddle::ptx
