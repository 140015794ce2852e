// heddle exec: a whole CUDA program on a simulated GPU; what a kernel of a module computes, without time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/report/format.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/exec/execute.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/exec_program.h"
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
  std::string clock = "simulated", host_work = "none", share;
  ProgramOptions program;
};

int host_threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

int execute(const ExecOptions& o) {
  ModuleLaunch launch(o.launch);
  if (o.most_instructions != 0) {
    launch.launch().most_instructions = o.most_instructions;
  }
  exec::ExecuteOptions options;
  options.threads = o.threads > 0 ? o.threads : host_threads();
  options.resident = o.resident;
  options.cancelled = &cancel_flag();
  const auto start = std::chrono::steady_clock::now();
  exec::ExecuteResult r = exec::execute(launch.launch(), options);
  const exec::ExecuteResult nested = launch.execute_nested(options);
  r.instructions += nested.instructions;
  r.thread_instructions += nested.thread_instructions;
  r.output += nested.output;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  launch.write_outputs(o.force);
  print(r.output);
  note(fmt::format(
      "{}{}: {} warp instructions, {} thread instructions in {:.1f} ms, {}/s", launch.kernel().name,
      nested.launches == 0 ? "" : fmt::format(" and {} kernels that kernels launched", nested.launches),
      analysis::grouped(r.instructions), analysis::grouped(r.thread_instructions), 1e3 * seconds,
      analysis::quantity(static_cast<double>(r.instructions) / seconds, "")));
  return 0;
}

// Options that only one of the two has.
void only_for(const CLI::App& c, const std::vector<const char*>& names, const char* what) {
  for (const char* name : names) {
    if (c.get_option(name)->count() != 0) {
      throw Error(fmt::format("{} is for {}", name, what));
    }
  }
}

// "none"; or "cpu", "cpu:2.5": so many times this computer's processor time.
double host_work(const std::string& text) {
  if (text == "none") {
    return 0;
  }
  const std::optional<double> factor = text == "cpu"              ? 1
                                       : text.starts_with("cpu:") ? parse_number<double>(text.substr(4))
                                                                  : std::nullopt;
  if (!factor || !(*factor > 0) || *factor > 1e6) {
    throw Error(
        fmt::format("--host-work {} (legal: none, cpu, cpu:FACTOR with a factor above 0, to 1e6)", text));
  }
  return *factor;
}

// "NAME", or "NAME:I/N".
void share(const std::string& text, ProgramOptions& o) {
  const size_t colon = text.find(':');
  o.share = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "1/1" : text.substr(colon + 1);
  const size_t slash = rest.find('/');
  // 0: no number.
  const uint32_t number = parse_number<uint32_t>(rest.substr(0, slash)).value_or(0);
  const uint32_t all =
      slash == std::string::npos ? 0 : parse_number<uint32_t>(rest.substr(slash + 1)).value_or(0);
  constexpr uint32_t kMost = 64;
  constexpr size_t kLongest = 100;
  const bool named = !o.share.empty() && o.share.size() <= kLongest &&
                     std::all_of(o.share.begin(), o.share.end(), [](unsigned char ch) {
                       return std::isalnum(ch) != 0 || ch == '-' || ch == '_' || ch == '.';
                     });
  if (!named || number < 1 || number > all || all > kMost) {
    throw Error(
        fmt::format("--share {} (legal: NAME, or NAME:I/N for process I of N that begin together; NAME of "
                    "letters, digits, -, _ and ., N to {})",
                    text, kMost));
  }
  o.number = colon == std::string::npos ? "" : rest;
}

int checked(ExecOptions& o, const CLI::App& c) {
  if (!modules::is_module(o.launch.file) && o.launch.kernel.empty()) {
    only_for(c,
             {"--grid", "--block", "--shared", "--arg", "--out-arg", "--check", "--cluster", "--resident",
              "--max-instructions"},
             "a kernel of a module (--kernel)");
    o.program.program = o.launch.file.string();
    o.program.arguments = c.remaining();
    if (!o.program.arguments.empty() && o.program.arguments[0] == "--") {
      o.program.arguments.erase(o.program.arguments.begin());
    }
    o.program.force = o.force;
    o.program.simulated_clock = o.clock == "simulated";
    o.program.host_work = host_work(o.host_work);
    if (o.program.host_work != 0 && !o.program.simulated_clock) {
      throw Error("--host-work is for --clock simulated");
    }
    if (o.program.reuse && o.program.functional) {
      throw Error("--reuse is for kernels that are timed (legal: without --functional)");
    }
    if (!o.share.empty()) {
      if (!o.program.simulated_clock) {
        throw Error("--share is for --clock simulated");
      }
      share(o.share, o.program);
    }
    // More than some eight wait for each other more than they help; values of races do not depend on how many
    // there are where kernels are timed.
    constexpr int kUseful = 8;
    o.program.threads = o.threads > 0          ? o.threads
                        : o.program.functional ? 1
                                               : std::min(kUseful, host_threads());
    exec_program(o.program);
  }
  only_for(c,
           {"--gpu", "--set", "--out", "--timeline", "--functional", "--between", "--cold", "--reuse",
            "--clock", "--host-work", "--quiet", "--share", "--compute-mode", "--mig"},
           "a program");
  if (c.remaining_size() != 0) {
    throw CLI::ExtrasError(c.get_name(), c.remaining());
  }
  if (o.launch.kernel.empty() || o.launch.grid.empty() || o.launch.block.empty()) {
    throw Error(
        fmt::format("{}: a module is executed with --kernel, --grid and --block", o.launch.file.string()));
  }
  try {
    return execute(o);
  } catch (const Unsupported& e) {
    return report_instructions(e.what(), e.lines());
  }
}

}  // namespace

