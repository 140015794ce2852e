// Shows how far a batch of launches is: a bar on a terminal, a line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device/gpu.h"

namespace heddle::cli {

// What one line of progress says.
struct ProgressState {
  size_t launches = 0;
  size_t finished = 0;
  std::string running;       // name of the launch that runs; the oldest if there are several
  double running_share = 0;  // of its blocks, 0..1
  double share = 0;          // of all the work, 0..1
  uint64_t warp_instructions = 0;
  double seconds = 0;  // since the start
};

// "kernel 3/57 vecadd 42 %, total 12 %, 1.21 M warp-inst/s, 1:05 min left".
std::string progress_text(const ProgressState& s);
// The same behind a bar, in at most `columns` characters: first the bar is left out, then the text is cut.
std::string progress_bar(const ProgressState& s, size_t columns);

class ProgressMeter {
 public:
  enum class Style { kNone, kLines, kBar };
  // kBar when stderr is a terminal, else kLines.
  static Style style_for_stderr();

  // `weights`: the expected share of work of each launch; its trace's size serves. `write` receives the
  // output: whole lines, or for a bar what redraws it in place.
  ProgressMeter(Style style, std::vector<double> weights, std::function<void(std::string_view)> write);

  // From any thread.
  void begin(size_t launch, const std::string& name);
  void update(size_t launch, const device::Progress& progress);
  void finish(size_t launch, uint64_t warp_instructions);

  // Takes the bar off the terminal until the next update.
  void clear();

 private:
  struct Running {
    std::string name;
    double share = 0;
    uint64_t warp_instructions = 0;
  };
  using Clock = std::chrono::steady_clock;

  ProgressState state() const;
  void show();

  const Style style_;
  const std::vector<double> weights_;
  const std::function<void(std::string_view)> write_;
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;  // guards what follows
  double total_weight_ = 0;
  double finished_weight_ = 0;
  size_t finished_ = 0;
  uint64_t finished_instructions_ = 0;
  std::map<size_t, Running> running_;
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

}  // namespace heddle::cli
