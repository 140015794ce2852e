#include "tools/heddle/module_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "frontends/input/printable.h"
#include "frontends/npy/npy.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

// "X", "X,Y", "X,Y,Z"
isa::Dim3 dimensions(const std::string& option, const std::string& text) {
  uint32_t out[3] = {1, 1, 1};
  std::string_view rest = text;
  for (size_t i = 0; i < 3; ++i) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const auto n = parse_number<uint32_t>(rest.substr(0, comma));
    if (!n || *n == 0) {
      break;
    }
    out[i] = *n;
    if (comma == rest.size()) {
      return {out[0], out[1], out[2]};
    }
    rest.remove_prefix(comma + 1);
  }
  throw Error(fmt::format("{} {} (legal: X[,Y[,Z]], numbers from 1 on)", option, input::printable(text)));
}

exec::Checks checks_of(const std::vector<std::string>& names) {
  exec::Checks out;
  for (const std::string& name : names) {
    if (name != "init" && name != "race" && name != "sync") {
      throw Error(fmt::format("--check {} (legal: init, race, sync)", input::printable(name)));
    }
    (name == "init" ? out.init : name == "race" ? out.race : out.sync) = true;
  }
  return out;
}

modules::LaunchDescription description(const ModuleLaunchOptions& o) {
  modules::LaunchDescription out;
  out.file = o.file;
  out.kernel = o.kernel;
  out.grid = dimensions("--grid", o.grid);
  out.block = dimensions("--block", o.block);
  if (!o.cluster.empty()) {
    out.cluster = dimensions("--cluster", o.cluster);
  }
  out.dynamic_shared = o.shared;
  out.arguments = o.arguments;
  return out;
}

// The files of --out-arg by the argument's index.
std::map<size_t, std::string> outputs(const ModuleLaunchOptions& o) {
  std::map<size_t, std::string> out;
  for (const std::string& text : o.outputs) {
    const size_t equals = text.find('=');
    const auto index = parse_number<size_t>(std::string_view(text).substr(0, equals));
    if (!index || equals == std::string::npos || equals + 1 == text.size() || *index >= o.arguments.size()) {
      throw Error(fmt::format("--out-arg {} (legal: INDEX=FILE.npy, of the {} arguments, counted from 0)",
                              input::printable(text), o.arguments.size()));
    }
    out[*index] = text.substr(equals + 1);
  }
  return out;
}

}  // namespace

std::vector<CLI::Option*> add_module_options(CLI::App& c, ModuleLaunchOptions& o) {
  std::vector<CLI::Option*> needed = {
      c.add_option("--kernel", o.kernel, "name of the kernel in the module"),
      c.add_option("--grid", o.grid, "blocks")->type_name("X[,Y[,Z]]"),
      c.add_option("--block", o.block, "threads of a block")->type_name("X[,Y[,Z]]")};
  c.add_option("--shared", o.shared, "dynamic shared memory of a block: bytes, or 48KiB")
      ->transform(size_value(true));
  add_repeatable(c, "--arg", o.arguments,
                 fmt::format("an argument, in the order of the parameters: {}", modules::kArgumentForms))
      ->type_name("VALUE");
  add_repeatable(c, "--out-arg", o.outputs, "write argument INDEX, counted from 0, as it is at the end")
      ->type_name("INDEX=FILE.npy");
  add_repeatable(
      c, "--check", o.checks,
      "what else is an error in a kernel of a module: init (reading what was never written), race (on shared "
      "memory), sync (barriers in diverged code)")
      ->type_name("KIND");
  return needed;
}

bool is_module_launch(const std::vector<std::filesystem::path>& paths, ModuleLaunchOptions& o) {
  if (std::ranges::none_of(paths, modules::is_module)) {
    if (o.any()) {
      throw Error(
          "--kernel, --grid, --block, --shared, --arg, --out-arg and --check are for a module "
          "(FILE.ptx, FILE.cubin, FILE.fatbin)");
    }
    return false;
  }
  if (paths.size() != 1 || o.kernel.empty() || o.grid.empty() || o.block.empty()) {
    throw Error(
        fmt::format("{}: a module is run alone, with --kernel, --grid and --block", paths[0].string()));
  }
  o.file = paths[0];
  return true;
}

ModuleLaunch::ModuleLaunch(const ModuleLaunchOptions& o)
    : files_(outputs(o)), launch_(description(o), checks_of(o.checks)) {
  for (const std::string& w : launch_.warnings()) {
    warn(w);
  }
  for (const auto& [index, file] : files_) {
    if (!launch_.arguments()[index].buffer) {
      throw Error(fmt::format("--out-arg {}={}: argument {} is no buffer", index, file, index));
    }
  }
}

std::unique_ptr<isa::BlockSource> ModuleLaunch::timed() {
  output_->clear();
  return launch_.timed(output_);
}

void ModuleLaunch::write_outputs(bool force) {
  for (const auto& [index, file] : files_) {
    npy::write(file, replace(force), modules::contents(launch_.arguments()[index], launch_.memory()));
  }
}

int report_instructions(const std::string& what, const std::vector<std::string>& lines) {
  report_error(what);
  for (const std::string& line : lines) {
    detail(line);
  }
  return 1;
}

}  // namespace heddle::cli
