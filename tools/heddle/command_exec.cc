// heddle exec: what a kernel in PTX computes, without time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analysis/report/format.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/module_launch.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct ExecOptions {
  ModuleLaunchOptions launch;
  int threads = 0;  // 0: all of the host
  uint64_t resident = exec::ExecuteOptions{}.resident;
  uint64_t most_instructions = 0;  // 0: as many as it takes
  bool force = false;
};

int execute(const ExecOptions& o) {
  ModuleLaunch launch(o.launch);
  if (o.most_instructions != 0) {
    launch.launch().most_instructions = o.most_instructions;
  }
  const unsigned host = std::max(1U, std::thread::hardware_concurrency());
  exec::ExecuteOptions options;
  options.threads = o.threads > 0 ? o.threads : static_cast<int>(host);
  options.resident = o.resident;
  options.cancelled = &cancel_flag();
  const auto start = std::chrono::steady_clock::now();
  const exec::ExecuteResult r = exec::execute(launch.launch(), options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  launch.write_outputs(o.force);
  print(r.output);
  note(fmt::format("{}: {} warp instructions, {} thread instructions in {:.1f} ms, {}/s",
                   launch.kernel().name, analysis::grouped(r.instructions),
                   analysis::grouped(r.thread_instructions), 1e3 * seconds,
                   analysis::quantity(static_cast<double>(r.instructions) / seconds, "")));
  return 0;
}

int checked(const ExecOptions& o) {
  try {
    return execute(o);
  } catch (const Unsupported& e) {
    return report_instructions(e.what(), e.lines());
  }
}

}  // namespace

void add_exec(CLI::App& app, int& status) {
  auto o = std::make_shared<ExecOptions>();
  CLI::App* c = app.add_subcommand("exec", "what a kernel in PTX computes, without time");
  c->add_option("FILE", o->launch.file, "a module in PTX")->type_name("FILE.ptx")->required();
  for (CLI::Option* needed : add_module_options(*c, o->launch)) {
    needed->required();
  }
  c->add_option("--cluster", o->launch.cluster, "blocks of a cluster (default: the kernel's, else 1)")
      ->type_name("X[,Y[,Z]]");
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
