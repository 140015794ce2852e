// One database from the results of all workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "analysis/sweep/journal.h"
#include "analysis/sweep/shards.h"

namespace heddle::sweep {

// A run of the merged database: one configuration, all launches. Its id is its position, from 1; a launch's
// id follows from that and its own position, so ids do not depend on what is finished.
struct CollectedRun {
  std::function<analysis::RunRecord()> record;  // asked for once, when it is written
  size_t point = 0;                             // from 0
  std::vector<std::string> values;              // of the axes
  std::vector<RunKey> launches;
};

struct CollectedFailure {
  size_t run = 0;  // position
  std::string trace;
  uint32_t launch = 0;
  int attempts = 0;
  Failure kind = Failure::kError;
  std::string message;
};

struct SkippedPoint {
  size_t point = 0;
  std::string gpu;
  std::string reason;
};

struct Collection {
  std::vector<std::string> axes;
  std::vector<CollectedRun> runs;
  std::vector<CollectedFailure> failures;
  std::vector<SkippedPoint> skipped;
};

// Writes what is finished to `file`, which is replaced as a whole at the end. The bytes follow from the
// collection and the results alone: not from the workers' number, order or interruptions. Returns the number
// of launches. Throws heddle::Error, then with the old file untouched.
size_t collect(const std::filesystem::path& file, const Collection& collection, const ShardIndex& shards);

}  // namespace heddle::sweep
