// How far simulated values lie from measured ones.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace heddle::analysis {

struct Pair {
  double measured = 0;
  double simulated = 0;
};

// (simulated - measured) / measured. Zero against zero is no error; another value against zero has no
// relative error.
std::optional<double> relative_error(const Pair& p);

inline constexpr std::array<int, 4> kErrorBounds = {5, 10, 20, 50};  // per cent

// Over the pairs that have a relative error; all but `bias` over its absolute value. Fractions, not per cent.
struct ErrorStats {
  size_t count = 0;
  size_t undefined = 0;  // pairs without a relative error
  double bias = 0;       // mean of the signed errors
  double mean = 0;
  double median = 0;
  double p90 = 0;  // 90th percentile
  double largest = 0;
  size_t largest_at = 0;                             // index into the pairs
  std::array<size_t, kErrorBounds.size()> within{};  // pairs with an error of at most kErrorBounds per cent
  std::optional<double> correlation;                 // Pearson, of the values
  std::optional<double> log_correlation;  // Pearson, of the logarithms of the pairs that are positive
};

ErrorStats error_stats(std::span<const Pair> pairs);

// The q-quantile (0..1) by linear interpolation between order statistics, numpy's default: for n sorted
// values, at position (n - 1) q counted from 0. Zero for no values.
double quantile(std::vector<double> values, double q);

// Pearson's coefficient; nothing for fewer than two pairs and where one side does not vary.
std::optional<double> pearson(std::span<const Pair> pairs);

}  // namespace heddle::analysis
