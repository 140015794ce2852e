// heddle sweep: many configurations, traces and GPUs; on this machine or with Slurm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/report/format.h"
#include "analysis/report/table.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/options.h"
#include "tools/heddle/sweep_run.h"
#include "tools/heddle/sweep_slurm.h"

namespace heddle::cli {
namespace {

struct SweepOptions {
  SweepChoice choice;
  SweepChanges changes;
  int jobs = 0;  // 0: all cores here, one in a job of Slurm
  bool dry_run = false, retry_failed = false, quiet = false;
  bool slurm = false, no_watch = false, print_template = false;
  SlurmOptions on_slurm;
  std::filesystem::path round;  // slurm-task
  size_t task = 0;
};

sweep::SweepPlan plan_of(const SweepOptions& o) {
  sweep::Sweep s = read_choice(o.choice);
  s.set_skip_impossible(s.skip_impossible() || o.changes.skip_impossible);
  if (o.changes.timeout_s >= 0) {
    s.set_timeout_s(o.changes.timeout_s);
  }
  if (o.changes.retries >= 0) {
    s.set_retries(static_cast<uint32_t>(o.changes.retries));
  }
  auto said = std::chrono::steady_clock::now();
  const auto checked = [&said](size_t done, size_t all) {
    constexpr auto kEvery = std::chrono::seconds(3);
    if (const auto now = std::chrono::steady_clock::now(); now - said >= kEvery) {
      said = now;
      note(fmt::format("{} of {} points checked", analysis::grouped(done), analysis::grouped(all)));
    }
  };
  return {std::move(s), warn, nullptr, {}, checked};
}

std::string points_text(const sweep::SweepPlan& plan) {
  using Align = analysis::TextTable::Align;
  std::vector<analysis::TextTable::Column> columns = {{"point"}};
  for (const std::string& a : plan.axes()) {
    columns.push_back({a});
  }
  columns.push_back({"gpu", Align::kLeft});
  columns.push_back({"configuration", Align::kLeft});
  analysis::TextTable t(std::move(columns));
  for (const sweep::PlannedConfig& c : plan.configs()) {
    std::vector<std::string> row = {fmt::format("{}", c.point)};
    const std::vector<std::string>& values = plan.points()[c.point].values;
    row.insert(row.end(), values.begin(), values.end());
    row.push_back(c.gpu);
    row.push_back(c.hash);
    t.add(std::move(row));
  }
  return t.str();
}

int run_slurm(const SweepOptions& o, const sweep::SweepPlan& plan, const sweep::Folder& folder) {
  SlurmOptions s = o.on_slurm;
  s.jobs = o.jobs > 0 ? o.jobs : 1;
  s.watch = !o.no_watch;
  s.retry_failed = o.retry_failed;
  if (int stopped = run_sweep_on_slurm(plan, folder, s)) {
    return stopped;
  }
  return s.watch ? finish_sweep(plan, folder) : 0;
}

int run(const SweepOptions& o) {
  if (o.print_template) {
    print(default_slurm_template());
    return 0;
  }
  if (o.choice.file.empty()) {
    throw Error("FILE is required: a sweep file, or the folder of its results (heddle sweep --help)");
  }
  const sweep::SweepPlan plan = plan_of(o);
  for (const std::string& gpu : plan.sweep().gpu()) {
    say_where_from(gpu, {});
  }
  const sweep::Folder folder = folder_of(o.choice);
  if (o.dry_run) {
    print(points_text(plan) + sweep_status_text(plan, sweep::progress_of(plan, folder)));
    return 0;
  }
  folder.create(plan.sweep());
  if (o.slurm) {
    return run_slurm(o, plan, folder);
  }
  const sweep::Progress before = sweep::progress_of(plan, folder, o.retry_failed);
  if (before.alive > 0) {
    throw Error(fmt::format(
        "{}: another heddle sweep works on it ({} running); heddle sweep status tells how far it is",
        folder.path.string(), before.running));
  }
  const std::vector<size_t> tasks = sweep::tasks_to_do(plan, before);
  note(fmt::format("{}: {} of {} runs to do, {} done before", folder.path.string(),
                   analysis::grouped(tasks.size()), analysis::grouped(plan.tasks()),
                   analysis::grouped(before.done)));
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (int stopped = run_sweep_tasks(plan, folder, tasks, o.jobs > 0 ? o.jobs : cores, o.quiet, "")) {
    const sweep::Progress p = sweep::progress_of(plan, folder);
    note(fmt::format("interrupted: {} of {} runs done; the same command goes on", p.done, plan.tasks()));
    return stopped;
  }
  return finish_sweep(plan, folder);
}

int status_command(const SweepOptions& o) {
  const sweep::SweepPlan plan = plan_of(o);
  print(sweep_status_text(plan, sweep::progress_of(plan, folder_of(o.choice))));
  return 0;
}

int collect_command(const SweepOptions& o) { return finish_sweep(plan_of(o), folder_of(o.choice)); }

void add_choice(CLI::App& app, SweepOptions& o, bool required) {
  app.add_option("FILE", o.choice.file, "the sweep (analysis/sweep/README.md), or the folder of its results")
      ->required(required);
  app.add_option("--out", o.choice.out, "folder of the results; otherwise NAME.sweep for NAME.textproto")
      ->type_name("DIR");
  app.add_flag("--skip-impossible", o.changes.skip_impossible,
               "leave out points that give no possible configuration; else they are an error");
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto o = std::make_shared<SweepOptions>();
  CLI::App* c = app.add_subcommand("sweep", "simulate many configurations; also on a Slurm cluster");
  add_choice(*c, *o, false);
  c->add_option("--jobs,-j", o->jobs,
                "runs simulated at a time; otherwise all cores, and in a job of Slurm one")
      ->check(CLI::Range(1, 1024));
  c->add_option("--timeout", o->changes.timeout_s, "seconds after which a run is given up; 0: never")
      ->check(seconds("0 (never) or more", 0));
  c->add_option("--retries", o->changes.retries,
                "how often a run is tried again that timed out or was killed")
      ->check(CLI::Range(0, 100));
  c->add_flag("--retry-failed", o->retry_failed, "try what failed once more");
  c->add_flag("--dry-run,-n", o->dry_run, "only list the points");
  c->add_flag("--quiet,-q", o->quiet, "no progress on stderr");
  CLI::Option* slurm =
      c->add_flag("--slurm", o->slurm, "submit the runs to Slurm as a job array and watch it");
  c->add_option("--template", o->on_slurm.template_file, "batch script to fill in instead of heddle's")
      ->type_name("FILE.sbatch")
      ->needs(slurm);
  c->add_flag("--print-template", o->print_template, "print heddle's batch script");
  c->add_option("--chunk", o->on_slurm.chunk, "runs per task of the array; otherwise for at most 1000 tasks")
      ->check(at_least(1))
      ->needs(slurm);
  c->add_option("--poll", o->on_slurm.poll_s, "seconds between two looks at the job")
      ->check(seconds("0.1 to 86400", 0.1, 86400))
      ->needs(slurm)
      ->capture_default_str();
  c->add_flag("--no-watch", o->no_watch, "return when the job is submitted")->needs(slurm);
  c->require_subcommand(0, 1);
  c->callback([o, c, &status] {
    if (c->get_subcommands().empty()) {
      status = run(*o);
    }
  });
  auto add = [&](const char* name, const char* help, int (*function)(const SweepOptions&)) {
    CLI::App* s = c->add_subcommand(name, help);
    add_choice(*s, *o, true);
    s->callback([o, function, &status] { status = function(*o); });
    return s;
  };
  add("status", "how far a sweep is, and what failed", status_command);
  add("collect", "one database from what is finished", collect_command);
  add_sweep_best(*c, status);
  add_sweep_table(*c, status);
  // Called by the batch script.
  CLI::App* t = c->add_subcommand("slurm-task", "one task of a job array")->group("");
  t->add_option("DIR", o->choice.file)->required();
  t->add_option("--round", o->round)->required();
  t->add_option("--task", o->task)->envname("SLURM_ARRAY_TASK_ID")->required();
  t->add_option("--jobs", o->jobs)->check(CLI::Range(1, 1024));
  t->callback([o, &status] {
    status = run_slurm_task(folder_of(o->choice), o->round, o->task, std::max(o->jobs, 1));
  });
}

}  // namespace heddle::cli
