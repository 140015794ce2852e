#include "tools/heddle/summary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "analysis/validate/csv.h"
#include "sim/engine/error.h"

namespace heddle::cli {

SummaryFile::SummaryFile(const std::filesystem::path& file) : file_(file) {
  created_ = !std::filesystem::exists(file);
  fd_ = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    fail("cannot write");
  }
}

SummaryFile::~SummaryFile() {
  close(fd_);
  if (created_ && !started_) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
}

void SummaryFile::fail(const char* what) const {
  throw Error(fmt::format("{}: {}: {}", file_.string(), what, std::strerror(errno)));
}

void SummaryFile::add(const analysis::LaunchRecord& l) {
  std::string text;
  if (!started_) {
    // Pipes and terminals cannot be truncated and need not be.
    if (ftruncate(fd_, 0) != 0 && errno != EINVAL) {
      fail("cannot write");
    }
    text = "trace,launch,kernel,cycles,sm_active_cycles,warp_instructions,wall_seconds\n";
  }
  text += fmt::format("{},{},{},{},{},{},{:.6f}\n", analysis::csv_field(l.trace), l.launch,
                      analysis::csv_field(l.kernel), l.cycles, l.sm_active_cycles, l.warp_instructions,
                      l.host.wall_seconds);
  write(text);
  started_ = true;
}

void SummaryFile::write(const std::string& text) {
  const off_t before = lseek(fd_, 0, SEEK_CUR);
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) {
      const int error = errno;
      if (before >= 0 && ftruncate(fd_, before) == 0) {
        lseek(fd_, before, SEEK_SET);
      }
      errno = error;
      fail("cannot write");
    }
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
}

}  // namespace heddle::cli
