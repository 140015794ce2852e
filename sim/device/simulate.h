// One launch, on the whole machine or on a share of it.
#pragma once

#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"
#include "sim/isa/recording.h"
#include "sim/stats/result.h"

namespace heddle::device {

// Simulates one launch on a machine of its own. A share of the machine is simulated (sim/device/share.h)
// where `share.sms` of the configuration asks for one, or RunOptions::sample and the grid has four waves; but
// the whole for small grids, of fewer than 16 blocks on the share. KernelResult::sampling says what
// happened. RunOptions::warm does nothing. Throws like Gpu::run.
stats::KernelResult simulate(const config::GpuConfig& gpu, isa::BlockSource& kernel,
                             const RunOptions& options = {});

}  // namespace heddle::device
