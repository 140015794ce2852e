#include "analysis/store/claimed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "analysis/store/schema.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

// Of a byte that no file is long enough for and SQLite does not lock. It belongs to the open file, so
// SQLite's own closing of the file does not give it up. `type`: F_RDLCK, which all writers hold, or F_WRLCK.
// False: another process has it. A file system without such locks has no such protection.
bool lock(int fd, short type) {
  struct flock l = {};
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = off_t{1} << 62;
  l.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &l) == 0 || (errno != EAGAIN && errno != EACCES);
}

// Still the file of this name, and not one that was replaced meanwhile.
bool is_at(int fd, const fs::path& file) {
  struct stat here = {}, there = {};
  return fstat(fd, &here) == 0 && stat(file.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

bool has_runs(Database& db) {
  return db.integer("SELECT count(*) FROM sqlite_master WHERE name = 'runs'") > 0 &&
         db.integer("SELECT count(*) FROM runs") > 0;
}

fs::path end_of_links(const fs::path& file) {
  std::error_code error;
  fs::path end = fs::weakly_canonical(file, error);
  if (error) {
    fail(file, error.message());
  }
  return fs::is_symlink(end) ? end_of_links(end.parent_path() / fs::read_symlink(end)) : end;
}

}  // namespace

void check_version(Database& db) {
  if (db.integer("PRAGMA application_id") != kApplicationId) {
    throw Error(fmt::format("{}: not a Heddle result database", db.file()));
  }
  if (int64_t v = db.integer("PRAGMA user_version"); v != kSchemaVersion) {
    throw Error(fmt::format("{}: result database of version {}, this program writes version {}", db.file(), v,
                            kSchemaVersion));
  }
}

ClaimedFile::ClaimedFile(const fs::path& file, IfExists if_exists) {
  if (file.empty()) {
    throw Error("an empty name for a result database (legal: the name of a file)");
  }
  // A name that stays as it is given where there are no links: messages show it.
  path_ = fs::is_symlink(file) ? end_of_links(file) : file;
  try {
    while (!create() && !take(if_exists)) {
    }
  } catch (...) {
    release();
    throw;
  }
}

ClaimedFile::~ClaimedFile() { release(); }

void ClaimedFile::release() {
  if (fd_ >= 0) {
    close(fd_);
    fd_ = -1;
  }
}

// False: there is a file.
bool ClaimedFile::create() {
  release();
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd_ < 0 && errno != EEXIST) {
    const int why = errno;
    const fs::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    fail(path_, fmt::format("cannot open the database: cannot write to {} ({})", folder.string(),
                            std::strerror(why)));
  }
  if (fd_ < 0) {
    return false;
  }
  if (!lock(fd_, F_RDLCK)) {
    fail(path_, "another heddle writes to it");
  }
  if (!is_at(fd_, path_)) {
    return false;  // taken for an old empty one by another process
  }
  if (mode_) {
    fchmod(fd_, *mode_);
  }
  created_ = true;
  return true;
}

// False: what was in the way is gone, or went by itself.
bool ClaimedFile::take(IfExists if_exists) {
  struct stat s = {};
  if (stat(path_.c_str(), &s) != 0) {
    return false;
  }
  if (!S_ISREG(s.st_mode)) {
    fail(path_, S_ISDIR(s.st_mode) ? "is a directory"
                                   : "is no regular file (legal: a result database, or a new file)");
  }
  release();
  fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) {
    if (errno == ENOENT) {
      return false;
    }
    fail(path_, fmt::format("cannot be opened for writing: {}", std::strerror(errno)));
  }
  if (!lock(fd_, if_exists == IfExists::kAppend ? F_RDLCK : F_WRLCK)) {
    fail(path_, if_exists == IfExists::kRefuse
                    ? "the file exists, and another heddle writes to it (--append adds a run to it)"
                    : "another heddle writes to it");
  }
  if (!is_at(fd_, path_)) {
    return false;
  }
  if (if_exists == IfExists::kAppend && s.st_size > 0) {
    Database old(path_, Database::Mode::kWrite);
    check_version(old);
    return true;
  }
  if (!lock(fd_, F_WRLCK)) {
    fail(path_, "another heddle writes to it");
  }
  mode_ = s.st_mode & 07777;
  if (s.st_size > 0) {
    remove_old(if_exists);
  } else if (unlink(path_.c_str()) != 0) {
    fail(path_, fmt::format("cannot replace the file: {}", std::strerror(errno)));
  }
  return false;
}

// Nobody's other file is replaced by a slip of the keyboard, also with --force.
void ClaimedFile::remove_old(IfExists if_exists) {
  const char* exists = "the file exists (--append adds a run to it, --force replaces it)";
  Database old(path_, Database::Mode::kWrite);
  bool ours = false;
  try {
    ours = old.integer("PRAGMA application_id") == kApplicationId;
    if (if_exists == IfExists::kRefuse && (!ours || has_runs(old))) {
      fail(path_, exists);
    }
  } catch (const Error&) {
    if (if_exists == IfExists::kRefuse) {
      fail(path_, exists);
    }
    throw;
  }
  if (!ours) {
    fail(path_, "not a Heddle result database, --force does not replace it");
  }
  if (unlink(path_.c_str()) != 0) {
    fail(path_, fmt::format("cannot replace the file: {}", std::strerror(errno)));
  }
}

}  // namespace heddle::analysis
