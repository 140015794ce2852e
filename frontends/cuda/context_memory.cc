// Allocations, copies, memsets.
#include <algorithm>
#include <cstring>

#include "frontends/cuda/context.h"
#include "frontends/cuda/readable.h"
#include "sim/base/align.h"
#include "sim/exec/texture/layout.h"

namespace heddle::cuda {
namespace {

const char* name_of(host::Memory kind) {
  switch (kind) {
    case host::Memory::kDevice:
      return "device memory";
    case host::Memory::kManaged:
      return "unified memory";
    default:
      return "pinned memory";
  }
}

uint64_t times(uint64_t a, uint64_t b) {
  uint64_t out = 0;
  require(!__builtin_mul_overflow(a, b, &out), Status::kInvalidValue, "more than all bytes that there are");
  return out;
}

uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t out = 0;
  require(!__builtin_add_overflow(a, b, &out), Status::kInvalidValue, "more than all bytes that there are");
  return out;
}

// From the first byte to the last one, with what lies between rows and planes; no row and no plane lies on
// another one.
uint64_t end_of(const CopyWork& c, uint64_t pitch, uint64_t plane) {
  const uint64_t rows = plus(times(c.height - 1, pitch), c.width);
  require((c.height == 1 || pitch >= c.width) && (c.depth == 1 || plane >= rows), Status::kInvalidValue,
          "rows or planes that overlap");
  return plus(times(c.depth - 1, plane), rows);
}

uint64_t end_of(const MemsetWork& m) {
  const uint64_t row = times(m.width, m.element);
  require(m.height == 1 || m.pitch >= row, Status::kInvalidValue, "rows that overlap");
  return plus(times(m.height - 1, m.pitch), row);
}

}  // namespace

uint64_t Context::allocate(uint64_t bytes, host::Memory kind) {
  if (bytes == 0) {
    return 0;
  }
  require(kind != host::Memory::kDevice || bytes <= device_free(), Status::kMemoryAllocation,
          "more than other processes have left of the device's memory");
  const bool paged = kind == host::Memory::kManaged && pages_fault();
  Allocation& a = space_.allocate(bytes, kind, paged);
  timeline_.allocated(a, name_of(kind));
  if (paged) {
    Unified& u = unified_[a.buffer.id];
    u.address = a.address;
    u.bytes = bytes;
    u.pages.resize(divide_up(bytes, uint64_t{params_.um.page}));
  }
  timeline_.call([&](auto& t) { t.malloc(a.buffer); });
  tell_use();
  return a.address;
}

void Context::release(uint64_t address) {
  if (address == 0) {
    return;
  }
  const Allocation* a = space_.at(address);
  require(a != nullptr && (a->kind == host::Memory::kDevice || a->kind == host::Memory::kManaged),
          Status::kInvalidValue, "no device memory begins there");
  require(!a->imported, Status::kInvalidValue, "another process's memory");
  not_in_any_capture();
  timeline_.call([&](auto& t) { t.free(a->buffer); });
  unified_.erase(a->buffer.id);
  advised_.erase(address);
  if (!pools_.release(address)) {
    space_.release(address, false);
  }
  tell_use();
  flush();
}

void Context::release_host(uint64_t address) {
  if (address == 0) {
    return;
  }
  const Allocation* a = space_.at(address);
  require(a != nullptr && a->kind != host::Memory::kDevice && a->kind != host::Memory::kManaged,
          Status::kInvalidValue, "no pinned memory begins there");
  timeline_.call([&](auto& t) { t.free(a->buffer); });
  when_idle([this, address] { space_.release(address, false); });
}

void Context::register_host(uint64_t address, uint64_t bytes) {
  require(address != 0 && bytes != 0 && readable(pointer(address), bytes), Status::kInvalidValue,
          "no memory of the host's");
  Allocation& a = space_.adopt(address, bytes);
  timeline_.registered(a);
}

void Context::unregister_host(uint64_t address) {
  const Allocation* a = space_.at(address);
  require(a != nullptr && a->registered, Status::kHostMemoryNotRegistered);
  timeline_.unregistered(*a);
  when_idle([this, address] { space_.release(address, true); });
}

