#include "analysis/sweep/folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <system_error>

#include "analysis/run/host.h"
#include "analysis/sweep/sweep_file.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"

namespace heddle::sweep {

namespace fs = std::filesystem;

void Folder::create(const Sweep& sweep) const {
  std::error_code error;
  if (path.empty() || (fs::exists(path, error) && !fs::is_directory(path, error))) {
    throw Error(fmt::format("{}: is no folder (legal: that of a sweep, or a new one)", path.string()));
  }
  if (!fs::exists(journals(), error) && fs::exists(path, error) && !fs::is_empty(path, error)) {
    throw Error(fmt::format(
        "{}: the folder is not empty and no sweep's (legal: that of a sweep, or a new one)", path.string()));
  }
  for (const fs::path& p : {path, shards(), journals()}) {
    fs::create_directories(p, error);
    if (error) {
      throw Error(fmt::format("{}: cannot be created: {}", p.string(), error.message()));
    }
  }
  // Renamed into place: workers on other hosts may be reading it.
  output::write_file(file(), output::text_that_begins("a sweep", ""), output::Replace::kAny, to_text(sweep));
}

std::string worker_name() {
  static std::atomic<unsigned> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{:013}-{}-{}-{}", std::chrono::duration_cast<std::chrono::milliseconds>(now).count(),
                     analysis::hostname(), getpid(), count++);
}

std::vector<size_t> Progress::with(TaskState state) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i] == state) {
      out.push_back(i);
    }
  }
  return out;
}

Progress progress_of(const SweepPlan& plan, const ShardIndex& shards, const JournalIndex& journals,
                     bool retry_failed) {
  Progress out;
  out.foreign = shards.foreign();
  out.alive = journals.alive;
  for (size_t t = 0; t < plan.tasks(); ++t) {
    const RunKey key = plan.key_of(t);
    TaskState state = TaskState::kPending;
    auto it = journals.tasks.find(key.text());
    if (shards.find(key)) {
      state = TaskState::kDone;
    } else if (it != journals.tasks.end() && it->second.running > 0) {
      state = TaskState::kRunning;
    } else if (it != journals.tasks.end() && !retry_failed && it->second.given_up(plan.sweep().retries())) {
      state = TaskState::kFailed;
      const History& h = it->second;
      out.failures.push_back(
          {t / plan.launches().size(), key.trace, key.launch, h.attempts, h.last, h.message});
    }
    out.tasks.push_back(state);
    out.done += state == TaskState::kDone;
    out.failed += state == TaskState::kFailed;
    out.running += state == TaskState::kRunning;
    out.pending += state == TaskState::kPending;
  }
  return out;
}

Progress progress_of(const SweepPlan& plan, const Folder& folder, bool retry_failed) {
  const std::string revision = analysis::revision();
  // The journals first: what ends in between is then found in the shards.
  const JournalIndex journals = read_journals(folder.journals(), revision);
  return progress_of(plan, ShardIndex(folder.shards(), revision), journals, retry_failed);
}

std::vector<size_t> tasks_to_do(const SweepPlan& plan, const Progress& progress) {
  std::vector<size_t> out;
  std::set<RunKey> seen;
  for (size_t t : progress.with(TaskState::kPending)) {
    if (seen.insert(plan.key_of(t)).second) {
      out.push_back(t);
    }
  }
  return out;
}

size_t collect_folder(const SweepPlan& plan, const Folder& folder) {
  const std::string revision = analysis::revision();
  const JournalIndex journals = read_journals(folder.journals(), revision);
  const ShardIndex shards(folder.shards(), revision);
  return collect(folder.results(), plan.collection(progress_of(plan, shards, journals).failures), shards);
}

}  // namespace heddle::sweep
