#include "analysis/sweep/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/sweep/design.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

bool complete(const std::vector<double>& row) {
  return !row.empty() && std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool smaller = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) {
      return false;
    }
    smaller = smaller || a[i] < b[i];
  }
  return smaller;
}

}  // namespace

Objective parse_objective(std::string_view text) {
  Objective o{std::string(text), false};
  for (std::string_view suffix : {":min", ":max"}) {
    if (text.ends_with(suffix)) {
      return {std::string(text.substr(0, text.size() - suffix.size())), suffix == ":max"};
    }
  }
  return o;
}

std::optional<double> geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) {
    if (!(v > 0)) {
      return std::nullopt;
    }
    sum += std::log(v);
  }
  return values.empty() ? std::nullopt : std::optional(std::exp(sum / static_cast<double>(values.size())));
}

Scores scores(const std::vector<std::vector<double>>& values, size_t baseline) {
  Scores out;
  out.relative = true;
  for (const auto& row : values) {
    for (double v : row) {
      out.relative = out.relative && !(v <= 0);
    }
  }
  for (const auto& row : values) {
    if (!complete(row)) {
      out.of.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    std::vector<double> ratios;
    for (size_t i = 0; i < row.size(); ++i) {
      ratios.push_back(row[i] / values[baseline][i]);
    }
    out.of.push_back(out.relative
                         ? *geometric_mean(ratios)
                         : std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size()));
  }
  return out;
}

Scores objective_scores(SweepResults& results, const Objective& objective, size_t baseline) {
  const std::vector<std::string>& axes = results.axes();
  const auto axis = static_cast<size_t>(std::find(axes.begin(), axes.end(), objective.name) - axes.begin());
  if (axis == axes.size()) {
    if (metric_name(objective.name).empty()) {
      throw Error(fmt::format("'{}' is neither a metric (heddle metrics) nor an axis; axes: {}",
                              objective.name, fmt::join(axes, ", ")));
    }
    return scores(results.values(objective.name), baseline);
  }
  Scores out;
  for (const ResultConfig& c : results.configs()) {
    const std::optional<double> number = number_of(c.values[axis]);
    if (!number) {
      throw Error(fmt::format("axis '{}': \"{}\" is no number", objective.name, c.values[axis]));
    }
    out.of.push_back(*number);
  }
  return out;
}

std::vector<size_t> ranked(const std::vector<double>& values, bool largest) {
  std::vector<size_t> order;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return largest ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
}

std::vector<size_t> pareto_front(const std::vector<std::vector<double>>& rows) {
  std::vector<size_t> order;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (complete(rows[i])) {
      order.push_back(i);
    }
  }
  // In this order only an earlier row can dominate a later one, and one of the front does where any does.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::vector<size_t> front;
  for (size_t i : order) {
    if (std::none_of(front.begin(), front.end(), [&](size_t f) { return dominates(rows[f], rows[i]); })) {
      front.push_back(i);
    }
  }
  return front;
}

size_t baseline_of(SweepResults& results, std::optional<size_t> point) {
  const std::vector<std::vector<double>> cycles = results.values("cycles");
  for (size_t i = 0; i < cycles.size(); ++i) {
    if (complete(cycles[i]) && (!point || results.configs()[i].point == *point)) {
      return i;
    }
  }
  throw Error(point ? fmt::format("point {} is not there, or lacks a launch", *point)
                    : "no configuration has all launches");
}

}  // namespace heddle::sweep
