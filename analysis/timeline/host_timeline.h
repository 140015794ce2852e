// The timeline of a run of the host model.
#pragma once

#include <ostream>
#include <vector>

#include "sim/host/core/result.h"
#include "sim/stats/profile.h"

namespace heddle::analysis {

// "call", "kernel", ...
const char* kind_name(host::SpanKind kind);
// For chrome://tracing and Perfetto: trace events in JSON.
void write_host_trace(std::ostream& out, const host::Result& result);
// The timeline as the result database has it; `args` say each span's kind, call, stream, bytes. Spans that
// overlap on one track get lanes of their own.
std::vector<stats::Span> host_spans(const host::Result& result);

}  // namespace heddle::analysis
