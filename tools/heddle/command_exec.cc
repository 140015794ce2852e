// heddle exec: what a kernel in PTX computes, without time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analysis/report/format.h"
#include "frontends/input/printable.h"
#include "frontends/npy/npy.h"
#include "frontends/ptx/execute/arguments.h"
#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/exec/execute.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct ExecOptions {
  std::filesystem::path file;
  std::string kernel, grid, block, cluster;
  uint32_t shared = 0;
  std::vector<std::string> arguments, outputs, checks;
  int threads = 0;  // 0: all of the host
  uint64_t resident = exec::ExecuteOptions{}.resident;
  uint64_t most_instructions = 0;  // 0: as many as it takes
  bool force = false;
};

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

// The files of --out-arg by the argument's index.
std::map<size_t, std::string> outputs(const ExecOptions& o) {
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

exec::Checks checks(const ExecOptions& o) {
  exec::Checks out;
  for (const std::string& name : o.checks) {
    if (name != "init" && name != "race" && name != "sync") {
      throw Error(fmt::format("--check {} (legal: init, race, sync)", input::printable(name)));
    }
    (name == "init" ? out.init : name == "race" ? out.race : out.sync) = true;
  }
  return out;
}

int execute(const ExecOptions& o) {
  const std::map<size_t, std::string> files = outputs(o);
  const exec::Checks wanted = checks(o);
  exec::Memory memory;
  if (wanted.init) {
    memory.track_writes();
  }
  ptx::Program program(ptx::load(o.file), memory);
  for (const std::string& w : program.module().warnings) {
    warn(w);
  }
  const ptx::Function& kernel = program.kernel(o.kernel);
  exec::Launch launch = program.launch(kernel);
  launch.grid = dimensions("--grid", o.grid);
  launch.block = dimensions("--block", o.block);
  if (!o.cluster.empty()) {
    launch.cluster = dimensions("--cluster", o.cluster);
    launch.with_cluster = true;
  }
  launch.checks = wanted;
  launch.dynamic_shared = o.shared;
  launch.most_instructions = o.most_instructions ? o.most_instructions : launch.most_instructions;
  if (o.arguments.size() != kernel.signature.parameters.size()) {
    throw Error(fmt::format("{}: kernel {} has {} parameters, and there are {} of --arg", o.file.string(),
                            kernel.name, kernel.signature.parameters.size(), o.arguments.size()));
  }
  std::vector<ptx::Argument> arguments;
  for (size_t i = 0; i < o.arguments.size(); ++i) {
    const ptx::Variable& parameter = ptx::parameter(program.module(), kernel, i);
    arguments.push_back(ptx::argument(o.arguments[i], parameter, memory));
    ptx::set_parameter(parameter, arguments.back().bits, launch);
  }
  for (const auto& [index, file] : files) {
    if (!arguments[index].buffer) {
      throw Error(fmt::format("--out-arg {}={}: argument {} is no buffer", index, file, index));
    }
  }
  const unsigned host = std::max(1U, std::thread::hardware_concurrency());
  exec::ExecuteOptions options;
  options.threads = o.threads > 0 ? o.threads : static_cast<int>(host);
  options.resident = o.resident;
  options.cancelled = &cancel_flag();
  const auto start = std::chrono::steady_clock::now();
  const exec::ExecuteResult r = exec::execute(launch, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& [index, file] : files) {
    npy::write(file, replace(o.force), ptx::contents(arguments[index], memory));
  }
  print(r.output);
  note(fmt::format("{}: {} warp instructions, {} thread instructions in {:.1f} ms, {}/s", kernel.name,
                   analysis::grouped(r.instructions), analysis::grouped(r.thread_instructions), 1e3 * seconds,
                   analysis::quantity(static_cast<double>(r.instructions) / seconds, "")));
  return 0;
}

int checked(const ExecOptions& o) {
  try {
    return execute(o);
  } catch (const ptx::NotCovered& e) {
    report_error(e.what());
    for (const std::string& line : e.lines()) {
      detail(line);
    }
    return 1;
  }
}

}  // namespace

void add_exec(CLI::App& app, int& status) {
  auto o = std::make_shared<ExecOptions>();
  CLI::App* c = app.add_subcommand("exec", "what a kernel in PTX computes, without time");
  c->add_option("FILE", o->file, "a module in PTX")->type_name("FILE.ptx")->required();
  c->add_option("--kernel", o->kernel, "name of the kernel in the module")->required();
  c->add_option("--grid", o->grid, "blocks")->type_name("X[,Y[,Z]]")->required();
  c->add_option("--block", o->block, "threads of a block")->type_name("X[,Y[,Z]]")->required();
  c->add_option("--cluster", o->cluster, "blocks of a cluster (default: the kernel's, else 1)")
      ->type_name("X[,Y[,Z]]");
  c->add_option("--shared", o->shared, "dynamic shared memory of a block: bytes, or 48KiB")
      ->transform(size_value(true));
  add_repeatable(*c, "--arg", o->arguments,
                 fmt::format("an argument, in the order of the parameters: {}", ptx::kArgumentForms))
      ->type_name("VALUE");
  add_repeatable(*c, "--out-arg", o->outputs, "write argument INDEX, counted from 0, as it is at the end")
      ->type_name("INDEX=FILE.npy");
  add_repeatable(
      *c, "--check", o->checks,
      "what else is an error: init (reading what was never written), race (on shared memory), sync "
      "(barriers in diverged code)")
      ->type_name("KIND");
  c->add_option("-j,--threads", o->threads, "host threads (default: all)")->check(at_least(1));
  c->add_option("--resident", o->resident, "blocks that may wait for each other")
      ->check(at_least(1))
      ->capture_default_str();
  c->add_option("--max-instructions", o->most_instructions, "more warp instructions are an error")
      ->check(at_least(1));
  add_force(*c, o->force);
  c->callback([o, &status] { status = checked(*o); });
}

}  // namespace heddle::cli
