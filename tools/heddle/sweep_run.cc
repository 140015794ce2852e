#include "tools/heddle/sweep_run.h"

#include <fmt/format.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <string_view>

#include "analysis/report/format.h"
#include "analysis/report/table.h"
#include "analysis/run/plan.h"
#include "analysis/sweep/execute.h"
#include "analysis/sweep/sweep_file.h"
#include "sim/base/error.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/progress.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Align = analysis::TextTable::Align;

constexpr size_t kListed = 50;  // failures and skipped points; the database has them all

std::vector<double> weights_of(const sweep::SweepPlan& plan, const std::vector<size_t>& tasks) {
  const std::vector<double> launch = analysis::weights(plan.launches());
  std::vector<double> out;
  out.reserve(tasks.size());
  for (size_t t : tasks) {
    out.push_back(launch[t % launch.size()]);
  }
  return out;
}

void more(std::string& text, size_t all) {
  if (all > kListed) {
    text += fmt::format("  and {} more\n", all - kListed);
  }
}

// Every run builds a machine of some ten megabytes and takes it down. Memory that is given back in between
// costs more system time (page faults) than a short run takes itself.
void keep_freed_memory() {
  constexpr int kMiB = 1 << 20;
  mallopt(M_TRIM_THRESHOLD, 512 * kMiB);
  mallopt(M_TOP_PAD, 32 * kMiB);
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
}

}  // namespace

sweep::Folder folder_of(const SweepChoice& choice) {
  if (fs::is_directory(choice.file)) {
    return {choice.file};
  }
  return {choice.out.empty() ? fs::path(choice.file.stem().string() + ".sweep") : choice.out};
}

fs::path results_of(const SweepChoice& choice) {
  return choice.file.extension() == ".db" ? choice.file : folder_of(choice).results();
}

sweep::Sweep read_choice(const SweepChoice& choice) {
  if (!fs::is_directory(choice.file)) {
    return sweep::read_sweep(choice.file);
  }
  const sweep::Folder folder = folder_of(choice);
  if (!fs::exists(folder.file())) {
    throw Error(fmt::format("{}: no folder of a sweep: it has no sweep.textproto", choice.file.string()));
  }
  return sweep::read_sweep(folder.file());
}

std::string sweep_status_text(const sweep::SweepPlan& plan, const sweep::Progress& p) {
  std::string out =
      fmt::format("{} points, {} configurations, {} launches each: {} runs\n", plan.points().size(),
                  plan.configs().size(), plan.launches().size(), analysis::grouped(plan.tasks()));
  out += fmt::format("{} done, {} running, {} to do, {} failed\n", analysis::grouped(p.done),
                     analysis::grouped(p.running), analysis::grouped(p.pending), analysis::grouped(p.failed));
  if (p.foreign > 0) {
    out +=
        fmt::format("{} results of another revision of heddle are not used\n", analysis::grouped(p.foreign));
  }
  if (!plan.skipped().empty()) {
    out += fmt::format("{} impossible configurations left out\n", plan.skipped().size());
    for (size_t i = 0; i < plan.skipped().size() && i < kListed; ++i) {
      const sweep::SkippedPoint& s = plan.skipped()[i];
      out += fmt::format("  point {} {} ({}): {}\n", s.point, s.gpu, plan.values_of(s.point), s.reason);
    }
    more(out, plan.skipped().size());
  }
  if (!p.failures.empty()) {
    analysis::TextTable t(
        {{"failed", Align::kLeft}, {"why", Align::kLeft}, {"attempts"}, {"", Align::kLeft}});
    for (size_t i = 0; i < p.failures.size() && i < kListed; ++i) {
      const sweep::CollectedFailure& f = p.failures[i];
      const sweep::PlannedConfig& c = plan.configs()[f.run];
      t.add({fmt::format("point {} {} {}/{}", c.point, c.gpu, f.trace, f.launch),
             std::string(name_of(f.kind)), fmt::format("{}", f.attempts), f.message});
    }
    out += t.str();
    more(out, p.failures.size());
  }
  return out;
}

int run_sweep_tasks(const sweep::SweepPlan& plan, const sweep::Folder& folder,
                    const std::vector<size_t>& tasks, int jobs, bool quiet, const std::string& worker) {
  catch_signals();
  keep_freed_memory();
  ProgressMeter meter(quiet ? ProgressMeter::Style::kNone : ProgressMeter::style_for_stderr(),
                      weights_of(plan, tasks), [](std::string_view text) {
                        std::fwrite(text.data(), 1, text.size(), stderr);
                        std::fflush(stderr);
                      });
  before_output([&meter] { meter.clear(); });
  sweep::ExecuteOptions options;
  options.jobs = jobs;
  options.isolate = true;
  options.worker = worker;
  options.cancel = &cancel_flag();
  options.warn = warn;
  // Slurm ends a job that is over its time with SIGTERM; a user at the keyboard wants to go on later.
  options.stop_is_failure = [&worker] { return !worker.empty() && caught_signal() == SIGTERM; };
  sweep::ExecuteCalls calls;
  calls.begin = [&](size_t i) { meter.begin(i, plan.label_of(tasks[i])); };
  calls.update = [&meter](size_t i, const device::Progress& p) { meter.update(i, p); };
  calls.finish = [&meter](size_t i, uint64_t instructions) { meter.finish(i, instructions); };
  calls.failure = [&](size_t i, sweep::Failure kind, int attempt, const std::string& message) {
    warn(fmt::format("{}: {}, attempt {}: {}", plan.label_of(tasks[i]), name_of(kind), attempt, message));
  };
  try {
    sweep::execute(plan, folder, tasks, options, calls);
  } catch (...) {
    meter.clear();
    before_output(nullptr);
    throw;
  }
  meter.clear();
  before_output(nullptr);
  return caught_signal() ? 128 + caught_signal() : 0;
}

int finish_sweep(const sweep::SweepPlan& plan, const sweep::Folder& folder) {
  const size_t launches = sweep::collect_folder(plan, folder);
  const sweep::Progress p = sweep::progress_of(plan, folder);
  print(sweep_status_text(plan, p));
  print(fmt::format("{}: {} results (heddle sweep best {} ranks them)\n", folder.results().string(),
                    analysis::grouped(launches), folder.path.string()));
  if (p.failed > 0) {
    report_error(
        fmt::format("{} of {} runs failed (--retry-failed tries them again)", p.failed, plan.tasks()));
  }
  return p.done == plan.tasks() ? 0 : 1;
}

}  // namespace heddle::cli
