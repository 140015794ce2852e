// heddle report: prints a result database.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/html/report_data.h"
#include "analysis/report/host_report.h"
#include "analysis/report/hot_spots.h"
#include "analysis/report/kernel_report.h"
#include "analysis/report/relation_report.h"
#include "analysis/report/run_report.h"
#include "analysis/store/result_reader.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

using analysis::LaunchRecord;

struct ReportOptions {
  std::filesystem::path file;
  int64_t run = 0;                   // 0: all
  std::vector<std::string> kernels;  // TRACE or TRACE/LAUNCH
  bool hash = false, force = false, relations = false;
  std::filesystem::path html;
};

bool wanted(const LaunchRecord& l, const std::string& name) {
  return name == l.trace || name == fmt::format("{}/{}", l.trace, l.launch);
}

void report_run(const ReportOptions& o, const analysis::RunRecord& stored, analysis::ResultReader& reader) {
  const analysis::RunRecord run = reader.whole(stored);
  const std::vector<LaunchRecord> launches = reader.launches(run.id);
  print(fmt::format("run {}: {}\n", run.id, analysis::run_heading(run, launches)));
  if (const std::vector<analysis::RunCounter> counters = reader.counters(run.id); !counters.empty()) {
    print(analysis::track_table(reader.tracks(run.id), counters) + "\n" + analysis::counter_lines(counters));
  }
  if (launches.empty() && o.kernels.empty()) {
    return;
  }
  const std::optional<config::GpuConfig> gpu = analysis::configuration(run);
  if (o.kernels.empty() && launches.size() == 1) {
    print("\n" + analysis::kernel_details(launches[0], analysis::roofs(launches[0], gpu)));
    print(analysis::hot_spots(reader.profile(launches[0].id).instructions));
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
        print(analysis::kernel_details(l, analysis::roofs(l, gpu)));
        print(analysis::hot_spots(reader.profile(l.id).instructions) + "\n");
      }
    }
    if (!found) {
      std::set<std::string> names;
      for (const LaunchRecord& l : launches) {
        names.insert(l.trace);
      }
      throw Error(fmt::format("{}: run {} has no launch '{}'; there are: {}", o.file.string(), run.id, name,
                              fmt::join(names, ", ")));
    }
  }
}

// Launches that --run and --kernel leave.
int write_html(const ReportOptions& o, analysis::ResultReader& reader) {
  std::vector<analysis::ReportRun> runs;
  size_t found = 0;
  for (analysis::RunRecord& run : reader.runs()) {
    if (o.run != 0 && run.id != o.run) {
      continue;
    }
    std::vector<LaunchRecord> launches = reader.launches(run.id);
    if (!o.kernels.empty()) {
      std::erase_if(launches, [&](const LaunchRecord& l) {
        return std::none_of(o.kernels.begin(), o.kernels.end(),
                            [&](const std::string& name) { return wanted(l, name); });
      });
    }
    found += launches.size();
    runs.push_back({reader.whole(std::move(run)), std::move(launches)});
  }
  if (found == 0) {
    throw Error(fmt::format("{}: no such results", o.file.string()));
  }
  output::OutputFile out(o.html, output::html_page(), replace(o.force));
  analysis::write_html_report(out.stream(), o.file.filename().string(), runs, [&](const LaunchRecord& l) {
    return analysis::LaunchProfile{reader.profile(l.id), reader.flop(l.id)};
  });
  out.commit();
  print(fmt::format("{}: {} kernel{} of {} run{}\n", o.html.string(), found, found == 1 ? "" : "s",
                    runs.size(), runs.size() == 1 ? "" : "s"));
  return 0;
}

// Whether the counters of every launch are consistent with each other.
int check_relations(const ReportOptions& o, analysis::ResultReader& reader) {
  size_t checked = 0, estimated = 0, broken = 0;
  for (const analysis::RunRecord& run : reader.runs()) {
    if (o.run != 0 && run.id != o.run) {
      continue;
    }
    for (const LaunchRecord& l : reader.launches(run.id)) {
      if (l.sampling.sampled()) {
        ++estimated;
        continue;
      }
      ++checked;
      for (const std::string& line : analysis::broken_relations(l)) {
        ++broken;
        report_error(fmt::format("{}: run {}, {}/{}: {}", o.file.string(), run.id, l.trace, l.launch, line));
      }
    }
  }
  print(fmt::format(
      "{} relations between counters, {} launches: {}{}\n", stats::relations().size(), checked,
      broken ? fmt::format("{} do not hold", broken) : "all hold",
      estimated ? fmt::format("; {} launches not looked at, they are estimates", estimated) : ""));
  return broken ? 1 : 0;
}

int report(const ReportOptions& o) {
  analysis::ResultReader reader(o.file);
  if (o.relations) {
    return check_relations(o, reader);
  }
  if (o.hash) {
    print(reader.content_hash() + "\n");
    return 0;
  }
  if (!o.html.empty()) {
    return write_html(o, reader);
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
    report_run(o, run, reader);
  }
  if (!any) {
    const std::vector<analysis::RunRecord> runs = reader.runs();
    throw Error(o.run && !runs.empty()
                    ? fmt::format("{}: no run {}; the last one is {}", o.file.string(), o.run, runs.back().id)
                    : fmt::format("{}: no results", o.file.string()));
  }
  return 0;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* c = app.add_subcommand("report", "print the results in a database");
  c->add_option("FILE", o->file, "database written by --out")->required();
  CLI::Option* run = c->add_option("--run", o->run, "only the run with this number")->check(at_least(1));
  CLI::Option* kernel =
      c->add_option("--kernel", o->kernels, "everything about this launch: TRACE or TRACE/LAUNCH; repeatable")
          ->allow_extra_args(false);
  CLI::Option* hash =
      c->add_flag("--hash", o->hash,
                  "print only a hash of the results; it depends neither on the host nor on the threads");
  CLI::Option* relations =
      c->add_flag("--relations", o->relations,
                  "only check what must hold between the counters (heddle metrics --relations)");
  CLI::Option* html = c->add_option("--html", o->html,
                                    "write a page for a browser instead: tables, hot spots, charts; one file")
                          ->type_name("FILE.html");
  hash->excludes(run)->excludes(kernel)->excludes(html)->excludes(relations);  // it is of the whole file
  relations->excludes(kernel)->excludes(html);
  add_force(*c, o->force);
  c->callback([o, &status] { status = report(*o); });
}

}  // namespace heddle::cli
