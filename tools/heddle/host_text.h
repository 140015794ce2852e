// What `heddle host` prints and writes of a run of the host model.
#pragma once

#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "sim/host/core/result.h"
#include "sim/host/program/program.h"

namespace heddle::cli {

// Busy and waiting time of each track, overlap, counters, totals.
std::string host_summary(const host::Result& result);
// Errors of calls, answers of queries, elapsed times, by thread and line; empty if there are none.
std::string host_calls(const host::Program& program, const host::Result& result);
// Lines "kind: buffer b: cudaLaunchKernel k (thread main, line 12) and ...", one for calls of the same kind,
// with how many pairs of them and how often.
std::vector<std::string> host_findings(const host::Program& program, const host::Result& result);
// Each line once, in the order of their first, with how often.
std::vector<std::string> counted(const std::vector<std::string>& lines);
// Totals and counters, as the result database has them.
std::vector<analysis::RunCounter> host_counters(const host::Result& result);

}  // namespace heddle::cli
