#include "frontends/output/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sim/base/error.h"

namespace heddle::output {
namespace {

uint64_t random_number() {
  uint64_t n = 0;
  if (getrandom(&n, sizeof n, 0) != sizeof n) {
    throw Error(fmt::format("no random number for a temporary file: {}", std::strerror(errno)));
  }
  return n;
}

}  // namespace

Temporary::Temporary(std::filesystem::path target, std::filesystem::path shown, std::optional<mode_t> mode)
    : target_(std::move(target)), shown_(std::move(shown)) {
  // O_EXCL alone follows no symbolic link and opens nothing that another has made.
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  do {
    path_ = target_.string() + fmt::format(".{:016x}.part", random_number());
    fd_ = open(path_.c_str(), kFlags, mode ? 0600 : 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    fail(errno);
  }
  if (mode && fchmod(fd_, *mode) != 0) {
    const int why = errno;
    close();
    unlink(path_.c_str());
    fail(why);
  }
}

Temporary::~Temporary() {
  close();
  if (!path_.empty()) {
    unlink(path_.c_str());
  }
}

void Temporary::fail(int why) const {
  throw Error(fmt::format("{}: cannot be written: {}", shown_.string(), std::strerror(why)));
}

void Temporary::close() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

void Temporary::commit(bool replace) {
  // Of some file systems an error of writing is known only now.
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0) {
    fail(errno);
  }
  int result = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), replace ? 0 : RENAME_NOREPLACE);
  if (result != 0 && !replace && (errno == EINVAL || errno == ENOSYS)) {
    result = rename(path_.c_str(), target_.c_str());  // a file system without the flag
  }
  if (result != 0) {
    fail(errno);
  }
  path_.clear();
}

}  // namespace heddle::output
