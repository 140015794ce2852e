#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "configs/loader/assemble.h"
#include "configs/loader/config.h"
#include "configs/loader/fields.h"
#include "configs/loader/layers.h"
#include "configs/loader/text.h"
#include "configs/loader/validate.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace fs = std::filesystem;
namespace {

bool is_config_directory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "gpus", ignored) || fs::is_directory(path / "capability", ignored) ||
         fs::is_directory(path / "fidelity", ignored);
}

// A directory the user named must be one; the default places need not.
void add_named(const fs::path& path, const std::string& by, std::vector<fs::path>& to) {
  if (!is_config_directory(path)) {
    throw Error(by + ": \"" + path.string() +
                "\" is not a configuration directory; legal: one that holds gpus/, capability/ or fidelity/");
  }
  to.push_back(path);
}

// Where this program's own files may be.
std::vector<fs::path> shipped_candidates() {
  std::vector<fs::path> out;
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* env = std::getenv(variable)) {
      out.push_back(fs::path(env) / "heddle" / "configs");
    }
  }
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    out.push_back(executable.string() + ".runfiles/heddle/configs");
    for (fs::path dir = executable.parent_path(); dir.has_relative_path(); dir = dir.parent_path()) {
      out.push_back(dir / "configs");
      out.push_back(dir / "share" / "heddle" / "configs");
    }
  }
  return out;
}

std::vector<fs::path> shipped_directories(const LoadOptions& options) {
  return options.shipped.empty() ? shipped_candidates() : options.shipped;
}

// Directories that exist, best first, each once. The current folder is last: what lies there by chance must
// not stand in for a shipped file.
std::vector<fs::path> config_directories(const LoadOptions& options) {
  std::vector<fs::path> candidates;
  for (const fs::path& path : options.search) {
    add_named(path, "search path", candidates);
  }
  if (const char* env = std::getenv("HEDDLE_CONFIGS")) {
    std::string_view rest = env;
    while (!rest.empty()) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) {
        add_named(fs::path(rest.substr(0, colon)), "HEDDLE_CONFIGS", candidates);
      }
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  for (const fs::path& path : shipped_directories(options)) {
    candidates.push_back(path);
  }
  candidates.emplace_back("configs");
  std::vector<fs::path> out;
  std::set<fs::path> seen;
  std::error_code error;
  for (const fs::path& candidate : candidates) {
    if (is_config_directory(candidate) && seen.insert(fs::weakly_canonical(candidate, error)).second) {
      out.push_back(candidate);
    }
  }
  return out;
}

// NAME of every KIND/NAME.textproto.
std::vector<std::string> names_of(const std::vector<fs::path>& directories, const std::string& kind) {
  std::set<std::string> names;
  for (const fs::path& directory : directories) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(directory / kind, error)) {
      if (file.path().extension() == ".textproto") {
        names.insert(file.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".textproto");
}

// `what` begins the message if there is no such file: "unknown GPU".
fs::path find_file(const std::vector<fs::path>& directories, const std::string& kind, std::string_view name,
                   const std::string& what) {
  for (const fs::path& directory : directories) {
    fs::path path = directory / kind / (std::string(name) + ".textproto");
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      return path;
    }
  }
  std::vector<std::string> looked;
  looked.reserve(directories.size());
  for (const fs::path& directory : directories) {
    looked.push_back((directory / kind).string());
  }
  throw Error(what + " \"" + clipped(name) + "\"; legal names: " + join(names_of(directories, kind)) +
              (looked.empty() ? " (none: there is no folder configs with GPUs beside the program "
                                "(heddle.runfiles) nor here; set "
                                "HEDDLE_CONFIGS to a copy of Heddle's folder configs)"
                              : " (from " + join(looked) + ")"));
}

// A file and those that it stands on, the lowest first.
std::vector<ParsedFile> with_bases(ParsedFile file, const std::vector<fs::path>& directories,
                                   const std::string& kind) {
  std::vector<ParsedFile> chain;
  chain.push_back(std::move(file));
  while (chain.back().config.has_inherits()) {
    const ParsedFile& last = chain.back();
    const std::string what = last.name + ": inherits";
    ParsedFile base =
        parse_file(find_file(directories, kind, last.config.inherits(), what + ": no such file for"));
    const auto again = [&base](const ParsedFile& f) { return f.name == base.name; };
    if (std::any_of(chain.begin(), chain.end(), again)) {
      throw Error(what + ": \"" + last.config.inherits() +
                  "\" stands on this file; legal: one that does not");
    }
    chain.push_back(std::move(base));
  }
  std::reverse(chain.begin(), chain.end());
  for (const ParsedFile& f : chain) {
    if (!f.config.has_inherits() && f.config.without_size() > 0) {
      throw Error(f.name + ": without: there is no `inherits` that it could take something from");
    }
  }
  return chain;
}

Layers stacked(const std::vector<ParsedFile>& files) {
  Layers out;
  for (const ParsedFile& file : files) {
    out.add(file);
  }
  return out;
}

}  // namespace

