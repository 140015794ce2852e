#include "analysis/sweep/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace heddle::sweep {

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

uint64_t Random::below(uint64_t bound) {
  // Numbers below 2^64 mod bound would make the small results more likely.
  const uint64_t reject = -bound % bound;
  uint64_t x = next();
  while (x < reject) {
    x = next();
  }
  return x % bound;
}

std::vector<std::vector<double>> random_samples(size_t samples, size_t dimensions, uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> out(samples, std::vector<double>(dimensions));
  for (auto& row : out) {
    for (double& x : row) {
      x = random.unit();
    }
  }
  return out;
}

std::vector<std::vector<double>> latin_hypercube(size_t samples, size_t dimensions, uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> out(samples, std::vector<double>(dimensions));
  std::vector<size_t> part(samples);
  for (size_t d = 0; d < dimensions; ++d) {
    std::iota(part.begin(), part.end(), size_t{0});
    for (size_t i = samples; i > 1; --i) {
      std::swap(part[i - 1], part[random.below(i)]);
    }
    for (size_t i = 0; i < samples; ++i) {
      const double x = (static_cast<double>(part[i]) + random.unit()) / static_cast<double>(samples);
      // The sum may round up to the next part's beginning.
      const double end = static_cast<double>(part[i] + 1) / static_cast<double>(samples);
      out[i][d] = std::min(x, std::nextafter(end, 0.0));
    }
  }
  return out;
}

}  // namespace heddle::sweep
