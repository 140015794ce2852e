#include "frontends/input/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/base/error.h"

namespace heddle::input {

namespace {

const char* kind(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "is a directory";
    case S_IFIFO:
      return "is a pipe";
    case S_IFSOCK:
      return "is a socket";
    default:
      return "is a device";
  }
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& file)
    // Without O_NONBLOCK, open() waits for somebody to write to a pipe.
    : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat st = {};
  if (fd_ < 0 || ::fstat(fd_, &st) != 0) {
    const std::string why = std::strerror(errno);
    close();
    throw Error(file.string() + ": cannot be read: " + why);
  }
  if (!S_ISREG(st.st_mode)) {
    close();
    throw Error(file.string() + ": " + kind(st.st_mode) + " (legal: a regular file)");
  }
  size_ = static_cast<uint64_t>(st.st_size);
}

RegularFile::~RegularFile() { close(); }

void RegularFile::close() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

std::string why_not_regular(const std::filesystem::path& file) {
  struct stat st = {};
  if (::stat(file.c_str(), &st) != 0) {
    return errno == ENOENT ? "no such file" : std::strerror(errno);
  }
  return S_ISREG(st.st_mode) ? "" : kind(st.st_mode);
}

std::string read_regular_file(const std::filesystem::path& file, const Limit& most) {
  const RegularFile in(file);
  if (in.size() > most.value) {
    throw Error(file.string() + ": " + std::to_string(in.size()) + " bytes (legal: " + most.legal() + ")");
  }
  std::string text(in.size(), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = ::read(in.fd(), text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      throw Error(file.string() + ": byte " + std::to_string(have) +
                  ": cannot read: " + std::strerror(errno));
    }
    if (n == 0) {
      break;  // it became shorter
    }
    have += static_cast<size_t>(n);
  }
  text.resize(have);
  return text;
}

}  // namespace heddle::input
