// Comma-separated values, RFC 4180: fields in double quotes may hold commas, line ends and doubled quotes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::analysis {

struct CsvTable {
  std::string file;                            // as it is named in messages
  std::vector<std::string> columns;            // the first record
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`
  std::vector<uint64_t> lines;                 // of each row's start, parallel to `rows`

  std::optional<size_t> column(std::string_view name) const;
};

// Throws heddle::Error "FILE:LINE: what". Empty lines are skipped; a byte-order mark is dropped.
CsvTable read_csv(const std::filesystem::path& file);
CsvTable parse_csv(std::string_view text, std::string file);
// The same with the columns given: the file has no line with their names, or just these.
CsvTable read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns);
CsvTable parse_csv(std::string_view text, std::string file, const std::vector<std::string>& columns);

}  // namespace heddle::analysis
