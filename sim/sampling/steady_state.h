// Finds out when a grid is worked off at a constant rate.
//
// A wave is as many blocks as are resident at once, and the work (warp instructions) of so many. Blocks that
// started together are in the same phase for a long time, so rates are compared over windows of whole waves;
// a rate that is constant on a finer scale shows sooner.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/engine/time.h"

namespace heddle::sampling {

// A stretch of whole waves with a constant rate.
struct SteadySpan {
  double work = 0;    // done in it
  double cycles = 0;  // its length
  double spread = 0;  // of the rates in it, relative to their mean: half the range, or the half-width of the
                      // 95 % confidence interval of the mean
  uint64_t first_mark = 0, last_mark = 0;  // numbers of its ends
};

class SteadyState {
 public:
  static constexpr uint64_t kMarksPerWave = 4;
  // Rates that differ by no more count as equal.
  static constexpr double kTolerance = 0.05;
  // Waves that are remembered.
  static constexpr uint64_t kWaves = 16;

  // Counts anew at `at`, when `done` has been done. What comes within `ignored` waves is not looked at.
  void begin(double wave_work, Cycle at, double done, double ignored);
  // So much work has been done until `at`. Neither decreases.
  void progress(Cycle at, double done);

  // Marks since begin(), a quarter of a wave apart; the first has number 0.
  uint64_t marks() const { return first_ + marks_.size(); }
  // Nothing: the rate still changes, or too little was done.
  std::optional<SteadySpan> steady() const;

 private:
  double time(uint64_t from, uint64_t to) const { return back(to) - back(from); }
  double back(uint64_t i) const { return marks_[marks_.size() - 1 - i]; }  // counted from the newest
  SteadySpan span(uint64_t waves, double spread) const;

  double wave_work_ = 1;
  double next_ = 0;  // work at the next mark
  Cycle at_ = 0;
  double done_ = 0;
  uint64_t first_ = 0;        // number of the oldest mark kept
  std::deque<double> marks_;  // their times
};

}  // namespace heddle::sampling
