// Finds the files of a configuration and puts its layers together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "configs/loader/config.h"
#include "configs/loader/layers.h"

namespace heddle::config {

// Capability, GPU, preset and overrides, unchecked. Throws Error when a file or a field is missing.
Layers assemble(std::string_view name_or_path, const LoadOptions& options);

// Everything wrong with the values, one line each.
std::vector<std::string> problems_of(const GpuConfig& config, const Origins& origins);

// What load() throws for these problems, which are not empty.
std::string summary_of(const std::vector<std::string>& problems, std::string_view name_or_path);

}  // namespace heddle::config
