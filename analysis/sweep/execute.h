// Simulates tasks of a sweep, each worker thread into a shard of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "analysis/sweep/folder.h"
#include "analysis/sweep/plan.h"
#include "sim/device/gpu.h"

namespace heddle::sweep {

struct ExecuteOptions {
  int jobs = 1;
  // Each worker thread simulates in a process of its own: one that crashes is a failed attempt. execute() is
  // then to be called while this process has one thread.
  bool isolate = false;
  std::string worker;                   // for the journal: "12_3", the task of a Slurm array
  std::atomic<bool>* cancel = nullptr;  // set from outside to stop
  // A stop counts as a failed attempt: it was not the user's wish but the batch system's.
  std::function<bool()> stop_is_failure;
  analysis::Warn warn;
};

// From any thread; each may be empty.
struct ExecuteCalls {
  std::function<void(size_t i)> begin;  // of tasks[i]; again with every attempt
  std::function<void(size_t i, const device::Progress& progress)> update;
  std::function<void(size_t i, uint64_t warp_instructions)> finish;  // also without a result
  std::function<void(size_t i, Failure kind, int attempt, const std::string& message)> failure;
};

// Tries each task up to 1 + sweep.retries times where that makes sense. Returns when all ended or were
// cancelled. Throws heddle::Error when results cannot be stored.
void execute(const SweepPlan& plan, const Folder& folder, const std::vector<size_t>& tasks,
             const ExecuteOptions& options, const ExecuteCalls& calls);

}  // namespace heddle::sweep
