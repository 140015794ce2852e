// The code that is called before each instruction of an instrumented kernel, by all active threads of a warp. It appends
// one record (frontends/capture/protocol.h) to the device's buffer.
#include <stdint.h>

#include "frontends/capture/protocol.h"
#include "tools/tracer/buffer.h"

using namespace heddle::capture;

namespace {

struct Warp {
  uint32_t active, mask;  // mask: active and predicate
  uint32_t lane, first;   // first: lowest active lane, which writes what is the same for all
};

__device__ __forceinline__ Warp warp_of(int predicate) {
  Warp w;
  w.active = __activemask();
  w.mask = __ballot_sync(w.active, predicate);
  asm("mov.u32 %0, %%laneid;" : "=r"(w.lane));
  w.first = __ffs(w.active) - 1;
  return w;
}

// What the injected calls are given of the launch: the buffer, and which of its targets this is.
struct Place {
  Buffer* buffer;
  uint64_t launch;
};

__device__ __forceinline__ bool is_in(const Target& t, uint32_t linear) {
#if __CUDA_ARCH__ >= 900
  if (t.by_cluster) {
    uint32_t x, y, z, nx, ny, rank, blocks;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(z));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    linear = (x + nx * (y + ny * z)) * blocks + rank;
  }
#endif
  return linear >= t.first && linear < t.end;
}

// The target that wants this block's records; null: none. One thread of a warp asks.
__device__ __forceinline__ const Target* target_of(const Place& to, uint32_t linear) {
  Buffer* b = to.buffer;
  if (b->count == 0) {
    return nullptr;
  }
  if (b->count > 1 && to.launch - 1 >= b->count) {
    atomicAdd(&b->astray, 1ull);
    b->stray = (uint32_t)to.launch;
    return nullptr;
  }
  const Target* t = b->targets + (b->count > 1 ? to.launch - 1 : 0);
  return is_in(*t, linear) ? t : nullptr;
}

// Room for a record with `bytes` behind its head, whose place is returned; 0 where the buffer is full, or the
// block is not recorded.
__device__ __forceinline__ unsigned char* append(const Warp& w, uint32_t instr, uint32_t form, uint32_t bytes,
                                                 const Place& to) {
  constexpr unsigned long long kNowhere = ~0ull;
  const uint32_t linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned long long at = kNowhere;
  uint32_t node = 0;
  if (w.lane == w.first) {
    if (const Target* t = target_of(to, linear)) {
      node = t->node;
      at = atomicAdd(&to.buffer->head, (unsigned long long)(sizeof(Record) + bytes));
    }
  }
  at = __shfl_sync(w.active, at, w.first);
  if (at == kNowhere || at + sizeof(Record) + bytes > to.buffer->capacity) {
    return nullptr;
  }
  unsigned char* p = to.buffer->bytes + at;
  if (w.lane == w.first) {
    const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    uint2* head = reinterpret_cast<uint2*>(p);
    head[0] = make_uint2(linear, instr);
    head[1] = make_uint2(w.mask, thread >> 5 | form << 8 | node << 16);
  }
  return p + sizeof(Record);
}

__device__ __forceinline__ Place place(uint64_t buffer, uint64_t launch) {
  return {reinterpret_cast<Buffer*>(buffer), launch};
}

struct List {
  long long base, stride;
  uint32_t strided, rank;
};

// How the set lanes' numbers are written.
__device__ __forceinline__ List list_of(const Warp& w, long long v) {
  List l;
  const uint32_t low = __ffs(w.mask) - 1;
  const uint32_t others = w.mask & (w.mask - 1);
  const uint32_t second = others ? __ffs(others) - 1 : low;
  l.rank = __popc(w.mask & ((1u << w.lane) - 1));
  l.base = __shfl_sync(w.active, v, low);
  l.stride = __shfl_sync(w.active, v, second) - l.base;
  const bool fits = v == l.base + l.rank * l.stride || !(w.mask >> w.lane & 1);
  l.strided = __all_sync(w.active, fits);
  return l;
}
__device__ __forceinline__ uint32_t bytes_of(const List& l, const Warp& w) {
  return l.strided ? 16 : 8 * __popc(w.mask);
}
__device__ __forceinline__ void write(unsigned char* p, const List& l, const Warp& w, long long v) {
  long long* out = reinterpret_cast<long long*>(p);
  if (!l.strided) {
    if (w.mask >> w.lane & 1) {
      out[l.rank] = v;
    }
  } else if (w.lane == w.first) {
    out[0] = l.base;
    out[1] = l.stride;
  }
}

