#include "analysis/validate/statistics.h"

#include <algorithm>
#include <cmath>

namespace heddle::analysis {

std::optional<double> relative_error(const Pair& p) {
  if (p.measured == 0) {
    return p.simulated == 0 ? std::optional<double>(0) : std::nullopt;
  }
  return (p.simulated - p.measured) / p.measured;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const double position = static_cast<double>(values.size() - 1) * q;
  const auto low = static_cast<size_t>(position);
  const size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (position - static_cast<double>(low));
}

std::optional<double> pearson(std::span<const Pair> pairs) {
  if (pairs.size() < 2) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(pairs.size());
  double mx = 0, my = 0;
  for (const Pair& p : pairs) {
    mx += p.measured / n;
    my += p.simulated / n;
  }
  double xx = 0, yy = 0, xy = 0;
  for (const Pair& p : pairs) {
    const double dx = p.measured - mx, dy = p.simulated - my;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  if (xx <= 0 || yy <= 0) {
    return std::nullopt;
  }
  return xy / std::sqrt(xx * yy);
}

ErrorStats error_stats(std::span<const Pair> pairs) {
  ErrorStats s;
  std::vector<double> errors;
  std::vector<Pair> logs;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::optional<double> e = relative_error(pairs[i]);
    if (!e) {
      ++s.undefined;
      continue;
    }
    const double a = std::fabs(*e);
    errors.push_back(a);
    s.bias += *e;
    s.mean += a;
    if (errors.size() == 1 || a > s.largest) {
      s.largest = a;
      s.largest_at = i;
    }
    for (size_t b = 0; b < kErrorBounds.size(); ++b) {
      s.within[b] += a * 100 <= kErrorBounds[b];
    }
    if (pairs[i].measured > 0 && pairs[i].simulated > 0) {
      logs.push_back({std::log(pairs[i].measured), std::log(pairs[i].simulated)});
    }
  }
  s.count = errors.size();
  if (s.count > 0) {
    s.bias /= static_cast<double>(s.count);
    s.mean /= static_cast<double>(s.count);
  }
  s.median = quantile(errors, 0.5);
  s.p90 = quantile(errors, 0.9);
  s.correlation = pearson(pairs);
  s.log_correlation = pearson(logs);
  return s;
}

}  // namespace heddle::analysis
