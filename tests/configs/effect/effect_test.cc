// A configuration that cannot lie: every value of the h200, changed, changes what some probe says, or the
// loader refuses every other value, or reasons.h says why no probe can show it.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "configs/loader/config.h"
#include "sim/base/error.h"
#include "tests/configs/effect/change.h"
#include "tests/configs/effect/probe.h"
#include "tests/configs/effect/reasons.h"
#include "tests/support/sanitizers.h"

namespace heddle::config::effect {
namespace {

// Under a sanitizer all fields take half an hour: every twentieth, and all in the plain build.
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
constexpr size_t kEvery = 20;
#else
constexpr size_t kEvery = 1;
#endif

std::string answer(const Probe& p, const GpuConfig& gpu) {
  try {
    return p.run(gpu);
  } catch (const Error& e) {
    return e.what();
  }
}

bool legal(const GpuConfig& gpu) { return check(gpu).empty(); }

class Prober {
 public:
  explicit Prober(const GpuConfig& gpu) : gpu_(gpu) {
    for (auto make : {sm_probes, copy_probes, memory_probes, host_probes}) {
      for (Probe& p : make()) {
        probes_.push_back(std::move(p));
      }
    }
    answers_.resize(probes_.size());
  }

  // The probe that `f` shows in; "refused"; or nothing.
  std::string verdict(const Field& f) {
    const std::vector<GpuConfig> all = f.others(gpu_);
    if (std::none_of(all.begin(), all.end(), legal)) {
      return "refused";
    }
    for (size_t p : order(f.path)) {
      if (shows(p, f)) {
        std::lock_guard lock(mutex_);
        last_[unit(f.path)] = p;
        return probes_[p].name;
      }
    }
    return "";
  }

 private:
  static std::string unit(const std::string& path) { return path.substr(0, path.find_last_of('.')); }

  // What showed the field before of the same unit first: only time depends on it.
  std::vector<size_t> order(const std::string& path) {
    std::vector<size_t> out;
    std::lock_guard lock(mutex_);
    const auto known = last_.find(unit(path));
    if (known != last_.end()) {
      out.push_back(known->second);
    }
    const bool host = path.starts_with("host.");
    for (size_t i = 0; i < probes_.size(); ++i) {
      if ((known == last_.end() || i != known->second) && (!host || probes_[i].host)) {
        out.push_back(i);
      }
    }
    return out;
  }

  bool shows(size_t p, const Field& f) {
    GpuConfig plain = gpu_;
    for (const std::string& assignment : probes_[p].setup) {
      set(plain, assignment);
    }
    {
      std::lock_guard lock(mutex_);
      if (answers_[p].empty()) {
        answers_[p] = answer(probes_[p], plain);
      }
    }
    const std::vector<GpuConfig> all = f.others(plain);
    return std::any_of(all.begin(), all.end(), [&](const GpuConfig& changed) {
      return legal(changed) && answer(probes_[p], changed) != answers_[p];
    });
  }

  const GpuConfig& gpu_;
  std::vector<Probe> probes_;
  std::vector<std::string> answers_;  // of the machine as it is
  std::map<std::string, size_t> last_;
  std::mutex mutex_;
};

// Without provenance, which is most of it and nothing to the model.
GpuConfig h200() {
  GpuConfig gpu = load("h200");
  gpu.clear_provenance();
  return gpu;
}

TEST_CASE("the probes work on the h200: their answers are no errors") {
  const GpuConfig gpu = h200();
  for (auto make : {sm_probes, copy_probes, memory_probes, host_probes}) {
    for (const Probe& p : make()) {
      GpuConfig with = gpu;
      for (const std::string& assignment : p.setup) {
        set(with, assignment);
      }
      CAPTURE(p.name);
      CHECK(check(with) == std::vector<std::string>{});
      CHECK_NOTHROW(p.run(with));
    }
  }
}

TEST_CASE("every field has an effect, or is refused, or has a reason") {
  const GpuConfig gpu = h200();
  const std::vector<Field> all = fields(gpu);
  Prober prober(gpu);
  std::map<std::string, std::string> verdicts;
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (size_t n = next.fetch_add(kEvery); n < all.size(); n = next.fetch_add(kEvery)) {
        const std::string verdict = prober.verdict(all[n]);
        std::lock_guard lock(mutex);
        verdicts[all[n].path] = verdict;
      }
    });
  }
  for (std::thread& t : threads) {
    t.join();
  }
  std::vector<std::string> lies, needless;
  for (const auto& [path, verdict] : verdicts) {
    const bool excused = reasons().contains(path);
    if (verdict.empty() && !excused) {
      lies.push_back(path);
    }
    if (!verdict.empty() && excused) {
      needless.push_back(path);
      needless.back().append(": ").append(verdict);
    }
  }
  for (const auto& [path, reason] : reasons()) {
    if (std::none_of(all.begin(), all.end(), [&](const Field& f) { return f.path == path; })) {
      needless.push_back(path + ": no such field");
    }
  }
  CHECK(lies == std::vector<std::string>{});      // read by no code? Remove it, or make a probe that sees it
  CHECK(needless == std::vector<std::string>{});  // take it out of reasons.h
}

}  // namespace
}  // namespace heddle::config::effect
