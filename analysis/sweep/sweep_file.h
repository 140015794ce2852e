// Reads sweep files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "analysis/sweep/sweep.pb.h"

namespace heddle::sweep {

// Checks everything that needs no configuration. Throws heddle::Error "NAME:LINE:COLUMN: ..." on syntax and
// unknown fields, "NAME: axis \"X\": ..." on contents, with what is legal.
Sweep parse_sweep(std::string_view text, const std::string& name);

// The same of a file, with the paths of traces, GPUs and the preset made absolute.
Sweep read_sweep(const std::filesystem::path& file);

// What parse_sweep() reads back as the same.
std::string to_text(const Sweep& sweep);

// As tables name it.
std::string axis_name(const Axis& axis);

}  // namespace heddle::sweep
