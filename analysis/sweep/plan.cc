#include "analysis/sweep/plan.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "analysis/run/host.h"
#include "analysis/store/config_text.h"
#include "analysis/sweep/sweep_file.h"
#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

// Of a configuration in the merged database.
int64_t run_of(size_t config) { return static_cast<int64_t>(config) + 1; }

constexpr size_t kNamed = 5;  // impossible points in an error; `heddle sweep --dry-run` lists them all

}  // namespace

config::LoadOptions SweepPlan::load_options(const Point& point) const {
  config::LoadOptions o;
  o.shipped = shipped_;
  o.fidelity = sweep_.fidelity();
  o.overrides = point.set;
  return o;
}

SweepPlan::SweepPlan(Sweep sweep, const analysis::Warn& warn, const std::set<size_t>* only,
                     std::vector<std::filesystem::path> configs,
                     const std::function<void(size_t done, size_t all)>& checked)
    : sweep_(std::move(sweep)), shipped_(std::move(configs)) {
  points_ = design_points(sweep_);
  launches_ = analysis::plan_launches({sweep_.trace().begin(), sweep_.trace().end()}, /*strict=*/false, warn);
  for (const analysis::PlannedLaunch& l : launches_) {
    trace_hashes_.push_back(analysis::trace_hash(l));
  }
  for (const std::string& gpu : sweep_.gpu()) {
    config::load(gpu, load_options({}));  // an unknown GPU is no impossible point
  }
  struct First {
    size_t config = 0;
    std::string text;
  };
  std::map<std::string, First> first;  // of each GPU
  for (size_t p = 0; p < points_.size(); ++p) {
    if (only && !only->contains(p)) {
      continue;
    }
    if (checked) {
      checked(p, points_.size());
    }
    for (const std::string& gpu : sweep_.gpu()) {
      try {
        const config::GpuConfig config = config::load(gpu, load_options(points_[p]));
        configs_.push_back(
            {p, gpu, config::hash(config), config.name(), config.product(), config.seed(), ""});
        if (!only) {
          std::string text = config::to_text(config);
          const auto [it, is_first] = first.try_emplace(gpu, First{configs_.size() - 1, text});
          configs_.back().text =
              is_first ? std::move(text)
                       : analysis::config_changes(it->second.text, run_of(it->second.config), text);
        }
      } catch (const Error& e) {
        skipped_.push_back({p, gpu, e.what()});
      }
    }
  }
  if (!skipped_.empty() && !sweep_.skip_impossible()) {
    std::string text = fmt::format(
        "{} of {} configurations are impossible (skip_impossible: true leaves them out):", skipped_.size(),
        skipped_.size() + configs_.size());
    for (size_t i = 0; i < skipped_.size() && i < kNamed; ++i) {
      text += fmt::format("{} point {} ({}): {}", i ? ";" : "", skipped_[i].point,
                          values_of(skipped_[i].point), skipped_[i].reason);
    }
    throw Error(text + (skipped_.size() > kNamed ? "; ..." : ""));
  }
  if (configs_.empty()) {
    throw Error(fmt::format("no possible configuration: point 0: {}", skipped_.at(0).reason));
  }
}

std::vector<std::string> SweepPlan::axes() const {
  std::vector<std::string> out;
  for (const Axis& a : sweep_.axis()) {
    out.push_back(axis_name(a));
  }
  return out;
}

RunKey SweepPlan::key_of(size_t task) const {
  const analysis::PlannedLaunch& l = launch_of(task);
  return {config_of(task).hash, l.trace, l.number, trace_hashes_[task % launches_.size()],
          sweep_.sample_blocks()};
}

std::string SweepPlan::label_of(size_t task) const {
  const PlannedConfig& c = config_of(task);
  return fmt::format("point {} {} {}", c.point, c.gpu, launch_of(task).label());
}

std::string SweepPlan::values_of(size_t point) const {
  std::string out;
  for (int a = 0; a < sweep_.axis_size(); ++a) {
    out += fmt::format("{}{}={}", a ? " " : "", axis_name(sweep_.axis(a)), points_[point].values[a]);
  }
  return out;
}

config::GpuConfig SweepPlan::load(const PlannedConfig& config) const {
  return config::load(config.gpu, load_options(points_[config.point]));
}

analysis::RunRecord SweepPlan::record_of(const PlannedConfig& config, size_t launches) const {
  analysis::RunRecord r;
  r.gpu = config.name;
  r.product = config.product;
  r.config_hash = config.hash;
  r.fidelity = sweep_.fidelity();
  for (const std::string& o : points_[config.point].set) {
    r.overrides += o + '\n';
  }
  r.seed = config.seed;
  r.revision = analysis::revision();
  r.launches_planned = launches;
  return r;
}

Collection SweepPlan::collection(std::vector<CollectedFailure> failures) const {
  Collection out;
  out.axes = axes();
  out.failures = std::move(failures);
  out.skipped = skipped_;
  for (size_t c = 0; c < configs_.size(); ++c) {
    CollectedRun run;
    run.point = configs_[c].point;
    run.values = points_[run.point].values;
    run.record = [this, c] {
      analysis::RunRecord r = record_of(configs_[c], launches_.size());
      r.config_text = configs_[c].text;
      return r;
    };
    for (size_t l = 0; l < launches_.size(); ++l) {
      run.launches.push_back(key_of(c * launches_.size() + l));
    }
    out.runs.push_back(std::move(run));
  }
  return out;
}

}  // namespace heddle::sweep
