#include "analysis/sweep/ranking_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/report/format.h"
#include "analysis/report/table.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

using analysis::TextTable;
using Align = TextTable::Align;

std::vector<TextTable::Column> columns_of(const SweepResults& results) {
  std::vector<TextTable::Column> c = {{"point"}};
  for (const std::string& a : results.axes()) {
    c.push_back({a});
  }
  c.push_back({"gpu", Align::kLeft});
  return c;
}

std::vector<std::string> cells_of(const SweepResults& results, size_t config) {
  const ResultConfig& c = results.configs()[config];
  std::vector<std::string> cells = {fmt::format("{}", c.point)};
  cells.insert(cells.end(), c.values.begin(), c.values.end());
  cells.push_back(c.gpu);
  return cells;
}

std::string baseline_note(const SweepResults& results, size_t baseline) {
  const ResultConfig& c = results.configs()[baseline];
  return fmt::format("relative: to point {} on {}, geometric mean over {} launches\n", c.point, c.gpu,
                     results.launches().size());
}

std::string incomplete_note(const Scores& s) {
  const auto missing = std::count_if(s.of.begin(), s.of.end(), [](double v) { return std::isnan(v); });
  return missing ? fmt::format("{} configurations lack a launch and are left out\n", missing) : "";
}

// A small cost is a high speed: both, as one of them is what a reader wants.
std::vector<std::string> score_cells(double score, bool relative, bool largest) {
  if (!relative) {
    return {analysis::number(score)};
  }
  std::vector<std::string> cells = {fmt::format("{:.4f}", score)};
  if (!largest) {
    cells.push_back(fmt::format("{:.3f}", 1 / score));
  }
  return cells;
}

void add_score_columns(std::vector<TextTable::Column>& columns, const std::string& name, bool relative,
                       bool largest) {
  columns.push_back({name + (relative ? ", relative" : ", mean")});
  if (relative && !largest) {
    columns.push_back({"baseline / it"});
  }
}

std::string best_by_trace(SweepResults& results, const Objective& o, size_t baseline) {
  std::vector<TextTable::Column> columns = {{"trace", Align::kLeft}};
  for (TextTable::Column& c : columns_of(results)) {
    columns.push_back(c);
  }
  columns.push_back({o.name});
  columns.push_back({"baseline's"});
  columns.push_back({"baseline / it"});
  TextTable t(columns);
  const auto values = results.values(o.name);
  for (size_t l = 0; l < results.launches().size(); ++l) {
    std::vector<double> column;
    column.reserve(values.size());
    for (const auto& row : values) {
      column.push_back(row[l]);
    }
    const std::vector<size_t> order = ranked(column, o.largest);
    std::vector<std::string> cells = {results.launches()[l]};
    for (std::string& c : cells_of(results, order.at(0))) {
      cells.push_back(c);
    }
    const double best = column[order[0]], base = column[baseline];
    cells.push_back(analysis::number(best));
    cells.push_back(analysis::number(base));
    cells.push_back(best > 0 ? fmt::format("{:.3f}", base / best) : "-");
    t.add(cells);
  }
  const ResultConfig& c = results.configs()[baseline];
  return t.str() + fmt::format("baseline: point {} on {}\n", c.point, c.gpu);
}

}  // namespace

std::string best_text(SweepResults& results, const Objective& objective, size_t baseline,
                      const std::string& group_by, size_t top) {
  if (group_by == "trace") {
    return best_by_trace(results, objective, baseline);
  }
  const std::vector<std::string>& axes = results.axes();
  const auto axis = static_cast<size_t>(std::find(axes.begin(), axes.end(), group_by) - axes.begin());
  if (!group_by.empty() && group_by != "gpu" && axis == axes.size()) {
    throw Error(fmt::format("--group-by {}: legal values: trace, gpu{}{}", group_by, axes.empty() ? "" : ", ",
                            fmt::join(axes, ", ")));
  }
  const Scores s = objective_scores(results, objective, baseline);
  std::vector<TextTable::Column> columns = columns_of(results);
  add_score_columns(columns, objective.name, s.relative, objective.largest);
  TextTable t(columns);
  size_t shown = 0;
  std::map<std::string, int> seen;  // groups whose best was there
  for (size_t i : ranked(s.of, objective.largest)) {
    const ResultConfig& c = results.configs()[i];
    if (!group_by.empty() && seen[group_by == "gpu" ? c.gpu : c.values[axis]]++) {
      continue;
    }
    if (group_by.empty() && shown == top) {
      break;
    }
    std::vector<std::string> cells = cells_of(results, i);
    for (std::string& x : score_cells(s.of[i], s.relative, objective.largest)) {
      cells.push_back(x);
    }
    t.add(cells);
    ++shown;
  }
  return t.str() + (s.relative ? baseline_note(results, baseline) : "") + incomplete_note(s);
}

std::string pareto_text(SweepResults& results, const std::vector<Objective>& objectives, size_t baseline) {
  std::vector<TextTable::Column> columns = columns_of(results);
  std::vector<Scores> all;
  std::vector<std::vector<double>> rows(results.configs().size());
  bool relative = false;
  for (const Objective& o : objectives) {
    all.push_back(objective_scores(results, o, baseline));
    relative = relative || all.back().relative;
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].push_back(o.largest ? -all.back().of[i] : all.back().of[i]);
    }
    columns.push_back({o.name + (all.back().relative ? ", relative" : "")});
  }
  TextTable t(columns);
  const std::vector<size_t> front = pareto_front(rows);
  for (size_t i : front) {
    std::vector<std::string> cells = cells_of(results, i);
    for (const Scores& s : all) {
      cells.push_back(s.relative ? fmt::format("{:.4f}", s.of[i]) : analysis::number(s.of[i]));
    }
    t.add(cells);
  }
  return t.str() +
         fmt::format("{} of {} configurations are on the Pareto front\n", front.size(), rows.size()) +
         (relative ? baseline_note(results, baseline) : "");
}

}  // namespace heddle::sweep
