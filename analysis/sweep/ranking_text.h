// What `heddle sweep best` and `heddle sweep plot` say and draw.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/sweep/ranking.h"
#include "analysis/sweep/results.h"

namespace heddle::sweep {

// The best `top` configurations. `group_by`: empty, "trace" (the best of each launch), "gpu" or an axis (the
// best of each of its values). Throws heddle::Error for other names.
std::string best_text(SweepResults& results, const Objective& objective, size_t baseline,
                      const std::string& group_by, size_t top);

// The Pareto front of two objectives or more.
std::string pareto_text(SweepResults& results, const std::vector<Objective>& objectives, size_t baseline);

// The points of two objectives, with the front.
std::string pareto_svg(SweepResults& results, const std::vector<Objective>& objectives, size_t baseline);

// A metric along an axis: a line per launch and their geometric mean, each the geometric mean over all other
// axes. With `y`, a map over two axes of the geometric mean over everything else. Values relative to the
// baseline. Throws heddle::Error for metrics that are not positive everywhere.
std::string axis_svg(SweepResults& results, const std::string& metric, size_t baseline, const std::string& x);
std::string map_svg(SweepResults& results, const std::string& metric, size_t baseline, const std::string& x,
                    const std::string& y);

}  // namespace heddle::sweep
