// Allocations, copies, memsets, symbols, pointers.
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/touches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- allocations

HEDDLE_CUDA int32_t cudaMalloc(Given<void*> out, size_t bytes) {
  return call_into(out, [&](Context& c) { return pointer(c.allocate(bytes, host::Memory::kDevice)); });
}

HEDDLE_CUDA int32_t cudaMallocPitch(Given<void*> out, Given<size_t> pitch, size_t width, size_t height) {
  return call([&](Context& c) {
    void*& to = *out;
    size_t& row = *pitch;
    size_t bytes = 0;
    const bool too_much =
        width > SIZE_MAX - kPitchUnit ||
        __builtin_mul_overflow((width + kPitchUnit - 1) / kPitchUnit * kPitchUnit, height, &bytes);
    cuda::require(!too_much, Status::kMemoryAllocation, "more than all bytes that there are");
    to = pointer(c.allocate(bytes, host::Memory::kDevice));
    row = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  });
}

HEDDLE_CUDA int32_t cudaMalloc3D(Given<abi::PitchedPointer> out, abi::Extent e) {
  size_t rows = 0;
  if (out.pointer() == nullptr || __builtin_mul_overflow(e.height, e.depth, &rows)) {
    return call([&](Context&) {
      return out.pointer() == nullptr ? Status::kInvalidValue : Status::kMemoryAllocation;
    });
  }
  const int32_t status = cudaMallocPitch(&out->pointer, &out->pitch, e.width, rows);
  if (status == 0) {
    out->width = e.width;
    out->height = e.height;
  }
  return status;
}

HEDDLE_CUDA int32_t cudaFree(void* p) {
  return call([&](Context& c) { c.release(number(p)); });
}

HEDDLE_CUDA int32_t cudaHostAlloc(Given<void*> out, size_t bytes, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    constexpr uint32_t kMapped = 2, kWriteCombined = 4;
    cuda::require(flags < 8, Status::kInvalidValue, "flags of pinned memory");
    return pointer(c.allocate(bytes, (flags & kWriteCombined) != 0 ? host::Memory::kWriteCombined
                                     : (flags & kMapped) != 0      ? host::Memory::kMapped
                                                                   : host::Memory::kPinned));
  });
}

HEDDLE_CUDA int32_t cudaMallocHost(Given<void*> out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }

HEDDLE_CUDA int32_t cudaFreeHost(void* p) {
  return call([&](Context& c) { c.release_host(number(p)); });
}

HEDDLE_CUDA int32_t cudaMallocManaged(Given<void*> out, size_t bytes, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    cuda::require(bytes != 0 && (flags == 1 || flags == 2), Status::kInvalidValue);
    watch_touches();
    return pointer(c.allocate(bytes, host::Memory::kManaged));
  });
}

HEDDLE_CUDA int32_t cudaHostRegister(void* p, size_t bytes, uint32_t /*flags*/) {
  return call([&](Context& c) { c.register_host(number(p), bytes); });
}

HEDDLE_CUDA int32_t cudaHostUnregister(void* p) {
  return call([&](Context& c) { c.unregister_host(number(p)); });
}

HEDDLE_CUDA int32_t cudaHostGetDevicePointer(Given<void*> out, void* host, uint32_t /*flags*/) {
  return call_into(out, [&](Context& c) {
    const cuda::Allocation* a = c.space().find(number(host));
    cuda::require(a != nullptr && a->kind != host::Memory::kDevice, Status::kInvalidValue,
                  "no pinned memory");
    return host;
  });
}

HEDDLE_CUDA int32_t cudaHostGetFlags(Given<uint32_t> flags, void* host) {
  return call_into(flags, [&](Context& c) {
    const cuda::Allocation* a = c.space().find(number(host));
    cuda::require(a != nullptr && a->kind != host::Memory::kDevice, Status::kInvalidValue,
                  "no pinned memory");
    return a->kind == host::Memory::kWriteCombined ? 6 : 2;
  });
}

HEDDLE_CUDA int32_t cudaMemGetInfo(Given<size_t> free, Given<size_t> total) {
  return call([&](Context& c) {
    size_t &f = *free, &t = *total;
    c.timeline().call([&](auto& t) { t.memGetInfo(); });
    t = c.params().memory.total;
    f = c.device_free();
  });
}

