#include "tools/heddle/load_gpu.h"

#include <fmt/format.h>

#include <set>

#include "tools/heddle/console.h"

namespace heddle::cli {

void say_where_from(const std::string& gpu, const config::LoadOptions& options) {
  static std::set<std::filesystem::path> said;
  const config::GpuFile file = config::gpu_file(gpu, options);
  if (!file.shipped && file.path != gpu && said.insert(file.path).second) {
    note(fmt::format("GPU \"{}\" is {}, none of those shipped", gpu, file.path.string()));
  }
}

config::GpuConfig load_gpu(const std::string& gpu, const config::LoadOptions& options) {
  config::GpuConfig out = config::load(gpu, options);
  say_where_from(gpu, options);
  return out;
}

}  // namespace heddle::cli
