#include "analysis/validate/statistics.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace heddle::analysis {
namespace {

TEST_CASE("relative error") {
  CHECK(*relative_error({100, 110}) == Approx(0.1));
  CHECK(*relative_error({100, 75}) == Approx(-0.25));
  CHECK(*relative_error({0, 0}) == 0);
  CHECK_FALSE(relative_error({0, 1}));
}

TEST_CASE("quantiles interpolate as numpy does") {
  // numpy.percentile([1, 2, 3, 4], [0, 50, 90, 100]) = 1, 2.5, 3.7, 4
  const std::vector<double> v = {4, 1, 3, 2};
  CHECK(quantile(v, 0) == 1);
  CHECK(quantile(v, 0.5) == Approx(2.5));
  CHECK(quantile(v, 0.9) == Approx(3.7));
  CHECK(quantile(v, 1) == 4);
  CHECK(quantile({7}, 0.9) == 7);
  CHECK(quantile({}, 0.5) == 0);
  // numpy.percentile([10, 20, 40, 80, 160], 90) = 128
  CHECK(quantile({160, 10, 80, 20, 40}, 0.9) == Approx(128));
}

TEST_CASE("error statistics") {
  // Errors: +5 %, -10 %, +20 %, -50 %, +60 %.
  const std::vector<Pair> pairs = {{100, 105}, {200, 180}, {50, 60}, {1000, 500}, {10, 16}};
  const ErrorStats s = error_stats(pairs);
  CHECK(s.count == 5);
  CHECK(s.undefined == 0);
  CHECK(s.bias == Approx(0.05));
  CHECK(s.mean == Approx(0.29));
  CHECK(s.median == Approx(0.20));
  CHECK(s.p90 == Approx(0.56));  // position 3.6 of 0.05 0.1 0.2 0.5 0.6
  CHECK(s.largest == Approx(0.6));
  CHECK(s.largest_at == 4);
  CHECK(s.within == std::array<size_t, 4>{1, 2, 3, 4});
}

TEST_CASE("undefined errors are counted apart") {
  const ErrorStats s = error_stats(std::vector<Pair>{{0, 3}, {10, 10}, {0, 0}});
  CHECK(s.count == 2);
  CHECK(s.undefined == 1);
  CHECK(s.mean == 0);
  CHECK(s.within[0] == 2);
}

TEST_CASE("correlation") {
  // Deviations: x -1.5 -0.5 0.5 1.5, y -1.75 -0.75 1.25 1.25: 5.5 / sqrt(5 * 6.75).
  const std::vector<Pair> pairs = {{1, 1}, {2, 2}, {3, 4}, {4, 4}};
  CHECK(*pearson(pairs) == Approx(5.5 / std::sqrt(5 * 6.75)));
  CHECK(*pearson(std::vector<Pair>{{1, 10}, {2, 20}, {5, 50}}) == Approx(1));
  CHECK(*pearson(std::vector<Pair>{{1, -1}, {2, -2}}) == Approx(-1));
  CHECK_FALSE(pearson(std::vector<Pair>{{1, 2}}));
  CHECK_FALSE(pearson(std::vector<Pair>{{1, 2}, {1, 3}}));
  // A power law is a straight line in logarithms only.
  const ErrorStats s = error_stats(std::vector<Pair>{{1, 1}, {10, 100}, {100, 10000}});
  CHECK(*s.log_correlation == Approx(1));
  CHECK(*s.correlation < 0.999);
}

TEST_CASE("nothing to compare") {
  const ErrorStats s = error_stats({});
  CHECK(s.count == 0);
  CHECK(s.mean == 0);
  CHECK_FALSE(s.correlation);
}

}  // namespace
}  // namespace heddle::analysis
