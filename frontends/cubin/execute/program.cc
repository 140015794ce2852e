#include "frontends/cubin/execute/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/cubin/disassemble.h"
#include "frontends/input/printable.h"

namespace heddle::cubin {
namespace {

constexpr uint64_t kHeapBytes = 8 << 20;  // of malloc in kernels, as CUDA's default
constexpr uint64_t kWorkspaceBytes = 64;  // of cooperative groups
constexpr size_t kMostNames = 40;         // in a message

// The module's kernels by their addresses, if it has the functions that launch them; else nothing.
std::map<uint64_t, exec::DeviceRuntime::Kernel> launchable(const Object& object, const Placement& placement) {
  std::map<uint64_t, exec::DeviceRuntime::Kernel> out;
  const auto launches = [](const Function& f) {
    return exec::runtime_function(f.name) == exec::RuntimeFunction::kLaunchDeviceV2;
  };
  if (std::any_of(object.functions.begin(), object.functions.end(), launches)) {
    for (size_t i = 0; i < object.functions.size(); ++i) {
      const Function& f = object.functions[i];
      if (f.kernel) {
        out[placement.code_at[i]] = {f.name, f.parameter_bytes};
      }
    }
  }
  return out;
}

}  // namespace

bool is_executed(uint32_t capability) { return is_known(capability); }

Program::Program(Object object, exec::Memory& memory) : object_(std::move(object)), memory_(memory) {
  if (!is_executed(object_.capability)) {
    throw Error(
        fmt::format("{}: code of compute capability {}.{} is not executed (legal: 7.0 to 9.0, 10.0 to 12.1)",
                    object_.file, object_.capability / 10, object_.capability % 10));
  }
  placement_ = place(object_, memory_);
  launchable_ = launchable(object_, placement_);
}

const Function& Program::kernel(std::string_view name) const {
  std::string names;
  size_t listed = 0;
  for (const Function& f : object_.functions) {
    if (f.kernel && f.name == name) {
      return f;
    }
    if (f.kernel && listed++ < kMostNames) {
      names += (names.empty() ? "" : ", ") + input::printable(f.name);
    }
  }
  throw Error(fmt::format("{}: no kernel {} (there are: {})", object_.file,
                          input::printable(std::string(name)), names));
}

exec::Launch Program::launch(const Function& kernel) {
  auto it = translations_.find(&kernel);
  if (it == translations_.end()) {
    Translation t = translate(object_, static_cast<uint32_t>(&kernel - object_.functions.data()), placement_);
    if (!t.missing.empty()) {
      const std::string what = fmt::format("{}: kernel {} has {} instructions that cannot be executed yet",
                                           object_.file, kernel.name, t.missing.size());
      throw NotCovered(what, std::move(t.missing));
    }
    it = translations_.emplace(&kernel, std::move(t)).first;
  }
  const exec::Code& code = it->second.code;
  if (!heap_ && !code.calls.empty()) {
    memory_.make_heap(kHeapBytes);
    heap_ = true;
  }
  if (workspace_ == 0 && std::find(code.specials.begin(), code.specials.end(),
                                   exec::Special::kWorkspaceLow) != code.specials.end()) {
    workspace_ = memory_.allocate(kWorkspaceBytes);
    memory_.mark_written(workspace_, kWorkspaceBytes);
  }
  exec::Launch out;
  out.workspace = workspace_;
  out.code = &code;
  out.memory = &memory_;
  out.parameters.resize(code.parameter_bytes);
  if (!code.calls.empty()) {
    out.runtime = std::make_shared<exec::DeviceRuntime>(launchable_);
  }
  return out;
}

void Program::set_constant(std::string_view name, std::span<const uint8_t> bytes, uint64_t offset) {
  const auto it = object_.names.find(std::string(name));
  if (it == object_.names.end() || it->second.where != Named::Where::kConstant3) {
    throw Error(
        fmt::format("{}: no __constant__ variable {}", object_.file, input::printable(std::string(name))));
  }
  const Named& n = it->second;
  if (offset > n.bytes || bytes.size() > n.bytes - offset || n.value + n.bytes > placement_.bank3_bytes) {
    throw Error(fmt::format("{}: {} bytes at {} of {} (it has {})", object_.file, bytes.size(), offset,
                            input::printable(std::string(name)), n.bytes));
  }
  write_constants(n.value + offset, bytes);
}

void Program::write_constants(uint64_t at, std::span<const uint8_t> bytes) {
  check_constants(at, bytes.size());
  const auto to = static_cast<std::ptrdiff_t>(at);
  std::copy(bytes.begin(), bytes.end(), placement_.constants.begin() + to);
  for (auto& [kernel, t] : translations_) {
    std::copy(bytes.begin(), bytes.end(), t.code.const_data.begin() + to);
  }
}

void Program::read_constants(uint64_t at, std::span<uint8_t> bytes) const {
  check_constants(at, bytes.size());
  std::copy_n(placement_.constants.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
}

void Program::check_constants(uint64_t at, uint64_t bytes) const {
  if (at > placement_.bank3_bytes || bytes > placement_.bank3_bytes - at) {
    throw Error(fmt::format("{}: {} bytes at {} of the constants (there are {})", object_.file, bytes, at,
                            placement_.bank3_bytes));
  }
}

void set_parameter(const Object& object, const Function& kernel, size_t index, uint64_t bits,
                   exec::Launch& launch) {
  if (index >= kernel.parameters.size()) {
    throw Error(fmt::format("{}: kernel {} has {} parameters, there is none with the index {}", object.file,
                            kernel.name, kernel.parameters.size(), index));
  }
  const KernelParameter& p = kernel.parameters[index];
  for (uint32_t i = 0; i < std::min<uint32_t>(p.bytes, 8) && p.offset + i < launch.parameters.size(); ++i) {
    launch.parameters[p.offset + i] = static_cast<uint8_t>(bits >> 8 * i);
  }
}

}  // namespace heddle::cubin
