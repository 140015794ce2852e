// Host programs written as code that reads like CUDA's:
//
//   Builder w;
//   auto s = w.stream("s1");
//   auto host = w.pinned("host", 1 << 20), dev = w.device("dev", 1 << 20);
//   auto& main = w.thread("main");
//   main.memcpyAsync(dev, host, s);
//   main.launch(w.kernel_us("saxpy", 20), s);
//   main.streamSynchronize(s);
//   host::Result r = host::run(w.program(), gpu);
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "sim/host/calls/call_types.h"
#include "sim/host/platform/run.h"

namespace heddle::workload {

struct Stream {
  uint32_t id = 0;
};
struct Event {
  uint32_t id = 0;
};
struct Buffer {
  uint32_t id = 0;
};
struct Kernel {
  uint32_t id = 0;
};
struct Pool {
  uint32_t id = host::kNone;  // the current device's default pool
};
// Physical memory (cuMemCreate).
struct Physical {
  uint32_t id = 0;
};
struct Flag {
  uint32_t id = 0;
};
// What host threads hand each other.
struct Queue {
  uint32_t id = 0;
};
struct Window {
  uint32_t id = host::kNone;  // none
};
// Made by the functions of graph_builder.h.
struct Graph {
  uint32_t id = 0;
};
struct Handle {
  uint32_t id = 0;
};
struct GraphExec {
  uint32_t id = 0;
};
struct Change {
  uint32_t id = 0;
};
struct Node {
  uint32_t id = 0;  // of its graph
};

// `bytes` 0: to the buffer's end.
inline host::Access reads(Buffer b, uint64_t offset = 0, uint64_t bytes = 0) {
  return {b.id, true, false, false, offset, bytes, 4, 0};
}
inline host::Access writes(Buffer b, uint64_t offset = 0, uint64_t bytes = 0) {
  return {b.id, false, true, false, offset, bytes, 4, 0};
}
inline host::Access updates(Buffer b, uint64_t offset = 0, uint64_t bytes = 0) {
  return {b.id, true, true, false, offset, bytes, 4, 0};
}
inline host::Access atomics(Buffer b, uint64_t offset = 0, uint64_t bytes = 0) {
  return {b.id, true, true, true, offset, bytes, 4, 0};
}

// The access behind a fence.proxy.alias in its kernel.
inline host::Access fenced(host::Access a) {
  a.alias_fence = true;
  return a;
}

// The access by threads `element` bytes each, `stride` apart (0: next to each other).
inline host::Access by_threads(host::Access a, uint32_t element, uint32_t stride = 0) {
  a.element = element;
  a.stride = stride;
  return a;
}

class Builder;

// Launch attributes.
struct LaunchAttributes {
  std::optional<int32_t> priority = {};
  bool programmatic = false;  // cudaLaunchAttributeProgrammaticStreamSerialization
  std::optional<Event> programmatic_event = {};
  bool trigger_at_block_start = false;
  std::optional<host::Extent> cluster = {};
  Window window = {};  // cudaLaunchAttributeAccessPolicyWindow
  host::SyncDomain domain = {};
};

// cudaGraphInstantiateFlags.
struct InstantiateFlags {
  bool use_node_priority = false;
  bool auto_free_on_launch = false;
  bool device_launch = false;
};

// The calls of one host thread. A stream that is not given is stream 0: the legacy default stream of device
// 0.
class Thread {
 public:
  Thread& line(uint32_t n);  // of the file that the following calls come from

  // Any call that is declared; its arguments are where the declaration says. What is left out is filled in at
  // once.
  host::Call& add(const host::CallType& type, uint32_t object = host::kNone, uint32_t stream = 0);
  void add(host::Call call);

