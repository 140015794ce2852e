// The guide's sliding-window experiment of hostbench.cu on the device model.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "configs/schema/gpu.pb.h"
#include "frontends/workload/experiments.h"

namespace heddle::cli {

// Microseconds of a row `l2_persist_us`, "5MiB hitRatio1"; nothing for other rows. An eighth of the
// benchmark's blocks is simulated on all SMs, and the time taken eightfold: the caches are warm after a
// fraction of them. `sass`: the kernel's code. Half a minute or so each.
std::optional<double> l2_persist_us(const workload::Row& row, const config::GpuConfig& gpu,
                                    const std::filesystem::path& sass, int threads);

}  // namespace heddle::cli
