// A sweep as job arrays of Slurm: rounds of submitting what is missing, until nothing is or nothing helps.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "analysis/sweep/folder.h"
#include "analysis/sweep/plan.h"

namespace heddle::cli {

struct SlurmOptions {
  std::filesystem::path template_file;  // empty: the one that comes with heddle
  size_t chunk = 0;                     // runs per task of the array; 0: so that there are at most kTasks
  int jobs = 1;                         // runs that a task simulates at a time
  double poll_s = 5;
  bool watch = true;
  bool retry_failed = false;
};

// tools/cluster/sweep.sbatch, as it was when the program was built.
std::string default_slurm_template();

// Submits, watches, submits again what was lost. A job of an earlier call that still runs is watched, not
// doubled. Returns 128 + the signal's number when one came, else 0. Throws heddle::Error, also when a job
// ended without anything tried.
int run_sweep_on_slurm(const sweep::SweepPlan& plan, const sweep::Folder& folder,
                       const SlurmOptions& options);

// What a task of the array does: simulates its chunk. `round` is the folder of the submission, `chunk` counts
// from 0.
int run_slurm_task(const sweep::Folder& folder, const std::filesystem::path& round, size_t chunk, int jobs);

}  // namespace heddle::cli
