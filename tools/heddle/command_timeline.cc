// heddle timeline: exports a run as a trace for Perfetto or chrome://tracing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/format.h"
#include "analysis/store/result_reader.h"
#include "analysis/timeline/chrome_trace.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct TimelineOptions {
  std::filesystem::path file, out;
  int64_t run = 0;  // 0: the only one
  bool force = false;
};

analysis::RunRecord chosen(const TimelineOptions& o, analysis::ResultReader& reader) {
  const std::vector<analysis::RunRecord> runs = reader.runs();
  if (runs.empty()) {
    throw Error(fmt::format("{}: no results", o.file.string()));
  }
  if (o.run == 0 && runs.size() > 1) {
    throw Error(fmt::format("{}: has {} runs, --run says which (1 to {})", o.file.string(), runs.size(),
                            runs.back().id));
  }
  for (const analysis::RunRecord& r : runs) {
    if (o.run == 0 || r.id == o.run) {
      return reader.whole(r);
    }
  }
  throw Error(fmt::format("{}: no run {}", o.file.string(), o.run));
}

int timeline(const TimelineOptions& o) {
  analysis::ResultReader reader(o.file);
  const analysis::RunRecord run = chosen(o, reader);
  output::OutputFile out(o.out, output::timeline(), replace(o.force));
  const analysis::TimelineSummary s =
      analysis::write_chrome_trace(out.stream(), reader, run, reader.launches(run.id));
  out.commit();
  print(fmt::format("{}: {} spans, {} samples of counters; open it at https://ui.perfetto.dev\n",
                    o.out.string(), analysis::grouped(s.spans), analysis::grouped(s.samples)));
  if (s.dropped) {
    note(fmt::format("{} spans were beyond --timeline-limit and are missing", analysis::grouped(s.dropped)));
  }
  if (s.samples == 0) {
    note("no counters over time: they need `heddle run --profile`");
  }
  return 0;
}

}  // namespace

void add_timeline(CLI::App& app, int& status) {
  auto o = std::make_shared<TimelineOptions>();
  CLI::App* c = app.add_subcommand("timeline", "export a run as a trace for Perfetto or chrome://tracing");
  c->add_option("FILE", o->file, "database written by --out, best with --profile --timeline")->required();
  c->add_option("-o,--output", o->out, "the trace, Chrome JSON")->required()->type_name("FILE.json");
  c->add_option("--run", o->run, "the run with this number")->check(at_least(1));
  add_force(*c, o->force);
  c->callback([o, &status] { status = timeline(*o); });
}

}  // namespace heddle::cli
