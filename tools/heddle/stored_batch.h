// Simulates planned launches, stores what is finished, shows progress: the part that `run` and `validate`
// share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run/batch.h"
#include "analysis/run/checkpointed.h"
#include "analysis/run/isolation.h"
#include "analysis/run/simulator.h"
#include "analysis/store/record.h"
#include "analysis/store/result_store.h"
#include "configs/schema/gpu.pb.h"
#include "tools/heddle/options.h"
#include "tools/heddle/summary.h"

namespace heddle::cli {

struct StoredBatchOptions {
  bool keep_going = true;                   // a failed launch is reported and the others go on
  std::filesystem::path summary;            // empty: no CSV file
  bool largest_first = false;               // the order in which launches are started
  analysis::CheckpointSettings checkpoint;  // one launch after the other then, in this process
};

class StoredBatch {
 public:
  // Loads the configuration and opens the outputs; everything that can be wrong before a simulation is found
  // here.
  StoredBatch(const SimOptions& sim, const StoredBatchOptions& options,
              std::vector<analysis::PlannedLaunch> launches);

  // Simulates. `finished` gets the launches in order, after they were stored, and may be empty. Returns the
  // exit status: 0, 1 when a launch failed (the error was printed), 128 + the signal's number when one came.
  using Finished = std::function<void(size_t launch, const analysis::Outcome& outcome)>;
  int run(const Finished& finished = nullptr);

  const config::GpuConfig& gpu() const { return gpu_; }
  // Without the configuration's text when nothing is stored.
  const analysis::RunRecord& record() const { return record_; }
  // What was finished, in order.
  const std::vector<analysis::LaunchRecord>& results() const { return results_; }

 private:
  std::unique_ptr<analysis::Isolation> isolate() const;
  analysis::LaunchRecord isolated(analysis::Isolation& isolation, size_t i,
                                  const analysis::ReportProgress& progress) const;
  void take(size_t launch, analysis::Outcome outcome, const Finished& finished);
  void report_failure(const std::exception_ptr& error);
  void report_stop(bool stopped) const;
  void report_saved() const;
  void warn_unknown_opcodes() const;

  const SimOptions sim_;
  const StoredBatchOptions options_;
  const std::vector<analysis::PlannedLaunch> launches_;
  const config::GpuConfig gpu_;
  analysis::RunRecord record_;
  std::unique_ptr<analysis::CheckpointedRuns> checkpointed_;  // null: nothing is saved or resumed
  std::unique_ptr<analysis::ResultStore> store_;
  std::unique_ptr<SummaryFile> summary_;
  std::vector<analysis::LaunchRecord> results_;
  size_t failures_ = 0;
};

}  // namespace heddle::cli
