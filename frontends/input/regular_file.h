// Opening the files that a user names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "frontends/input/limits.h"

namespace heddle::input {

// A file descriptor for reading. Throws heddle::Error "FILE: cannot be read: why" or "FILE: is a pipe ..."
// unless it is a regular file: files are read twice, at any offset, and fingerprinted, which a pipe allows
// only once, and waiting for a pipe that nobody writes to would never end.
class RegularFile {
 public:
  explicit RegularFile(const std::filesystem::path& file);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int fd() const { return fd_; }
  uint64_t size() const { return size_; }

 private:
  void close();

  int fd_ = -1;
  uint64_t size_ = 0;
};

// "no such file", "is a directory", "is a pipe" and so on; empty for a regular file.
std::string why_not_regular(const std::filesystem::path& file);

// The whole file. More bytes than `most` are an error.
std::string read_regular_file(const std::filesystem::path& file, const Limit& most);

}  // namespace heddle::input