HEDDLE_CUDA int32_t cudaPointerGetAttributes(Given<abi::PointerAttributes> out, const void* p) {
  return call([&](Context& c) {
    *out = {};
    const cuda::Allocation* a = c.space().find(number(p));
    const bool variable = a == nullptr && c.space().memory().range(number(p)) != nullptr;
    if (a == nullptr && !variable) {
      out->device = -2;
      out->host_pointer = const_cast<void*>(p);
      return;
    }
    const host::Memory kind = variable ? host::Memory::kDevice : a->kind;
    out->type = kind == host::Memory::kDevice ? 2 : kind == host::Memory::kManaged ? 3 : 1;
    out->device_pointer = const_cast<void*>(p);
    out->host_pointer = kind == host::Memory::kDevice ? nullptr : const_cast<void*>(p);
  });
}

// ---- copies

namespace {

cuda::CopyWork peer_copy(void* to, int32_t to_device, const void* from, int32_t from_device, size_t bytes) {
  constexpr int32_t kDeviceToDevice = 3;
  cuda::require(to_device == 0 && from_device == 0, Status::kInvalidDevice);
  return plain_copy(number(to), number(from), bytes, kDeviceToDevice);
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemcpy(void* to, const void* from, size_t bytes, int32_t kind) {
  return call([&](Context& c) {
    c.copy(plain_copy(number(to), number(from), bytes, kind), c.stream(nullptr), true);
  });
}

HEDDLE_CUDA int32_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int32_t kind, void* stream) {
  return call([&](Context& c) {
    c.copy(plain_copy(number(to), number(from), bytes, kind), c.stream(stream), false);
  });
}

HEDDLE_CUDA int32_t cudaMemcpyPeer(void* to, int32_t to_device, const void* from, int32_t from_device,
                                   size_t bytes) {
  return call([&](Context& c) {
    c.copy(peer_copy(to, to_device, from, from_device, bytes), c.stream(nullptr), true);
  });
}
HEDDLE_CUDA int32_t cudaMemcpyPeerAsync(void* to, int32_t to_device, const void* from, int32_t from_device,
                                        size_t bytes, void* stream) {
  return call([&](Context& c) {
    c.copy(peer_copy(to, to_device, from, from_device, bytes), c.stream(stream), false);
  });
}

HEDDLE_CUDA int32_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                 size_t height, int32_t kind) {
  return call([&](Context& c) {
    c.copy(copy_2d(number(to), to_pitch, number(from), from_pitch, width, height, kind), c.stream(nullptr),
           true);
  });
}

HEDDLE_CUDA int32_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                      size_t width, size_t height, int32_t kind, void* stream) {
  return call([&](Context& c) {
    c.copy(copy_2d(number(to), to_pitch, number(from), from_pitch, width, height, kind), c.stream(stream),
           false);
  });
}

HEDDLE_CUDA int32_t cudaMemcpy3D(Given<const abi::Copy3D> p) {
  return call([&](Context& c) { c.copy(copy_3d(*p, c), c.stream(nullptr), true); });
}
HEDDLE_CUDA int32_t cudaMemcpy3DAsync(Given<const abi::Copy3D> p, void* stream) {
  return call([&](Context& c) { c.copy(copy_3d(*p, c), c.stream(stream), false); });
}

// ---- memsets

HEDDLE_CUDA int32_t cudaMemset(void* to, int32_t value, size_t bytes) {
  return call([&](Context& c) { c.set(memset_of(number(to), 0, value, bytes, 1), c.stream(nullptr), true); });
}
HEDDLE_CUDA int32_t cudaMemsetAsync(void* to, int32_t value, size_t bytes, void* stream) {
  return call([&](Context& c) { c.set(memset_of(number(to), 0, value, bytes, 1), c.stream(stream), false); });
}
HEDDLE_CUDA int32_t cudaMemset2D(void* to, size_t pitch, int32_t value, size_t width, size_t height) {
  return call([&](Context& c) {
    c.set(memset_of(number(to), pitch, value, width, height), c.stream(nullptr), true);
  });
}
HEDDLE_CUDA int32_t cudaMemset2DAsync(void* to, size_t pitch, int32_t value, size_t width, size_t height,
                                      void* stream) {
  return call([&](Context& c) {
    c.set(memset_of(number(to), pitch, value, width, height), c.stream(stream), false);
  });
}

// ---- variables of the program

