// Sorting by cycle, stable: packets of one quantum lie within a few hundred cycles, so counting is quicker
// than comparing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/time.h"

namespace heddle::memory {

template <class T>
class ByTime {
 public:
  template <class TimeOf>
  void sort(std::vector<T>& v, TimeOf&& time_of) {
    if (v.size() < kFew) {
      insertion(v, time_of);
      return;
    }
    Cycle low = kNever, high = 0;
    for (const T& x : v) {
      low = std::min<Cycle>(low, time_of(x));
      high = std::max<Cycle>(high, time_of(x));
    }
    if (high - low > kWide) {
      std::stable_sort(v.begin(), v.end(), [&](const T& a, const T& b) { return time_of(a) < time_of(b); });
      return;
    }
    first_.assign(high - low + 2, 0);
    for (const T& x : v) {
      ++first_[time_of(x) - low + 1];
    }
    for (size_t i = 1; i < first_.size(); ++i) {
      first_[i] += first_[i - 1];
    }
    sorted_.resize(v.size());
    for (const T& x : v) {
      sorted_[first_[time_of(x) - low]++] = x;
    }
    v.swap(sorted_);
  }

 private:
  static constexpr size_t kFew = 24;
  static constexpr Cycle kWide = 4096;  // of more than a quantum: the last packets of a launch

  template <class TimeOf>
  static void insertion(std::vector<T>& v, TimeOf&& time_of) {
    for (size_t i = 1; i < v.size(); ++i) {
      T x = v[i];
      size_t j = i;
      for (; j > 0 && time_of(x) < time_of(v[j - 1]); --j) {
        v[j] = v[j - 1];
      }
      v[j] = x;
    }
  }

  std::vector<T> sorted_;
  std::vector<uint32_t> first_;  // of each cycle's
};

}  // namespace heddle::memory
