#include "sim/sampling/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::sampling {
namespace {

// 97.5 % quantiles of Student's t by degrees of freedom.
constexpr std::array<double, 16> kStudent = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                             2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};

// Half the range of `n` values, relative to the middle.
template <typename F>
double half_range(uint64_t n, F value) {
  double low = value(0), high = low;
  for (uint64_t i = 1; i < n; ++i) {
    low = std::min(low, value(i));
    high = std::max(high, value(i));
  }
  return high > 0 ? (high - low) / (high + low) : 1;
}

}  // namespace

void SteadyState::begin(double wave_work, Cycle at, double done, double ignored) {
  wave_work_ = std::max(wave_work, 1.0);
  at_ = at;
  done_ = done;
  next_ = done + ignored * wave_work_;
  first_ = 0;
  marks_.clear();
  progress(at, done);
}

void SteadyState::progress(Cycle at, double done) {
  while (done >= next_) {
    // Within a quantum, work is taken to be done evenly.
    const double part = done > done_ ? (next_ - done_) / (done - done_) : 1;
    marks_.push_back(static_cast<double>(at_) + part * static_cast<double>(at - at_));
    next_ += wave_work_ / kMarksPerWave;
    if (marks_.size() > kWaves * kMarksPerWave + 1) {
      marks_.pop_front();
      ++first_;
    }
  }
  at_ = at;
  done_ = done;
}

SteadySpan SteadyState::span(uint64_t waves, double spread) const {
  return {wave_work_ * static_cast<double>(waves), time(waves * kMarksPerWave, 0), spread,
          marks() - 1 - waves * kMarksPerWave, marks() - 1};
}

std::optional<SteadySpan> SteadyState::steady() const {
  constexpr uint64_t kWave = kMarksPerWave;
  // The quarters of the last wave have the same rate. The first half wave does not count: all blocks begin.
  if (marks_.size() > kWave + kWave / 2) {
    const double spread = half_range(kWave, [&](uint64_t i) { return time(i + 1, i); });
    if (2 * spread <= kTolerance) {
      return span(1, spread);
    }
  }
  // Or all windows of a wave within the last two waves.
  if (marks_.size() > 2 * kWave) {
    const double spread = half_range(kWave + 1, [&](uint64_t i) { return time(i + kWave, i); });
    if (2 * spread <= kTolerance) {
      return span(2, spread);
    }
  }
  // Or waves vary around a mean that is known well enough and does not drift.
  for (uint64_t waves = 4; waves * kWave < marks_.size(); waves += 2) {
    const auto n = static_cast<double>(waves);
    const double mean = time(waves * kWave, 0) / n;
    double squares = 0;
    for (uint64_t w = 0; w < waves; ++w) {
      const double d = time((w + 1) * kWave, w * kWave) - mean;
      squares += d * d;
    }
    const double half_width = kStudent[waves - 1] * std::sqrt(squares / (n - 1) / n) / mean;
    const double drift =
        (time(waves / 2 * kWave, 0) / (n / 2) - mean) / mean;  // half the difference of the halves
    if (half_width <= kTolerance && 2 * std::fabs(drift) <= kTolerance) {
      return span(waves, half_width);
    }
  }
  return std::nullopt;
}

}  // namespace heddle::sampling
