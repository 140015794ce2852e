// Time of the host model: whole picoseconds since the workload's start.
#pragma once

#include <cmath>

#include "sim/base/quantity.h"

namespace heddle::host {

using Ps = Quantity<struct PsTag>;
inline constexpr Ps kNever = Ps::max();

inline Ps from_ns(double ns) { return Ps(std::llround(ns * 1e3)); }
inline Ps from_us(double us) { return Ps(std::llround(us * 1e6)); }
// For rates and fractions, which are doubles.
inline double in_ps(Ps t) { return static_cast<double>(t.count()); }
inline double to_us(Ps t) { return in_ps(t) * 1e-6; }

}  // namespace heddle::host
