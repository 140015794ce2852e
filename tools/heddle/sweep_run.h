// The sweep command's parts that several of its subcommands share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/sweep/folder.h"
#include "analysis/sweep/plan.h"

namespace heddle::cli {

// A sweep as the user names it: its file, or the folder of its results.
struct SweepChoice {
  std::filesystem::path file;  // FILE.textproto or DIR
  std::filesystem::path out;   // --out; empty: FILE without its ending, .sweep, in the current directory
};

struct SweepChanges {  // of what the file says
  bool skip_impossible = false;
  double timeout_s = -1;  // negative: none
  int retries = -1;
};

sweep::Folder folder_of(const SweepChoice& choice);
// The merged database: the file itself when that is one.
std::filesystem::path results_of(const SweepChoice& choice);
sweep::Sweep read_choice(const SweepChoice& choice);

// "heddle sweep status FOLDER" prints it.
std::string sweep_status_text(const sweep::SweepPlan& plan, const sweep::Progress& progress);

// Simulates here, with a progress meter. Returns 128 + the signal's number when one came, else 0.
int run_sweep_tasks(const sweep::SweepPlan& plan, const sweep::Folder& folder,
                    const std::vector<size_t>& tasks, int jobs, bool quiet, const std::string& worker);

// Collects, and says what there is and what failed. Returns the exit status: 1 when something failed or is
// missing.
int finish_sweep(const sweep::SweepPlan& plan, const sweep::Folder& folder);

}  // namespace heddle::cli
