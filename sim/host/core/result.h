// What a run of the host model gives: the timeline, the errors of calls, what waited for ever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/host/program/graph_desc.h"
#include "sim/host/program/time.h"

namespace heddle::host {

struct Track {
  std::string name;    // "thread main", "device 0 stream s1", "device 0 copy H2D", "device 0 kernels"
  Ps busy{};           // some span of the track covers so much time; of a thread: without `waiting`
  Ps waiting{};        // of a thread: its calls have waited for devices, other threads or room in a queue
  uint64_t spans = 0;  // also those that are not kept
};

enum class SpanKind : uint8_t { kCall, kKernel, kCopy, kMemset, kHostFunction, kGraph, kOther };
inline constexpr uint32_t kNoStream = UINT32_MAX, kNoName = UINT32_MAX, kNoTrack = UINT32_MAX;

// Where a span comes from.
struct SpanOrigin {
  uint64_t bytes = 0;           // of a copy or memset, and of its call
  uint32_t correlation = 0;     // the call that made it, numbered over all threads from 1; 0: none
  uint32_t call = 0;            // of a call: its number among its thread's, from 1
  uint32_t stream = kNoStream;  // index into Result::streams
  uint32_t step = 0;            // what it followed, index into Result::steps
  SpanKind kind = SpanKind::kOther;
};

struct TrackSpan {
  uint32_t track;
  uint32_t name;  // index into Result::names
  Ps start, end;
  SpanOrigin origin;
};

// What a piece of time was spent with. Up to kLaunch the host had the word.
enum class StepKind : uint8_t {
  kHostWork,  // the program's own
  kHostCall,  // a call of CUDA
  kLaunch,    // from a call to the start of the work
  kDevice,    // between pieces of work: dependences, engines, a kernel's end
  kRoom,      // a kernel without room on the SMs
  kKernel,
  kToDevice,
  kFromDevice,
  kInside,  // copies inside a device, memsets
  kPeer,
  kHostFunction,
  kWake,   // from the end of work to the thread's noticing
  kSleep,  // a thread that waits until a time
  kOther
};
inline constexpr size_t kStepKinds = static_cast<size_t>(StepKind::kOther) + 1;

// From the end of the step before it until `end`.
struct Step {
  uint32_t before;  // index into Result::steps; the first is the start
  uint32_t name;    // index into Result::names, kNoName: none
  uint32_t track;   // where, kNoTrack: nowhere
  StepKind kind;
  Ps end;
};

// A call that returned something else than cudaSuccess. CUDA's name of the error, and why.
struct CallError {
  uint32_t thread = 0;
  uint64_t call = 0;  // position among the thread's calls
  uint32_t line = 0;  // of the workload's file
  std::string api;    // "cudaLaunchKernel"
  std::string error;  // "cudaErrorInvalidConfiguration"
  std::string why;
};

// Undefined behaviour that the program's declared accesses show (PlatformOptions::check).
struct Finding {
  struct Place {
    uint32_t thread = 0;
    uint64_t call = 0;
    uint32_t line = 0;
    std::string api;  // "cudaLaunchKernel saxpy"; empty: there is no such call
  };
  std::string kind;    // "use after free", "use before allocation", "race",
                       // "free while in use", "free before allocation"
  std::string buffer;  // empty: about none
  Place call, other;
  uint64_t times = 1;  // the calls are those of the first
};

// "device 0 memory peak bytes".
struct RunCounter {
  std::string name;
  uint64_t value = 0;
};

struct Elapsed {
  uint32_t thread = 0;
  uint64_t call = 0;
  uint32_t from = 0, to = 0;  // events
  Ps time{};
};

// A call on the device that returned something else than cudaSuccess.
struct DeviceError {
  std::string call;   // "k: cudaGraphLaunch(x, cudaStreamGraphTailLaunch)"
  std::string error;  // CUDA's name
  std::string why;    // of the first
  uint64_t times = 1;
};

// What cudaStreamQuery, cudaEventQuery, cudaGetLastError or cudaPeekAtLastError said: CUDA's name.
// cudaErrorNotReady of a query is no error (EV06).
struct Answer {
  uint32_t thread = 0;
  uint64_t call = 0;
  std::string value;
};

struct Result {
  Ps end{};                 // the last host thread's return, or the last work's end if that is later
  uint64_t operations = 0;  // calls made
  uint64_t commands = 0;    // pieces of work given to devices
  uint64_t blocks = 0;      // thread blocks run
  std::vector<Track> tracks;
  std::vector<std::string> names;
  std::vector<std::string> streams;  // that SpanOrigin::stream numbers
  std::vector<TrackSpan> spans;      // empty if not asked for
  std::vector<Step> steps;           // what led to what; kept with the spans
  uint32_t last_step = 0;            // with which the program ended
  bool steps_left_out = false;       // more than PlatformOptions::limits
  std::vector<CallError> errors;
  std::vector<DeviceError> device_errors;
  std::vector<Finding> findings;  // with PlatformOptions::check; one for each pair of calls of the text
  std::vector<RunCounter> counters;
  std::vector<Elapsed> elapsed;
  std::vector<Answer> answers;
  // What is beyond PlatformOptions::limits.
  uint64_t spans_left_out = 0, errors_left_out = 0, answers_left_out = 0, elapsed_left_out = 0;
  uint64_t findings_left_out = 0;  // reports, of any pairs
  // The program's graphs as they are at the end: built, captured or changed. Only when asked for.
  std::vector<GraphDesc> graphs;
  std::vector<Ps> thread_end;  // of each host thread
  // Time that blocks have waited for the kernels before theirs (griddepcontrol.wait), added up over blocks.
  Ps dependency_wait{};
  // Kernels that may read what is not written yet, a line each.
  std::vector<std::string> hazards;
  // Who waits for whom when nothing can go on; empty if everything ended.
  std::vector<std::string> deadlock;
  // Time in which some copy and some kernel were both under way, by device.
  std::vector<Ps> copy_kernel_overlap;
};

}  // namespace heddle::host
