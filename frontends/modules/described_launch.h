// A launch of a module's kernel in words, as a command line or a workload file has it, and made from them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/modules/arguments.h"
#include "frontends/modules/program.h"
#include "sim/exec/execute.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory.h"
#include "sim/isa/kernel.h"
#include "sim/isa/recording.h"

namespace heddle::modules {

struct LaunchDescription {
  std::filesystem::path file;
  std::string kernel;
  isa::Dim3 grid, block;
  std::optional<isa::Dim3> cluster = std::nullopt;  // none: the kernel's own
  uint32_t dynamic_shared = 0;                      // bytes
  std::vector<std::string> arguments;               // kArgumentForms, in the order of the parameters

  bool operator==(const LaunchDescription&) const = default;
};

class DescribedLaunch {
 public:
  // Loads the module into a memory of its own and makes the arguments. Throws Error that says what is legal,
  // Unsupported.
  explicit DescribedLaunch(const LaunchDescription& description, const exec::Checks& checks = {});

  const Kernel& kernel() const { return *kernel_; }
  const exec::Memory& memory() const { return memory_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  exec::Launch& launch() { return launch_; }
  // What was ignored in the module.
  std::vector<std::string> warnings() const { return program_->warnings(); }
  // Program::timed(); this outlives it.
  std::unique_ptr<isa::BlockSource> timed(std::shared_ptr<std::string> output) const;
  // Executes what the executed launch has launched in turn, without time (nested.h).
  exec::ExecuteResult execute_nested(const exec::ExecuteOptions& options);

 private:
  exec::Memory memory_;
  std::unique_ptr<Program> program_;
  const Kernel* kernel_ = nullptr;
  exec::Launch launch_;
  std::vector<Argument> arguments_;
};

}  // namespace heddle::modules
