// Where a file is to be written, and whether it may be.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "frontends/output/file_kind.h"

namespace heddle::output {

enum class Replace {
  kSameKind,  // a file of the same kind, and an empty one
  kAny,       // any regular file: --force
};

struct Place {
  std::filesystem::path target;  // symbolic links followed: what is replaced is the file, not the link
  std::optional<mode_t> mode;    // permissions of the file that is there
  // A device, a pipe, or one of the process's own descriptors (/dev/stdout): written into, never replaced.
  bool in_place = false;
  int descriptor = -1;  // of the process's own ones
};

// Throws heddle::Error for an empty name, a folder, a block device, a file that may not be written to, and
// one that `replace` protects.
Place find_place(const std::filesystem::path& file, const FileKind& kind, Replace replace);

// Opens what is at a place for writing, and creates it where there is nothing. Truncates nothing.
int open_in_place(const std::filesystem::path& file, const Place& place);

}  // namespace heddle::output
