// Reads result databases back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "analysis/store/sqlite.h"

namespace heddle::analysis {

class ResultReader {
 public:
  // Throws heddle::Error when `file` is missing or not a result database of this version.
  explicit ResultReader(const std::filesystem::path& file);

  // `config_text` is as stored: of the later points of a sweep, what changes in an earlier run's
  // (config_text.h). A text of all of them would be tens of kilobytes a run.
  std::vector<RunRecord> runs();
  // The run with its whole `config_text`. Throws heddle::Error when the file's is damaged.
  RunRecord whole(RunRecord run);
  // The launches of one run in the order they were given; host timing where it was stored.
  std::vector<LaunchRecord> launches(int64_t run_id);

  // What was collected by instruction and over time; empty where nobody asked for it. Spans are left to
  // for_each_span: there can be many.
  stats::Profile profile(int64_t launch_id);
  // Floating-point operations of its instructions, in the same order.
  std::vector<Flop> flop_by_instruction(int64_t launch_id);
  // Whether the file has any counts by instruction or over time.
  bool profiled();
  // Floating-point operations by kind (flop.h); empty without counts by instruction.
  std::map<std::string, uint64_t> flop(int64_t launch_id);
  // Spans of a run in the order in which they were written. `launch_id` is 0 for those of no launch.
  void for_each_span(int64_t run_id,
                     const std::function<void(int64_t launch_id, const stats::Span& span)>& call);
  // Of a host program: what it counted, by name; the use of its tracks, by name. Empty for other runs.
  std::vector<RunCounter> counters(int64_t run_id);
  std::vector<TrackUse> tracks(int64_t run_id);
  // Of a launch's spans, those beyond the limit.
  uint64_t dropped_spans(int64_t launch_id);

  // A hash over everything but the table host_timing, the catalogue and runs.revision: equal for two runs
  // that simulated the same thing, whatever the host, the number of threads and the build. 16 hexadecimal
  // digits.
  std::string content_hash();

 private:
  void read_details(LaunchRecord& r);

  Database db_;
  int64_t base_run_ = 0;  // whose text base_text_ is; 0: none yet
  std::string base_text_;
};

}  // namespace heddle::analysis
