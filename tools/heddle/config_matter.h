// heddle config check --matter: which assumed values matter most.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "configs/loader/config.h"

namespace heddle::cli {

struct MatterOptions {
  std::vector<std::string> traces;  // empty: nobody asks
  analysis::RunSettings settings;
  size_t most = 8;
  std::filesystem::path csv;
  bool force = false;
  bool quiet = false;
};

void add_matter_options(CLI::App& app, MatterOptions& options);

// Simulates, for each of the GPUs, and prints. Throws heddle::Error, Cancelled.
void print_what_matters(const std::vector<std::string>& gpus, const config::LoadOptions& load,
                        const MatterOptions& options);

}  // namespace heddle::cli
