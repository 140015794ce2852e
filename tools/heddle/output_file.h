// A file that appears when it is complete: written beside its place and moved there.
#pragma once

#include <filesystem>
#include <fstream>

namespace heddle::cli {

class OutputFile {
 public:
  // Throws heddle::Error when it cannot be written.
  explicit OutputFile(std::filesystem::path file);
  ~OutputFile();  // without commit(): nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return out_; }
  // Throws heddle::Error when not everything could be written.
  void commit();

 private:
  std::filesystem::path file_, temporary_;
  std::ofstream out_;
};

}  // namespace heddle::cli
