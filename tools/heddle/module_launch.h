// A launch of a kernel of a module (PTX, a cubin) as options say it: for the commands that execute one.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "frontends/modules/described_launch.h"
#include "frontends/modules/program.h"
#include "sim/exec/launch.h"
#include "sim/isa/recording.h"

namespace heddle::cli {

struct ModuleLaunchOptions {
  std::filesystem::path file;
  std::string kernel, grid, block, cluster;
  uint32_t shared = 0;
  std::vector<std::string> arguments, outputs, checks;

  // Whether any of them was given besides `file` and `cluster`.
  bool any() const {
    return !kernel.empty() || !grid.empty() || !block.empty() || shared != 0 || !arguments.empty() ||
           !outputs.empty() || !checks.empty();
  }
};

// --kernel, --grid, --block, --shared, --arg, --out-arg, --check. Returns those without which there is no
// launch.
std::vector<CLI::Option*> add_module_options(CLI::App& c, ModuleLaunchOptions& o);

class ModuleLaunch {
 public:
  // Throws Error for what the options or the module may not be, Unsupported. Warns of what was ignored.
  explicit ModuleLaunch(const ModuleLaunchOptions& options);

  const modules::Kernel& kernel() const { return launch_.kernel(); }
  exec::Launch& launch() { return launch_.launch(); }
  // Its blocks as a recording that is made while it is read; this outlives it.
  std::unique_ptr<isa::BlockSource> timed();
  // What the blocks of timed() that ended have printed.
  const std::string& output() const { return *output_; }
  // What the executed kernel has launched in turn, and what that prints.
  exec::ExecuteResult execute_nested(const exec::ExecuteOptions& options) {
    return launch_.execute_nested(options);
  }
  // What --out-arg asks for, as memory is now.
  void write_outputs(bool force);

 private:
  std::map<size_t, std::string> files_;
  modules::DescribedLaunch launch_;
  std::shared_ptr<std::string> output_ = std::make_shared<std::string>();
};

// Whether `paths` is one module that options say how to launch; then `o` has its file. Throws Error
// when it is not alone, when something is missing, or when there are such options and no module.
bool is_module_launch(const std::vector<std::filesystem::path>& paths, ModuleLaunchOptions& o);

// Prints all lines of errors that have several. Returns the exit status.
int report_instructions(const std::string& what, const std::vector<std::string>& lines);

}  // namespace heddle::cli
