// Accesses and windows of a workload file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontends/workload/builder.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// How names are found; each throws the reader's error for a name that is not there.
struct MemoryNames {
  std::function<Buffer(const std::string&)> buffer;
  std::function<Pool(const std::string&)> pool;  // empty: the default pool
  std::function<Stream(bool given, const std::string&)> stream;
  std::function<void(const std::string&)> refuse;
  std::function<Window(const host::WindowDesc&)> window;
};

host::Access read_access(const proto::Access& a, const MemoryNames& names);
template <class Messages>
std::vector<host::Access> read_accesses(const Messages& messages, const MemoryNames& names) {
  std::vector<host::Access> out;
  out.reserve(static_cast<size_t>(messages.size()));
  for (const proto::Access& a : messages) {
    out.push_back(read_access(a, names));
  }
  return out;
}

Window read_window(const proto::AccessWindow& w, const MemoryNames& names);

}  // namespace heddle::workload
