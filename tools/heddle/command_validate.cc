// heddle validate: compares simulated kernels with measured ones.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/run_report.h"
#include "analysis/run/host.h"
#include "analysis/run/plan.h"
#include "analysis/store/result_reader.h"
#include "analysis/validate/ablation.h"
#include "analysis/validate/comparison.h"
#include "analysis/validate/reference.h"
#include "analysis/validate/validation_csv.h"
#include "analysis/validate/validation_text.h"
#include "configs/loader/config.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/stored_batch.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using analysis::Match;

struct ValidateOptions {
  SimOptions sim;
  fs::path reference, traces, results, csv;
  int64_t run = 0;
  std::vector<std::string> kernels, metrics, ablations;
  bool stalls = false, split = false, ablate = false;
};

// The rows of the reference table that were asked for.
std::vector<Match> selected_rows(const ValidateOptions& o) {
  analysis::Reference reference = analysis::read_reference(o.reference);
  for (const std::string& name : o.kernels) {
    if (std::none_of(reference.rows.begin(), reference.rows.end(),
                     [&](const auto& r) { return r.name == name; })) {
      throw Error(fmt::format("{}: no kernel '{}'", reference.file, name));
    }
  }
  for (const std::string& m : o.metrics) {
    const auto has = [&](const analysis::ReferenceRow& r) { return r.value(m).has_value(); };
    if (m != "all" && std::none_of(reference.rows.begin(), reference.rows.end(), has)) {
      throw Error(fmt::format("{}: no values of metric '{}' (heddle metrics lists the simulated ones)",
                              reference.file, m));
    }
  }
  std::vector<Match> out;
  for (analysis::ReferenceRow& row : reference.rows) {
    if (o.kernels.empty() || std::find(o.kernels.begin(), o.kernels.end(), row.name) != o.kernels.end()) {
      out.push_back({std::move(row), std::nullopt, "not finished"});
    }
  }
  return out;
}

// A launch that is not of the row's shape is none of its.
void check_shape(Match& m) {
  if (m.launch) {
    m.failure = analysis::other_shape(m.reference, m.launch->shape);
    if (!m.failure.empty()) {
      m.launch.reset();
    }
  }
}

// The launch of a row: that number of the capture in the directory of its name.
analysis::PlannedLaunch launch_of(const ValidateOptions& o, const Match& m) {
  const fs::path folder = o.traces / m.reference.name;
  std::vector<analysis::PlannedLaunch> all = analysis::plan_launches({folder}, o.sim.strict, warn);
  auto it = std::find_if(all.begin(), all.end(),
                         [&](const analysis::PlannedLaunch& l) { return l.number == m.reference.launch; });
  if (it == all.end()) {
    throw Error(fmt::format("{}: no launch {}", folder.string(), m.reference.launch));
  }
  it->trace = m.reference.name;
  it->cluster = m.reference.cluster;
  return std::move(*it);
}

// A trace need not know its clusters' size (a compiled-in one is no launch parameter), so the table's stands.
std::string cluster_note(const std::vector<Match>& matches) {
  std::string out;
  for (const Match& m : matches) {
    if (m.launch && m.reference.cluster) {
      const isa::Dim3& c = *m.reference.cluster;
      out += fmt::format("note: {}: clusters of the table's size (heddle run: --cluster {},{},{})\n",
                         m.label(), c.x, c.y, c.z);
    }
  }
  return out;
}

// Of the rows that have a launch. What keeps others from being compared, missing traces and other shapes, is
// their `failure`; a launch that fails is reported at once.
int simulate(const ValidateOptions& o, const SimOptions& sim, std::vector<Match>& matches) {
  StoredBatchOptions batch_options;
  batch_options.keep_going = true;
  batch_options.largest_first = sim.jobs > 1;
  std::vector<analysis::PlannedLaunch> launches;
  std::vector<size_t> match;  // of each launch
  for (size_t i = 0; i < matches.size(); ++i) {
    try {
      launches.push_back(launch_of(o, matches[i]));
      match.push_back(i);
    } catch (const Error& e) {
      matches[i].failure = e.what();
    }
  }
  if (launches.empty()) {
    throw Error(matches.front().failure);
  }
  StoredBatch batch(sim, batch_options, std::move(launches));
  return batch.run([&](size_t i, const analysis::Outcome& outcome) {
    Match& m = matches[match[i]];
    m.launch = outcome.record;
    m.failure = outcome.error ? analysis::message_of(outcome.error) : "";
    m.reported = outcome.error != nullptr;
    check_shape(m);
  });
}

