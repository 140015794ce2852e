#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/report/format.h"
#include "analysis/report/svg.h"
#include "analysis/sweep/design.h"
#include "analysis/sweep/ranking_text.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

using analysis::kSeriesColours;
using analysis::Svg;

constexpr double kLeft = 80, kTop = 44, kWidth = 620, kHeight = 340, kLegend = 170;
constexpr const char *kGrid = "#d8dee4", *kPoint = "#8c959f", *kFront = "#c2410c", *kMean = "#24292f";

std::string short_number(double v) {
  return std::abs(v) >= 1e5 ? analysis::quantity(v, "") : fmt::format("{:.4g}", v);
}

// A frame with five marks on each side, and where values lie in it.
class Frame {
 public:
  Frame(Svg& svg, std::pair<double, double> x, std::pair<double, double> y, bool marks_x = true)
      : x_(widened(x)), y_(widened(y)) {
    for (int i = 0; i <= 4; ++i) {
      const double v = y_.first + (y_.second - y_.first) * i / 4,
                   u = x_.first + (x_.second - x_.first) * i / 4;
      svg.line(kLeft, y_at(v), kLeft + kWidth, y_at(v), kGrid);
      svg.text(kLeft - 8, y_at(v) + 4, short_number(v), 11, "end");
      if (marks_x) {
        svg.text(x_at(u), kTop + kHeight + 18, short_number(u), 11, "middle");
      }
    }
  }
  double x_at(double v) const { return kLeft + kWidth * (v - x_.first) / (x_.second - x_.first); }
  double y_at(double v) const { return kTop + kHeight * (1 - (v - y_.first) / (y_.second - y_.first)); }

 private:
  static std::pair<double, double> widened(std::pair<double, double> range) {
    const double margin = range.second > range.first ? 0.05 * (range.second - range.first) : 0.5;
    return {range.first - margin, range.second + margin};
  }
  std::pair<double, double> x_, y_;
};

std::pair<double, double> range_of(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (double v : values) {
    low = std::isnan(v) ? low : std::min(low, v);
    high = std::isnan(v) ? high : std::max(high, v);
  }
  return {low, high};
}

size_t axis_index(const SweepResults& results, const std::string& name) {
  const std::vector<std::string>& axes = results.axes();
  const auto it = std::find(axes.begin(), axes.end(), name);
  if (it == axes.end()) {
    throw Error(fmt::format("no axis '{}'; legal values: {}", name, fmt::join(axes, ", ")));
  }
  return static_cast<size_t>(it - axes.begin());
}

// Of an axis: numbers in their order, other values in the sweep's.
std::vector<std::string> values_of(const SweepResults& results, size_t axis) {
  std::vector<std::string> out;
  bool numbers = true;
  for (const ResultConfig& c : results.configs()) {
    if (std::find(out.begin(), out.end(), c.values[axis]) == out.end()) {
      out.push_back(c.values[axis]);
      numbers = numbers && number_of(out.back());
    }
  }
  if (numbers) {
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return *number_of(a) < *number_of(b); });
  }
  return out;
}

// By configuration and launch.
std::vector<std::vector<double>> ratios(SweepResults& results, const std::string& metric, size_t baseline) {
  std::vector<std::vector<double>> v = results.values(metric);
  const std::vector<double> base = v[baseline];
  for (auto& row : v) {
    for (size_t l = 0; l < row.size(); ++l) {
      if (row[l] <= 0) {
        throw Error(fmt::format("{} is not positive everywhere; only metrics that are can be drawn", metric));
      }
      row[l] /= base[l];
    }
  }
  return v;
}

double mean_or_nan(const std::vector<double>& values) {
  return geometric_mean(values).value_or(std::numeric_limits<double>::quiet_NaN());
}

void polyline(Svg& svg, const Frame& frame, const std::vector<double>& ys, const char* colour, double width) {
  for (size_t i = 0; i + 1 < ys.size(); ++i) {
    if (!std::isnan(ys[i]) && !std::isnan(ys[i + 1])) {
      svg.line(frame.x_at(static_cast<double>(i)), frame.y_at(ys[i]), frame.x_at(static_cast<double>(i + 1)),
               frame.y_at(ys[i + 1]), colour, width);
    }
  }
}

}  // namespace

std::string pareto_svg(SweepResults& results, const std::vector<Objective>& objectives, size_t baseline) {
  if (objectives.size() != 2) {
    throw Error(fmt::format("--svg draws two objectives, not {}", objectives.size()));
  }
  const Scores x = objective_scores(results, objectives[1], baseline);
  const Scores y = objective_scores(results, objectives[0], baseline);
  std::vector<std::vector<double>> rows;
  for (size_t i = 0; i < x.of.size(); ++i) {
    rows.push_back({objectives[1].largest ? -x.of[i] : x.of[i], objectives[0].largest ? -y.of[i] : y.of[i]});
  }
  const std::vector<size_t> front = pareto_front(rows);
  Svg svg(kLeft + kWidth + 30, kTop + kHeight + 60);
  const auto title = [](const Objective& o, const Scores& s) {
    return o.name + (s.relative ? ", relative" : "");
  };
  svg.text(kLeft, 24,
           fmt::format("{} by {}: {} configurations, {} on the front", title(objectives[0], y),
                       title(objectives[1], x), rows.size(), front.size()),
           14);
  const Frame frame(svg, range_of(x.of), range_of(y.of));
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 42, title(objectives[1], x), 12, "middle");
  const auto mark = [&](size_t i, const char* colour, double size) {
    const ResultConfig& c = results.configs()[i];
    svg.rectangle(frame.x_at(x.of[i]) - size / 2, frame.y_at(y.of[i]) - size / 2, size, size, colour,
                  fmt::format("point {} {}: {}", c.point, c.gpu, fmt::join(c.values, ", ")));
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!std::isnan(x.of[i]) && !std::isnan(y.of[i])) {
      mark(i, kPoint, 5);
    }
  }
  for (size_t i = 0; i < front.size(); ++i) {
    if (i > 0) {
      const size_t a = front[i - 1], b = front[i];
      svg.line(frame.x_at(x.of[a]), frame.y_at(y.of[a]), frame.x_at(x.of[b]), frame.y_at(y.of[b]), kFront,
               1.5);
    }
    mark(front[i], kFront, 7);
  }
  return svg.str();
}

