// From paths given by the user to the launches to simulate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "frontends/accelsim/discover.h"
#include "frontends/trace/launches.h"
#include "sim/isa/kernel.h"

namespace heddle::analysis {

// What trace::discover() found, under the name its results get.
struct PlannedLaunch {
  accelsim::Launch source;
  std::string trace;  // unique together with `number`
  uint32_t number = 0;
  std::optional<isa::Dim3> cluster = std::nullopt;  // instead of the trace's
  // What is simulated, if that is no trace: once. Its path is for messages.
  std::function<trace::OpenedTrace()> open = nullptr;

  std::string label() const { return trace + "/" + std::to_string(number); }
};

// The launches behind `paths`, in order. A launch's trace is its directory's name; where different
// directories have the same name, as many parents are put in front ("hotspot/traces") as tell them apart.
// Single files of one directory are numbered from 1 in the order given. Throws heddle::Error when a path
// holds no launch or a file is named twice. `strict` makes lines that the lists do not explain an error; else
// `warn`, where given, is told of each.
std::vector<PlannedLaunch> plan_launches(const std::vector<std::filesystem::path>& paths, bool strict,
                                         const Warn& warn = nullptr);

// LaunchRecord::trace_hash. A trace that cannot be read has one, too: that is reported when it is simulated.
std::string trace_hash(const PlannedLaunch& launch);

// BatchOptions::follows: what the launch before leaves is to be kept, and is of the same recording.
std::function<bool(size_t)> follows(const std::vector<PlannedLaunch>& launches, const RunSettings& settings);

// What is known about the work before it is done: sizes of text traces, lengths of native ones.
std::vector<double> weights(const std::vector<PlannedLaunch>& launches);

// The largest first, so that several jobs end at about the same time.
std::vector<size_t> largest_first(const std::vector<PlannedLaunch>& launches);

}  // namespace heddle::analysis
