// Reads the merged database of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/sqlite.h"

namespace heddle::sweep {

struct ResultConfig {
  int64_t run_id = 0;
  size_t point = 0;
  std::string gpu;
  std::vector<std::string> values;  // of the axes
};

class SweepResults {
 public:
  // Throws heddle::Error when `file` is not the merged database of a sweep.
  explicit SweepResults(const std::filesystem::path& file);

  const std::vector<std::string>& axes() const { return axes_; }
  const std::vector<ResultConfig>& configs() const { return configs_; }
  const std::vector<std::string>& launches() const { return launches_; }  // "vecadd/1"

  // By configuration and launch; NaN where there is no result. Throws heddle::Error for names that are no
  // metric; "cycles" and "time" stand for gpc__cycles_elapsed.max and gpu__time_duration.sum.
  std::vector<std::vector<double>> values(const std::string& metric);

 private:
  analysis::Database db_;
  std::vector<std::string> axes_;
  std::vector<ResultConfig> configs_;
  std::vector<std::string> launches_;
};

// The metric's full name; empty for a name that is none.
std::string metric_name(std::string_view name);

}  // namespace heddle::sweep
