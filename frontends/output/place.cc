#include "frontends/output/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "sim/base/error.h"

namespace heddle::output {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("{}: cannot be written: {}", file.string(), why));
}

// The end of a chain of symbolic links, whether or not there is something. Not those of descriptors
// (/proc/N/fd/1), which lead to what is open.
Place end_of_links(const fs::path& file) {
  constexpr int kMost = 40;  // as the kernel
  fs::path at = fs::absolute(file);
  for (int i = 0; i < kMost; ++i) {
    const fs::path folder = fs::weakly_canonical(at.parent_path());
    const std::string name = at.filename();
    at = folder / name;
    Place place;
    place.target = at;
    if (folder.string().starts_with("/proc/")) {
      place.in_place = true;
      if (folder == fs::weakly_canonical("/proc/self/fd")) {
        std::from_chars(name.data(), name.data() + name.size(), place.descriptor);
      }
      return place;
    }
    std::error_code none;
    if (!fs::is_symlink(at, none)) {
      return place;
    }
    const fs::path next = fs::read_symlink(at);
    at = next.is_absolute() ? next : folder / next;
  }
  fail(file, std::strerror(ELOOP));
}

bool is_of_kind(const fs::path& file, const FileKind& kind) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  std::string head(kHeadBytes, '\0');
  size_t size = 0;
  for (ssize_t n = 1; n > 0 && size<head.size(); size += n> 0 ? static_cast<size_t>(n) : 0) {
    n = read(fd, head.data() + size, head.size() - size);
  }
  close(fd);
  head.resize(size);
  return kind.is(head);
}

}  // namespace

Place find_place(const fs::path& file, const FileKind& kind, Replace replace) {
  if (file.empty()) {
    throw Error(fmt::format("an empty name for {} (legal: the name of a file)", kind.name));
  }
  Place place;
  try {
    place = end_of_links(file);
  } catch (const fs::filesystem_error& e) {
    fail(file, e.code().message());
  }
  struct stat s = {};
  if (stat(place.target.c_str(), &s) != 0) {
    if (errno != ENOENT || place.in_place) {
      fail(file, std::strerror(errno));
    }
    return place;
  }
  if (S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode)) {
    fail(file, S_ISDIR(s.st_mode) ? "is a directory" : "is a block device");
  }
  if (access(place.target.c_str(), W_OK) != 0) {
    fail(file, std::strerror(errno));
  }
  place.in_place = place.in_place || !S_ISREG(s.st_mode);
  place.mode = s.st_mode & 07777;
  if (!place.in_place && s.st_size > 0 && replace != Replace::kAny && !is_of_kind(place.target, kind)) {
    throw Error(
        fmt::format("{}: the file exists and is not {} (--force replaces it)", file.string(), kind.name));
  }
  return place;
}

int open_in_place(const fs::path& file, const Place& place) {
  // A copy of a descriptor goes on where it is.
  const int fd = place.descriptor >= 0
                     ? fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0)
                     : open(place.target.c_str(),
                            O_WRONLY | O_NOCTTY | O_CLOEXEC | (place.in_place ? 0 : O_CREAT), 0666);
  if (fd < 0) {
    fail(file, std::strerror(errno));
  }
  return fd;
}

}  // namespace heddle::output
