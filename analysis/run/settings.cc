#include "analysis/run/settings.h"

#include <algorithm>

namespace heddle::analysis {

// Launches side by side use the host best; a few threads each shorten the largest ones, which would be the
// last.
void share_out(RunSettings& s, size_t launches) {
  if (s.cpus) {
    const int threads = s.cpus >= 16 ? 4 : s.cpus >= 12 ? 3 : s.cpus >= 4 ? 2 : 1;
    s.jobs = std::clamp(s.cpus / threads, 1, static_cast<int>(std::clamp<size_t>(launches, 1, 1024)));
    s.threads = s.cpus / s.jobs;
  }
}

}  // namespace heddle::analysis