uint64_t Context::allocate(uint64_t bytes, Stream& stream, Pool& pool) {
  require(bytes != 0, Status::kInvalidValue);
  if (stream.capture) {
    require(!stream.capture->invalid, Status::kStreamCaptureInvalidated);
    const uint64_t address = allocate_for_graph(bytes);
    captured(stream, AllocateWork{address, bytes}, false);
    return address;
  }
  settle(stream);
  Allocation& a = pools_.allocate(pool, bytes, stream.id, stream.frees);
  timeline_.allocated(a, "pool memory");
  timeline_.call([&](auto& t) { t.mallocAsync(a.buffer, stream.model, pool.model); });
  return a.address;
}

uint64_t Context::allocate_for_graph(uint64_t bytes) {
  Allocation& a = space_.allocate(bytes, host::Memory::kDevice);
  timeline_.allocated(a, "graph memory");
  a.graph = true;
  timeline_.call([&](auto& t) { t.malloc(a.buffer); });
  return a.address;
}

void Context::release(uint64_t address, Stream& stream) {
  const Allocation* a = space_.at(address);
  require(a != nullptr && a->kind == host::Memory::kDevice, Status::kInvalidValue,
          "no device memory begins there");
  if (captured(stream, FreeWork{address}, false) || a->graph) {
    return;
  }
  timeline_.call([&](auto& t) { t.freeAsync(a->buffer, stream.model); });
  settle(stream);
  if (!pools_.release(address, stream.id, ++stream.frees[stream.id])) {
    when_idle([this, address] { space_.release(address, false); });
  }
}

void Context::copy(CopyWork c, Stream& stream, bool waits) {
  if (c.width == 0 || c.height == 0 || c.depth == 0) {
    return;
  }
  const bool to = space_.memory().range(c.to) != nullptr, from = space_.memory().range(c.from) != nullptr;
  using D = CopyWork::Direction;
  const auto device_only = [&](uint64_t address) {
    const Allocation* a = space_.find(address);
    return a != nullptr && a->kind == host::Memory::kDevice;
  };
  const bool wrong = ((c.direction == D::kHostToDevice || c.direction == D::kDeviceToDevice) && !to) ||
                     ((c.direction == D::kDeviceToHost || c.direction == D::kDeviceToDevice) && !from) ||
                     (c.direction == D::kHostToDevice && device_only(c.from)) ||
                     (c.direction == D::kDeviceToHost && device_only(c.to));
  require(!wrong, Status::kInvalidValue, "an address is not on the side that the direction says");
  require(c.direction <= D::kDefault, Status::kInvalidMemcpyDirection);
  check_copy(c);
  if (captured(stream, c, waits)) {
    return;
  }
  const uint64_t values = keep(c, false);
  submitted(values, timeline_.copied(c, stream.model, waits, values));
  if (waits) {
    flush();
  }
}

// Of an array all of it.
uint64_t Context::end_of_source(const CopyWork& c) {
  return c.from_array ? exec::texture::bytes_of(c.from_array->image) : end_of(c, c.from_pitch, c.from_plane);
}
uint64_t Context::end_of_target(const CopyWork& c) {
  return c.to_array ? exec::texture::bytes_of(c.to_array->image) : end_of(c, c.to_pitch, c.to_plane);
}

void Context::check_copy(const CopyWork& c) {
  space_.bytes(c.to, end_of_target(c));
  space_.bytes(c.from, end_of_source(c));
}

void Context::set(MemsetWork m, Stream& stream, bool waits) {
  if (m.width == 0 || m.height == 0) {
    return;
  }
  require(space_.memory().range(m.to) != nullptr, Status::kInvalidValue, "no device memory is there");
  space_.bytes(m.to, end_of(m));
  if (captured(stream, m, waits)) {
    return;
  }
  const uint64_t values = keep(m, false);
  submitted(values, timeline_.set(m, stream.model, waits, values));
}

CopyWork Context::symbol_copy(const void* symbol, uint64_t offset, uint64_t other, uint64_t bytes,
                              bool to_symbol) {
  const LoadedVariable& v = library_.variable(symbol);
  require(offset <= v.bytes && bytes <= v.bytes - offset, Status::kInvalidValue, "beyond the variable's end");
  CopyWork c;
  c.width = bytes;
  c.to = to_symbol ? v.address + offset : other;
  c.from = to_symbol ? other : v.address + offset;
  return c;
}

uint64_t Context::symbol_address(const void* symbol) {
  const LoadedVariable& v = library_.variable(symbol);
  return v.address;
}

}  // namespace heddle::cuda
