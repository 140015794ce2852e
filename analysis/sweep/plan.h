// From a sweep file to the list of simulations.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analysis/run/plan.h"
#include "analysis/store/record.h"
#include "analysis/sweep/collect.h"
#include "analysis/sweep/design.h"
#include "analysis/sweep/shards.h"
#include "analysis/sweep/sweep.pb.h"
#include "configs/loader/config.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::sweep {

// A point on one GPU.
struct PlannedConfig {
  size_t point = 0;
  std::string gpu;  // as the sweep names it
  std::string hash;
  // Of the machine; to load it again takes milliseconds.
  std::string name, product;
  uint64_t seed = 0;
  // Its text, or what changes in that of its GPU's first configuration (analysis/store/config_text.h); empty
  // in plans of some points only, which nobody collects.
  std::string text;
};

// The sweep's simulations ("tasks"): every launch of every configuration, configurations first by point, then
// by GPU. The same for the same file, traces and program.
class SweepPlan {
 public:
  // Reads the traces' fingerprints and checks every configuration. Throws heddle::Error; points that give no
  // possible configuration are one, unless the sweep skips them. With `only`, points that are not
  // in it have no configurations: a worker of a large sweep does not check what others simulate. `configs`:
  // config::LoadOptions::shipped. `checked`, where given, is told how many configurations were checked of how
  // many.
  SweepPlan(Sweep sweep, const analysis::Warn& warn, const std::set<size_t>* only = nullptr,
            std::vector<std::filesystem::path> configs = {},
            const std::function<void(size_t done, size_t all)>& checked = nullptr);

  const Sweep& sweep() const { return sweep_; }
  const std::vector<Point>& points() const { return points_; }
  const std::vector<PlannedConfig>& configs() const { return configs_; }
  const std::vector<SkippedPoint>& skipped() const { return skipped_; }
  const std::vector<analysis::PlannedLaunch>& launches() const { return launches_; }
  std::vector<std::string> axes() const;

  size_t tasks() const { return configs_.size() * launches_.size(); }
  const PlannedConfig& config_of(size_t task) const { return configs_[task / launches_.size()]; }
  const analysis::PlannedLaunch& launch_of(size_t task) const { return launches_[task % launches_.size()]; }
  RunKey key_of(size_t task) const;
  // "point 12 h200 softmax/1".
  std::string label_of(size_t task) const;
  // "l2.ways=8 sm.l1.ways=4": the axes' values of a point.
  std::string values_of(size_t point) const;

  config::GpuConfig load(const PlannedConfig& config) const;
  // Its row of `runs`, without the configuration's text.
  analysis::RunRecord record_of(const PlannedConfig& config, size_t launches) const;

  // All that collect() needs, with what has failed.
  Collection collection(std::vector<CollectedFailure> failures) const;

 private:
  config::LoadOptions load_options(const Point& point) const;

  Sweep sweep_;
  std::vector<std::filesystem::path> shipped_;
  std::vector<Point> points_;
  std::vector<analysis::PlannedLaunch> launches_;
  std::vector<std::string> trace_hashes_;
  std::vector<PlannedConfig> configs_;
  std::vector<SkippedPoint> skipped_;
};

}  // namespace heddle::sweep
