#include "tools/heddle/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/engine/error.h"

namespace heddle::cli {

OutputFile::OutputFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_) {
  temporary_ += fmt::format(".{}.part", getpid());
  out_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!out_) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
}

void OutputFile::commit() {
  out_.close();
  if (!out_) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  }
  std::error_code error;
  std::filesystem::rename(temporary_, file_, error);
  if (error) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), error.message()));
  }
  temporary_.clear();
}

}  // namespace heddle::cli
