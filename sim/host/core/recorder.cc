#include "sim/host/core/recorder.h"

#include <algorithm>

namespace heddle::host {

void Cover::add(Ps start, Ps end) {
  start = std::max(start, settled_until_);
  while (!pieces_.empty() && pieces_.back().second >= start) {
    start = std::min(start, pieces_.back().first);
    end = std::max(end, pieces_.back().second);
    pieces_.pop_back();
  }
  if (end > start) {
    pieces_.emplace_back(start, end);
  }
  if (pieces_.size() > kMost) {
    const auto half = pieces_.begin() + kMost / 2;
    for (auto it = pieces_.begin(); it != half; ++it) {
      settled_ += it->second - it->first;
      settled_until_ = it->second;
    }
    pieces_.erase(pieces_.begin(), half);
  }
}

Ps Cover::total() const {
  Ps sum = settled_;
  for (const auto& [start, end] : pieces_) {
    sum += end - start;
  }
  return sum;
}

void Recorder::finish(Result& result) {
  std::stable_sort(spans_.begin(), spans_.end(), [](const TrackSpan& a, const TrackSpan& b) {
    return a.track != b.track ? a.track < b.track : a.start < b.start;
  });
  for (size_t i = 0; i < tracks_.size(); ++i) {
    const Ps covered = covers_[i].total();
    tracks_[i].busy = covered - std::min(covered, tracks_[i].waiting);
  }
  result.tracks = std::move(tracks_);
  result.names = std::move(names_);
  result.spans = std::move(spans_);
  result.spans_left_out = left_out_;
}

}  // namespace heddle::host
