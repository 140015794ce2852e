// Running what a file says.
#pragma once

#include "configs/schema/gpu.pb.h"
#include "frontends/workload/reader.h"
#include "sim/host/platform/run.h"

namespace heddle::workload {

// host::run() of the workload's program. What it throws has the workload's file and line in front.
host::Result run(const Workload& w, const config::GpuConfig& gpu, const host::RunOptions& options);

}  // namespace heddle::workload