// One line about the rows that were not compared and of which nothing was said yet. Returns the exit status:
// 1 if any was not compared.
int report_uncompared(const ValidateOptions& o, const std::vector<Match>& matches) {
  constexpr size_t kNamed = 5;
  std::string list;
  size_t count = 0, failed = 0;
  for (const Match& m : matches) {
    failed += !m.launch;
    if (!m.launch && !m.reported && ++count <= kNamed) {
      list += fmt::format("{}{}: {}", count > 1 ? "; " : "", m.label(), m.failure);
    }
  }
  if (count > 0) {
    report_error(fmt::format("{}: {} of {} kernels are not compared: {}{}", o.reference.string(), count,
                             matches.size(), list,
                             count > kNamed ? fmt::format("; and {} more", count - kNamed) : ""));
  }
  return failed ? 1 : 0;
}

void take_stored(const ValidateOptions& o, std::vector<Match>& matches) {
  analysis::ResultReader reader(o.results);
  int64_t run = o.run;
  for (const analysis::RunRecord& r : reader.runs()) {
    run = o.run == 0 ? std::max(run, r.id) : run;
  }
  const std::vector<analysis::LaunchRecord> launches = reader.launches(run);
  if (launches.empty()) {
    throw Error(fmt::format("{}: no results of run {}", o.results.string(), run));
  }
  for (Match& m : matches) {
    m.failure = fmt::format("not in run {} of {}", run, o.results.string());
    for (const analysis::LaunchRecord& l : launches) {
      if (l.trace == m.reference.name && l.launch == m.reference.launch) {
        m.launch = l;
        check_shape(m);
      }
    }
  }
}

void print_comparison(const ValidateOptions& o, const std::vector<Match>& matches) {
  auto summary = [&](std::string_view metric, std::string_view title) {
    return analysis::error_summary(matches, analysis::common_values(matches, metric), title);
  };
  bool all = false;
  for (const std::string& metric : o.metrics) {
    if (metric == "all") {
      all = true;
      print(analysis::metrics_overview(analysis::summarize_metrics(matches)) + "\n");
    } else {
      print(analysis::kernel_table(matches, metric) + "\n" + summary(metric, metric) + "\n");
    }
  }
  if (o.metrics.empty()) {
    print(analysis::kernel_table(matches, analysis::kCycles) + "\n");
  }
  if (o.stalls) {
    print(analysis::stall_text(analysis::compare_stalls(matches)) + "\n");
  }
  if (o.split) {
    print(analysis::split_text(matches, analysis::kCycles, "cycles") + "\n" +
          analysis::split_text(matches, analysis::kSmActiveCycles, "SM-active cycles") + "\n");
  }
  std::vector<analysis::LaunchRecord> launches;
  for (const Match& m : matches) {
    if (m.launch) {
      launches.push_back(*m.launch);
    }
  }
  if (const std::string notes = cluster_note(matches) + analysis::sampling_note(launches); !notes.empty()) {
    print(notes + "\n");
  }
  if (o.metrics.empty() || all) {
    print(summary(analysis::kCycles, "cycles") + summary(analysis::kSmActiveCycles, "SM-active cycles"));
  }
}

std::vector<std::string> csv_metrics(const ValidateOptions& o) {
  std::vector<std::string> out;
  for (const std::string& m : o.metrics) {
    if (m == "all") {
      out.insert(out.end(), {analysis::kCycles, analysis::kSmActiveCycles});
      for (const stats::MetricInfo& info : stats::catalogue()) {
        out.push_back(info.name);
      }
    } else {
      out.push_back(m);
    }
  }
  return out.empty() ? std::vector<std::string>{analysis::kCycles, analysis::kSmActiveCycles} : out;
}

config::GpuConfig gpu_of(const SimOptions& sim) {
  config::LoadOptions load;
  load.fidelity = sim.fidelity;
  load.overrides = sim.overrides;
  return config::load(sim.gpu, load);
}

// The ablations that were asked for and that change this machine.
std::vector<config::Ablation> selected_ablations(const ValidateOptions& o, const std::string& default_hash) {
  std::vector<config::Ablation> out;
  const std::vector<config::Ablation> table = config::ablations();
  for (const std::string& name : o.ablations) {
    if (std::none_of(table.begin(), table.end(), [&](const auto& a) { return a.name() == name; })) {
      std::string names;
      for (const config::Ablation& a : table) {
        names += (names.empty() ? "" : ", ") + a.name();
      }
      throw Error(fmt::format("no ablation '{}'; legal names: {}", name, names));
    }
  }
  for (const config::Ablation& a : table) {
    SimOptions sim = o.sim;
    sim.overrides.insert(sim.overrides.end(), a.set().begin(), a.set().end());
    const bool asked = o.ablations.empty() ||
                       std::find(o.ablations.begin(), o.ablations.end(), a.name()) != o.ablations.end();
    if (asked && config::hash(gpu_of(sim)) != default_hash) {
      out.push_back(a);
    }
  }
  return out;
}

