// A launch of a kernel in PTX as options say it: for the commands that execute one.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "frontends/ptx/execute/arguments.h"
#include "frontends/ptx/execute/program.h"
#include "sim/exec/launch.h"
#include "sim/isa/recording.h"

namespace heddle::cli {

struct PtxLaunchOptions {
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
std::vector<CLI::Option*> add_ptx_launch_options(CLI::App& c, PtxLaunchOptions& o);

class PtxLaunch {
 public:
  // Throws Error for what the options or the module may not be, ptx::NotCovered. Warns of what was ignored.
  explicit PtxLaunch(const PtxLaunchOptions& options);

  const ptx::Program& program() const { return *program_; }
  const ptx::Function& kernel() const { return *kernel_; }
  exec::Launch& launch() { return launch_; }
  // Its blocks as a recording that is made while it is read; this outlives it.
  std::unique_ptr<isa::BlockSource> timed();
  // What the blocks of timed() that ended have printed.
  const std::string& output() const { return *output_; }
  // What --out-arg asks for, as memory is now.
  void write_outputs(bool force);

 private:
  exec::Memory memory_;
  std::unique_ptr<ptx::Program> program_;
  const ptx::Function* kernel_ = nullptr;
  exec::Launch launch_;
  std::vector<ptx::Argument> arguments_;
  std::map<size_t, std::string> files_;
  std::shared_ptr<std::string> output_ = std::make_shared<std::string>();
};

// Whether `paths` is one module in PTX that options say how to launch; then `o` has its file. Throws Error
// when it is not alone, when something is missing, or when there are such options and no module.
bool is_ptx(const std::vector<std::filesystem::path>& paths, PtxLaunchOptions& o);

// Prints all lines of errors that have several. Returns the exit status.
int report_instructions(const std::string& what, const std::vector<std::string>& lines);

}  // namespace heddle::cli
