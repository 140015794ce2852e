// From a sweep's axes to its points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sweep/sweep.pb.h"
#include "sim/base/error.h"

namespace heddle::sweep {

struct Point {
  std::vector<std::string> values;  // one per axis, as tables show it
  std::vector<std::string> set;     // overrides: those for all points, then the axes' in order
};

// Sweep.max_points may be as much; each point takes some milliseconds to check before anything runs.
inline constexpr size_t kMaxPoints = 1'000'000;

// What is wrong with an axis; `what()` begins with its name.
class AxisError : public Error {
 public:
  AxisError(int number, const std::string& what) : Error(what), axis(number) {}
  int axis;  // from 0
};

// How many points there are, without making them. Throws AxisError for an unknown path, values that are no
// numbers in a range, LIST axes of different lengths; heddle::Error for more points than allowed.
size_t count_points(const Sweep& sweep);

// The points in order; the same for the same sweep. Without axes there is one. Throws like count_points().
std::vector<Point> design_points(const Sweep& sweep);

// "8", "1.5", "16KiB" (16384); nothing for other text.
std::optional<double> number_of(std::string_view value);

}  // namespace heddle::sweep