void add_exec(CLI::App& app, int& status) {
  auto o = std::make_shared<ExecOptions>();
  CLI::App* c =
      app.add_subcommand("exec", "a CUDA program, or a kernel of a module, without a GPU")->prefix_command();
  c->add_option("FILE", o->launch.file,
                "a program made with CUDA 13, with its arguments behind it; or a module: FILE.ptx, "
                "FILE.cubin, FILE.fatbin")
      ->required();
  c->add_option("--gpu", o->program.gpu,
                "GPU of the program: a name (heddle config list) or a configuration file")
      ->capture_default_str();
  add_repeatable(*c, "--set", o->program.load.overrides,
                 "override one value of the configuration; repeatable")
      ->type_name("PATH=VALUE");
  c->add_option("--out", o->program.out, "result database that gets the program's launches and timeline")
      ->type_name("FILE.db");
  c->add_option("--timeline", o->program.timeline, "the program's timeline for Perfetto or chrome://tracing")
      ->type_name("FILE.json");
  c->add_flag("--functional", o->program.functional, "the program's kernels are executed and not timed");
  c->add_option_function<std::string>(
       "--between", [o](const std::string& s) { o->program.cold = s == "flush"; },
       "what each launch of the program finds in the L2: what those before it have left (keep), or nothing "
       "(flush), as Nsight Compute measures by default")
      ->check(CLI::IsMember({"flush", "keep"}))
      ->default_str("keep");
  c->add_flag("--cold", o->program.cold, "the same as --between flush");
  c->add_flag(
      "--reuse", o->program.reuse,
      "a launch like two others that took the same time is executed and takes that time, too: its values are "
      "right, its time is likely");
  c->add_option(
       "--clock", o->clock,
       "what the program's clocks show: simulated, the time of the simulated host, whose own work takes "
       "none; or host, this computer's")
      ->check(CLI::IsMember({"simulated", "host"}))
      ->capture_default_str();
  c->add_option("--host-work", o->host_work,
                "what the program's own work on the host takes, between its calls: none; or cpu[:FACTOR], so "
                "many times the processor time of this computer, so that two runs differ")
      ->type_name("none|cpu[:FACTOR]")
      ->capture_default_str();
  c->add_option(
       "--share", o->share,
       "the program's process shares the GPU with others of that name, which are started alike; :I/N: it is "
       "the I-th of N that begin together")
      ->type_name("NAME[:I/N]");
  c->add_option("--mig", o->program.mig,
                "the device is an instance of the GPU with that profile (MIG), such as 3g.71gb of an H200")
      ->type_name("PROFILE");
  c->add_option("--compute-mode", o->program.compute_mode, "how many processes may have contexts on the GPU")
      ->check(CLI::IsMember({"default", "exclusive-process", "prohibited"}))
      ->capture_default_str();
  c->add_flag("--quiet", o->program.quiet, "no line about the program's launches at its end");
  add_module_options(*c, o->launch);
  c->add_option("--cluster", o->launch.cluster, "blocks of a cluster (default: the kernel's, else 1)")
      ->type_name("X[,Y[,Z]]");
  c->add_option("-j,--threads", o->threads,
                "host threads (default: all; of a program: all, but at most 8, with --functional 1)")
      ->check(at_least(1));
  c->add_option("--resident", o->resident, "blocks that may wait for each other")
      ->check(at_least(1))
      ->capture_default_str();
  c->add_option("--max-instructions", o->most_instructions, "more warp instructions are an error")
      ->check(at_least(1));
  add_force(*c, o->force);
  c->callback([o, c, &status] { status = checked(*o, *c); });
}

}  // namespace heddle::cli
