// Workload files: protobuf text (workload.proto), and Accel-Sim's kernelslist.g.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontends/modules/described_launch.h"
#include "frontends/npy/npy.h"
#include "sim/host/core/params.h"
#include "sim/host/program/program.h"

namespace heddle::workload {

// A trace, or a launch of a module's kernel.
using KernelSource = std::variant<std::filesystem::path, modules::LaunchDescription>;

// A kernel that a trace or a module describes: reading a workload opens neither and simulates nothing;
// bind_traces() (run.h) does.
struct TracedKernel {
  uint32_t kernel = 0;  // of the program
  KernelSource source;
  // Arguments of the module's kernel that are buffers of the program, by their places. With any, the kernel
  // computes on what these hold: see analysis/run/workload_values.h.
  std::map<size_t, uint32_t> buffers = {};
};

// Of a buffer: what it holds at first (without its bytes when all are 0), and the file that gets what it
// holds at the end (empty: none).
struct BufferData {
  npy::Array data;
  std::filesystem::path result;
};

// Where measured times of kernels come from.
struct Measured {
  std::string gpu;   // CUDA's name of it, "NVIDIA H200"; empty: not known
  uint32_t sms = 0;  // 0: not known
};

struct Workload;

// Reads more of a workload while it runs, for threads that decide what they call (host::LiveThread).
class CallReader {
 public:
  virtual ~CallReader() = default;
  // `text` is a workload with objects that may come while it runs (live_thread.h), or with one call, made by
  // the thread `thread` of `w` in `line` of wherever it comes from; they come to `w`, kernels of traces and
  // modules to be bound. The call's number among those of its thread. Throws heddle::Error for what
  // parse_workload() and host::run() refuse; the call is not made then.
  virtual size_t add(const std::string& text, uint32_t line, uint32_t thread, Workload& w) = 0;
  // Calls of the thread without a stream go to stream 0 of this device.
  virtual uint32_t device_of(uint32_t thread) const = 0;
};

struct Workload {
  std::string name;
  std::string file;  // as messages call it
  host::Program program;
  host::Rules rules;
  std::vector<TracedKernel> traces;     // that nobody has bound yet
  std::map<uint32_t, BufferData> data;  // by buffer
  std::optional<Measured> measured;
  // Errors that calls must return, CUDA's names: by thread and line of the file.
  std::map<std::pair<uint32_t, uint32_t>, std::string> expected;
  std::shared_ptr<CallReader> more;  // of parse_workload()
};

// Throws heddle::Error "FILE:LINE: ..." for text that is not a workload, unknown fields and names, names
// given twice, and what lacks something.
inline constexpr size_t kMostText = size_t{64} << 20;  // bytes of a file: about a million calls
inline constexpr int kMostLoops = 256;                 // `repeat` inside `repeat`
Workload read_workload(const std::filesystem::path& file);
// `name` stands for the file in messages; traces, modules and their arguments are looked for in `folder`.
Workload parse_workload(std::string_view text, const std::string& name,
                        const std::filesystem::path& folder = {});

// A capture: its copies to the device, as cudaMemcpy of pageable memory, and its kernels, each in the stream
// that its trace names (stream 0: the legacy default stream; others are blocking streams), by one host
// thread, which waits for everything at the end. `stream_of` gives a trace's stream.
Workload from_kernelslist(const std::filesystem::path& list,
                          const std::function<uint64_t(const std::filesystem::path&)>& stream_of);

}  // namespace heddle::workload
