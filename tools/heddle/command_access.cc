// heddle banks, heddle coalesce: memory accesses of a trace, without a simulation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/access/access_text.h"
#include "analysis/report/format.h"
#include "analysis/run/plan.h"
#include "frontends/input/printable.h"
#include "frontends/output/output_file.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/device/gpu.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/module_launch.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct AccessOptions {
  analysis::AccessSide side;
  std::vector<std::filesystem::path> paths;
  ModuleLaunchOptions ptx;  // its kernel is the number of a launch where there are traces
  size_t top = 10;
  std::filesystem::path csv, svg;
  bool force = false;
};

std::vector<analysis::PlannedLaunch> launches_of(AccessOptions& o) {
  const std::string number = std::exchange(o.ptx.kernel, "");
  is_module_launch(o.paths, o.ptx);  // refuses what only modules have
  std::vector<analysis::PlannedLaunch> launches = analysis::plan_launches(o.paths, false, warn);
  if (!number.empty()) {
    const auto n = parse_number<uint32_t>(number);
    if (n.value_or(0) == 0) {
      throw Error(fmt::format("--kernel {} (legal: a whole number, 1 or more; of a module a name)",
                              input::printable(number)));
    }
    std::erase_if(launches, [&](const analysis::PlannedLaunch& l) { return l.number != n; });
  }
  if (launches.empty()) {
    throw Error(fmt::format("--kernel {}: there is no launch of this number", input::printable(number)));
  }
  return launches;
}

int profile(AccessOptions o) {
  std::unique_ptr<ModuleLaunch> ptx;
  std::vector<analysis::PlannedLaunch> launches;
  if (std::ranges::any_of(o.paths, modules::is_module)) {
    is_module_launch(o.paths, o.ptx);
    ptx = std::make_unique<ModuleLaunch>(o.ptx);
    launches.emplace_back();
    launches[0].trace = o.ptx.file.stem().string();
    launches[0].number = 1;
  } else {
    launches = launches_of(o);
  }
  if (!o.svg.empty() && launches.size() > 1) {
    throw Error(fmt::format("--svg draws one kernel, and there are {} (--kernel N)", launches.size()));
  }
  std::string csv = analysis::access_csv_header(o.side);
  for (const analysis::PlannedLaunch& l : launches) {
    const auto start = std::chrono::steady_clock::now();
    const analysis::KernelAccesses k =
        ptx ? analysis::profile_kernel(ptx->timed(), o.side, cancel_flag())
            : analysis::profile_kernel(l.source.path, l.cluster, o.side,
                                       std::max(1u, std::thread::hardware_concurrency()), cancel_flag());
    if (cancel_flag()) {
      throw Cancelled("interrupted");
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    print(fmt::format("{} launch {}: {}\n{}\n", l.trace, l.number, analysis::demangled(k.image().name),
                      analysis::access_text(k, o.side, o.top)));
    note(fmt::format("{}: {} warp accesses in {:.0f} ms, {}/s", l.label(), analysis::grouped(k.accesses),
                     1e3 * seconds, analysis::quantity(static_cast<double>(k.accesses) / seconds, "")));
    csv += analysis::access_csv(k, o.side, l.trace, l.number);
    if (!o.svg.empty()) {
      output::write_file(o.svg, output::svg_picture(), replace(o.force), analysis::access_svg(k, o.side));
    }
  }
  if (!o.csv.empty()) {
    output::write_file(
        o.csv, output::text_that_begins("a table of these columns", analysis::access_csv_header(o.side)),
        replace(o.force), csv);
  }
  return 0;
}

void add(CLI::App& app, int& status, const char* name, const char* help, analysis::AccessSide side) {
  auto o = std::make_shared<AccessOptions>();
  o->side = side;
  CLI::App* c = app.add_subcommand(name, help);
  c->add_option("TRACE", o->paths, "traces, as for `heddle run`; or a module in PTX or machine code")
      ->required();
  add_module_options(*c, o->ptx);
  c->get_option("--kernel")->description("only the launch of this number; name of the kernel in a module");
  c->add_option("--cluster", o->ptx.cluster, "blocks of a cluster of a kernel in PTX")
      ->type_name("X[,Y[,Z]]");
  c->add_option("--top", o->top, "instructions in the table")->check(at_least(1))->capture_default_str();
  c->add_option("--csv", o->csv, "all instructions as a table")->type_name("FILE.csv");
  c->add_option("--svg", o->svg, "the worst pattern as a picture")->type_name("FILE.svg");
  add_force(*c, o->force);
  c->callback([o, &status] { status = profile(*o); });
}

}  // namespace

void add_access(CLI::App& app, int& status) {
  add(app, status, "banks", "bank conflicts by instruction, from a trace alone",
      analysis::AccessSide::kBanks);
  add(app, status, "coalesce", "sectors by instruction, from a trace alone", analysis::AccessSide::kSectors);
}

}  // namespace heddle::cli
