// heddle report: prints a result database.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/kernel_report.h"
#include "analysis/report/run_report.h"
#include "analysis/store/result_reader.h"
#include "sim/engine/error.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"

namespace heddle::cli {
namespace {

using analysis::LaunchRecord;

struct ReportOptions {
  std::filesystem::path file;
  int64_t run = 0;                   // 0: all
  std::vector<std::string> kernels;  // TRACE or TRACE/LAUNCH
  bool hash = false;
};

bool wanted(const LaunchRecord& l, const std::string& name) {
  return name == l.trace || name == fmt::format("{}/{}", l.trace, l.launch);
}

void report_run(const ReportOptions& o, const analysis::RunRecord& run,
                const std::vector<LaunchRecord>& launches) {
  print(fmt::format("run {}: {}\n", run.id, analysis::run_heading(run, launches)));
  const std::optional<config::GpuConfig> gpu = analysis::configuration(run);
  if (o.kernels.empty() && launches.size() == 1) {
    print("\n" + analysis::kernel_details(launches[0], analysis::roofs(launches[0], gpu)));
    print(analysis::launch_notes(launches));
    return;
  }
  if (o.kernels.empty()) {
    print(analysis::launch_tables(launches, launches.size(), gpu));
    print(analysis::launch_notes(launches));
    return;
  }
  for (const std::string& name : o.kernels) {
    bool found = false;
    for (const LaunchRecord& l : launches) {
      if (wanted(l, name)) {
        found = true;
        print(analysis::kernel_details(l, analysis::roofs(l, gpu)) + "\n");
      }
    }
    if (!found) {
      throw Error(fmt::format("{}: run {} has no launch '{}'", o.file.string(), run.id, name));
    }
  }
}

int report(const ReportOptions& o) {
  analysis::ResultReader reader(o.file);
  if (o.hash) {
    print(reader.content_hash() + "\n");
    return 0;
  }
  bool any = false;
  for (const analysis::RunRecord& run : reader.runs()) {
    if (o.run != 0 && run.id != o.run) {
      continue;
    }
    if (any) {
      print("\n");
    }
    any = true;
    report_run(o, run, reader.launches(run.id));
  }
  if (!any) {
    throw Error(o.run ? fmt::format("{}: no run {}", o.file.string(), o.run)
                      : fmt::format("{}: no results", o.file.string()));
  }
  return 0;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* c = app.add_subcommand("report", "print the results in a database");
  c->add_option("FILE", o->file, "database written by --out")->required();
  c->add_option("--run", o->run, "only the run with this number")->check(CLI::PositiveNumber);
  c->add_option("--kernel", o->kernels, "everything about this launch: TRACE or TRACE/LAUNCH; repeatable")
      ->allow_extra_args(false);
  c->add_flag("--hash", o->hash,
              "print only a hash of the results; it depends neither on the host nor on the threads");
  c->callback([o, &status] { status = report(*o); });
}

}  // namespace heddle::cli
