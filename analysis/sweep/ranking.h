// Which configurations of a sweep are best: one number per configuration and objective, the order, the Pareto
// front.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sweep/results.h"

namespace heddle::sweep {

// What is to be small or large: "cycles", "l1tex__t_sector_hit_rate.pct:max", an axis with numbers.
struct Objective {
  std::string name;
  bool largest = false;  // ":max"; ":min" is what holds without one
};
Objective parse_objective(std::string_view text);

// exp of the mean logarithm; nothing for no values and unless all are positive.
std::optional<double> geometric_mean(const std::vector<double>& values);

// Of each configuration over all launches. Relative: the geometric mean of value / baseline's value, 1 for
// the baseline; this is what holds where all values are positive. Otherwise the arithmetic mean of the
// values.
struct Scores {
  bool relative = false;
  std::vector<double> of;  // by configuration; NaN: a launch is missing
};
Scores scores(const std::vector<std::vector<double>>& values, size_t baseline);

// A metric's scores, or the numbers of an axis. Throws heddle::Error for other names and axes whose values
// are no numbers.
Scores objective_scores(SweepResults& results, const Objective& objective, size_t baseline);

// Indices of the values from best to worst, NaN left out, the first one first where they are equal.
std::vector<size_t> ranked(const std::vector<double>& values, bool largest);

// The rows that no other row dominates: one that is nowhere larger and somewhere smaller. Rows with a NaN are
// left out. By the first column, then the second, ...
std::vector<size_t> pareto_front(const std::vector<std::vector<double>>& rows);

// The first configuration with all launches; with `point`, the first of that point. Throws heddle::Error if
// there is none.
size_t baseline_of(SweepResults& results, std::optional<size_t> point);

}  // namespace heddle::sweep