std::string axis_svg(SweepResults& results, const std::string& metric, size_t baseline,
                     const std::string& x) {
  const size_t axis = axis_index(results, x);
  const std::vector<std::string> values = values_of(results, axis);
  const auto relative = ratios(results, metric, baseline);
  const size_t launches = results.launches().size();
  std::vector<std::vector<double>> lines(launches + 1);  // the last is of all launches
  std::vector<double> all;
  for (const std::string& value : values) {
    std::vector<double> means;
    for (size_t l = 0; l < launches; ++l) {
      std::vector<double> here;
      for (size_t c = 0; c < relative.size(); ++c) {
        if (results.configs()[c].values[axis] == value && !std::isnan(relative[c][l])) {
          here.push_back(relative[c][l]);
        }
      }
      means.push_back(mean_or_nan(here));
      lines[l].push_back(means.back());
      all.push_back(means.back());
    }
    lines[launches].push_back(mean_or_nan(means));
  }
  Svg svg(kLeft + kWidth + kLegend, kTop + kHeight + 60);
  svg.text(kLeft, 24,
           fmt::format("{} by {}, relative to point {}", metric, x, results.configs()[baseline].point), 14);
  const Frame frame(svg, {0, std::max<double>(static_cast<double>(values.size()) - 1, 1)}, range_of(all),
                    false);
  for (size_t i = 0; i < values.size(); ++i) {
    svg.text(frame.x_at(static_cast<double>(i)), kTop + kHeight + 18, values[i], 11, "middle");
  }
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 42, x, 12, "middle");
  for (size_t l = 0; l <= launches; ++l) {
    const bool mean = l == launches;
    const char* colour = mean ? kMean : kSeriesColours[l % std::size(kSeriesColours)];
    polyline(svg, frame, lines[l], colour, mean ? 3 : 1.2);
    svg.text(kLeft + kWidth + 12, kTop + 14 + 16 * static_cast<double>(l),
             mean ? "geometric mean" : analysis::shortened(results.launches()[l], 22), 11, "start", colour);
  }
  return svg.str();
}

std::string map_svg(SweepResults& results, const std::string& metric, size_t baseline, const std::string& x,
                    const std::string& y) {
  const size_t ax = axis_index(results, x), ay = axis_index(results, y);
  const std::vector<std::string> xs = values_of(results, ax), ys = values_of(results, ay);
  const auto relative = ratios(results, metric, baseline);
  std::map<std::pair<std::string, std::string>, std::vector<double>> cells;
  for (size_t c = 0; c < relative.size(); ++c) {
    const ResultConfig& config = results.configs()[c];
    for (double v : relative[c]) {
      if (!std::isnan(v)) {
        cells[{config.values[ax], config.values[ay]}].push_back(v);
      }
    }
  }
  std::vector<double> means;
  means.reserve(cells.size());
  for (const auto& [at, v] : cells) {
    means.push_back(mean_or_nan(v));
  }
  const auto [low, high] = range_of(means);
  Svg svg(kLeft + kWidth + 60, kTop + kHeight + 60);
  svg.text(kLeft, 24,
           fmt::format("{} by {} and {}, geometric mean relative to point {}", metric, x, y,
                       results.configs()[baseline].point),
           14);
  const double w = kWidth / static_cast<double>(xs.size()), h = kHeight / static_cast<double>(ys.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    for (size_t j = 0; j < ys.size(); ++j) {
      const auto it = cells.find({xs[i], ys[j]});
      const double left = kLeft + w * static_cast<double>(i);
      const double top = kTop + kHeight - h * static_cast<double>(j + 1);
      if (it == cells.end()) {
        svg.rectangle(left, top, w - 1, h - 1, kGrid, "no result");
        continue;
      }
      const double mean = mean_or_nan(it->second);
      // From blue, the smallest, to white.
      const double share = high > low ? (mean - low) / (high - low) : 1;
      const auto channel = [share](int from) {
        return static_cast<int>(std::lround(from + share * (255 - from)));
      };
      svg.rectangle(left, top, w - 1, h - 1,
                    fmt::format("#{:02x}{:02x}{:02x}", channel(0x5b), channel(0x8d), channel(0xee)),
                    fmt::format("{}, {}: {:.4f}", xs[i], ys[j], mean));
      svg.text(left + w / 2, top + h / 2 + 4, fmt::format("{:.3f}", mean), 11, "middle");
    }
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    svg.text(kLeft + w * (static_cast<double>(i) + 0.5), kTop + kHeight + 18, xs[i], 11, "middle");
  }
  for (size_t j = 0; j < ys.size(); ++j) {
    svg.text(kLeft - 8, kTop + kHeight - h * (static_cast<double>(j) + 0.5) + 4, ys[j], 11, "end");
  }
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 42, x, 12, "middle");
  svg.text(kLeft - 8, kTop - 6, y, 12, "end");
  return svg.str();
}

}  // namespace heddle::sweep
