// Calls about memory: allocation, and what the program says that it accesses.
#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

void check_size(const Program&, const Call& c) {
  if (c.object == kNone && c.bytes > kMostBytes) {
    throw ProgramError(c.line, std::to_string(c.bytes) + " bytes" + kLegalBytes);
  }
}

void check_allocation(const Program& p, const Call& c) {
  check_size(p, c);
  if (c.object == kNone) {
    return;
  }
  const BufferDesc& b = p.buffers[c.object];
  if ((b.memory == Memory::kDevice) == (c.op == Op::kMallocHost)) {
    throw ProgramError(c.line, "buffer " + b.name + " is of another kind of memory");
  }
  if (c.op == Op::kMalloc && b.reserved) {
    throw ProgramError(c.line, "buffer " + b.name + " is virtual memory: it gets memory by cuMemMap");
  }
}

void check_pageable(const Program& p, const Call& c) {
  if (p.buffers[c.object].memory != Memory::kPageable) {
    throw ProgramError(c.line, "buffer " + p.buffers[c.object].name + " is of another kind of memory");
  }
}

void check_managed(const Program& p, const Call& c) {
  if (p.buffers[c.object].memory != Memory::kManaged) {
    throw ProgramError(c.line, "buffer " + p.buffers[c.object].name + " is of another kind of memory");
  }
}

}  // namespace

std::span<const CallType> Threads::memory_calls() {
  using K = Argument::Kind;
  // Of a size only, or of a buffer.
  static const std::vector<Argument> some = {{"", K::kNumber, &Call::bytes},
                                             {nullptr, K::kBuffer, &Call::object, Argument::Given::kMaybe}};
  static const std::vector<CallType> all = {
      {.op = Op::kMalloc,
       .name = "cudaMalloc",
       .field = "malloc",
       .arguments = some,
       .in_capture = InCapture::kUnsafe,
       .check = check_allocation,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const Params::Calls& p = t.core_.params.calls;
             return t.cuts(c) ? p.malloc_cut : by_size(p.malloc, p.malloc_mib, t.bytes_of(c));
           },
       .effect = does<&Threads::malloc>},
      {.op = Op::kFree,
       .name = "cudaFree",
       .field = "free",
       .arguments = some,
       .asks_for_progress = true,
       .in_capture = InCapture::kUnsafe,
       .check = check_size,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const bool managed =
                 c.object != kNone && t.core_.program.buffers[c.object].memory == Memory::kManaged;
             const Params& p = t.core_.params;
             return managed             ? by_size(p.um.free, p.um.free_mib, t.bytes_of(c))
                    : t.leaves_chunk(c) ? p.calls.free_cut
                                        : by_size(p.calls.free, p.calls.free_mib, t.bytes_of(c));
           },
       .effect = does<&Threads::free>},
      {.op = Op::kMallocHost,
       .name = "cudaMallocHost",
       .field = "malloc_host",
       .arguments = some,
       .in_capture = InCapture::kUnsafe,
       .check = check_allocation,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const Params::Calls& p = t.core_.params.calls;
             return t.cuts(c) ? p.malloc_host_cut
                              : by_size(p.malloc_host, in_ps(p.malloc_host_per_mib), t.bytes_of(c));
           },
       .effect = does<&Threads::malloc>},
      {.op = Op::kFreeHost,
       .name = "cudaFreeHost",
       .field = "free_host",
       .arguments = some,
       .in_capture = InCapture::kUnsafe,
       .check = check_size,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const Params::Calls& p = t.core_.params.calls;
             return t.leaves_chunk(c) ? p.free_host_cut
                                      : by_size(p.free_host, p.free_host_mib, t.bytes_of(c));
           },
       .effect = [](Threads& t, uint32_t thread,
                    const Call& c) { return c.object == kNone || t.release(thread, c); }},
      {.op = Op::kMallocManaged,
       .name = "cudaMallocManaged",
       .arguments = {{nullptr, K::kBuffer, &Call::object}},
       .check = check_managed,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const Params::Unified& p = t.core_.params.um;
             return by_size(p.malloc, p.malloc_mib, t.bytes_of(c));
           },
       .effect = does<&Threads::allocate>},
      {.name = "cudaHostRegister",
       .field = "host_register",
       .arguments = {{"", K::kBuffer, &Call::object}},
       .in_capture = InCapture::kUnsafe,
       .check = check_pageable,
       .cost = costs_by_size<&Params::Calls::host_register, &Params::Calls::host_register_mib>,
       .effect = does<&Threads::register_host>},
      {.name = "cudaHostUnregister",
       .field = "host_unregister",
       .arguments = {{"", K::kBuffer, &Call::object}},
       .in_capture = InCapture::kUnsafe,
       .check = check_pageable,
       .cost = costs_by_size<&Params::Calls::host_unregister, &Params::Calls::host_unregister_mib>,
       .effect = does<&Threads::unregister_host>},
      {.op = Op::kHostAccess,
       .name = "(host access)",
       .field = "host_access",
       .arguments = {{"access", K::kAccesses, &Call::accesses}},
       .asks_device = false,
       .effect = does<&Threads::host_access>},
      {.op = Op::kMemGetInfo,
       .name = "cudaMemGetInfo",
       .field = "mem_get_info",
       .cost = costs<&Params::Calls::mem_get_info>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             const DeviceMemory& m = t.memory_.device(t.threads_[thread].device);
             t.answer(thread,
                      "free " + std::to_string(m.free_bytes()) + " total " + std::to_string(m.total_bytes()));
             return true;
           }},
  };
  return all;
}

