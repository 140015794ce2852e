// Time of the host model: whole picoseconds since the workload's start.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle::host {

using Ps = uint64_t;
inline constexpr Ps kNever = std::numeric_limits<Ps>::max();
inline constexpr Ps kPsPerNs = 1000;
inline constexpr Ps kPsPerUs = 1000000;

inline Ps from_ns(double ns) { return static_cast<Ps>(std::llround(ns * 1e3)); }
inline Ps from_us(double us) { return static_cast<Ps>(std::llround(us * 1e6)); }
inline double to_us(Ps t) { return static_cast<double>(t) * 1e-6; }

}  // namespace heddle::host
