// Reads result databases back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "analysis/store/sqlite.h"

namespace heddle::analysis {

class ResultReader {
 public:
  // Throws heddle::Error when `file` is missing or not a result database of this version.
  explicit ResultReader(const std::filesystem::path& file);

  std::vector<RunRecord> runs();
  // The launches of one run in the order they were given; host timing where it was stored.
  std::vector<LaunchRecord> launches(int64_t run_id);

  // A hash over everything but the table host_timing, the catalogue and runs.revision: equal for two runs
  // that simulated the same thing, whatever the host, the number of threads and the build. 16 hexadecimal
  // digits.
  std::string content_hash();

 private:
  void read_details(LaunchRecord& r);

  Database db_;
};

}  // namespace heddle::analysis
