// The guide's sliding-window experiment of hostbench.cu on the device model.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "analysis/validate/host/experiments.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::hostbench {

// Microseconds of a row `l2_persist_us`, "5MiB hitRatio1"; nothing for other rows. An eighth of the
// benchmark's blocks is simulated on all SMs, and the time taken eightfold: the caches are warm after a
// fraction of them. `sass`: the kernel's code. Half a minute or so each; `cancel`, which may be null, ends it
// when it becomes true.
std::optional<double> l2_persist_us(const Row& row, const config::GpuConfig& gpu,
                                    const std::filesystem::path& sass, int threads,
                                    const std::atomic<bool>* cancel);

}  // namespace heddle::hostbench
