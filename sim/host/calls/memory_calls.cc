// Calls about memory: allocation, pools, and what the program says that it accesses.
#include "sim/host/calls/threads.h"

namespace heddle::host {

bool Threads::memory_call(uint32_t thread, const Call& c) {
  const uint32_t device = threads_[thread].device;
  switch (c.op) {
    case Op::kMalloc:
    case Op::kMallocHost:
      barrier(device);
      return c.object == kNone || allocate(thread, c);
    case Op::kFree:
      if (c.object == kNone) {  // ST15
        return synchronize(thread, ordering_.unfinished_of_device(device));
      }
      return release(thread, c);
    case Op::kFreeHost:
      return c.object == kNone || release(thread, c);
    case Op::kHostAccess:
      return host_access(thread, c);
    case Op::kMemGetInfo:
      answer(thread, "free " + std::to_string(memory_.device(device).free_bytes()) + " total " +
                         std::to_string(memory_.device(device).total_bytes()));
      return true;
    case Op::kMallocAsync:
      return malloc_async(thread, c);
    case Op::kFreeAsync:
      return free_async(thread, c);
    case Op::kMallocManaged:
      return allocate(thread, c);
    case Op::kMemPrefetch:
    case Op::kMemAdvise:
    case Op::kMemAttributes:
    case Op::kStreamAttach:
      return unified_call(thread, c);
    default:
      return pool_call(thread, c);
  }
}

// ---- cudaMalloc, cudaFree and the like

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
  if (unified_.moves(c.object) && !unified_.allocate(c.object)) {
    fail(thread, "cudaErrorMemoryAllocation",
         std::to_string(b.bytes) + " bytes for " + b.name + ": this device takes them at once (UM06)");
    return true;
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

bool Threads::buffer_mapped(uint32_t thread, uint32_t device, const Range& r) {
  const BufferDesc& b = core_.program.buffers[r.buffer];
  if (!memory_.mapped(r.buffer)) {
    fail(thread, "cudaErrorInvalidValue", b.name + " is not allocated now");
    return false;
  }
  if (b.reserved && !space_.reaches(device, r.buffer, r.offset, r.bytes, r.written)) {  // VM01
    fail(thread, "cudaErrorInvalidValue",
         std::to_string(r.bytes) + " bytes of " + b.name + " from " + std::to_string(r.offset) +
             " on: not all mapped, or without access from device " + std::to_string(device));
    return false;
  }
  return true;
}

// ---- virtual memory management

bool Threads::vmm_call(uint32_t thread, const Call& c) {
  if (c.op == Op::kMemGranularity) {
    answer(thread, std::to_string(core_.params.memory.granularity));
    return true;
  }
  if (c.op == Op::kMemUnmap && checker_.on()) {
    checker_.unmapped(c.object, c.offset, c.bytes, clocks_.of_thread(thread), site(thread));
  }
  if (const auto no = space_.call(c)) {
    fail(thread, no->error, no->why);
  } else if (c.op == Op::kMemCreate && checker_.on()) {
    checker_.created(c.object);
  } else if (c.op == Op::kMemAddressReserve && checker_.on()) {
    checker_.allocated(c.object, clocks_.host_access(thread), site(thread));
  }
  return true;
}

// ---- pools

bool Threads::malloc_async(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const BufferDesc& b = core_.program.buffers[c.object];
  const uint32_t number = memory_.pool_number(c.source, b.device);
  Pool& pool = memory_.pool(number);
  const Epoch epoch = clocks_.command(thread, c.stream);
  const auto given = pool.allocate(b.bytes, c.stream, clocks_, core_.commands);
  if (!given) {
    fail(thread, "cudaErrorMemoryAllocation",
         std::to_string(b.bytes) + " bytes for " + b.name + "; the pool has " +
             std::to_string(pool.stats().reserved) + ", device " + std::to_string(b.device) + " has " +
             std::to_string(memory_.device(b.device).free_bytes()) + " free");
    return true;
  }
  if (given->after && core_.commands.unfinished(*given->after)) {  // SO10
    const uint32_t slot = make(Work::kWait, c.stream, op_name_[static_cast<size_t>(c.op)]);
    ordering_.append(slot);
    ordering_.depend(slot, *given->after, core_.params.other_stream);
  }
  threads_[thread].owed += given->grown ? core_.params.memory.map : 0;
  Allocations::Buffer& state = memory_.buffer(c.object);
  state = {Allocations::State::kAllocated, number, given->address};
  if (checker_.on()) {
    checker_.allocated(c.object, epoch, site(thread));
  }
  return true;
}

bool Threads::free_async(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  Allocations::Buffer& state = memory_.buffer(c.object);
  const BufferDesc& b = core_.program.buffers[c.object];
  const bool of_graph = graphs_.memory().owns(c.object);
  if (!of_graph &&
      (state.state != Allocations::State::kAllocated || b.memory != Memory::kDevice || b.reserved)) {
    fail(thread, "cudaErrorInvalidValue",
         b.name + (b.memory != Memory::kDevice ? " is not device memory"
                   : b.reserved                ? " is reserved by cuMemAddressReserve"
                                               : " is not allocated now"));
    return true;
  }
  const uint32_t slot = make(Work::kBarrier, c.stream, op_name_[static_cast<size_t>(c.op)]);
  ordering_.append(slot);
  const CommandRef done = core_.commands.ref(slot);
  if (core_.commands[slot].unmet == 0) {
    core_.dispatch(slot);
  }
  const Epoch epoch = clocks_.on() ? clocks_.command(thread, c.stream) : Epoch();
  if (of_graph) {  // GN02, GN05
    return free_of_graph(thread, c, c.stream, done, clocks_.on() ? &clocks_.of_stream(c.stream) : nullptr);
  }
  state.state = Allocations::State::kFreed;
  if (clocks_.on()) {
    if (checker_.on()) {
      checker_.freed(c.object, clocks_.of_stream(c.stream), site(thread));
    }
    if (state.pool != kNone) {
      memory_.pool(state.pool).free(state.address, c.stream, epoch, done);
    }
  }
  if (state.pool == kNone) {  // cudaMalloc's memory: back at once
    memory_.device(b.device).release(state.address);
  }
  return true;
}

// Memory of a graph's node that outlives the launch.
bool Threads::free_of_graph(uint32_t thread, const Call& c, uint32_t stream, CommandRef done,
                            const Clock* clock) {
  if (const auto no = graphs_.memory().free(c.object, stream, done)) {
    fail(thread, no->error, no->why);
  } else if (checker_.on()) {
    checker_.freed(c.object, *clock, site(thread));
  }
  return true;
}

bool Threads::pool_call(uint32_t thread, const Call& c) {
  const uint32_t device = threads_[thread].device;
  Pool& pool = memory_.pool(memory_.pool_number(c.object, device));
  switch (c.op) {
    case Op::kPoolSetAttribute:
      switch (static_cast<PoolAttribute>(c.count)) {
        case PoolAttribute::kReleaseThreshold:
          pool.release_threshold = c.bytes;
          break;
        case PoolAttribute::kFollowEvents:
          pool.follow_events = c.bytes != 0;
          break;
        case PoolAttribute::kOpportunistic:
          pool.opportunistic = c.bytes != 0;
          break;
        case PoolAttribute::kInternalDependencies:
          pool.internal_dependencies = c.bytes != 0;
          break;
      }
      return true;
    case Op::kPoolTrim:  // SO05
      threads_[thread].owed += pool.trim(c.bytes, clocks_) * core_.params.memory.unmap;
      return true;
    case Op::kPoolResetHigh:
      pool.reset_high();
      return true;
    case Op::kPoolSetAccess:
      if (c.enable) {
        pool.access.insert(c.source);
      } else {
        pool.access.erase(c.source);
      }
      return true;
    default:
      break;
  }
  const PoolStats& s = pool.stats();  // SO06
  answer(thread, "reserved " + std::to_string(s.reserved) + " high " + std::to_string(s.reserved_high) +
                     " used " + std::to_string(s.used) + " high " + std::to_string(s.used_high));
  return true;
}

// ---- what is accessed

void Threads::accesses(const std::vector<Access>& more, const Call& c, Epoch epoch, const Clock& clock,
                       uint32_t thread) {
  if (!checker_.on()) {
    return;
  }
  for (const Access& a : more) {
    checker_.access(a, epoch, clock, site(thread));
  }
  for (uint32_t i = 0; i < c.accesses; ++i) {
    checker_.access(core_.program.accesses[c.first_access + i], epoch, clock, site(thread));
  }
}

// The host reads pageable memory before the call returns.
void Threads::copy_accesses(uint32_t thread, const Call& c, bool source_by_host) {
  if (!clocks_.on()) {
    return;
  }
  const bool reads = c.source != kNone;
  if (reads && source_by_host && checker_.on()) {
    const Epoch epoch = clocks_.host_access(thread);
    checker_.access({c.source, true, false, false, c.source_offset, c.bytes}, epoch,
                    clocks_.of_thread(thread), site(thread));
  }
  const Epoch epoch = clocks_.command(thread, c.stream);
  if (!checker_.on()) {
    return;
  }
  const Clock& clock = clocks_.of_stream(c.stream);
  if (reads && !source_by_host) {
    checker_.access({c.source, true, false, false, c.source_offset, c.bytes}, epoch, clock, site(thread));
  }
  checker_.access({c.object, false, true, false, c.offset, c.bytes}, epoch, clock, site(thread));
}

bool Threads::host_access(uint32_t thread, const Call& c) {
  if (checker_.on()) {
    const Epoch epoch = clocks_.host_access(thread);
    accesses({}, c, epoch, clocks_.of_thread(thread), thread);
  }
  return !unified_.active() || unified_host_access(thread, c);
}

}  // namespace heddle::host
