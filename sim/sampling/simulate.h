// One launch, on the whole machine or on a share of it, all its blocks or not: an engine around an engine.
#pragma once

#include "configs/schema/spec.h"
#include "sim/device/gpu.h"
#include "sim/isa/recording.h"
#include "sim/stats/result.h"

namespace heddle::sampling {

// Simulates one launch on a machine of its own. A share of the machine is simulated (sim/sampling/share.h)
// where `share.sms` of the configuration asks for one, or `sample` and the grid has four waves; but the whole
// for small grids, of fewer than 16 blocks on the share. With `sample`, blocks may be left out as well, and
// what they do be extrapolated (sim/sampling/block_sampler.h). KernelResult::sampling says what happened.
// RunOptions::warm does nothing; `watcher` must be null. Throws like device::Gpu::run.
stats::KernelResult simulate(const spec::GpuConfig& gpu, isa::BlockSource& kernel,
                             const device::RunOptions& options = {}, bool sample = false);

// The same on a Gpu that is there: the whole machine, blocks left out.
stats::KernelResult sample_blocks(device::Gpu& gpu, const spec::GpuConfig& config, isa::BlockSource& kernel,
                                  const device::RunOptions& options);

}  // namespace heddle::sampling
