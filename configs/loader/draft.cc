#include "configs/loader/draft.h"

#include <utility>

#include "configs/loader/assemble.h"
#include "configs/loader/validate.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace {

std::string path_of(const std::string& assignment) {
  std::string path = assignment.substr(0, assignment.find('='));
  path.erase(path.find_last_not_of(" \t") + 1);
  return path.erase(0, path.find_first_not_of(" \t"));
}

}  // namespace

Draft::Draft(std::string_view name_or_path, const LoadOptions& options)
    : name_(name_or_path),
      fidelity_(options.fidelity),
      file_(gpu_file(name_or_path, options)),
      layers_(assemble(name_or_path, [&options] {
        LoadOptions bare = options;
        bare.overrides.clear();
        return bare;
      }())) {
  for (const std::string& o : options.overrides) {
    set(o);
  }
}

void Draft::set(const std::string& assignment) {
  Layers changed = layers_;
  changed.override_with(assignment);
  const std::string path = path_of(assignment);
  const Origins origins = changed.origins();
  Problems found(origins);
  check_fields(changed.config(), found);
  for (const std::string& line : found.lines()) {
    // Other fields may be wrong meanwhile.
    if (line.find(": " + path + " = ") != std::string::npos ||
        line.find(": " + path + ": ") != std::string::npos) {
      throw Error(line);
    }
  }
  layers_ = std::move(changed);
  std::erase_if(overrides_, [&path](const std::string& o) { return path_of(o) == path; });
  overrides_.push_back(assignment);
}

std::vector<std::string> Draft::problems() const { return problems_of(values(), layers_.origins()); }

GpuConfig Draft::finish() const {
  const std::vector<std::string> all = problems();
  if (!all.empty()) {
    throw Error(summary_of(all, name_));
  }
  return layers_.finish();
}

}  // namespace heddle::config
