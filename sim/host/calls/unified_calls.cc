// Calls about unified memory, and the host's accesses to it.
#include "sim/host/calls/threads.h"

namespace heddle::host {

// What a copy takes a buffer for: managed memory is where its first page is.
Memory Threads::memory_of(uint32_t buffer) const {
  const Memory m = core_.program.buffers[buffer].memory;
  return m != Memory::kManaged ? m : unified_.home(buffer) == kNone ? Memory::kPinned : Memory::kDevice;
}

uint32_t Threads::device_of(uint32_t buffer, uint64_t offset) const {
  const BufferDesc& b = core_.program.buffers[buffer];
  if (b.reserved) {
    const auto pieces = space_.pieces(buffer, kNone, offset, 1);
    return pieces ? pieces->front().device : b.device;
  }
  return b.memory == Memory::kManaged && unified_.home(buffer) != kNone ? unified_.home(buffer) : b.device;
}

bool Threads::unified_call(uint32_t thread, const Call& c) {
  const BufferDesc& b = core_.program.buffers[c.object];
  if (!unified_.moves(c.object) || memory_.buffer(c.object).state != Allocations::State::kAllocated) {
    fail(thread, "cudaErrorInvalidValue",
         b.name + (unified_.moves(c.object) ? " is not allocated now" : " is not unified memory"));
    return true;
  }
  switch (c.op) {
    case Op::kMemAdvise:
      if (unified_.limited() && c.source != kNone) {  // concurrentManagedAccess = 0
        fail(thread, "cudaErrorInvalidDevice", "the device has no concurrent managed access");
        return true;
      }
      unified_.advise(c.object, static_cast<Advice>(c.count), c.source);
      return true;
    case Op::kMemAttributes:
      answer(thread, unified_.attributes(c.object));
      return true;
    case Op::kStreamAttach:
      if (c.bytes != 0 && c.bytes != b.bytes) {
        fail(thread, "cudaErrorInvalidValue", "the length must be 0 (UM15)");
        return true;
      }
      if (stream_alive(thread, c.stream)) {
        unified_.attach(c.object, static_cast<Attach>(c.count), c.stream);
      }
      return true;
    default:
      break;
  }
  // cudaMemPrefetchAsync
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  if (unified_.limited()) {
    fail(thread, "cudaErrorInvalidDevice", "the device has no concurrent managed access");
    return true;
  }
  if (!room(thread, c.stream, Work::kPrefetch, Path::kHostToDevice)) {
    return false;
  }
  if (clocks_.on()) {
    clocks_.command(thread, c.stream);
  }
  const uint32_t slot = make(Work::kPrefetch, c.stream, op_name_[static_cast<size_t>(c.op)]);
  core_.commands[slot].call = &c;
  core_.commands[slot].device = c.source == kNone ? core_.commands[slot].device : c.source;
  ordering_.append(slot);
  submit(slot);
  return true;
}

// Faults and moves, one access after the other; the thread goes on when they are done.
bool Threads::unified_host_access(uint32_t thread, const Call& c) {
  std::vector<CommandRef> moves;
  for (uint32_t i = 0; i < c.accesses; ++i) {
    const Access& a = core_.program.accesses[c.first_access + i];
    if (!unified_.moves(a.buffer)) {
      continue;
    }
    const uint32_t device = unified_.home(a.buffer) == kNone ? 0 : unified_.home(a.buffer);
    if (unified_.limited() && unified_.attached(a.buffer) != Attach::kHost) {
      // UM05, UM15: the host keeps off while the device, or the stream that has it, is at work.
      const bool one = unified_.attached(a.buffer) == Attach::kStream;
      if (one ? ordering_.busy(unified_.attached_stream(a.buffer))
              : !ordering_.unfinished_of_device(device).empty()) {
        note_error(thread, "SIGSEGV",
                   "the host accesses " + core_.program.buffers[a.buffer].name +
                       (one ? " while its stream is at work" : " while the device is at work"));
        continue;
      }
    }
    const Unified::Plan plan = unified_.host(device, a, core_.now);
    const CommandRef done = migration_.for_host(device, plan);
    if (done.slot != kNone) {
      moves.push_back(done);
    }
  }
  if (moves.empty()) {
    return true;
  }
  wait_for(thread, moves);
  threads_[thread].next = Next::kReturn;
  return threads_[thread].waits == 0;
}

}  // namespace heddle::host