// The whole machine first, then without one mechanism after the other. All runs go to the file of --out.
int ablate(const ValidateOptions& o, std::optional<output::OutputFile>& csv) {
  const std::string default_hash = config::hash(gpu_of(o.sim));
  const std::vector<config::Ablation> ablations = selected_ablations(o, default_hash);
  std::vector<Match> all;
  std::vector<analysis::AblationRow> rows;
  int status = 0;
  for (size_t i = 0; i <= ablations.size(); ++i) {
    SimOptions sim = o.sim;
    if (i > 0) {
      sim.overrides.insert(sim.overrides.end(), ablations[i - 1].set().begin(), ablations[i - 1].set().end());
      sim.append = true;  // to the file that the first run made
      sim.force = false;
    }
    std::vector<Match> matches = selected_rows(o);
    const double begin = analysis::cpu_seconds();
    const int s = simulate(o, sim, matches);
    const double spent = analysis::cpu_seconds() - begin;
    if (s > 1) {
      status = s;  // stopped by a signal: what is complete is reported
      break;
    }
    status = std::max(status, s);
    if (i == 0) {
      status = std::max(status, report_uncompared(o, matches));
      all = matches;
    }
    analysis::AblationRow row = analysis::ablation_row(matches, all);
    row.name = i ? ablations[i - 1].name() : "default";
    row.instead = i ? ablations[i - 1].instead() : "";
    row.config_hash = i ? config::hash(gpu_of(sim)) : default_hash;
    row.cpu_seconds = spent;
    note(fmt::format("{} of {} machines: {}: mean error {:.1f} %", i + 1, ablations.size() + 1, row.name,
                     row.cycles.mean * 100));
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) {
    print(analysis::ablation_text(rows));
    if (csv) {
      csv->stream() << analysis::ablation_csv(rows);
      csv->commit();
    }
  }
  return status;
}

// Tables of --csv, of either kind.
output::FileKind csv_kind() {
  return {"a table of heddle validate", [](std::string_view head) {
            return head.starts_with("name,launch,metric,measured,simulated,") ||
                   head.starts_with("ablation,instead,config,");
          }};
}

int validate(const ValidateOptions& o) {
  std::vector<Match> matches = selected_rows(o);
  std::optional<output::OutputFile> csv;
  if (!o.csv.empty()) {
    csv.emplace(o.csv, csv_kind(), replace(o.sim.force));
  }
  if (o.ablate || !o.ablations.empty()) {
    return ablate(o, csv);
  }
  int status = 0;
  if (!o.results.empty()) {
    take_stored(o, matches);
  } else {
    status = simulate(o, o.sim, matches);
  }
  print_comparison(o, matches);
  if (csv) {
    csv->stream() << analysis::validation_csv(matches, csv_metrics(o))
                  << (o.stalls ? analysis::stall_csv(matches) : "");
    csv->commit();
  }
  return status > 1 ? status : std::max(status, report_uncompared(o, matches));
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto o = std::make_shared<ValidateOptions>();
  CLI::App* c = app.add_subcommand("validate", "compare simulated kernels with measured ones");
  c->add_option("--reference", o->reference, "CSV table of measured kernels")
      ->required()
      ->type_name("FILE.csv");
  CLI::Option* traces =
      c->add_option("--traces", o->traces, "directory with a capture per kernel of the table");
  CLI::Option* results =
      c->add_option("--results", o->results, "compare stored results instead of simulating")
          ->type_name("FILE.db");
  c->add_option("--run", o->run, "the run of --results; the last one if not given")
      ->check(at_least(1))
      ->needs(results);
  add_repeatable(*c, "--kernel", o->kernels, "only this kernel of the table; repeatable");
  CLI::Option* metric = add_repeatable(
      *c, "--metric", o->metrics,
      "compare this Nsight metric instead of cycles, or `all` for a line per metric; repeatable");
  CLI::Option* stalls = c->add_flag("--stalls", o->stalls, "compare the stall reasons");
  CLI::Option* split =
      c->add_flag("--split", o->split, "compare the errors of the two halves of the table, taken in turns");
  c->add_option("--csv", o->csv, "write the values to this file, a line per kernel and metric")
      ->type_name("FILE.csv");
  CLI::Option* all_ablations = c->add_flag(
      "--ablate", o->ablate, "repeat without one mechanism after the other (configs/ablations.textproto)");
  CLI::Option* one_ablation =
      add_repeatable(*c, "--ablation", o->ablations, "the same without this mechanism only; repeatable");
  add_sim_options(*c, o->sim, false);
  for (CLI::Option* a : {all_ablations, one_ablation}) {
    a->excludes(results)->excludes(metric)->excludes(stalls)->excludes(split);
  }
  results->excludes(traces);
  c->callback([o, &status] {
    if (o->results.empty() && (o->traces.empty() || o->sim.gpu.empty())) {
      throw CLI::RequiredError("--traces and --gpu (or --results)");
    }
    status = validate(*o);
  });
}

}  // namespace heddle::cli
