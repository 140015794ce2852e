// What kernels call of CUDA themselves: dynamic parallelism (cuda-model A27).
#pragma once

#include <cstdint>

#include "sim/host/program/time.h"

namespace heddle::host {

// A call in a kernel's code. A block makes its kernel's calls in their order; those that several of its
// threads make begin together, and the next begins when the last of them has returned.
struct DeviceCall {
  enum class What : uint8_t {
    kLaunch,
    kEventCreate,  // of `times` events without a name
    kEventRecord,
    kStreamWaitEvent,
    kSynchronize  // cudaDeviceSynchronize(), of CDP1 only (DP08)
  } what = What::kLaunch;
  // CUDA's streams of the device: the block's own NULL stream, one that the grid has made,
  // cudaStreamFireAndForget, cudaStreamTailLaunch.
  enum class Into : uint8_t { kNullStream, kStream, kFireAndForget, kTail } into = Into::kNullStream;
  uint32_t kernel = UINT32_MAX;
  uint32_t stream = 0, event = 0;  // of KernelDesc::device_streams, device_events
  Ps after{};                      // the block's start, at the earliest
  bool at_end = false;             // not before the block's own time is over
  uint64_t blocks = 1;             // the grid's first so many make it
  uint32_t threads = 1;            // so many of each block, at the same time
  uint32_t times = 1;              // each of them, one after the other
  uint32_t levels = UINT32_MAX;    // only in grids that are nested less deep; the host's are at 0
  // A barrier of the block is before it: the child sees what all its threads have written (DP09).
  bool barrier = false;
  // The child gets a pointer to the parent's local or shared memory (DP10).
  bool passes_local = false, passes_shared = false;
};

}  // namespace heddle::host
