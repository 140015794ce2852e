// Errors of calls that a workload does not expect.
#pragma once

#include <string>
#include <vector>

#include "frontends/workload/reader.h"
#include "sim/host/core/result.h"

namespace heddle::workload {

// A line each: calls with an error that the workload does not expect there, calls without the error that it
// expects, errors of calls on the device. Empty if all is as it should be.
std::vector<std::string> unexpected(const Workload& workload, const host::Result& result);

}  // namespace heddle::workload
