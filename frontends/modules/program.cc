#include "frontends/modules/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "frontends/cubin/object/elf.h"
#include "frontends/input/limits.h"
#include "frontends/input/printable.h"
#include "frontends/input/regular_file.h"
#include "frontends/modules/images.h"
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

void set_shape(exec::Launch& launch, const isa::Dim3& grid, const isa::Dim3& block,
               const std::optional<isa::Dim3>& cluster, uint32_t shared) {
  launch.grid = grid;
  launch.block = block;
  if (cluster) {
    launch.cluster = *cluster;
    launch.with_cluster = true;
  }
  launch.dynamic_shared = shared;
}

const Kernel& no_kernel(std::string_view name, const std::vector<Kernel>& kernels, const std::string& file) {
  constexpr size_t kMostNames = 40;  // in a message
  std::string names;
  for (size_t i = 0; i < std::min(kMostNames, kernels.size()); ++i) {
    names += (i == 0 ? "" : ", ") + input::printable(kernels[i].name);
  }
  throw Error(
      fmt::format("{}: no kernel {} (there are: {})", file, input::printable(std::string(name)), names));
}

std::unique_ptr<Program> load(const std::filesystem::path& file, exec::Memory& memory) {
  std::string text = input::read_regular_file(file, input::limits().text_bytes);
  constexpr uint32_t kFatMagic = 0xba55ed50;
  uint32_t magic = 0;
  std::memcpy(&magic, text.data(), std::min(sizeof magic, text.size()));
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  if (magic == kFatMagic || cubin::Elf::is_elf(bytes)) {
    return image_program(file.string(), bytes, memory);
  }
  return ptx_program(file.string(), std::move(text), memory);
}

bool is_module(const std::filesystem::path& file) {
  const auto e = file.extension();
  return e == ".ptx" || e == ".cubin" || e == ".fatbin";
}

}  // namespace heddle::modules
