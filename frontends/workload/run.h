// Running what a file says.
#pragma once

#include <functional>

#include "configs/schema/spec.h"
#include "frontends/workload/reader.h"
#include "sim/host/platform/run.h"

namespace heddle::workload {

// Fills in a kernel that a trace or a module describes: grid, resources, duration. Given from above, since it
// simulates.
using KernelTimer = std::function<void(const TracedKernel& traced, host::KernelDesc& kernel)>;

// Asks `timer` once for each kernel that a trace or a module describes, in the order of the file. What it
// throws of a module has the workload's file and line in front; a trace's errors name the trace.
void bind_traces(Workload& w, const KernelTimer& timer);

// host::run() of the workload's program. What it throws has the workload's file and line in front. A trace
// or module that is not bound is an error.
host::Result run(const Workload& w, const spec::GpuConfig& gpu, const host::PlatformOptions& options);

}  // namespace heddle::workload