  Thread& compute_us(double us);
  Thread& repeat(uint64_t times, const std::function<void(Thread&)>& body);
  Thread& launch(Kernel k, Stream s = {});
  Thread& launch(Kernel k, Stream s, int32_t priority);
  Thread& launch(Kernel k, Stream s, const LaunchAttributes& attributes);
  // `bytes` 0: the smaller buffer.
  Thread& memcpyAsync(Buffer to, Buffer from, Stream s = {}, uint64_t bytes = 0, uint64_t rows = 1);
  Thread& memcpy(Buffer to, Buffer from, uint64_t bytes = 0, uint64_t rows = 1, Stream s = {});
  Thread& memsetAsync(Buffer to, Stream s = {}, uint64_t bytes = 0);
  Thread& memset(Buffer to, uint64_t bytes = 0, Stream s = {});
  Thread& eventRecord(Event e, Stream s = {});
  Thread& streamWaitEvent(Stream s, Event e);
  Thread& eventSynchronize(Event e);
  Thread& eventQuery(Event e);
  Thread& eventElapsedTime(Event from, Event to);
  Thread& streamSynchronize(Stream s = {});
  Thread& streamQuery(Stream s = {});
  Thread& deviceSynchronize();
  Thread& streamCreate(Stream s);
  Thread& streamDestroy(Stream s);
  Thread& eventCreate(Event e);
  Thread& eventDestroy(Event e);
  Thread& launchHostFunc(Stream s, double us);
  Thread& launchHostFunc(Stream s, double us, Flag sets);
  Thread& launchHostFuncThatCallsCuda(Stream s);
  Thread& streamBeginCapture(Stream s, host::CaptureMode mode = host::CaptureMode::kGlobal);
  Thread& streamBeginCaptureToGraph(Stream s, Graph g, host::CaptureMode mode = host::CaptureMode::kGlobal);
  Thread& streamEndCapture(Stream s, Graph g);
  Thread& streamGetCaptureInfo(Stream s, bool edge_data = true);
  Thread& eventRecordExternal(Event e, Stream s);
  Thread& streamWaitEventExternal(Stream s, Event e);
  Thread& graphInstantiate(GraphExec x, Graph g, const InstantiateFlags& flags = {});
  Thread& graphExecUpdate(GraphExec x, Graph g);
  Thread& graphExecNodeSetParams(GraphExec x, Change c);
  Thread& graphNodeSetParams(Graph g, Change c);
  Thread& graphNodeSetEnabled(GraphExec x, Node n, bool enabled);
  Thread& graphLaunch(GraphExec x, Stream s = {});
  Thread& graphUpload(GraphExec x, Stream s = {});
  Thread& graphExecDestroy(GraphExec x);
  Thread& graphDestroy(Graph g);
  Thread& graphGetEdges(Graph g, bool edge_data = true);
  Thread& graphMemAllocNodeGetParams(Graph g, Node n);  // address, size, who reaches it
  Thread& deviceGraphMemTrim();
  Thread& deviceGraphMemStats();
  Thread& deviceGraphMemResetHigh();
  Thread& malloc(uint64_t bytes);
  Thread& free(uint64_t bytes);
  Thread& mallocHost(uint64_t bytes);
  Thread& freeHost(uint64_t bytes);
  Thread& setDevice(uint32_t device);
  Thread& getDeviceCount();
  Thread& deviceGetPciBusId(uint32_t device);  // its number in the machine
  Thread& getLastError();
  Thread& peekAtLastError();
  Thread& setFlag(Flag f);
  Thread& waitFlag(Flag f);
  // ---- the program's own time, and queues of its threads (Call::give_up, sim/host/calls/queue_calls.cc)
  Thread& now();
  Thread& sleep_us(double us);
  Thread& sleepUntil_us(double us);
  Thread& put(Queue q, uint64_t count = 1);
  Thread& get(Queue q, uint64_t most = 1, double timeout_us = 0, std::optional<double> give_up_us = {});
  Thread& close(Queue q);

