#include "sim/host/recorder.h"

#include <algorithm>

namespace heddle::host {

Ps covered(std::vector<std::pair<Ps, Ps>>& spans) {
  std::sort(spans.begin(), spans.end());
  Ps sum = 0, until = 0;
  for (const auto& [start, end] : spans) {
    if (end > until) {
      sum += end - std::max(start, until);
      until = end;
    }
  }
  return sum;
}

Ps covered_by_both(std::vector<std::pair<Ps, Ps>> a, std::vector<std::pair<Ps, Ps>> b) {
  const Ps alone = covered(a) + covered(b);
  a.insert(a.end(), b.begin(), b.end());
  return alone - covered(a);
}

void Recorder::finish(Result& result) {
  std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return a.track != b.track ? a.track < b.track : a.start < b.start;
  });
  std::vector<std::vector<std::pair<Ps, Ps>>> by_track(tracks_.size());
  for (const Span& s : spans_) {
    by_track[s.track].emplace_back(s.start, s.end);
    ++tracks_[s.track].spans;
  }
  for (size_t i = 0; i < tracks_.size(); ++i) {
    tracks_[i].busy = covered(by_track[i]);
  }
  result.tracks = std::move(tracks_);
  result.names = std::move(names_);
  result.spans = std::move(spans_);
}

}  // namespace heddle::host
