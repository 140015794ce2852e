// A device for tests whose times can be worked out by hand: calls and latencies cost nothing, the link moves
// 8 bytes per nanosecond without overhead of its own (so a copy of 8000 bytes takes 1 us), and blocks start
// and end at once.
#pragma once

#include <string>
#include <vector>

#include "configs/schema/spec.h"
#include "frontends/workload/builder.h"
#include "sim/host/platform/run.h"

namespace heddle::hosttest {

spec::GpuConfig plain_gpu(uint32_t sms = 4);

// Bytes that take so many microseconds over the link of plain_gpu(), from or to the device.
uint64_t h2d_bytes(uint32_t us);
uint64_t d2h_bytes(uint32_t us);

struct Times {
  double start = -1, end = -1;  // microseconds
};
// The `index`-th span of that name on that track or on the rows of the graphs in that stream, by start; start
// -1 if there is none.
Times span(const host::Result& r, const std::string& track, const std::string& name, size_t index = 0);
// The same of the track "device 0 stream STREAM".
Times in_stream(const host::Result& r, const std::string& stream, const std::string& name, size_t index = 0);

double us(host::Ps t);
// Of that name; UINT64_MAX if there is none.
uint64_t counter_of(const host::Result& r, const std::string& name);
// CUDA's names of the errors, in order.
std::vector<std::string> errors(const host::Result& r);
std::vector<std::string> answers(const host::Result& r);

}  // namespace heddle::hosttest
