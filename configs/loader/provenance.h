// Where values come from: entries that cover paths.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::config {

// Which entry tells the provenance of a value. The entries must live as long, and stay as they are.
class Coverage {
 public:
  explicit Coverage(const google::protobuf::RepeatedPtrField<Provenance>& entries);
  // The deepest entry whose path is `path` or lies above it; null: none. In an entry's path, [*] stands for
  // every name of a table; of two equally deep ones, the one without comes first.
  const Provenance* entry(std::string_view path) const;

 private:
  std::unordered_map<std::string_view, const Provenance*> by_path_;
};

// A value's path and what it rests on.
struct Evidence {
  std::string path;
  Provenance provenance;  // its own path is not looked at
};

// Entries that give each of these values its provenance: of every part of the configuration what most of its
// values rest on, and what differs below. In the order of `values`; the same values give the same entries.
std::vector<Provenance> entries_for(const std::vector<Evidence>& values);

}  // namespace heddle::config