// Of the buffer, or what the call says.
uint64_t Threads::bytes_of(const Call& c) const {
  return c.object == kNone ? c.bytes : core_.program.buffers[c.object].bytes;
}

// Of a size only: takes time and no memory.
// From a chunk that is there nothing is asked of the device.
bool Threads::malloc(uint32_t thread, const Call& c) {
  if (!cuts(c)) {
    barrier(threads_[thread].device);
  }
  return c.object == kNone || allocate(thread, c);
}

bool Threads::free(uint32_t thread, const Call& c) {
  return c.object == kNone ? synchronize(thread, ordering_.unfinished_of_device(threads_[thread].device))
                           : release(thread, c);  // ST15
}

bool Threads::allocate(uint32_t thread, const Call& c) {
  const BufferDesc& b = core_.program.buffers[c.object];
  Allocations::Buffer& state = memory_.buffer(c.object);
  if (b.memory == Memory::kDevice) {
    DeviceMemory& memory = memory_.device(b.device);
    const auto address = memory.allocate(b.bytes);
    if (!address) {
      fail(thread, "cudaErrorMemoryAllocation",
           std::to_string(b.bytes) + " bytes for " + b.name + ", " + std::to_string(memory.free_bytes()) +
               " free on device " + std::to_string(b.device));
      return true;
    }
    state.address = *address;
  }
  if (!memory_.take_pinned(b)) {
    fail(thread, "cudaErrorMemoryAllocation",
         std::to_string(b.bytes) + " bytes for " + b.name + ", " +
             std::to_string(memory_.device(0).free_bytes()) + " free of what host and device share");
    return true;
  }
  if (unified_.moves(c.object) && !unified_.allocate(c.object)) {
    fail(thread, "cudaErrorMemoryAllocation",
         std::to_string(b.bytes) + " bytes for " + b.name + ": this device takes them at once (UM06)");
    return true;
  }
  if (c.op == Op::kMallocHost) {
    memory_.cut_pinned(c.object);
  }
  state.state = Allocations::State::kAllocated;
  state.pool = kNone;
  if (checker_.on()) {
    checker_.allocated(c.object, clocks_.host_access(thread), site(thread));
  }
  return true;
}

bool Threads::release(uint32_t thread, const Call& c) {
  const BufferDesc& b = core_.program.buffers[c.object];
  Allocations::Buffer& state = memory_.buffer(c.object);
  const bool managed = b.memory == Memory::kManaged;
  const bool device = b.memory == Memory::kDevice || managed;
  if (graphs_.memory().owns(c.object)) {  // GN02: at once, and without a wait
    return free_of_graph(thread, c, 0, {}, clocks_.on() ? &clocks_.of_thread(thread) : nullptr);
  }
  if (state.state == Allocations::State::kNever) {
    return true;  // a null pointer: nothing happens
  }
  if (state.state == Allocations::State::kFreed || device != (c.op == Op::kFree) ||
      b.memory == Memory::kPageable || b.reserved) {
    fail(thread, "cudaErrorInvalidValue",
         b.name + (state.state == Allocations::State::kFreed ? " is freed already"
                   : b.reserved                              ? " is reserved by cuMemAddressReserve"
                   : b.memory == Memory::kPageable           ? " is not CUDA's memory"
                   : device                                  ? " is device memory"
                                                             : " is host memory"));
    return true;
  }
  state.state = Allocations::State::kFreed;
  memory_.give_pinned(b);
  memory_.release_pinned(c.object);
  if (!device || state.pool != kNone) {
    if (checker_.on()) {
      checker_.freed(c.object, clocks_.of_thread(thread), site(thread));
    }
    if (state.pool != kNone) {  // the program must have waited: no synchronisation (guide 11.3)
      memory_.pool(state.pool).free_now(state.address);
    }
    return true;
  }
  // ST15. The driver waits, so nothing is in use when the memory goes.
  if (clocks_.on()) {
    clocks_.thread_waits_device(thread, b.device);
    if (checker_.on()) {
      checker_.freed(c.object, clocks_.waited(thread), site(thread));
    }
  }
  if (managed) {
    unified_.release(c.object);
  } else {
    memory_.device(b.device).release(state.address);
  }
  return synchronize(thread, ordering_.unfinished_of_device(b.device));
}

bool Threads::register_host(uint32_t thread, const Call& c) {
  // HM14: what the processor caches stays behind its caches, where the device does not look.
  if (core_.params.integrated && core_.params.compute_capability < 72) {
    fail(thread, "cudaErrorNotSupported", "the device does not see the processor's caches (HM14)");
    return true;
  }
  if (core_.registered[c.object]) {
    fail(thread, "cudaErrorHostMemoryAlreadyRegistered",
         core_.program.buffers[c.object].name + " is registered already");
  }
  core_.registered[c.object] = true;
  return true;
}

bool Threads::unregister_host(uint32_t thread, const Call& c) {
  if (!core_.registered[c.object]) {
    fail(thread, "cudaErrorHostMemoryNotRegistered",
         core_.program.buffers[c.object].name + " is not registered now");
  }
  core_.registered[c.object] = false;
  return true;
}

bool Threads::host_access(uint32_t thread, const Call& c) {
  if (checker_.on()) {
    const Epoch epoch = clocks_.host_access(thread);
    accesses({}, c, epoch, clocks_.of_thread(thread), thread);
  }
  return !unified_.active() || unified_host_access(thread, c);
}

}  // namespace heddle::host
