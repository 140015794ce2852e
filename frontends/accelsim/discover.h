// Finds the kernel launches behind a path given by the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "frontends/accelsim/kernelslist.h"

namespace heddle::accelsim {

struct Launch {
  std::string trace;            // name of the directory the capture lies in
  uint32_t number = 0;          // position in that capture, from 1
  std::filesystem::path path;   // the trace file
  std::vector<Memcpy> memcpys;  // host-to-device copies between the previous launch and this one
};

// `path` is one of
//   - a directory with a kernelslist.g, or that list file itself (any *.g file);
//   - one trace file (*.traceg, *.traceg.zst, *.traceg.xz, *.traceg.gz);
//   - a directory of directories that have a kernelslist.g; they come in the order of their names.
// `warnings`, where given, receives one line for each oddity that did not stop the search.
// Throws heddle::Error when nothing is found.
std::vector<Launch> discover(const std::filesystem::path& path, std::vector<std::string>* warnings = nullptr);

}  // namespace heddle::accelsim
