#include "tools/heddle/stored_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "analysis/run/host.h"
#include "analysis/run/plan.h"
#include "analysis/run/run_record.h"
#include "sim/base/error.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/progress.h"

namespace heddle::cli {
namespace {

config::GpuConfig gpu_of(const SimOptions& sim) {
  config::LoadOptions load;
  load.fidelity = sim.fidelity;
  load.overrides = sim.overrides;
  return load_gpu(sim.gpu, load);
}

SimOptions shared_out(SimOptions sim, size_t launches) {
  analysis::share_out(sim, launches);
  return sim;
}

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

StoredBatch::StoredBatch(const SimOptions& sim, const StoredBatchOptions& options,
                         std::vector<analysis::PlannedLaunch> launches)
    : sim_(shared_out(sim, launches.size())),
      options_(options),
      launches_(std::move(launches)),
      gpu_(gpu_of(sim)),
      record_(analysis::run_record(gpu_, sim.fidelity, sim.overrides, launches_.size(), !sim.out.empty())) {
  const auto sms = static_cast<uint32_t>(gpu_.topology().sms());
  for (uint32_t sm : sim_.profile.warps_of_sms) {
    if (sm >= sms) {
      throw Error(
          fmt::format("--timeline-warps: there is no SM {}, '{}' has SMs 0 to {}", sm, gpu_.name(), sms - 1));
    }
  }
  analysis::check(sim_, gpu_);
  for (const std::string& line : analysis::describe(sim_)) {
    record_.overrides += line + '\n';
  }
  if (options_.checkpoint.any()) {
    if (sim_.between != analysis::Between::kFlush || sim_.warm_up != 0) {
      throw Error(
          "a checkpoint has one launch, from a cold machine (legal: --between flush without --warm-up)");
    }
    checkpointed_ = std::make_unique<analysis::CheckpointedRuns>(gpu_, sim_, options_.checkpoint,
                                                                 launches_.front(), cancel_flag(), warn);
  }
  if (!options_.summary.empty()) {
    summary_ = std::make_unique<SummaryFile>(options_.summary, replace(sim_.force));
  }
  // Last, since --force replaces a file.
  if (!sim_.out.empty()) {
    store_ = std::make_unique<analysis::ResultStore>(sim_.out, record_, sim_.store());
  }
}

int StoredBatch::run(const Finished& finished) {
  catch_signals();
  // One alone takes no other with it; those that leave something to each other share a process.
  const std::unique_ptr<analysis::Isolation> isolation =
      launches_.size() > 1 && !checkpointed_ && sim_.between == analysis::Between::kFlush ? isolate()
                                                                                          : nullptr;
  const analysis::Simulator simulator(gpu_, sim_, cancel_flag(), warn);
  ProgressMeter meter(sim_.quiet ? ProgressMeter::Style::kNone : ProgressMeter::style_for_stderr(),
                      analysis::weights(launches_), write_stderr);
  before_output([&meter] { meter.clear(); });

  analysis::BatchOptions batch;
  batch.jobs = sim_.jobs;
  batch.keep_going = options_.keep_going;
  batch.warn = warn;
  batch.follows = analysis::follows(launches_, sim_);
  batch.cancel = &cancel_flag();
  analysis::BatchCalls calls;
  calls.simulate = [&](size_t i) {
    meter.begin(i, launches_[i].label());
    auto progress = [&meter, i](const device::Progress& p) { meter.update(i, p); };
    analysis::LaunchRecord r = isolation       ? isolated(*isolation, i, progress)
                               : checkpointed_ ? checkpointed_->simulate(launches_[i], progress)
                                               : simulator.simulate(launches_[i], progress);
    meter.finish(i, r.warp_instructions);
    return r;
  };
  calls.done = [&](size_t i, analysis::Outcome outcome) { take(i, std::move(outcome), finished); };
  std::exception_ptr fatal;
  try {
    analysis::run_batch(
        launches_.size(),
        options_.largest_first || sim_.cpus ? analysis::largest_first(launches_) : std::vector<size_t>(),
        batch, calls);
  } catch (...) {
    fatal = std::current_exception();
  }
  meter.clear();
  before_output(nullptr);
  if (fatal) {
    report_failure(fatal);
  }
  warn_unknown_opcodes();
  report_stop(fatal != nullptr);
  report_saved();
  if (caught_signal()) {
    return 128 + caught_signal();
  }
  return failures_ ? 1 : 0;
}

std::unique_ptr<analysis::Isolation> StoredBatch::isolate() const {
  return std::make_unique<analysis::Isolation>(
      [this](size_t i, const analysis::ReportProgress& progress, const analysis::Warn& tell) {
        return analysis::Simulator(gpu_, sim_, cancel_flag(), tell).simulate(launches_[i], progress);
      });
}

analysis::LaunchRecord StoredBatch::isolated(analysis::Isolation& isolation, size_t i,
                                             const analysis::ReportProgress& progress) const {
  try {
    return isolation.run(i, cancel_flag(), progress, warn);
  } catch (const analysis::Crashed& e) {
    throw Error(fmt::format("{}: {}", launches_[i].source.path.string(), e.what()));
  }
}

void StoredBatch::take(size_t launch, analysis::Outcome outcome, const Finished& finished) {
  if (outcome.record) {
    if (store_) {
      store_->add(*outcome.record);
    }
    if (summary_) {
      summary_->add(*outcome.record);
    }
  } else {
    report_failure(outcome.error);
  }
  if (finished) {
    finished(launch, outcome);
  }
  if (outcome.record) {
    outcome.record->profile = {};  // stored; of many launches it would be too much to keep
    results_.push_back(std::move(*outcome.record));
  }
}

void StoredBatch::report_failure(const std::exception_ptr& error) {
  ++failures_;
  try {
    std::rethrow_exception(error);
  } catch (const device::DeadlockError& e) {
    for (const std::string& line : e.report) {
      detail("  " + line);
    }
  } catch (...) {
  }
  report_error(analysis::message_of(error));
}

void StoredBatch::report_stop(bool stopped) const {
  // With --keep-going a failed launch is not the end; what stops all, such as a full disk, is.
  if (results_.size() == launches_.size() ||
      (!stopped && failures_ && options_.keep_going && !caught_signal())) {
    return;
  }
  const std::string kept =
      fmt::format("{} of {} launches finished{}", results_.size(), launches_.size(),
                  results_.empty() || sim_.out.empty() ? "" : fmt::format(", kept in {}", sim_.out.string()));
  if (caught_signal()) {
    note(fmt::format("interrupted: {}", kept));
  } else if (launches_.size() > 1) {
    note(fmt::format("stopped: {}", kept));
  }
}

void StoredBatch::report_saved() const {
  if (!checkpointed_) {
    return;
  }
  const analysis::CheckpointSettings& c = options_.checkpoint;
  if (caught_signal() && !checkpointed_->saved().empty()) {
    note(fmt::format("saved: {} in {}; --resume {} goes on", checkpointed_->saved(), c.file.string(),
                     c.file.string()));
  }
  if (c.at && !checkpointed_->saved_at() && !caught_signal()) {
    warn(fmt::format("--checkpoint-at {}: no launch came so far, nothing was saved", *c.at));
  }
}

void StoredBatch::warn_unknown_opcodes() const {
  std::map<std::string, uint64_t> unknown;
  for (const analysis::LaunchRecord& r : results_) {
    for (const auto& [opcode, count] : r.unknown_opcodes) {
      unknown[opcode] += count;
    }
  }
  if (unknown.empty()) {
    return;
  }
  std::string list;
  for (const auto& [opcode, count] : unknown) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", opcode, count);
  }
  warn(fmt::format("opcodes classified by prefix only, with executed warp instructions: {}", list));
}

}  // namespace heddle::cli
