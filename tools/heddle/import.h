// Traces to .heddle files, text or such files of any version: where they go, and making one.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "analysis/run/plan.h"
#include "frontends/trace/writer.h"
#include "sim/device/gpu.h"

namespace heddle::cli {

struct ImportResult {
  trace::WriterTotals totals;
  uint64_t source_bytes = 0;  // of the trace and its companions
  double seconds = 0;
};

// A file for each launch: `out` itself when it is a .heddle, for which there must be one launch; else
// OUT/TRACE/kernel-N.heddle. Throws heddle::Error when, without `force`, a file exists or a list of traces
// that are no .heddle files.
std::vector<std::filesystem::path> import_targets(const std::vector<analysis::PlannedLaunch>& launches,
                                                  const std::filesystem::path& out, bool force);

// Writes `target`, which may be what is read. The fingerprint that results know the trace by stays that of
// the source. `verify`: reads it again, beside the source, and throws heddle::Error where they differ.
// `cancel` ends it with Cancelled; then, and after an error, there is no file.
ImportResult import_launch(const analysis::PlannedLaunch& launch, const std::filesystem::path& target,
                           const trace::WriterOptions& options, bool verify, const std::atomic<bool>& cancel,
                           const std::function<void(const device::Progress&)>& progress);

// A kernelslist.g in each directory of `targets`, with the copies between the launches.
void write_lists(const std::vector<analysis::PlannedLaunch>& launches,
                 const std::vector<std::filesystem::path>& targets, output::Replace replace);

}  // namespace heddle::cli
