#include "tools/heddle/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/report/format.h"
#include "frontends/input/printable.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::milliseconds kBarInterval(100);
constexpr std::chrono::seconds kLineInterval(5);
constexpr double kShareForEstimate = 0.005;  // below it the time left would be a guess
constexpr size_t kBarWidth = 24;

// Of the terminal on stderr, less one: a character in the last column makes some terminals wrap.
size_t terminal_columns() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - size_t{1} : 200;
}

}  // namespace

std::string progress_text(const ProgressState& s) {
  std::string out = fmt::format("kernel {}/{}", std::min(s.finished + 1, s.launches), s.launches);
  if (!s.running.empty()) {
    out += fmt::format(" {} {:.0f} %", input::printable(s.running), std::floor(s.running_share * 100));
  }
  out += fmt::format(", total {:.0f} %", std::floor(s.share * 100));
  if (s.seconds > 0) {
    out +=
        fmt::format(", {} warp-inst/s",
                    analysis::quantity(std::round(static_cast<double>(s.warp_instructions) / s.seconds), ""));
  }
  if (s.share >= kShareForEstimate && s.share < 1) {
    out += fmt::format(", {} left", analysis::clock_time(s.seconds * (1 - s.share) / s.share));
  }
  return out;
}

std::string progress_bar(const ProgressState& s, size_t columns) {
  const auto full = static_cast<size_t>(std::clamp(s.share, 0.0, 1.0) * kBarWidth);
  const std::string text = progress_text(s);
  const std::string all =
      fmt::format("[{}{}] {}", std::string(full, '#'), std::string(kBarWidth - full, '.'), text);
  return all.size() <= columns ? all : text.substr(0, columns);
}

ProgressMeter::Style ProgressMeter::style_for_stderr() {
  return isatty(STDERR_FILENO) ? Style::kBar : Style::kLines;
}

ProgressMeter::ProgressMeter(Style style, std::vector<double> weights,
                             std::function<void(std::string_view)> write)
    : style_(style), weights_(std::move(weights)), write_(std::move(write)) {
  for (double w : weights_) {
    total_weight_ += w;
  }
}

void ProgressMeter::begin(size_t launch, const std::string& name) {
  std::lock_guard lock(mutex_);
  running_[launch] = {name};
  show();
}

void ProgressMeter::update(size_t launch, const device::Progress& p) {
  std::lock_guard lock(mutex_);
  Running& r = running_[launch];
  r.share = p.blocks_total ? static_cast<double>(p.blocks_done) / static_cast<double>(p.blocks_total) : 0;
  r.warp_instructions = p.warp_instructions;
  show();
}

void ProgressMeter::finish(size_t launch, uint64_t warp_instructions) {
  std::lock_guard lock(mutex_);
  finished_instructions_ += warp_instructions;
  finished_weight_ += weights_[launch];
  ++finished_;
  running_.erase(launch);
  show();
}

ProgressState ProgressMeter::state() const {
  ProgressState s;
  s.launches = weights_.size();
  s.finished = finished_;
  s.warp_instructions = finished_instructions_;
  s.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  double done = finished_weight_;
  for (const auto& [launch, r] : running_) {
    done += weights_[launch] * r.share;
    s.warp_instructions += r.warp_instructions;
  }
  s.share = total_weight_ > 0 ? done / total_weight_ : 0;
  if (!running_.empty()) {
    s.running = running_.begin()->second.name;
    s.running_share = running_.begin()->second.share;
  }
  return s;
}

void ProgressMeter::show() {
  const Clock::time_point t = Clock::now();
  const auto interval =
      style_ == Style::kBar ? Clock::duration(kBarInterval) : Clock::duration(kLineInterval);
  if (style_ == Style::kNone || t - last_ < interval) {
    return;
  }
  last_ = t;
  if (style_ == Style::kBar) {
    // Carriage return, text, erase to the end of the line.
    write_("\r" + progress_bar(state(), terminal_columns()) + "\x1b[K");
  } else {
    write_(progress_text(state()) + "\n");
  }
  drawn_ = true;
}

void ProgressMeter::clear() {
  std::lock_guard lock(mutex_);
  if (style_ == Style::kBar && drawn_) {
    write_("\r\x1b[K");
    drawn_ = false;
  }
}

}  // namespace heddle::cli