  // ---- memory (builder_memory.cc)
  // Where the copy or memset just added begins in its buffers.
  Thread& at(uint64_t offset, uint64_t source_offset = 0);
  // What the call just added does to values (host::Effects).
  Thread& values(uint64_t id);
  // What the launch just added accesses, besides what its kernel says.
  Thread& with(const std::vector<host::Access>& accesses);
  Thread& hostAccess(const std::vector<host::Access>& accesses);  // the program's own reads and writes
  // cudaMalloc, cudaMallocHost, ... and their opposites, as the buffer's memory asks.
  Thread& malloc(Buffer b);
  Thread& free(Buffer b);
  Thread& memGetInfo();
  Thread& mallocAsync(Buffer b, Stream s = {}, Pool p = {});
  Thread& freeAsync(Buffer b, Stream s = {});
  Thread& memPoolSetAttribute(Pool p, host::PoolAttribute what, uint64_t value);
  Thread& memPoolTrimTo(Pool p, uint64_t keep);
  Thread& memPoolStats(Pool p = {});  // reserved and used memory
  Thread& memPoolResetHigh(Pool p = {});
  Thread& memPoolSetAccess(Pool p, uint32_t device, bool enabled = true);
  // ---- virtual memory management: of a buffer of Builder::range(). `bytes` 0: to its end; memMap: all of
  // `p`
  Thread& memGetAllocationGranularity(uint32_t device = 0);
  Thread& memCreate(Physical p);
  Thread& memRelease(Physical p);
  Thread& memAddressReserve(Buffer range);
  Thread& memAddressFree(Buffer range, uint64_t bytes = 0);
  Thread& memMap(Buffer range, Physical p, uint64_t offset = 0, uint64_t bytes = 0, uint64_t p_offset = 0);
  Thread& memUnmap(Buffer range, uint64_t offset = 0, uint64_t bytes = 0);
  Thread& memSetAccess(Buffer range, uint32_t device, uint64_t offset = 0, uint64_t bytes = 0,
                       host::Protection p = host::Protection::kReadWrite);
  Thread& multicastCreate(uint32_t devices, uint64_t bytes);
  // ---- limits, and what stays in the L2
  Thread& deviceSetLimit(host::Limit what, uint64_t value);
  Thread& deviceGetLimit(host::Limit what);
  Thread& streamSetAccessPolicyWindow(Stream s, Window w = {});
  Thread& ctxResetPersistingL2Cache();
  Thread& funcGetAttributes(Kernel k);  // loads it
  // ---- unified memory. `device` kNone: the host. `bytes` 0: to the buffer's end.
  Thread& memPrefetchAsync(Buffer b, uint32_t device, Stream s = {}, uint64_t offset = 0, uint64_t bytes = 0);
  Thread& memAdvise(Buffer b, host::Advice what, uint32_t device = host::kNone);
  Thread& memRangeAttributes(Buffer b);
  Thread& streamAttachMemAsync(Stream s, Buffer b, host::Attach to = host::Attach::kStream,
                               uint64_t length = 0);

 private:
  friend class Builder;
  Thread(Builder& w, size_t index) : w_(w), index_(index) {}
  host::Call& add(host::Op op, uint32_t object = host::kNone, uint32_t stream = 0) {
    return add(host::type_of(op), object, stream);
  }
  Thread& copy(host::Op op, Buffer to, Buffer from, Stream s, uint64_t bytes, uint64_t rows);

  Builder& w_;
  size_t index_;
  uint32_t line_ = 0;
};

class Builder {
 public:
  explicit Builder(uint32_t devices = 1) : program_(host::empty_program(devices)) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Stream legacy(uint32_t device = 0) const { return {device}; }
  Stream stream(const std::string& name, bool non_blocking = false, int32_t priority = 0,
                uint32_t device = 0);
  Stream stream_later(const std::string& name, bool non_blocking = false);  // by streamCreate
  Event event(const std::string& name, bool timing = true, uint32_t device = 0, bool blocking = false);
  Buffer buffer(const std::string& name, host::Memory memory, uint64_t bytes, uint32_t device = 0);
  Buffer device(const std::string& name, uint64_t bytes, uint32_t device = 0);
  Buffer later(const std::string& name, host::Memory memory, uint64_t bytes,
               uint32_t device = 0);                                           // by malloc
  Buffer range(const std::string& name, uint64_t bytes, uint32_t device = 0);  // by memAddressReserve
  Physical physical(const std::string& name, uint64_t bytes, uint32_t device = 0);
  Pool pool(const std::string& name, uint64_t max_bytes = 0, uint32_t device = 0);
  Window window(Buffer b, uint64_t bytes, double hit_ratio = 1,
                memory::AccessProperty hit = memory::AccessProperty::kPersisting,
                memory::AccessProperty miss = memory::AccessProperty::kStreaming, uint64_t offset = 0);
  Buffer managed(const std::string& name, uint64_t bytes);
  Buffer pinned(const std::string& name, uint64_t bytes);
  Buffer pageable(const std::string& name, uint64_t bytes);
  Kernel kernel(const host::KernelDesc& k);
  Kernel kernel_us(const std::string& name, double us);  // takes its time and nothing else
  Kernel kernel_blocks(const std::string& name, uint32_t blocks, uint32_t threads, double block_us);
  Flag flag(const std::string& name);
  Queue queue(const std::string& name, uint64_t capacity = 0);
  Thread& thread(const std::string& name);
  // What a launch accesses besides what its kernel says, or the host does.
  void add_accesses(host::Call& c, const std::vector<host::Access>& accesses);

  const host::Program& program() const { return program_; }
  host::Program& program() { return program_; }

 private:
  host::Program program_;
  std::list<Thread> threads_;
};

}  // namespace heddle::workload