Layers assemble(std::string_view name, const LoadOptions& options) {
  std::vector<fs::path> directories = config_directories(options);
  const fs::path gpu_path = gpu_file(name, options).path;
  // A GPU's file outside the known directories may have its capability's file beside it.
  const fs::path beside = gpu_path.parent_path().parent_path();
  if (is_path(name) && is_config_directory(beside.empty() ? "." : beside)) {
    directories.push_back(beside.empty() ? "." : beside);
  }
  const std::vector<ParsedFile> gpu = with_bases(parse_file(gpu_path), directories, "gpus");
  const ParsedFile& own = gpu.back();
  if (!is_path(name) && own.config.name() != name) {
    throw Error(own.name + ": name: \"" + own.config.name() + "\" is not the file's; legal value: \"" +
                std::string(name) + "\"");
  }
  // Its own, else of the nearest that it stands on.
  const auto of = std::find_if(gpu.rbegin(), gpu.rend(),
                               [](const ParsedFile& f) { return !f.config.capability().empty(); });
  if (of == gpu.rend()) {
    throw Error(own.name +
                ": capability: not set; legal values: " + join(names_of(directories, "capability")));
  }
  const std::string& capability_name = of->config.capability();
  Layers layers;
  ParsedFile capability = parse_file(
      find_file(directories, "capability", capability_name, of->name + ": capability: no such file for"));
  if (capability.config.capability() != capability_name) {
    throw Error(capability.name + ": capability: \"" + capability.config.capability() +
                "\" is not the file's; legal value: \"" + capability_name + "\"");
  }
  layers.add(stacked(with_bases(std::move(capability), directories, "capability")));
  layers.add(stacked(gpu));
  if (!options.fidelity.empty()) {
    const fs::path preset = is_path(options.fidelity) ? fs::path(options.fidelity)
                                                      : find_file(directories, "fidelity", options.fidelity,
                                                                  "unknown fidelity preset");
    layers.add(parse_file(preset), "fidelity preset " + preset.stem().string());
  }
  for (const std::string& assignment : options.overrides) {
    layers.override_with(assignment);
  }
  return layers;
}

std::vector<std::string> problems_of(const GpuConfig& config, const Origins& origins) {
  Problems problems(origins);
  check_fields(config, problems);
  if (problems.lines().empty()) {
    check_combinations(config, problems);
  }
  return problems.lines();
}

std::string summary_of(const std::vector<std::string>& problems, std::string_view name_or_path) {
  std::string message = problems.front();
  if (problems.size() > 1) {
    message.append(" (and ").append(std::to_string(problems.size() - 1));
    message.append(" more; `heddle config check ").append(name_or_path).append("` lists them)");
  }
  return message;
}

GpuFile gpu_file(std::string_view name_or_path, const LoadOptions& options) {
  if (is_path(name_or_path)) {
    return {fs::path(name_or_path), false};
  }
  GpuFile out{find_file(config_directories(options), "gpus", name_or_path, "unknown GPU"), false};
  const std::vector<fs::path> shipped = shipped_directories(options);
  const fs::path directory = out.path.parent_path().parent_path();
  out.shipped = std::find(shipped.begin(), shipped.end(), directory) != shipped.end();
  return out;
}

GpuConfig load(std::string_view name_or_path, const LoadOptions& options) {
  const Layers layers = assemble(name_or_path, options);
  const auto problems = problems_of(layers.config(), layers.origins());
  if (!problems.empty()) {
    throw Error(summary_of(problems, name_or_path));
  }
  return layers.finish();
}

std::vector<std::string> check(std::string_view name_or_path, const LoadOptions& options) {
  try {
    const Layers layers = assemble(name_or_path, options);
    const Origins origins = layers.origins();
    std::vector<std::string> problems = problems_of(layers.config(), origins);
    for (const std::string& path : layers.without_provenance()) {
      std::string problem = origins.at(path);
      problem.append(": ").append(path).append(": no provenance entry of the same file covers it; ");
      problem.append("legal: one with path \"").append(path).append("\" or a part of that from its start");
      problems.push_back(std::move(problem));
    }
    return problems;
  } catch (const Error& error) {
    return {error.what()};
  }
}

std::vector<std::string> check(const GpuConfig& config) { return problems_of(config, {}); }

std::vector<std::string> gpu_names(const LoadOptions& options) {
  return names_of(config_directories(options), "gpus");
}

std::vector<std::string> fidelity_names(const LoadOptions& options) {
  return names_of(config_directories(options), "fidelity");
}

std::vector<Ablation> ablations(const LoadOptions& options) {
  for (const fs::path& directory : config_directories(options)) {
    const fs::path path = directory / "ablations.textproto";
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) {
      return parse_ablations(read_file(path), path.string());
    }
  }
  throw Error("no ablations.textproto in a configuration directory");
}

}  // namespace heddle::config
