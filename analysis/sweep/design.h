// From a sweep's axes to its points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sweep/sweep.pb.h"

namespace heddle::sweep {

struct Point {
  std::vector<std::string> values;  // one per axis, as tables show it
  std::vector<std::string> set;     // overrides: those for all points, then the axes' in order
};

inline constexpr size_t kMaxPoints = 1'000'000;

// The points in order; the same for the same sweep. Without axes there is one. Throws heddle::Error that
// begins with the axis: an unknown path, values that are no numbers in a range, LIST axes of different
// lengths, more than kMaxPoints.
std::vector<Point> design_points(const Sweep& sweep);

// "8", "1.5", "16KiB" (16384); nothing for other text.
std::optional<double> number_of(std::string_view value);

}  // namespace heddle::sweep
