// A workload as the host model runs it: what exists (streams, events, buffers, kernels), and what each host
// thread calls, in order. Frontends make it from files; nothing here knows a file format.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/host/program/device_calls.h"
#include "sim/host/program/graph_desc.h"
#include "sim/host/program/sync_domain.h"
#include "sim/host/program/time.h"
#include "sim/memory/access_policy.h"

namespace heddle::host {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kMostDevices = 64;  // of a program
inline constexpr uint64_t kMostBytes = uint64_t{1} << 48;
inline constexpr const char* kLegalBytes = "; legal: up to 2^48";

// Stream numbers of every program: 0 .. devices-1 are the legacy default streams, one for each device.
struct StreamDesc {
  std::string name;
  uint32_t device = 0;
  bool blocking = true;  // false: cudaStreamNonBlocking, exempt from the legacy stream's barrier (ST05)
  int32_t priority = 0;  // as CUDA: lower numbers go first; clamped to the device's range
  // Not there until a kStreamCreate names it.
  bool created_by_call = false;
  SyncDomain domain;  // cudaStreamSetAttribute
  uint32_t line = 0;  // of the workload's file, 0 if none; the same below
};

struct EventDesc {
  std::string name;
  uint32_t device = 0;
  bool timing = true;
  uint32_t line = 0;
  bool blocking = false;  // cudaEventBlockingSync (AX16)
};

enum class Memory : uint8_t { kPageable, kPinned, kWriteCombined, kMapped, kDevice, kManaged };

struct BufferDesc {
  std::string name;
  Memory memory = Memory::kDevice;
  uint32_t device = 0;  // of kDevice
  uint64_t bytes = 0;
  // Not there until a call allocates it; others are there from the start.
  bool allocated_by_call = false;
  // Of kDevice: addresses only (cuMemAddressReserve), to which calls map physical memory.
  bool reserved = false;
  uint64_t trace_address = 0;  // where traces of kernels have it, for access-policy windows
  uint32_t line = 0;
};

// What cuMemCreate makes: a device's memory without addresses.
struct PhysicalDesc {
  std::string name;
  uint32_t device = 0;
  uint64_t bytes = 0;
  uint32_t line = 0;
};

// cudaAccessPolicyWindow: a part of a buffer (L208).
struct WindowDesc {
  uint32_t buffer = kNone;
  uint64_t offset = 0, bytes = 0;
  double hit_ratio = 1;
  memory::AccessProperty hit = memory::AccessProperty::kPersisting;
  memory::AccessProperty miss = memory::AccessProperty::kStreaming;
};

// A pool besides the devices' default pools.
struct PoolDesc {
  std::string name;
  uint32_t device = 0;
  uint64_t max_bytes = 0;  // 0: the device's memory
  uint32_t line = 0;
};

// What the program says that a kernel, or the host, does to a buffer. For --check, and for unified memory.
struct Access {
  uint32_t buffer = kNone;
  bool reads = true, writes = false;
  bool atomic = false;  // reads and writes that are in no race with each other
  uint64_t offset = 0;
  uint64_t bytes = 0;  // 0: to the buffer's end
  // What one thread reads or writes at once, and from there to the next thread's (0: as close as can be). Of
  // a kernel's access to memory behind a link.
  uint32_t element = 4, stride = 0;
  // fence.proxy.alias is between it and what the kernel does through other addresses of the memory (VM05).
  bool alias_fence = false;
  // Of a kernel with calls of its own: how many of these each block has made before the access, at least and
  // at most. By the thread that makes them (DP09), or by all.
  uint32_t after_call = 0, before_call = UINT32_MAX;
  bool by_caller = false;
};

// A graph that a kernel, itself a node of a graph, launches (A18).
struct DeviceLaunch {
  enum class Into : uint8_t { kFireAndForget, kTail, kSibling } into = Into::kFireAndForget;
  uint32_t exec = kNone;             // kNone: the graph that the kernel is in (GD11)
  Ps after{};                        // the kernel's start
  uint32_t times = 1;                // by so many threads (GD05)
  uint64_t executions = UINT64_MAX;  // only in the first so many of the kernel
};

// What loading a kernel's code loads.
struct CodeDesc {
  uint32_t module = 0, bytes = 0;
  bool prints = false, allocates = false;  // it calls printf, malloc or free
  uint32_t module_kernels = 0;             // 0: all of the program
  uint64_t module_bytes = 0;
  bool module_prints = false, module_allocates = false;
};

struct KernelDesc {
  std::string name;
  CodeDesc code;
  // Blocks and what each needs; they take SM resources. No blocks: the kernel takes its duration and nothing
  // else.
  bool has_grid = false;
  Extent grid, block, cluster;
  uint32_t registers = 32;  // per thread
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t max_threads = 0;  // __launch_bounds__; 0 = none given
  bool cooperative = false;
  bool non_portable_cluster = false;  // cudaFuncAttributeNonPortableClusterSizeAllowed
  bool needs_cluster = false;         // __cluster_dims__() without a size: only the launch gives it (PM14)
  uint32_t max_cluster_blocks = 0;    // __launch_bounds__; 0 = none given
  uint32_t parameter_bytes = 0;
  // The kernel of the program that this one is with another grid, block or time, by a launch; loaded with it.
  uint32_t variant_of = kNone;
  uint32_t trace =
      kNone;  // its number with who gave its duration (PlatformOptions::kernel_time) or runs it (::kernels)
  int32_t carveout_percent = -1;  // cudaFuncAttributePreferredSharedMemoryCarveout; -1: none (OC16)
  // Programmatic launch (PD02, PD04): so long after its start a block triggers, waits for the kernels before.
  // kNever: not at all.
  Ps trigger_after = kNever;
  Ps wait_after = kNever;
  // Time from the first block's start to the last one's end with the device to itself; or the time of one
  // block.
  Ps duration{};
  Ps block_duration{};
  // Runs on until the flag is set (a kernel that polls memory). kNone: no.
  uint32_t until_flag = kNone;
  uint32_t sets_flag = kNone;  // when it ends
  // It polls by plain loads, which need never see what is written after their first (FP03).
  bool polls_plainly = false;
  // Its blocks go on when all of the grid have started: a barrier of all blocks, which only a cooperative
  // launch makes safe (FP02).
  bool grid_barrier = false;
  // As a node of a graph: the n-th time that this handle is set in one execution, to the n-th of the values,
  // then to the last.
  uint32_t sets_handle = kNone;
  std::vector<uint32_t> handle_values;
  // The kernel lasts at least until its calls have returned.
  std::vector<DeviceLaunch> launches;
  // Dynamic parallelism (nested.h). Each block lasts at least until its calls have returned.
  std::vector<DeviceCall> calls;
  std::vector<std::string> device_streams, device_events;  // that the grid makes
  bool device_runtime = false;  // its module has the device's runtime, whatever it calls (DP13)
  bool cdp1 = false;            // compiled with CUDA_FORCE_CDP1_IF_SUPPORTED (DP16)
  // Ends with cudaErrorLaunchFailure (ER01): a trap, a breakpoint without a debugger (ER03).
  bool fails = false;
  bool asserts = false;  // ends with cudaErrorAssert (ER02)
  std::vector<Access> accesses;
  uint32_t line = 0;
};

enum class Op : uint8_t {
  kCompute,  // the host thread's own work: `duration`
  kLoopBegin,
  kLoopEnd,
  kLaunch,
  kMemcpyAsync,
  kMemcpy,
  kMemsetAsync,
  kMemset,
  kEventRecord,
  kEventSynchronize,
  kEventQuery,
  kEventElapsed,
  kStreamWaitEvent,
  kStreamSynchronize,
  kStreamQuery,
  kDeviceSynchronize,
  kStreamCreate,
  kStreamDestroy,
  kEventCreate,
  kEventDestroy,
  kLaunchHostFunc,
  kStreamBeginCapture,
  kStreamEndCapture,
  kStreamGetCaptureInfo,
  kGraphInstantiate,
  kGraphLaunch,
  kGraphUpload,
  kGraphExecUpdate,
  kGraphExecNodeSetParams,
  kGraphNodeSetParams,
  kGraphNodeSetEnabled,
  kGraphExecDestroy,
  kGraphDestroy,
  kGraphGetEdges,
  kGraphMemAllocNodeGetParams,
  kGraphMemTrim,
  kGraphMemStats,
  kGraphMemResetHigh,
  kMalloc,
  kFree,
  kMallocHost,
  kFreeHost,
  kSetDevice,
  kGetLastError,
  kPeekAtLastError,
  kSetFlag,   // the program's own variable in host memory
  kWaitFlag,  // polls it
  // ---- memory (memory_calls.cc)
  kHostAccess,  // the program's own reads and writes of a buffer
  kMemGetInfo,
  kMallocAsync,
  kFreeAsync,
  kPoolSetAttribute,
  kPoolTrim,
  kPoolStats,
  kPoolResetHigh,
  kPoolSetAccess,
  kMallocManaged,
  kMemPrefetch,
  kMemAdvise,
  kMemAttributes,
  kStreamAttach,
  // ---- virtual memory management (vmm.h)
  kMemGranularity,  // of the device `object`
  kMemCreate,       // the physical memory `object`
  kMemRelease,
  kMemAddressReserve,  // the buffer `object`
  kMemAddressFree,
  kMemMap,  // to the buffer `object` from `offset` on, the physical memory `source` from `source_offset` on
  kMemUnmap,
  kMemSetAccess,  // for the device `source`
  kMulticastCreate,
  // ---- limits and the L2 (limit_calls.cc)
  kDeviceSetLimit,
  kDeviceGetLimit,
  kStreamSetWindow,
  kResetPersistingL2,
  kFuncGetAttributes,  // loads the kernel `object`
  kGetDeviceCount,
  kDeviceGetPciBusId,  // of the device `object`: its number in the machine
  // ---- the program's own time and queues (queue_calls.cc)
  kNow,
  kSleep,       // `duration`; the thread waits
  kSleepUntil,  // the time `duration`
  kQueuePut,    // `count` items into the queue `object`
  kQueueGet,    // at most `count` items, see Call::wait
  kQueueClose,
  kOther  // a call that no code but its own has to know
};
// Call::count of kMemAdvise and kStreamAttach. The advice's device is Call::source, kNone: the host.
enum class Advice : uint8_t {
  kSetReadMostly,
  kUnsetReadMostly,
  kSetPreferredLocation,
  kUnsetPreferredLocation,
  kSetAccessedBy,
  kUnsetAccessedBy
};
enum class Attach : uint8_t { kGlobal, kHost, kStream };

// What a device may do to mapped memory.
enum class Protection : uint8_t { kNone, kRead, kReadWrite };

// Call::object of kDeviceSetLimit and kDeviceGetLimit.
enum class Limit : uint8_t { kPersistingL2, kPendingLaunches, kSyncDepth };

// Call::count of kPoolSetAttribute.
enum class PoolAttribute : uint8_t {
  kReleaseThreshold,
  kFollowEvents,
  kOpportunistic,
  kInternalDependencies
};

struct CallType;  // call_type.h

struct Call {
  const CallType* type = nullptr;  // what the call is; never null in a program that runs
  Op op = Op::kCompute;            // the type's
  bool calls_cuda = false;         // kLaunchHostFunc: the function calls CUDA, which it must not (ST11)
  uint32_t stream = 0;
  uint32_t object = kNone;  // kernel, event, flag, device, pool, buffer (kMalloc...; kNone: time only),
                            // destination buffer (copies, memset), graph exec
  uint32_t source =
      kNone;  // source buffer; kEventElapsed: the earlier event; kGraphInstantiate,
              // kGraphExecUpdate, cudaGraphClone: the graph; ...SetParams: the change; kGraphNodeSetEnabled,
              // kGraphMemAllocNodeGetParams: the node; kPoolSetAccess: the device
  uint64_t count = 0;  // kLoopBegin: repetitions; kQueueGet: items
  uint64_t bytes = 0;  // in all
  uint64_t rows = 1;   // 2D and 3D copies: contiguous pieces that `bytes` come in
  Ps duration{};  // kCompute, kLaunchHostFunc, kSleep...; kQueueGet: linger after the oldest item was put
  Ps give_up = kNever;   // kQueueGet, without an item: so long after the call
  int32_t priority = 0;  // launch attribute; see has_priority
  bool has_priority = false;
  CaptureMode mode = CaptureMode::kGlobal;
  bool enable = false;         // kGraphNodeSetEnabled, kPoolSetAccess
  bool edge_data = true;       // kGraphGetEdges, kStreamGetCaptureInfo: asked for too (GR06)
  bool node_priority = false;  // kGraphInstantiate: cudaGraphInstantiateFlagUseNodePriority (GR25)
  bool device_launch = false;  // kGraphInstantiate: cudaGraphInstantiateFlagDeviceLaunch (GD01)
  bool auto_free = false;      // kGraphInstantiate: cudaGraphInstantiateFlagAutoFreeOnLaunch (GN06)
  bool external = false;       // kEventRecord, kStreamWaitEvent: a node of its own when captured
  Extent cluster;              // launch attribute; see has_cluster
  bool has_cluster = false;
  // Launch attributes (programmatic.h): form A; form B with its event and triggerAtBlockStart.
  bool programmatic = false;
  uint32_t programmatic_event = kNone;
  uint32_t window = kNone;  // launch attribute; kStreamSetWindow: the stream's from now on, kNone: none
  bool trigger_at_block_start = false;
  SyncDomain domain;                               // launch attribute, over the stream's
  Protection protection = Protection::kReadWrite;  // kMemSetAccess
  // Into `object` and `source`, of copies and memsets.
  uint64_t offset = 0, source_offset = 0;
  // More accesses of a kernel, or those of kHostAccess: a range of Program::accesses.
  uint32_t first_access = 0, accesses = 0;
  uint64_t values = 0;  // what it does to values, for Effects and KernelModel (effects.h); 0: nothing
  uint32_t line = 0;    // of the workload's file, 0 if none
};

// What host threads hand each other: items in the order in which they were put.
struct QueueDesc {
  std::string name;
  uint64_t capacity = 0;  // who puts more waits; 0: any number
  uint32_t line = 0;
};

class LiveThread;  // live_thread.h

struct ThreadDesc {
  std::string name;
  std::deque<Call> calls;  // stay where they are while a live thread adds more
  uint32_t line = 0;
  LiveThread* live = nullptr;  // decides what it calls while the program runs
};

struct Program {
  uint32_t devices = 1;
  // The machine's number of each, where CUDA_VISIBLE_DEVICES has chosen (ER05); empty: their own.
  std::vector<uint32_t> visible;
  bool peer_access =
      true;  // cudaDeviceEnablePeerAccess between all devices; false: copies go through the host (MU05)
  std::vector<StreamDesc> streams;
  std::vector<EventDesc> events;
  std::vector<BufferDesc> buffers;
  std::vector<PhysicalDesc> physical;
  std::vector<PoolDesc> pools;
  std::vector<Access> accesses;  // of calls
  std::vector<WindowDesc> windows;
  std::vector<KernelDesc> kernels;
  std::vector<std::string> flags;
  std::vector<GraphDesc> graphs;
  std::vector<HandleDesc> handles;
  std::vector<NodeChange> node_changes;
  std::vector<std::string> graph_execs;  // what instantiation fills
  std::vector<QueueDesc> queues;
  std::vector<ThreadDesc> threads;
};

}  // namespace heddle::host
