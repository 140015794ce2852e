// Puts a configuration together from layers (capability, GPU, preset, overrides) and remembers of every value
// where it was set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  //
  // A file that inherits goes on where what has been added ends: that stays, but for the paths in `without`,
  // and the file's provenance entries cover it like its own values. Throws Error when `without` names what
  // there is not.
  void add(const ParsedFile& file, const std::string& default_source = "");

  // What others have put together, as one layer.
  void add(const Layers& above);

  // One "path=value".
  void override_with(const std::string& assignment);

  // What has been put together so far.
  const GpuConfig& config() const { return config_; }

  // With as few provenance entries as give every value the provenance of the layer that set it (ASSUMED if
  // that has none), in schema order; tables in the order of the machine's own list. So two ways of writing
  // the same configuration down give the same bytes.
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
  void leave_out(const ParsedFile& file);

  GpuConfig config_;  // without provenance
  std::map<std::string, Origin> values_;
};

}  // namespace heddle::config
