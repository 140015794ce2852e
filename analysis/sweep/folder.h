// The folder that a sweep keeps its results in, and what is in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/sweep/journal.h"
#include "analysis/sweep/plan.h"
#include "analysis/sweep/shards.h"

namespace heddle::sweep {

struct Folder {
  std::filesystem::path path;

  std::filesystem::path file() const { return path / "sweep.textproto"; }  // the sweep, with absolute paths
  std::filesystem::path shards() const { return path / "shards"; }
  std::filesystem::path journals() const { return path / "journal"; }
  std::filesystem::path slurm() const { return path / "slurm"; }
  std::filesystem::path results() const { return path / "results.db"; }

  // Makes the folders and writes the file. Throws heddle::Error.
  void create(const Sweep& sweep) const;
};

// A name that no other worker has and that sorts by time.
std::string worker_name();

// Of each task of a plan.
enum class TaskState { kPending, kRunning, kDone, kFailed };

struct Progress {
  std::vector<TaskState> tasks;
  std::vector<CollectedFailure> failures;  // of the tasks that are kFailed
  size_t done = 0, failed = 0, running = 0, pending = 0;
  size_t foreign = 0;  // results of another revision of the program
  size_t alive = 0;    // workers

  std::vector<size_t> with(TaskState state) const;
};

// `retry_failed`: tasks that were given up are pending.
Progress progress_of(const SweepPlan& plan, const ShardIndex& shards, const JournalIndex& journals,
                     bool retry_failed = false);
Progress progress_of(const SweepPlan& plan, const Folder& folder, bool retry_failed = false);

// The pending tasks, one of each key: points may have the same configuration.
std::vector<size_t> tasks_to_do(const SweepPlan& plan, const Progress& progress);

// Writes results.db from what is finished. Returns the number of launches.
size_t collect_folder(const SweepPlan& plan, const Folder& folder);

}  // namespace heddle::sweep
