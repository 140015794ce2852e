// Calls about unified memory, and the host's accesses to it.
#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::unified_calls() {
  using K = Argument::Kind;
  static const Argument buffer = {"buffer", K::kBuffer, &Call::object};
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const Argument device = {"device", K::kDevice, &Call::source, Argument::Given::kMaybe};
  static const std::vector<CallType> all = {
      {.op = Op::kMemPrefetch,
       .name = "cudaMemPrefetchAsync",
       .field = "mem_prefetch_async",
       .arguments = {buffer,
                     device,
                     stream,
                     {"offset", K::kNumber, &Call::offset},
                     {"bytes", K::kNumber, &Call::bytes}},
       .cost = [](const Threads& t, uint32_t, const Call&) { return t.core_.params.um.prefetch; },
       .effect = does<&Threads::prefetch>},
      {.op = Op::kMemAdvise,
       .name = "cudaMemAdvise",
       .field = "mem_advise",
       .arguments = {buffer, {"advice", K::kChoice, &Call::count, Argument::Given::kMust}, device},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (!t.moves(thread, c)) {
               return true;
             }
             if (t.unified_.limited() && c.source != kNone) {  // concurrentManagedAccess = 0
               t.fail(thread, "cudaErrorInvalidDevice", "the device has no concurrent managed access");
               return true;
             }
             t.unified_.advise(c.object, static_cast<Advice>(c.count), c.source);
             return true;
           }},
      {.op = Op::kMemAttributes,
       .name = "cudaMemRangeGetAttributes",
       .field = "mem_range_attributes",
       .arguments = {buffer},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.moves(thread, c)) {
               t.answer(thread, t.unified_.attributes(c.object));
             }
             return true;
           }},
      {.op = Op::kStreamAttach,
       .name = "cudaStreamAttachMemAsync",
       .field = "stream_attach_mem_async",
       .arguments = {stream, buffer, {"to", K::kChoice, &Call::count}},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (!t.moves(thread, c)) {
               return true;
             }
             if (c.bytes != 0 && c.bytes != t.core_.program.buffers[c.object].bytes) {
               t.fail(thread, "cudaErrorInvalidValue", "the length must be 0 (UM15)");
               return true;
             }
             if (t.stream_alive(thread, c.stream)) {
               t.unified_.attach(c.object, static_cast<Attach>(c.count), c.stream);
             }
             return true;
           }},
  };
  return all;
}

// Whether the call's buffer is unified memory and there; otherwise the call has failed.
bool Threads::moves(uint32_t thread, const Call& c) {
  const bool unified = unified_.moves(c.object);
  if (!unified || memory_.buffer(c.object).state != Allocations::State::kAllocated) {
    fail(thread, "cudaErrorInvalidValue",
         core_.program.buffers[c.object].name +
             (unified ? " is not allocated now" : " is not unified memory"));
    return false;
  }
  return true;
}

bool Threads::prefetch(uint32_t thread, const Call& c) {
  if (!moves(thread, c) || !stream_alive(thread, c.stream)) {
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
  const uint32_t slot = make(Work::kPrefetch, c.stream, name_of(c));
  Command& command = core_.commands[slot];
  command.object = c.object;
  command.offset = c.offset;
  command.bytes = c.bytes;
  command.to = c.source;
  command.device = c.source == kNone ? command.device : c.source;
  ordering_.append(slot);
  const Ps work = unified_.prefetch_work(c.object, c.offset, c.bytes, c.source);
  submit(slot);
  return goes_on_for(thread, work);
}

// What a copy takes a buffer for: managed memory is where its first page is.
Memory Threads::memory_of(uint32_t buffer) const {
  const Memory m = core_.memory(buffer);
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

// Faults and moves, one access after the other; the thread goes on when they are done.
bool Threads::unified_host_access(uint32_t thread, const Call& c) {
  std::vector<CommandRef> moves;
  Ps populated{};
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
    Unified::Plan plan = unified_.host(device, a, core_.now);
    if (plan.steps.empty() && plan.remote == 0) {
      populated += plan.populated;
      continue;
    }
    plan.steps.resize(1);
    plan.steps[0].delay += plan.populated;
    moves.push_back(migration_.for_host(device, plan));
  }
  if (moves.empty()) {
    return goes_on_for(thread, populated);
  }
  threads_[thread].owed += populated;  // of other buffers: rare
  wait_for(thread, moves);
  threads_[thread].next = Next::kReturn;
  return threads_[thread].waits == 0;
}

}  // namespace heddle::host
