#include "frontends/workload/builder.h"

#include <algorithm>

namespace heddle::workload {

using host::Op;

// ---- what exists

Stream Builder::stream(const std::string& name, bool non_blocking, int32_t priority, uint32_t device) {
  program_.streams.push_back({name, device, !non_blocking, priority, false, {}});
  return {static_cast<uint32_t>(program_.streams.size() - 1)};
}

Stream Builder::stream_later(const std::string& name, bool non_blocking) {
  const Stream s = stream(name, non_blocking);
  program_.streams[s.id].created_by_call = true;
  return s;
}

Event Builder::event(const std::string& name, bool timing, uint32_t device, bool blocking) {
  program_.events.push_back({name, device, timing, 0, blocking});
  return {static_cast<uint32_t>(program_.events.size() - 1)};
}

Buffer Builder::buffer(const std::string& name, host::Memory memory, uint64_t bytes, uint32_t device) {
  program_.buffers.push_back({name, memory, device, bytes});
  return {static_cast<uint32_t>(program_.buffers.size() - 1)};
}

Buffer Builder::device(const std::string& name, uint64_t bytes, uint32_t device) {
  return buffer(name, host::Memory::kDevice, bytes, device);
}

Buffer Builder::pinned(const std::string& name, uint64_t bytes) {
  return buffer(name, host::Memory::kPinned, bytes);
}

Buffer Builder::pageable(const std::string& name, uint64_t bytes) {
  return buffer(name, host::Memory::kPageable, bytes);
}

Kernel Builder::kernel(const host::KernelDesc& k) {
  program_.kernels.push_back(k);
  return {static_cast<uint32_t>(program_.kernels.size() - 1)};
}

Kernel Builder::kernel_us(const std::string& name, double us) {
  host::KernelDesc k;
  k.name = name;
  k.duration = host::from_us(us);
  return kernel(k);
}

Kernel Builder::kernel_blocks(const std::string& name, uint32_t blocks, uint32_t threads, double block_us) {
  host::KernelDesc k;
  k.name = name;
  k.has_grid = true;
  k.grid.x = blocks;
  k.block.x = threads;
  k.block_duration = host::from_us(block_us);
  return kernel(k);
}

Flag Builder::flag(const std::string& name) {
  program_.flags.push_back(name);
  return {static_cast<uint32_t>(program_.flags.size() - 1)};
}

Queue Builder::queue(const std::string& name, uint64_t capacity) {
  program_.queues.push_back({name, capacity});
  return {static_cast<uint32_t>(program_.queues.size() - 1)};
}

Thread& Builder::thread(const std::string& name) {
  program_.threads.push_back({name, {}});
  threads_.push_back(Thread(*this, program_.threads.size() - 1));
  return threads_.back();
}

// ---- calls

void Thread::add(host::Call call) {
  call.op = call.type->op;
  call.line = line_;
  if (call.type->complete) {
    call.type->complete(w_.program(), call);
  }
  w_.program().threads[index_].calls.push_back(call);
}

host::Call& Thread::add(const host::CallType& type, uint32_t object, uint32_t stream) {
  host::Call c;
  c.type = &type;
  c.object = object;
  c.stream = stream;
  add(c);
  return w_.program().threads[index_].calls.back();
}

Thread& Thread::line(uint32_t n) {
  line_ = n;
  return *this;
}

Thread& Thread::compute_us(double us) {
  add(Op::kCompute).duration = host::from_us(us);
  return *this;
}

Thread& Thread::repeat(uint64_t times, const std::function<void(Thread&)>& body) {
  add(Op::kLoopBegin).count = times;
  body(*this);
  add(Op::kLoopEnd);
  return *this;
}

Thread& Thread::launch(Kernel k, Stream s) {
  add(Op::kLaunch, k.id, s.id);
  return *this;
}

Thread& Thread::launch(Kernel k, Stream s, int32_t priority) {
  return launch(k, s, LaunchAttributes{priority});
}

Thread& Thread::launch(Kernel k, Stream s, const LaunchAttributes& a) {
  host::Call& c = add(Op::kLaunch, k.id, s.id);
  c.priority = a.priority.value_or(0);
  c.has_priority = a.priority.has_value();
  c.programmatic = a.programmatic;
  c.programmatic_event = a.programmatic_event ? a.programmatic_event->id : host::kNone;
  c.trigger_at_block_start = a.trigger_at_block_start;
  c.cluster = a.cluster.value_or(host::Extent{});
  c.has_cluster = a.cluster.has_value();
  c.window = a.window.id;
  c.domain = a.domain;
  return *this;
}

Thread& Thread::copy(Op op, Buffer to, Buffer from, Stream s, uint64_t bytes, uint64_t rows) {
  host::Call c = host::call_of(op);
  c.object = to.id;
  c.source = from.id;
  c.stream = s.id;
  c.bytes = bytes;
  c.rows = rows;
  add(c);
  return *this;
}

Thread& Thread::memcpyAsync(Buffer to, Buffer from, Stream s, uint64_t bytes, uint64_t rows) {
  return copy(Op::kMemcpyAsync, to, from, s, bytes, rows);
}

Thread& Thread::memcpy(Buffer to, Buffer from, uint64_t bytes, uint64_t rows, Stream s) {
  return copy(Op::kMemcpy, to, from, s, bytes, rows);
}

Thread& Thread::memsetAsync(Buffer to, Stream s, uint64_t bytes) {
  return copy(Op::kMemsetAsync, to, {host::kNone}, s, bytes, 1);
}

Thread& Thread::memset(Buffer to, uint64_t bytes, Stream s) {
  return copy(Op::kMemset, to, {host::kNone}, s, bytes, 1);
}

Thread& Thread::eventRecord(Event e, Stream s) {
  add(Op::kEventRecord, e.id, s.id);
  return *this;
}

Thread& Thread::streamWaitEvent(Stream s, Event e) {
  add(Op::kStreamWaitEvent, e.id, s.id);
  return *this;
}

Thread& Thread::eventSynchronize(Event e) {
  add(Op::kEventSynchronize, e.id);
  return *this;
}

Thread& Thread::eventQuery(Event e) {
  add(Op::kEventQuery, e.id);
  return *this;
}

Thread& Thread::eventElapsedTime(Event from, Event to) {
  add(Op::kEventElapsed, to.id).source = from.id;
  return *this;
}

Thread& Thread::streamSynchronize(Stream s) {
  add(Op::kStreamSynchronize, host::kNone, s.id);
  return *this;
}

Thread& Thread::streamQuery(Stream s) {
  add(Op::kStreamQuery, host::kNone, s.id);
  return *this;
}

Thread& Thread::deviceSynchronize() {
  add(Op::kDeviceSynchronize);
  return *this;
}

Thread& Thread::streamCreate(Stream s) {
  add(Op::kStreamCreate, host::kNone, s.id);
  return *this;
}

Thread& Thread::streamDestroy(Stream s) {
  add(Op::kStreamDestroy, host::kNone, s.id);
  return *this;
}

Thread& Thread::eventCreate(Event e) {
  add(Op::kEventCreate, e.id);
  return *this;
}

Thread& Thread::eventDestroy(Event e) {
  add(Op::kEventDestroy, e.id);
  return *this;
}

Thread& Thread::launchHostFunc(Stream s, double us) {
  add(Op::kLaunchHostFunc, host::kNone, s.id).duration = host::from_us(us);
  return *this;
}

Thread& Thread::launchHostFunc(Stream s, double us, Flag sets) {
  add(Op::kLaunchHostFunc, sets.id, s.id).duration = host::from_us(us);
  return *this;
}

Thread& Thread::launchHostFuncThatCallsCuda(Stream s) {
  add(Op::kLaunchHostFunc, host::kNone, s.id).calls_cuda = true;
  return *this;
}

Thread& Thread::malloc(uint64_t bytes) {
  add(Op::kMalloc).bytes = bytes;
  return *this;
}

Thread& Thread::free(uint64_t bytes) {
  add(Op::kFree).bytes = bytes;
  return *this;
}

Thread& Thread::mallocHost(uint64_t bytes) {
  add(Op::kMallocHost).bytes = bytes;
  return *this;
}

Thread& Thread::freeHost(uint64_t bytes) {
  add(Op::kFreeHost).bytes = bytes;
  return *this;
}

Thread& Thread::setDevice(uint32_t device) {
  add(Op::kSetDevice, device);
  return *this;
}

Thread& Thread::getDeviceCount() {
  add(Op::kGetDeviceCount);
  return *this;
}

Thread& Thread::deviceGetPciBusId(uint32_t device) {
  add(Op::kDeviceGetPciBusId, device);
  return *this;
}

Thread& Thread::getLastError() {
  add(Op::kGetLastError);
  return *this;
}

Thread& Thread::peekAtLastError() {
  add(Op::kPeekAtLastError);
  return *this;
}

Thread& Thread::setFlag(Flag f) {
  add(Op::kSetFlag, f.id);
  return *this;
}

Thread& Thread::waitFlag(Flag f) {
  add(Op::kWaitFlag, f.id);
  return *this;
}

Thread& Thread::now() {
  add(Op::kNow);
  return *this;
}

Thread& Thread::sleep_us(double us) {
  add(Op::kSleep).duration = host::from_us(us);
  return *this;
}

Thread& Thread::sleepUntil_us(double us) {
  add(Op::kSleepUntil).duration = host::from_us(us);
  return *this;
}

Thread& Thread::put(Queue q, uint64_t count) {
  add(Op::kQueuePut, q.id).count = count;
  return *this;
}

Thread& Thread::get(Queue q, uint64_t most, double timeout_us, std::optional<double> give_up_us) {
  host::Call& c = add(Op::kQueueGet, q.id);
  c.count = most;
  c.duration = host::from_us(timeout_us);
  c.give_up = give_up_us ? host::from_us(*give_up_us) : host::kNever;
  return *this;
}

Thread& Thread::close(Queue q) {
  add(Op::kQueueClose, q.id);
  return *this;
}

}  // namespace heddle::workload
