// Configurations of GPUs: found by name, put together from files, presets and overrides, checked, printed,
// compared.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/ablation.pb.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::config {

struct LoadOptions {
  // Directories laid out like configs/ (gpus/, capability/, fidelity/). Looked in before the default ones:
  // $HEDDLE_CONFIGS (several, separated by ':'), the shipped ones, ./configs.
  std::vector<std::filesystem::path> search;
  // The shipped ones; those that do not exist are passed over. Empty: the executable's runfiles, `configs`
  // beside or above the executable.
  std::vector<std::filesystem::path> shipped;
  // A file of fidelity/, or the path of one: a partial configuration merged over the GPU's.
  std::string fidelity = "default";
  // "path=value", applied last, in order: l2.ways=16, sm.op[fp32].latency=4, topology.tpcs_per_gpc=[8,8].
  std::vector<std::string> overrides;
};

// The configuration of `name_or_path`: "h200", or the path of a file like those in configs/gpus. The
// capability's file comes first, then the GPU's, the preset's and the overrides. Throws heddle::Error, one
// line, when anything is missing, unknown, out of range or contradictory.
GpuConfig load(std::string_view name_or_path, const LoadOptions& options = {});

// The file that load() reads the GPU from. Throws heddle::Error for a name that there is not.
struct GpuFile {
  std::filesystem::path path;
  bool shipped = false;  // found by name where Heddle's own files are
};
GpuFile gpu_file(std::string_view name_or_path, const LoadOptions& options = {});

// Everything wrong with it, one line each; empty is good. More than load() asks for: every value must have a
// provenance entry.
std::vector<std::string> check(std::string_view name_or_path, const LoadOptions& options = {});

// The same for a configuration in memory.
std::vector<std::string> check(const GpuConfig& config);

// Sets one field; `assignment` is an entry of LoadOptions::overrides. Does not check ranges: check() does.
void set(GpuConfig& config, std::string_view assignment);

// The names load() knows, sorted.
std::vector<std::string> gpu_names(const LoadOptions& options = {});
std::vector<std::string> fidelity_names(const LoadOptions& options = {});

// The table of the mechanisms that `heddle validate --ablate` takes away: ablations.textproto of the first
// directory that has one.
std::vector<Ablation> ablations(const LoadOptions& options = {});

struct ShowOptions {
  bool annotate = true;  // unit and provenance as a comment behind each value
  bool flat = false;     // "path=value" lines, as overrides take them, instead of nested text
  std::string under;     // only this field and what is below it, e.g. "sm.l1"
};

// Without `under` and `flat`, the text is a file that load() takes and that gives the same configuration
// again.
std::string to_text(const GpuConfig& config, const ShowOptions& options = {});

struct Difference {
  std::string path;
  std::string a;  // empty: not set
  std::string b;
};
std::vector<Difference> diff(const GpuConfig& a, const GpuConfig& b);

// 16 hex digits over the values: not over provenance, the order of entries, or fields left at a default that
// may be left out.
std::string hash(const GpuConfig& config);

// Of the field at `path`; nothing when no entry covers it.
std::optional<Provenance> provenance_of(const GpuConfig& config, std::string_view path);

// How many values there are of each kind.
std::map<Provenance::Kind, int> provenance_summary(const GpuConfig& config);

// Paths of the values that no entry covers.
std::vector<std::string> without_provenance(const GpuConfig& config);

}  // namespace heddle::config
