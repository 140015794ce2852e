// Residency: how many blocks of a launch fit on an SM, and how the L1 array is split for it (cuda-model
// OC01-OC15).
#pragma once

#include "configs/schema/gpu.pb.h"
#include "sim/isa/kernel.h"
#include "sim/stats/result.h"

namespace heddle::device {

// Residency of a launch on this GPU. Throws Error when not even one block fits, naming the resource and its
// limit.
stats::Occupancy occupancy(const config::GpuConfig& gpu, const isa::LaunchShape& shape);

}  // namespace heddle::device
