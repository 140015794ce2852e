// What differs from one run of a program to the next: the speed of the processor, and how long the operating
// system takes to run a thread again (FINDINGS 41). Without a seed nothing does.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace heddle::host {

class Jitter {
 public:
  explicit Jitter(std::optional<uint64_t> seed) : on_(seed.has_value()), bits_(seed.value_or(0)) {}

  // Log-normal with a median of 1: the exponential of a normal number with this standard deviation.
  double factor(double spread);

 private:
  bool on_;
  std::mt19937_64 bits_;  // whose numbers the language's standard fixes, unlike those of its distributions
};

}  // namespace heddle::host
