// What `heddle host` prints and writes of a run of the host model.
#pragma once

#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "sim/host/program.h"
#include "sim/host/result.h"

namespace heddle::cli {

// Busy time of each track, overlap, counters, totals.
std::string host_summary(const host::Result& result);
// Errors of calls, answers of queries, elapsed times, by thread and line; empty if there are none.
std::string host_calls(const host::Program& program, const host::Result& result);
// "kind: buffer b: cudaLaunchKernel k (thread main, line 12) and ...".
std::string host_finding(const host::Program& program, const host::Finding& finding);
// Totals and counters, as the result database has them.
std::vector<analysis::RunCounter> host_counters(const host::Result& result);

}  // namespace heddle::cli
