// The options that `heddle run` and `heddle validate` share.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "analysis/store/result_store.h"
#include "frontends/output/place.h"

namespace heddle::cli {

struct SimOptions : analysis::RunSettings {
  std::string gpu;
  std::vector<std::string> overrides;
  std::string fidelity = "default";
  std::filesystem::path out;  // empty: results are not stored
  bool append = false;
  bool force = false;
  bool no_host_timing = false;
  bool quiet = false;

  analysis::StoreOptions store() const;
};

// --profile, --timeline and what belongs to them; `sim` must outlive the parsing.
void add_profile_options(CLI::App& app, SimOptions& sim);

// --threads, --jobs, --cpus and --allow-capability-mismatch: of every command that simulates launches.
void add_launch_options(CLI::App& app, analysis::RunSettings& settings);

// `gpu_required`: --gpu must be given.
void add_sim_options(CLI::App& app, SimOptions& options, bool gpu_required);

// --force: also files of another kind are replaced.
void add_force(CLI::App& app, bool& force);
inline output::Replace replace(bool force) {
  return force ? output::Replace::kAny : output::Replace::kSameKind;
}

// Options with one argument each that may be given several times.
CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

}  // namespace heddle::cli
