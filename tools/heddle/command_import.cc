// heddle import: traces to .heddle files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/table.h"
#include "analysis/run/batch.h"
#include "analysis/run/plan.h"
#include "frontends/trace/launches.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/import.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/options.h"
#include "tools/heddle/progress.h"
#include "tools/heddle/stored_batch.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::vector<fs::path> paths;
  fs::path out;
  trace::WriterOptions writer;
  int jobs = 1;
  bool verify = false, force = false, strict = false, quiet = false;
};

double ratio(uint64_t a, uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<uint64_t>(b, 1));
}

// A line per launch and one for all.
std::string import_table(const std::vector<analysis::PlannedLaunch>& launches,
                         const std::vector<ImportResult>& results) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable table({{"trace", Align::kLeft},
                             {"launch"},
                             {"blocks"},
                             {"warp instructions"},
                             {"chunks"},
                             {"source bytes"},
                             {"bytes"},
                             {"ratio"},
                             {"seconds"}});
  ImportResult all;
  const auto row = [&table](const std::string& trace, const std::string& launch, const ImportResult& r) {
    table.add({trace, launch, fmt::format("{}", r.totals.blocks),
               fmt::format("{}", r.totals.warp_instructions), fmt::format("{}", r.totals.chunks),
               fmt::format("{}", r.source_bytes), fmt::format("{}", r.totals.bytes),
               fmt::format("{:.3f}", ratio(r.totals.bytes, r.source_bytes)),
               fmt::format("{:.2f}", r.seconds)});
  };
  for (size_t i = 0; i < launches.size(); ++i) {
    const ImportResult& r = results[i];
    row(launches[i].trace, fmt::format("{}", launches[i].number), r);
    all.totals.blocks += r.totals.blocks;
    all.totals.warp_instructions += r.totals.warp_instructions;
    all.totals.chunks += r.totals.chunks;
    all.totals.bytes += r.totals.bytes;
    all.source_bytes += r.source_bytes;
    all.seconds += r.seconds;
  }
  if (launches.size() > 1) {
    row("all", "", all);
  }
  return table.str();
}

int import(const ImportOptions& o) {
  const std::vector<analysis::PlannedLaunch> launches = analysis::plan_launches(o.paths, o.strict, warn);
  const std::vector<fs::path> targets = import_targets(launches, o.out, o.force);
  std::vector<ImportResult> results(launches.size());
  trace::WriterOptions writer = o.writer;
  writer.replace = replace(o.force);
  catch_signals();
  ProgressMeter meter(o.quiet ? ProgressMeter::Style::kNone : ProgressMeter::style_for_stderr(),
                      analysis::weights(launches), [](std::string_view text) {
                        std::fwrite(text.data(), 1, text.size(), stderr);
                        std::fflush(stderr);
                      });
  before_output([&meter] { meter.clear(); });

  analysis::BatchOptions batch;
  batch.jobs = o.jobs;
  batch.cancel = &cancel_flag();
  analysis::BatchCalls calls;
  size_t written = 0;
  std::exception_ptr error;
  calls.simulate = [&](size_t i) {
    meter.begin(i, launches[i].label());
    auto progress = [&meter, i](const device::Progress& p) { meter.update(i, p); };
    results[i] = import_launch(launches[i], targets[i], writer, o.verify, cancel_flag(), progress);
    meter.finish(i, results[i].totals.warp_instructions);
    return analysis::LaunchRecord();
  };
  calls.done = [&](size_t, const analysis::Outcome& outcome) {
    written += outcome.record.has_value();
    error = error ? error : outcome.error;
  };
  analysis::run_batch(launches.size(), o.jobs > 1 ? analysis::largest_first(launches) : std::vector<size_t>(),
                      batch, calls);
  meter.clear();
  before_output(nullptr);
  if (error) {
    std::rethrow_exception(error);
  }
  if (caught_signal()) {
    note(fmt::format("interrupted: {} of {} launches written", written, launches.size()));
    return 128 + caught_signal();
  }
  if (!trace::is_native(o.out)) {
    write_lists(launches, targets, replace(o.force));
  }
  print(import_table(launches, results));
  return 0;
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto o = std::make_shared<ImportOptions>();
  CLI::App* c =
      app.add_subcommand("import", "turn Accel-Sim traces into .heddle files, or write such files anew");
  c->add_option("PATH", o->paths, "traces, as for `heddle run`")->required();
  c->add_option("--out,-o", o->out,
                "one .heddle file, or a directory, which gets a folder with a kernelslist.g per capture")
      ->required()
      ->type_name("FILE.heddle|DIR");
  c->add_option("--level", o->writer.level, trace::kLevelHelp)
      ->check(CLI::Range(1, 22))
      ->capture_default_str();
  c->add_option("--jobs,-j", o->jobs, "launches imported at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  c->add_flag("--verify", o->verify, "read every file again and compare it with its source");
  c->add_flag("--force", o->force, "replace files that exist");
  c->add_flag("--strict", o->strict, "unknown lines of a kernelslist.g are errors");
  c->add_flag("--quiet,-q", o->quiet, "no progress on stderr");
  c->callback([o, &status] { status = import(*o); });
}

}  // namespace heddle::cli
