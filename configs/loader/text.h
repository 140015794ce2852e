// Reading one text-format file, with messages that say where in it and what would have been legal.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/ablation.pb.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::config {

struct ParsedFile {
  std::string name;  // as messages show it
  GpuConfig config;
  std::map<std::string, int> lines;  // of each value, by path
};

// Throws Error "NAME:LINE:COLUMN: ..." on syntax, unknown or repeated fields, values of the wrong type, and
// tables with two entries of one name; on provenance entries that are incomplete or name a field that does
// not exist.
ParsedFile parse_text(std::string_view text, const std::string& name);

ParsedFile parse_file(const std::filesystem::path& path);

// A table of ablations. Throws Error on syntax, and on entries that lack something or share a name; whether
// their overrides are good depends on the GPU.
std::vector<Ablation> parse_ablations(std::string_view text, const std::string& name);

// Throws Error if it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace heddle::config
