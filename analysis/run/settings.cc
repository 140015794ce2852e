#include "analysis/run/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "analysis/run/residency.h"
#include "sim/engine/threads.h"

namespace heddle::analysis {

int threads_for(int wanted, uint32_t sms, const Warn& warn) {
  wanted = std::clamp(wanted, 1, static_cast<int>(std::max(1U, sms)));
  int threads = 1;
  {
    std::atomic<bool> end{false};
    const std::vector<std::jthread> others = start_threads(wanted - 1, [&end] { end.wait(false); });
    threads += static_cast<int>(others.size());
    end = true;
    end.notify_all();
  }
  if (threads == wanted) {
    return wanted;
  }
  threads = std::max(1, threads / 2);
  if (warn) {
    warn(fmt::format("{} threads for a launch, not {}: the host starts no more", threads, wanted));
  }
  return threads;
}

std::vector<std::string> describe(const RunSettings& s) {
  std::vector<std::string> out = describe(s.l2);
  if (s.between == Between::kKeep) {
    out.emplace_back("--between=keep");
  }
  if (s.warm_up != 0) {
    out.push_back(fmt::format("--warm-up={}", s.warm_up));
  }
  return out;
}

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
