// Samples of the unit cube that are the same on every machine: no part of the C++ library's distributions,
// whose results are up to the implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::sweep {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double unit();                   // [0, 1), 53 bits
  uint64_t below(uint64_t bound);  // 0..bound-1, each equally likely; bound > 0

 private:
  uint64_t state_;
};

// `samples` rows of `dimensions` numbers of [0, 1).
std::vector<std::vector<double>> random_samples(size_t samples, size_t dimensions, uint64_t seed);

// The same, with one row in each of the `samples` equal parts of every dimension.
std::vector<std::vector<double>> latin_hypercube(size_t samples, size_t dimensions, uint64_t seed);

}  // namespace heddle::sweep
