#include "tools/heddle/config_matter.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "analysis/run/plan.h"
#include "analysis/run/simulator.h"
#include "analysis/sensitivity/sensitivity.h"
#include "analysis/sensitivity/sensitivity_text.h"
#include "frontends/output/output_file.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/options.h"
#include "tools/heddle/progress.h"

namespace heddle::cli {
namespace {

// How far a search is: a meter for each of its rounds, since nobody knows how many simulations there will be.
class RoundMeter {
 public:
  RoundMeter(bool quiet, const std::vector<analysis::PlannedLaunch>& launches)
      : quiet_(quiet), launches_(launches), weights_(analysis::weights(launches)) {
    before_output([this] { clear(); });
  }
  ~RoundMeter() {
    clear();
    before_output(nullptr);
  }
  RoundMeter(const RoundMeter&) = delete;
  RoundMeter& operator=(const RoundMeter&) = delete;

  void round(size_t trials, size_t decided, size_t numbers) {
    if (quiet_) {
      return;
    }
    note(
        fmt::format("{} of {} assumed numbers are decided, {} simulations follow", decided, numbers, trials));
    std::vector<double> weights;
    for (size_t i = 0; i < trials; ++i) {
      weights.push_back(weights_[i % weights_.size()]);
    }
    meter_ = std::make_unique<ProgressMeter>(ProgressMeter::style_for_stderr(), std::move(weights),
                                             [](std::string_view text) {
                                               std::fwrite(text.data(), 1, text.size(), stderr);
                                               std::fflush(stderr);
                                             });
  }

  analysis::LaunchRecord simulate(size_t i, const analysis::Trial& trial,
                                  const analysis::RunSettings& settings) const {
    const analysis::PlannedLaunch& launch = launches_[trial.launch];
    if (meter_) {
      meter_->begin(i, launch.label() + (trial.changed.empty() ? "" : " with " + trial.changed));
    }
    // What is odd about a trace is said once, of the plain configuration.
    const analysis::Simulator simulator(trial.gpu, settings, cancel_flag(),
                                        trial.changed.empty() ? analysis::Warn(warn) : nullptr);
    analysis::LaunchRecord r = simulator.simulate(launch, [&](const device::Progress& p) {
      if (meter_) {
        meter_->update(i, p);
      }
    });
    if (meter_) {
      meter_->finish(i, r.warp_instructions);
    }
    return r;
  }

 private:
  void clear() {
    if (meter_) {
      meter_->clear();
    }
  }

  const bool quiet_;
  const std::vector<analysis::PlannedLaunch>& launches_;
  const std::vector<double> weights_;     // of each launch
  std::unique_ptr<ProgressMeter> meter_;  // of the round
};

std::vector<analysis::Sensitivity> search(const config::GpuConfig& gpu,
                                          const std::map<std::string, std::string>& numbers,
                                          const std::vector<analysis::PlannedLaunch>& launches,
                                          const MatterOptions& o) {
  analysis::RunSettings settings = o.settings;
  analysis::share_out(settings, 2 * launches.size());  // up and down
  RoundMeter meter(o.quiet, launches);
  analysis::BatchOptions batch;
  batch.jobs = settings.jobs;
  batch.warn = warn;
  batch.cancel = &cancel_flag();
  analysis::SensitivityCalls calls;
  calls.simulate = [&](size_t i, const analysis::Trial& trial) { return meter.simulate(i, trial, settings); };
  calls.round = [&](size_t trials, size_t decided, size_t all) { meter.round(trials, decided, all); };
  return analysis::sensitivities(gpu, numbers, launches.size(), batch, calls);
}

}  // namespace

void add_matter_options(CLI::App& app, MatterOptions& o) {
  CLI::Option* matter =
      add_repeatable(app, "--matter", o.traces,
                     "also say which assumed values change the cycles of these launches most, by simulating "
                     "with each a tenth larger and smaller: traces, as for `heddle run`; repeatable")
          ->type_name("TRACE");
  add_launch_options(app, o.settings);
  app.add_option("--most", o.most, "assumed values in the table")->check(at_least(1))->capture_default_str();
  app.add_option("--csv", o.csv, "all assumed numbers outside the host as a table")->type_name("FILE.csv");
  add_force(app, o.force);
  app.add_flag("--quiet,-q", o.quiet, "no progress on stderr");
  for (const char* name : {"--threads", "--jobs", "--cpus", "--allow-capability-mismatch", "--most", "--csv",
                           "--force", "--quiet"}) {
    app.get_option(name)->needs(matter);
  }
}

void print_what_matters(const std::vector<std::string>& gpus, const config::LoadOptions& load,
                        const MatterOptions& o) {
  const std::vector<analysis::PlannedLaunch> launches =
      analysis::plan_launches({o.traces.begin(), o.traces.end()}, o.settings.strict, warn);
  std::optional<output::OutputFile> csv;
  if (!o.csv.empty()) {
    csv.emplace(
        o.csv, output::text_that_begins("a table of heddle config check", analysis::sensitivity_csv_header()),
        replace(o.force));
    csv->stream() << analysis::sensitivity_csv_header();
  }
  catch_signals();
  config::LoadOptions files = load;
  files.fidelity = config::LoadOptions().fidelity;
  for (const std::string& name : gpus) {
    const config::GpuConfig gpu = load_gpu(name, load);
    const std::vector<analysis::Sensitivity> found =
        search(gpu, analysis::assumed_numbers(gpu, config::load(name, files)), launches, o);
    print(fmt::format("\n{}: {}", name, analysis::sensitivity_text(found, launches.size(), o.most)));
    if (csv) {
      csv->stream() << analysis::sensitivity_csv(found, gpu.name());
    }
  }
  if (csv) {
    csv->commit();
  }
}

}  // namespace heddle::cli
