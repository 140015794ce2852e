// Stream-ordered memory and its pools.
#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

void check_malloc_async(const Program& p, const Call& c) {
  const BufferDesc& b = p.buffers[c.object];
  if (b.memory != Memory::kDevice) {
    throw ProgramError(c.line, "buffer " + b.name + " is of another kind of memory");
  }
  if (b.reserved) {
    throw ProgramError(c.line, "buffer " + b.name + " is virtual memory: it gets memory by cuMemMap");
  }
  if (c.source != kNone && (c.source >= p.pools.size() || p.pools[c.source].device != b.device)) {
    throw ProgramError(c.line, "the pool is of another device than buffer " + b.name);
  }
}

}  // namespace

std::span<const CallType> Threads::pool_calls() {
  using K = Argument::Kind;
  static const Argument buffer = {"buffer", K::kBuffer, &Call::object};
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const Argument pool = {"pool", K::kPool, &Call::object, Argument::Given::kMaybe};
  static const std::vector<CallType> all = {
      {.op = Op::kMallocAsync,
       .name = "cudaMallocAsync",
       .field = "malloc_async",
       .arguments = {buffer, stream, {"pool", K::kPool, &Call::source, Argument::Given::kMaybe}},
       .in_capture = InCapture::kWork,
       .check = check_malloc_async,
       .cost = [](const Threads& t, uint32_t, const Call&) { return t.core_.params.memory.pool_malloc; },
       .effect = does<&Threads::malloc_async>},
      {.op = Op::kFreeAsync,
       .name = "cudaFreeAsync",
       .field = "free_async",
       .arguments = {buffer, stream},
       .in_capture = InCapture::kWork,
       .cost = [](const Threads& t, uint32_t, const Call&) { return t.core_.params.memory.pool_free; },
       .effect = does<&Threads::free_async>},
      {.op = Op::kPoolSetAttribute,
       .name = "cudaMemPoolSetAttribute",
       .field = "pool_set_attribute",
       .arguments = {pool, {"what", K::kOneOf, &Call::count}},
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::set_pool_attribute>},
      {.op = Op::kPoolTrim,
       .name = "cudaMemPoolTrimTo",
       .field = "pool_trim",
       .arguments = {pool, {"keep_bytes", K::kNumber, &Call::bytes}},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {  // SO05
             return t.goes_on_for(thread, t.pool_of(thread, c).trim(c.bytes, t.clocks_) *
                                              t.core_.params.memory.pool_shrink_chunk);
           }},
      {.op = Op::kPoolStats,
       .name = "cudaMemPoolGetAttribute",
       .field = "pool_stats",
       .arguments = {pool},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             const PoolStats& s = t.pool_of(thread, c).stats();  // SO06
             t.answer(thread, "reserved " + std::to_string(s.reserved) + " high " +
                                  std::to_string(s.reserved_high) + " used " + std::to_string(s.used) +
                                  " high " + std::to_string(s.used_high));
             return true;
           }},
      {.op = Op::kPoolResetHigh,
       .name = "cudaMemPoolSetAttribute (high watermarks)",
       .field = "pool_reset_high",
       .arguments = {pool},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.pool_of(thread, c).reset_high();
             return true;
           }},
      {.op = Op::kPoolSetAccess,
       .name = "cudaMemPoolSetAccess",
       .field = "pool_set_access",
       .arguments = {pool, {"device", K::kDevice, &Call::source}, {"enabled", K::kSwitch, &Call::enable}},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             Pool& p = t.pool_of(thread, c);
             if (c.enable) {
               p.access.insert(c.source);
             } else {
               p.access.erase(c.source);
             }
             return true;
           }},
  };
  return all;
}

Pool& Threads::pool_of(uint32_t thread, const Call& c) {
  return memory_.pool(memory_.pool_number(c.object, threads_[thread].device));
}

bool Threads::set_pool_attribute(uint32_t thread, const Call& c) {
  Pool& pool = pool_of(thread, c);
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
}

bool Threads::malloc_async(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const BufferDesc& b = core_.program.buffers[c.object];
  const uint32_t number = memory_.pool_number(c.source, b.device);
  Pool& pool = memory_.pool(number);
  const Epoch epoch = clocks_.command(thread, c.stream);
  const bool empty = pool.stats().reserved == 0;
  const auto given = pool.allocate(b.bytes, c.stream, clocks_, core_.commands);
  if (!given) {
    fail(thread, "cudaErrorMemoryAllocation",
         std::to_string(b.bytes) + " bytes for " + b.name + "; the pool has " +
             std::to_string(pool.stats().reserved) + ", device " + std::to_string(b.device) + " has " +
             std::to_string(memory_.device(b.device).free_bytes()) + " free");
    return true;
  }
  if (given->after && core_.commands.unfinished(*given->after)) {  // SO10
    const uint32_t slot = make(Work::kWait, c.stream, name_of(c));
    ordering_.append(slot);
    ordering_.depend(slot, *given->after, core_.params.other_stream);
  }
  Allocations::Buffer& state = memory_.buffer(c.object);
  state = {Allocations::State::kAllocated, number, given->address};
  if (checker_.on()) {
    checker_.allocated(c.object, epoch, site(thread));
  }
  const Params::DeviceBytes& m = core_.params.memory;
  const uint32_t first = empty && given->grown > 0 ? 1 : 0;
  return goes_on_for(thread, m.pool_grow * first + m.pool_grow_chunk * (given->grown - first));
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
  const uint32_t slot = make(Work::kBarrier, c.stream, name_of(c));
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
  } else if (clock && checker_.on()) {
    checker_.freed(c.object, *clock, site(thread));
  }
  return true;
}

}  // namespace heddle::host
