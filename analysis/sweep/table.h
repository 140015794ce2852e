// What `heddle sweep table` says and draws: a row for each launch of each configuration, what it took and
// what bounds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::sweep {

struct TableRow {
  size_t point = 0;
  std::string gpu;
  std::vector<std::string> values;  // of the axes
  std::string launch;               // "vecadd/1"
  uint64_t cycles = 0;              // of the core clock
  double core_mhz = 0, seconds = 0;
  // Of the peak over all cycles; nothing without a configuration.
  std::optional<double> issue_pct, l2_pct, dram_pct;
  std::string bound;  // "DRAM 71 %", "latency (L2 34 %)"; empty without a configuration
};

struct ResultTable {
  std::vector<std::string> axes;
  std::vector<TableRow> rows;  // by launch; within it in the sweep's order, or by time
};

// Throws heddle::Error when `file` is not the merged database of a sweep.
ResultTable read_table(const std::filesystem::path& file, bool by_time);

std::string table_text(const ResultTable& table);
std::string table_csv(const ResultTable& table);
// A bar for each row, its length the logarithm of the time, its colour what bounds it.
std::string table_svg(const ResultTable& table);

}  // namespace heddle::sweep
