// Times of kernels that were measured on one GPU, in a run on another.
#pragma once

#include <string>

#include "configs/schema/spec.h"
#include "frontends/workload/reader.h"

namespace heddle::workload {

// A line for who reads the results, that the workload's kernels last as they were measured whatever the GPU;
// empty where they were measured on this one, and where they were not measured.
std::string measured_elsewhere(const Workload& workload, const spec::GpuConfig& gpu);

}  // namespace heddle::workload
