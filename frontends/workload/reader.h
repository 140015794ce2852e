// Workload files: protobuf text (workload.proto), and Accel-Sim's kernelslist.g.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/host/core/params.h"
#include "sim/host/program/program.h"

namespace heddle::workload {

// Fills in a kernel that a trace describes: grid, resources, duration. Called once for each trace. Given from
// above, since it simulates.
using KernelTimer = std::function<void(const std::filesystem::path& trace, host::KernelDesc& kernel)>;

struct Workload {
  std::string name;
  std::string file;  // as messages call it
  host::Program program;
  host::Rules rules;
  // Errors that calls must return, CUDA's names: by thread and line of the file.
  std::map<std::pair<uint32_t, uint32_t>, std::string> expected;
};

// Throws heddle::Error "FILE:LINE: ..." for text that is not a workload, unknown fields and names, names
// given twice, and what lacks something. `timer` may be empty: then a trace is an error.
inline constexpr size_t kMostText = size_t{64} << 20;  // bytes of a file: about a million calls
inline constexpr int kMostLoops = 256;                 // `repeat` inside `repeat`
Workload read_workload(const std::filesystem::path& file, const KernelTimer& timer = nullptr);
// `name` stands for the file in messages; traces are looked for in `folder`.
Workload parse_workload(std::string_view text, const std::string& name,
                        const std::filesystem::path& folder = {}, const KernelTimer& timer = nullptr);

// A capture: its copies to the device, as cudaMemcpy of pageable memory, and its kernels, each in the stream
// that its trace names (stream 0: the legacy default stream; others are blocking streams), by one host
// thread, which waits for everything at the end. `stream_of` gives a trace's stream.
Workload from_kernelslist(const std::filesystem::path& list, const KernelTimer& timer,
                          const std::function<uint64_t(const std::filesystem::path&)>& stream_of);

}  // namespace heddle::workload
