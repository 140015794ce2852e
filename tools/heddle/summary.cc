#include "tools/heddle/summary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "analysis/report/format.h"
#include "sim/base/error.h"

namespace heddle::cli {
namespace {

constexpr char kHeader[] = "trace,launch,kernel,cycles,sm_active_cycles,warp_instructions,wall_seconds";

}  // namespace

SummaryFile::SummaryFile(const std::filesystem::path& file, output::Replace replace)
    : file_(file),
      place_(output::find_place(file, output::text_that_begins("a summary of heddle run", kHeader), replace)),
      fd_(output::open_in_place(file, place_)) {}

SummaryFile::~SummaryFile() {
  close(fd_);
  if (!place_.mode && !started_) {
    std::error_code ignored;
    std::filesystem::remove(place_.target, ignored);
  }
}

void SummaryFile::fail(const char* what) const {
  throw Error(fmt::format("{}: {}: {}", file_.string(), what, std::strerror(errno)));
}

void SummaryFile::add(const analysis::LaunchRecord& l) {
  std::string text;
  if (!started_) {
    if (!place_.in_place && ftruncate(fd_, 0) != 0) {
      fail("cannot be written");
    }
    text = std::string(kHeader) + "\n";
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
      fail("cannot be written");
    }
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
}

}  // namespace heddle::cli
