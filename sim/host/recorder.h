// Spans of the timeline, on tracks: host threads, streams, engines. What a viewer draws and the summary adds
// up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/host/result.h"

namespace heddle::host {

class Recorder {
 public:
  explicit Recorder(bool on) : on_(on) {}
  bool on() const { return on_; }
  uint32_t track(const std::string& name) {
    tracks_.push_back({name});
    return static_cast<uint32_t>(tracks_.size() - 1);
  }
  uint32_t name(const std::string& text) {
    const auto [it, is_new] = numbers_.emplace(text, static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(text);
    }
    return it->second;
  }
  const std::string& text(uint32_t name) const { return names_[name]; }
  void add(uint32_t track, uint32_t name, Ps start, Ps end) {
    if (on_) {
      spans_.push_back({track, name, start, end});
    }
  }
  // Moves everything into `result`, with the busy times.
  void finish(Result& result);

 private:
  bool on_;
  std::vector<Track> tracks_;
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<Span> spans_;
};

// Time that at least one of the spans covers; sorts them by start.
Ps covered(std::vector<std::pair<Ps, Ps>>& spans);
// Time that some span of `a` and some span of `b` cover.
Ps covered_by_both(std::vector<std::pair<Ps, Ps>> a, std::vector<std::pair<Ps, Ps>> b);

}  // namespace heddle::host
