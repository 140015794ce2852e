#include "frontends/modules/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace heddle::modules {

void set_parameter(const Kernel& kernel, size_t index, uint64_t bits, exec::Launch& launch) {
  if (index >= kernel.parameters.size()) {
    throw Error(fmt::format("kernel {} has {} parameters, there is none with the index {}", kernel.name,
                            kernel.parameters.size(), index));
  }
  const Parameter& p = kernel.parameters[index];
  for (uint32_t i = 0; i < std::min<uint32_t>(p.bytes, 8) && p.offset + i < launch.parameters.size(); ++i) {
    launch.parameters[p.offset + i] = static_cast<uint8_t>(bits >> 8 * i);
  }
}

bool is_module(const std::filesystem::path& file) {
  const auto e = file.extension();
  return e == ".ptx" || e == ".cubin" || e == ".fatbin";
}

}  // namespace heddle::modules
