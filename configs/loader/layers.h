// Puts a configuration together from layers (capability, GPU, preset, overrides) and remembers of every value
// where it was set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "configs/loader/text.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::config {

// Path -> "configs/gpus/h200.textproto:66" or "--set l2.ways=16". Empty for a configuration that came from no
// files.
using Origins = std::map<std::string, std::string>;

class Layers {
 public:
  // Single values and whole lists replace those below; table entries replace the whole entry of the same
  // name. `default_source`, if not empty, is the provenance of values that the layer's own entries do not
  // cover: such values never inherit the provenance of the value they replace.
  void add(const ParsedFile& file, const std::string& default_source = "");

  // One "path=value".
  void override_with(const std::string& assignment);

  // What has been put together so far.
  const GpuConfig& config() const { return config_; }

  // With provenance entries that give every value the provenance of the layer that set it; ASSUMED if that
  // has none.
  GpuConfig finish() const;

  // Paths of the values that their own layer's entries do not cover.
  std::vector<std::string> without_provenance() const;

  Origins origins() const;

 private:
  struct Origin {
    std::string where;
    std::optional<Provenance> provenance;
  };

  void replace_entries(const GpuConfig& layer);

  GpuConfig config_;  // without provenance
  std::map<std::string, Origin> values_;
  std::vector<Provenance> entries_;  // of all layers; a later one replaces an earlier one of the same path
};

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

}  // namespace heddle::config