namespace {

int32_t copy_symbol(const void* symbol, const void* other, size_t bytes, size_t offset, int32_t kind,
                    bool to_symbol, void* stream, bool waits) {
  return call([&](Context& c) {
    cuda::require(kind >= 0 && kind <= 4, Status::kInvalidMemcpyDirection);
    cuda::CopyWork w = c.symbol_copy(symbol, offset, number(other), bytes, to_symbol);
    w.direction = static_cast<cuda::CopyWork::Direction>(kind);
    c.copy(w, c.stream(stream), waits);
  });
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                       int32_t kind) {
  return copy_symbol(symbol, from, bytes, offset, kind, true, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                            int32_t kind, void* stream) {
  return copy_symbol(symbol, from, bytes, offset, kind, true, stream, false);
}
HEDDLE_CUDA int32_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                         int32_t kind) {
  return copy_symbol(symbol, to, bytes, offset, kind, false, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                              int32_t kind, void* stream) {
  return copy_symbol(symbol, to, bytes, offset, kind, false, stream, false);
}
HEDDLE_CUDA int32_t cudaGetSymbolAddress(Given<void*> out, const void* symbol) {
  return call_into(out, [&](Context& c) { return pointer(c.symbol_address(symbol)); });
}
HEDDLE_CUDA int32_t cudaGetSymbolSize(Given<size_t> out, const void* symbol) {
  return call_into(out, [&](Context& c) { return c.library().variable(symbol).bytes; });
}

// ---- unified memory

HEDDLE_CUDA int32_t cudaMemPrefetchAsync(const void* p, size_t bytes, abi::Location location,
                                         uint32_t /*flags*/, void* stream) {
  return call([&](Context& c) {
    const cuda::Allocation* a = c.space().find(number(p));
    cuda::require(
        a != nullptr && a->kind == host::Memory::kManaged && bytes <= a->bytes - (number(p) - a->address),
        Status::kInvalidValue, "no unified memory");
    constexpr int32_t kDevice = 1;
    c.timeline().call([&](auto& t) {
      t.memPrefetchAsync(a->buffer, location.type == kDevice ? 0 : host::kNone, c.stream(stream).model,
                         number(p) - a->address, bytes);
    });
    cuda::Advised& said = c.advised(a->address);
    said.prefetched_type = location.type;
    said.prefetched_id = location.id;
  });
}

HEDDLE_CUDA int32_t cudaMemAdvise(const void* p, size_t bytes, int32_t advice, abi::Location location) {
  return call([&](Context& c) {
    const cuda::Allocation* a = c.space().find(number(p));
    cuda::require(
        a != nullptr && a->kind == host::Memory::kManaged && bytes != 0 && advice >= 1 && advice <= 6,
        Status::kInvalidValue, "no unified memory, or no advice");
    constexpr int32_t kDevice = 1;
    c.timeline().call([&](auto& t) {
      t.memAdvise(a->buffer, static_cast<host::Advice>(advice - 1),
                  location.type == kDevice ? 0 : host::kNone);
    });
    cuda::Advised& said = c.advised(a->address);
    switch (static_cast<host::Advice>(advice - 1)) {
      case host::Advice::kSetReadMostly:
      case host::Advice::kUnsetReadMostly:
        said.read_mostly = static_cast<host::Advice>(advice - 1) == host::Advice::kSetReadMostly;
        break;
      case host::Advice::kSetPreferredLocation:
        said.preferred_type = location.type;
        said.preferred_id = location.id;
        break;
      case host::Advice::kUnsetPreferredLocation:
        said.preferred_type = said.preferred_id = 0;
        break;
      case host::Advice::kSetAccessedBy:
      case host::Advice::kUnsetAccessedBy:
        said.accessed = static_cast<host::Advice>(advice - 1) == host::Advice::kSetAccessedBy;
        break;
    }
  });
}

HEDDLE_CUDA int32_t cudaStreamAttachMemAsync(void* stream, void* p, size_t bytes, uint32_t flags) {
  return call([&](Context& c) {
    const cuda::Allocation* a = c.space().find(number(p));
    cuda::require(a != nullptr && a->kind == host::Memory::kManaged, Status::kInvalidValue,
                  "no unified memory");
    cuda::require(flags == 1 || flags == 2 || flags == 4, Status::kInvalidValue, "flags of attached memory");
    const host::Attach to = flags == 1   ? host::Attach::kGlobal
                            : flags == 2 ? host::Attach::kHost
                                         : host::Attach::kStream;
    c.timeline().call([&](auto& t) { t.streamAttachMemAsync(c.stream(stream).model, a->buffer, to, bytes); });
  });
}
