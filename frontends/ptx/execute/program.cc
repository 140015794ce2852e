#include "frontends/ptx/execute/program.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr uint64_t kHeapBytes = 8 << 20;  // of malloc in kernels, as CUDA's default
constexpr uint64_t kWorkspaceBytes = 64;  // of cooperative groups: a counter of 4 at 4
constexpr size_t kMostNames = 40;         // in a message

bool calls(const exec::Code& code, exec::Builtin what) {
  return std::any_of(code.functions.begin(), code.functions.end(),
                     [&](const exec::FunctionInfo& f) { return f.builtin == what; });
}

// The module's kernels, by what stands for their addresses, if the code launches any.
std::map<uint64_t, exec::DeviceRuntime::Kernel> launchable(const Module& module, const exec::Code& code) {
  std::map<uint64_t, exec::DeviceRuntime::Kernel> out;
  const auto launches = [](const exec::FunctionInfo& f) {
    return f.runtime == exec::RuntimeFunction::kLaunchDevice ||
           f.runtime == exec::RuntimeFunction::kLaunchDeviceV2;
  };
  if (std::none_of(code.functions.begin(), code.functions.end(), launches)) {
    return out;
  }
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[i];
    if (f.entry && f.defined) {
      out[function_address(static_cast<uint32_t>(i))] = {std::string(f.name),
                                                         static_cast<uint32_t>(f.parameter_bytes)};
    }
  }
  return out;
}

bool uses_workspace(const exec::Code& code) {
  return std::find(code.specials.begin(), code.specials.end(), exec::Special::kWorkspaceLow) !=
         code.specials.end();
}

}  // namespace

Program::Program(std::unique_ptr<const Module> module, exec::Memory& memory)
    : module_(std::move(module)), memory_(memory), placement_(place(*module_, memory)) {}

const Function& Program::kernel(std::string_view name) const {
  std::vector<std::string> names;
  for (const Function& f : module_->functions) {
    if (f.entry && f.defined) {
      if (f.name == name) {
        return f;
      }
      if (names.size() < kMostNames) {
        names.emplace_back(f.name);
      }
    }
  }
  throw Error(
      fmt::format("{}: no kernel {} (there are: {})", module_->source.name(), quoted(name), joined(names)));
}

exec::Launch Program::launch(const Function& kernel) {
  auto it = codes_.find(&kernel);
  if (it == codes_.end()) {
    Translation t = translate(*module_, kernel, placement_);
    if (!t.missing.empty()) {
      const std::string what = fmt::format("{}: kernel {} has {} instructions that cannot be executed yet",
                                           module_->source.name(), kernel.name, t.missing.size());
      throw NotCovered(what, std::move(t.missing));
    }
    it = codes_.emplace(&kernel, std::move(t)).first;
    if (calls(it->second.code, exec::Builtin::kMalloc) || calls(it->second.code, exec::Builtin::kRuntime)) {
      memory_.make_heap(kHeapBytes);
    }
  }
  if (workspace_ == 0 && uses_workspace(it->second.code)) {
    workspace_ = memory_.allocate(kWorkspaceBytes);
    memory_.mark_written(workspace_, kWorkspaceBytes);
  }
  exec::Launch out;
  out.workspace = workspace_;
  out.code = &it->second.code;
  out.memory = &memory_;
  out.parameters.resize(it->second.code.parameter_bytes);
  if (calls(it->second.code, exec::Builtin::kRuntime)) {
    out.runtime = std::make_shared<exec::DeviceRuntime>(launchable(*module_, it->second.code));
  }
  return out;
}

void Program::write_constants(uint64_t at, std::span<const uint8_t> bytes) {
  check_constants(at, bytes.size());
  const auto to = static_cast<std::ptrdiff_t>(at);
  std::copy(bytes.begin(), bytes.end(), placement_.const_data.begin() + to);
  for (auto& [kernel, t] : codes_) {
    std::copy(bytes.begin(), bytes.end(), t.code.const_data.begin() + to);
  }
}

void Program::read_constants(uint64_t at, std::span<uint8_t> bytes) const {
  check_constants(at, bytes.size());
  std::copy_n(placement_.const_data.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
}

void Program::check_constants(uint64_t at, uint64_t bytes) const {
  const uint64_t all = placement_.const_data.size();
  if (at > all || bytes > all - at) {
    throw Error(fmt::format("{}: {} bytes at {} of the constants (there are {})", module_->source.name(),
                            bytes, at, all));
  }
}

const Variable& parameter(const Module& module, const Function& kernel, size_t index) {
  const std::vector<Parameter>& all = kernel.signature.parameters;
  if (index >= all.size()) {
    throw Error(fmt::format("{}: kernel {} has {} parameters, there is none with the index {}",
                            module.source.name(), kernel.name, all.size(), index));
  }
  return module.variables[all[index].id];
}

void set_parameter(const Variable& parameter, uint64_t bits, exec::Launch& launch) {
  for (uint64_t i = 0; i < std::min<uint64_t>(parameter.size, 8); ++i) {
    launch.parameters[parameter.offset + i] = static_cast<uint8_t>(bits >> 8 * i);
  }
}

}  // namespace heddle::ptx
