// Spans of the timeline, on tracks: host threads, streams, engines. What a viewer draws and the summary adds
// up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/host/core/result.h"

namespace heddle::host {

// Time that spans cover, which come by their ends.
class Cover {
 public:
  void add(Ps start, Ps end);
  Ps total() const;

 private:
  // What is long over is only a sum: then a span that began before more gaps than this counts from there on.
  static constexpr size_t kMost = size_t{1} << 20;
  std::vector<std::pair<Ps, Ps>> pieces_;  // apart from each other, in order
  Ps settled_{}, settled_until_{};
};

// Time that spans of two kinds were both under way.
class Overlap {
 public:
  void add(bool first, Ps start, Ps end) {
    (first ? first_ : second_).add(start, end);
    either_.add(start, end);
  }
  Ps both() const { return first_.total() + second_.total() - either_.total(); }

 private:
  Cover first_, second_, either_;
};

class Recorder {
 public:
  // `most`: spans that are kept; tracks count all.
  Recorder(bool on, uint64_t most) : on_(on), most_(most) {}
  bool on() const { return on_; }
  uint32_t track(const std::string& name) {
    tracks_.push_back({name});
    covers_.emplace_back();
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
  // The span ends now: the ends of a track come in order.
  void add(uint32_t track, uint32_t name, Ps start, Ps end, SpanOrigin origin = {}) {
    if (on_) {
      ++tracks_[track].spans;
      covers_[track].add(start, end);
      if (spans_.size() < most_) {
        spans_.push_back({track, name, start, end, origin});
      } else {
        ++left_out_;
      }
    }
  }
  // So much of the track's spans was spent waiting.
  void waited(uint32_t track, Ps time) { tracks_[track].waiting += time; }
  // Moves everything into `result`, with the busy times.
  void finish(Result& result);

 private:
  bool on_;
  uint64_t most_;
  uint64_t left_out_ = 0;
  std::vector<Track> tracks_;
  std::vector<Cover> covers_;  // of the tracks
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<TrackSpan> spans_;
};

}  // namespace heddle::host
