// Launches that are saved while they are simulated, and that go on where they were saved.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run/checkpoint_file.h"
#include "analysis/run/opened_launch.h"
#include "analysis/run/plan.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/output/place.h"
#include "sim/device/gpu.h"
#include "sim/device/run_options.h"

namespace heddle::analysis {

struct CheckpointSettings {
  std::filesystem::path file;  // empty: nothing is saved
  output::Replace replace = output::Replace::kSameKind;
  // Saved at the end of the first quantum behind this core cycle of a launch, the first that comes so far.
  std::optional<uint64_t> at;
  uint64_t every = 0;            // again and again, so many core cycles apart; 0: not
  std::filesystem::path resume;  // the first launch goes on from there; empty: from its beginning
  std::shared_ptr<const CheckpointFile> resumed;  // what is in it

  bool any() const { return !file.empty() || !resume.empty(); }
};

// The launches from the one on that was saved in `file`. Throws Error when it is not among them.
std::vector<PlannedLaunch> from_saved(std::vector<PlannedLaunch> launches, const std::filesystem::path& file,
                                      const CheckpointFile& saved);

class CheckpointedRuns {
 public:
  // The references must outlive the object. Throws heddle::Error for settings and configurations with which a
  // launch cannot be saved, when the file may not be written, and when what was saved is not of `first`, the
  // first launch that will be simulated.
  CheckpointedRuns(const config::GpuConfig& gpu, const RunSettings& run, const CheckpointSettings& settings,
                   const PlannedLaunch& first, const std::atomic<bool>& cancel, Warn warn);

  // As Simulator::simulate(), one after the other. When `cancel` becomes true the launch is saved before
  // Cancelled, which says so.
  LaunchRecord simulate(const PlannedLaunch& launch,
                        const std::function<void(const device::Progress&)>& progress);

  // What was saved last: "bank8/1 at cycle 12000"; empty: nothing.
  const std::string& saved() const { return saved_; }
  // A launch has come to CheckpointSettings::at.
  bool saved_at() const { return saved_at_; }

 private:
  CheckpointFile describe(const PlannedLaunch& launch) const;
  void begin(device::Gpu& gpu, const OpenedLaunch& launch, const device::RunOptions& options);
  void save(device::Gpu& gpu, CheckpointFile& file);

  const config::GpuConfig& gpu_;
  const RunSettings& run_;
  const CheckpointSettings settings_;
  const std::atomic<bool>& cancel_;
  const Warn warn_;
  const std::string config_hash_;
  bool resumed_ = false;
  bool saved_at_ = false;
  std::string saved_;
};

}  // namespace heddle::analysis
