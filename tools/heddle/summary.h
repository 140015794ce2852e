// The CSV file of `heddle run --summary`: one line per finished launch.
#pragma once

#include <filesystem>

#include "analysis/store/record.h"
#include "frontends/output/place.h"

namespace heddle::cli {

class SummaryFile {
 public:
  // Opens the file for writing, so that a place that may not or cannot be written is known before any
  // simulation; an existing file keeps its content until the first launch is added. Throws heddle::Error.
  SummaryFile(const std::filesystem::path& file, output::Replace replace);
  // Removes a file that was created and has no line.
  ~SummaryFile();
  SummaryFile(const SummaryFile&) = delete;
  SummaryFile& operator=(const SummaryFile&) = delete;

  // Writes a whole line or, when the disk is full, nothing and throws heddle::Error.
  void add(const analysis::LaunchRecord& launch);

 private:
  void write(const std::string& text);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path file_;
  output::Place place_;
  int fd_ = -1;
  bool started_ = false;
};

}  // namespace heddle::cli
