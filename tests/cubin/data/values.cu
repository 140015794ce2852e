// Kernels of values_test.cc.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

// Lanes t with in[t] < 2 are left; which they are is not known to the compiler.
extern "C" __global__ void votes(uint32_t* out, const uint32_t* in) {
  const uint32_t t = threadIdx.x, mine = in[t];
  if (mine >= 2) return;
  const uint32_t here = __activemask();
  out[4 * t] = __ballot_sync(here, mine == 1);
  out[4 * t + 1] = __any_sync(here, mine == 7);
  out[4 * t + 2] = __all_sync(here, mine < 2);
  out[4 * t + 3] = __popc(__match_any_sync(here, mine)) + (__reduce_add_sync(here, t) << 8);
}

// Half a warp at one place, half at another: they exchange all the same.
extern "C" __global__ void two_places(uint32_t* out, uint32_t cut) {
  const uint32_t t = threadIdx.x;
  uint32_t a, b, c, d, e;
  if (t < cut) {
    a = __shfl_xor_sync(~0u, t + 100, 16), b = __ballot_sync(~0u, t % 3 == 0);
    c = __match_any_sync(~0u, t % 4), d = __reduce_add_sync(~0u, t), e = __all_sync(~0u, t < 16);
    out[5 * 32 + t] = a ^ b;
  } else {
    out[6 * 32 + t] = 2;
    a = __shfl_xor_sync(~0u, t + 100, 16), b = __ballot_sync(~0u, t % 3 == 0);
    c = __match_any_sync(~0u, t % 4), d = __reduce_add_sync(~0u, t), e = __all_sync(~0u, t < 16);
  }
  const uint32_t all[] = {a, b, c, d, e};
  for (int i = 0; i < 5; ++i) out[32 * i + t] = all[i];
}

// Lanes 0 to 3 wait, lanes 4 to 7 end, the others come last.
extern "C" __global__ void some_end(uint32_t* out, uint32_t turns) {
  const uint32_t t = threadIdx.x;
  volatile uint32_t* p = out;
  if (t < 4) {
    out[t] = __shfl_xor_sync(~0u, t, 1);
  } else if (t < 8) {
    for (uint32_t i = 0; i < turns; ++i) p[t] = i;
  } else {
    for (uint32_t i = 0; i < 9 * turns; ++i) p[t] = i;
    out[t] = __shfl_xor_sync(~0u, t, 1);
  }
}

// Two blocks of a cluster. Where lane t adds: its block's shared memory, the other block's, global memory.
template <class T, class F>
__device__ void at_all_places(F change, uint64_t* out, uint32_t where) {
  __shared__ __align__(16) uint64_t near_words[2];
  uint64_t* far_words = out + 8;
  if (threadIdx.x < 2) near_words[threadIdx.x] = 0;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  uint32_t rank, mine = static_cast<uint32_t>(__cvta_generic_to_shared(near_words)), remote;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(mine), "r"(rank ^ 1));
  const uint32_t place = where >> 2 * (threadIdx.x % 4) & 3;
  uint64_t* p = place == 0 ? near_words : place == 1 ? static_cast<uint64_t*>(__cvta_shared_to_generic(remote)) : far_words;
  change(reinterpret_cast<T*>(p), reinterpret_cast<T*>(p + 1));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x < 2) out[2 * rank + threadIdx.x] = near_words[threadIdx.x];
  if (threadIdx.x < 2 && rank == 0) out[4 + threadIdx.x] = far_words[threadIdx.x];
}
#define SUMS(name, T, one, two)                                                        \
  extern "C" __global__ void name(uint64_t* out, uint32_t where) {                     \
    at_all_places<T>(                                                                  \
        [&](T* a, T* b) {                                                              \
          atomicAdd(a, one);                                                           \
          const T old = atomicAdd(b, two);                                             \
          if (*reinterpret_cast<const unsigned short*>(&old) == 0xffff) out[7] = 1;    \
        },                                                                             \
        out, where);                                                                   \
  }
SUMS(sums_u32, unsigned, 1u, 2u)
SUMS(sums_u64, unsigned long long, 1ull << 32 | 1, 2ull)
SUMS(sums_f32, float, 1.0f, 2.0f)
SUMS(sums_f64, double, 1.0, 2.0)
SUMS(sums_f16, __half, __float2half(1), __float2half(2))
SUMS(sums_f16x2, __half2, __floats2half2_rn(1, -1), __floats2half2_rn(2, -2))
SUMS(sums_bf16x2, __nv_bfloat162, __floats2bfloat162_rn(1, -1), __floats2bfloat162_rn(2, -2))