__device__ __forceinline__ void two_lists(int predicate, uint32_t instr, const Place& out, uint64_t a, uint64_t b,
                                          uint32_t kind) {
  const Warp w = warp_of(predicate);
  if (w.mask == 0) {
    append(w, instr, 0, 0, out);
    return;
  }
  const List first = list_of(w, a), second = list_of(w, b);
  const uint32_t bytes = bytes_of(first, w);
  const uint32_t form = 2 | kind | (first.strided ? kStrided : 0) | (second.strided ? kSecondStrided : 0);
  if (unsigned char* p = append(w, instr, form, bytes + bytes_of(second, w), out)) {
    write(p, first, w, a);
    write(p + bytes, second, w, b);
  }
}

}  // namespace

extern "C" {

__device__ __noinline__ void heddle_plain(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch) {
  append(warp_of(predicate), instr, 0, 0, place(buffer, launch));
}

__device__ __noinline__ void heddle_address(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch,
                                            uint64_t address) {
  const Warp w = warp_of(predicate);
  const Place out = place(buffer, launch);
  if (w.mask == 0) {
    append(w, instr, 0, 0, out);
    return;
  }
  const List l = list_of(w, address);
  if (unsigned char* p = append(w, instr, 1 | (l.strided ? kStrided : 0), bytes_of(l, w), out)) {
    write(p, l, w, address);
  }
}

// LDGSTS: global addresses, then shared ones.
__device__ __noinline__ void heddle_addresses(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch,
                                              uint64_t a, uint64_t b) {
  two_lists(predicate, instr, place(buffer, launch), a, b, 0);
}

// SYNCS: addresses, and the data operand.
__device__ __noinline__ void heddle_operand(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch,
                                            uint64_t address, uint32_t low, uint32_t high) {
  two_lists(predicate, instr, place(buffer, launch), address, (uint64_t)high << 32 | low, kOperands);
}

// STAS, REDAS: the registers that hold the address and the barrier's, and the immediate.
__device__ __noinline__ void heddle_remote(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch,
                                           uint32_t address, uint32_t barrier, uint32_t immediate) {
  two_lists(predicate, instr, place(buffer, launch), address + immediate, barrier, kOperands);
}

// `map`: which of the values is the low half of a tensor map's address; kUniformValues: none.
__device__ __noinline__ void heddle_uniform(int predicate, uint32_t instr, uint64_t buffer, uint64_t launch,
                                            uint32_t map, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3, uint32_t v4, uint32_t v5,
                                            uint32_t v6, uint32_t v7, uint32_t v8, uint32_t v9, uint32_t v10,
                                            uint32_t v11) {
  const Warp w = warp_of(predicate);
  const Place out = place(buffer, launch);
  if (w.mask == 0) {
    append(w, instr, 0, 0, out);
    return;
  }
  const bool has_map = map < kUniformValues;
  const uint32_t bytes = kUniformValues * 4 + (has_map ? 8 + kTensorMapBytes : 0);
  unsigned char* p = append(w, instr, kUniform | (has_map ? kTensorMap : 0), bytes, out);
  if (!p || w.lane != w.first) {
    return;
  }
  const uint32_t v[kUniformValues] = {v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11};
  uint64_t address = 0;
#pragma unroll
  for (uint32_t i = 0; i < kUniformValues; ++i) {
    reinterpret_cast<uint32_t*>(p)[i] = v[i];
    address |= i == map ? v[i] : i == map + 1 ? (uint64_t)v[i] << 32 : 0;
  }
  if (has_map) {
    p += kUniformValues * 4;
    uint64_t* to = reinterpret_cast<uint64_t*>(p);
    to[0] = address;
#pragma unroll 1
    for (uint32_t i = 0; i < kTensorMapBytes / 8; ++i) {
      // generic: parameters, constant and global memory; volatile: it may have been changed by another block
      asm volatile("ld.volatile.u64 %0, [%1];" : "=l"(to[1 + i]) : "l"(address + 8 * i));
    }
  }
}

}  // extern "C"
