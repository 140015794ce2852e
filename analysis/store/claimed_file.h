// The file of a result database that is to be written, and nobody else's meanwhile.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "analysis/store/sqlite.h"

namespace heddle::analysis {

// What to do with a file that is already there.
enum class IfExists { kRefuse, kAppend, kReplace };

// Throws heddle::Error unless `db` is a result database of this version.
void check_version(Database& db);

// While it lives, other processes may add to the file, but none creates or replaces it. A database without a
// run, which a process left that was killed early, counts as none.
class ClaimedFile {
 public:
  // Throws heddle::Error when the file may not be taken: it exists (kRefuse), another process writes to it
  // (kRefuse, kReplace), it is no regular file or no result database. Symbolic links are followed.
  ClaimedFile(const std::filesystem::path& file, IfExists if_exists);
  ~ClaimedFile();
  ClaimedFile(const ClaimedFile&) = delete;
  ClaimedFile& operator=(const ClaimedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool created() const { return created_; }  // it is empty and has no tables yet

 private:
  bool create();
  bool take(IfExists if_exists);
  void remove_old(IfExists if_exists);
  void release();

  std::filesystem::path path_;
  bool created_ = false;
  std::optional<mode_t> mode_;  // of the file that was replaced
  int fd_ = -1;                 // holds the lock
};

}  // namespace heddle::analysis