// The others of 64 bits: bits of the lanes that came; how many came, which none of the comparisons changes.
extern "C" __global__ void others_u64(uint64_t* out, uint32_t where) {
  at_all_places<unsigned long long>(
      [&](unsigned long long* a, unsigned long long* b) {
        const unsigned long long bit = 1ull << threadIdx.x;
        atomicOr(a, bit), atomicXor(a, 1ull << 7), atomicXor(a, 1ull << 7), atomicAnd(a, ~0ull << 4);
        atomicMin(b, ~0ull), atomicMax(reinterpret_cast<long long*>(b), -1ll);
        atomicMax(b, 0ull), atomicMin(reinterpret_cast<long long*>(b), 1ll << 40);
        unsigned long long old = *b, seen;
        while ((seen = atomicCAS(b, old, old + 1)) != old) old = seen;
      },
      out, where);
}

// 16 bytes at once: in shared memory and in global memory.
extern "C" __global__ void swaps_128(uint64_t* out) {
  __shared__ __align__(16) uint64_t near_words[2];
  if (threadIdx.x < 2) near_words[threadIdx.x] = 100 + threadIdx.x;
  __syncthreads();
  const auto mine = static_cast<uint32_t>(__cvta_generic_to_shared(near_words));
  uint64_t* far_words = out + 8;
  if (threadIdx.x == 0) {
    asm volatile(
        "{.reg .b128 %a, %b, %c;\nmov.b128 %a, {%8, %9};\natom.shared.exch.b128 %b, [%7], %a;\nmov.b128 {%0, %1}, %b;\n"
        "mov.b128 %c, {%9, %8};\natom.shared.cas.b128 %b, [%7], %a, %c;\nmov.b128 {%2, %3}, %b;\n"
        "atom.global.exch.b128 %b, [%6], %a;\natom.global.cas.b128 %b, [%6], %c, %a;\nmov.b128 {%4, %5}, %b;}"
        : "=l"(out[0]), "=l"(out[1]), "=l"(out[2]), "=l"(out[3]), "=l"(out[4]), "=l"(out[5])
        : "l"(far_words), "r"(mine), "l"(uint64_t{7}), "l"(uint64_t{9})
        : "memory");
    out[6] = near_words[0], out[7] = near_words[1];
  }
}

// Vectors of halves.
extern "C" __global__ void vectors(uint32_t* out) {
  uint32_t one, two;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(one) : "f"(1.0f), "f"(2.0f));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(3.0f), "f"(4.0f));
  asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %1, %1, %1};" ::"l"(out), "r"(one) : "memory");
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(out + 4), "r"(two) : "memory");
  asm volatile("red.global.max.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(out + 8), "r"(two) : "memory");
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int deep(int n, volatile int* p) {
  volatile int kept[4];
  kept[n & 3] = n;
  *p = n;
  return n == 0 ? 0 : deep(n - 1, p) + kept[n & 3];
}
extern "C" __global__ void recursion(int* out, int n, int depth) {
  out[threadIdx.x] = depth != 0 ? deep(depth, out + 32) : fibonacci(n + threadIdx.x);
}

#define READ(i, r) asm volatile("mov.u32 %0, %%" #r ";" : "=r"(v)); out[i] = v;
#define READ64(i, r) asm volatile("mov.u64 %0, %%" #r ";" : "=l"(w)); out[i] = w;
extern "C" __global__ void special(uint64_t* all) {
  extern __shared__ uint32_t more[];
  more[threadIdx.x] = 1;
  uint64_t* out = all + 20 * threadIdx.x;
  uint32_t v;
  uint64_t w;
  READ(0, warpid) READ(1, nwarpid) READ(2, nsmid) READ(3, total_smem_size) READ(4, aggr_smem_size)
  READ(5, dynamic_smem_size) READ(6, reserved_smem_offset_end) READ(7, reserved_smem_offset_cap)
  READ(8, reserved_smem_offset_1) READ64(9, gridid) READ64(10, current_graph_exec) READ(11, envreg0)
  READ(12, envreg31) READ(13, pm0) READ(14, pm7) READ64(15, pm0_64) READ64(16, pm7_64)
  out[17] = more[0];
}
