// What kernels call of CUDA themselves, written as code (dynamic parallelism):
//
//   Kernel parent = w.kernel_us("parent", 10), child = w.kernel_us("child", 5);
//   device_launch(w, parent, {.child = child, .into = Into::kFireAndForget, .after_us = 2});
//   main.launch(parent, s);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/workload/builder.h"

namespace heddle::workload {

inline constexpr uint64_t kAllBlocks = UINT64_MAX;

// Who makes a call, when: `after_us` the block's start, or when its own time is over; the grid's first
// `blocks`, `threads` of each at the same time, each `times` times; only in grids that are nested less deep
// than `levels` (the host's are at 0).
struct Caller {
  double after_us = 0;
  bool at_end = false;
  uint64_t blocks = 1;
  uint32_t threads = 1, times = 1;
  std::optional<uint32_t> levels = {};
  bool barrier = false;  // a barrier of the block is before it
};

struct ChildLaunch {
  Kernel child;
  // The block's NULL stream, if no `stream` of the grid's own is named.
  host::DeviceCall::Into into = host::DeviceCall::Into::kNullStream;
  std::string stream = {};
  Caller by = {};
  bool passes_local = false, passes_shared = false;  // pointers to the parent's memory, which is illegal
};

// Each adds a call to those of kernel `k`. Streams and events are the grid's own, by their names; no stream:
// the block's NULL stream.
void device_launch(Builder& w, Kernel k, const ChildLaunch& what);
void device_event_create(Builder& w, Kernel k, uint32_t events, const Caller& by = {});
void device_event_record(Builder& w, Kernel k, const std::string& event, const std::string& stream = {},
                         const Caller& by = {});
void device_stream_wait_event(Builder& w, Kernel k, const std::string& stream, const std::string& event,
                              const Caller& by = {});
// cudaDeviceSynchronize(), in kernels for CDP1.
void device_synchronize(Builder& w, Kernel k, const Caller& by = {});
void compile_for_cdp1(Builder& w, Kernel k);

// An access that each block makes when it has made so many of its calls, at least and at most: by the thread
// that makes the calls, or by all its threads.
host::Access between_calls(host::Access a, uint32_t after, uint32_t before = UINT32_MAX,
                           bool by_caller = false);

}  // namespace heddle::workload
