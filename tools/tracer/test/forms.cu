// Each form of tensor copies, bulk copies and barrier operations once, in a kernel of its own, with operands that can be
// told apart. Prints what each was given, so that the values in a capture can be compared with it:
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o forms forms.cu
//   heddle capture -o DIR -- ./forms
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using u32 = uint32_t;
using u64 = uint64_t;
#define CK(x)                                                                            \
  do {                                                                                   \
    cudaError_t e_ = (x);                                                                \
    if (e_ != cudaSuccess) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));        \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

struct Args {
  CUtensorMap tile[6];    // by rank
  CUtensorMap im2col[6];  // 3..5
  char* global;
  u32* out;
  CUtensorMap* in_global;
};
__constant__ CUtensorMap in_constant;

constexpr u32 kBytes = 256;      // of each copy
constexpr u32 kBulkBytes = 528;  // of each bulk copy: 33 units of 16
constexpr u64 kPolicy = 0x14f0000000000000;  // evict last

__device__ __forceinline__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ u32 mapa(u32 address, u32 rank) {
  u32 out;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank));
  return out;
}
__device__ __forceinline__ void init(u32 bar, u32 n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(n)); }
__device__ __forceinline__ void expect(u32 bar, u32 n) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(n) : "memory");
}
__device__ __forceinline__ void wait(u32 bar) {
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra L;}" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

#define LOAD "cp.async.bulk.tensor."
#define TO_SHARED ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define IM2COL ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
#define C1 "r"(c)
#define C2 C1, "r"(c + 1)
#define C3 C2, "r"(c + 2)
#define C4 C3, "r"(c + 3)
#define C5 C4, "r"(c + 4)
// Of im2col copies all are in the tensor: else the instruction is illegal.
#define I3 "r"(40), "r"(13), "r"(11)
#define I4 "r"(40), "r"(13), "r"(9), "r"(6)
#define I5 "r"(40), "r"(13), "r"(9), "r"(5), "r"(3)

enum Op {
  kLoad1, kLoad2, kLoad3, kLoad4, kLoad5, kLoadHint, kLoadMulticast, kLoadMulticastHint, kIm3, kIm4, kIm5, kImHint,
  kImMulticast, kStore1, kStore2, kStore3, kStore4, kStore5, kStoreHint, kStoreIm4, kReduce1, kReduce2, kReduce5,
  kReduceHint, kPrefetch1, kPrefetch2, kPrefetch5, kPrefetchHint, kPrefetchIm4, kPrefetchMap, kBulkLoad, kBulkLoadHint,
  kBulkMulticast, kBulkStore, kBulkStoreHint, kBulkShared, kBulkReduce, kBulkReduceHint, kBulkReduceShared,
  kBulkPrefetch, kBulkPrefetchHint, kStoreAsync, kStoreAsync64, kStoreAsync4, kReduceAsync, kRemoteArrive,
  kMapConstant, kMapGlobal, kMapModified, kCopyArrive, kOps,
};

template <int OP>
__global__ __cluster_dims__(2, 1, 1) void forms(const __grid_constant__ Args a) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ __align__(8) u64 barriers[8];
  const u32 dst = at(shared) + 1024, src = at(shared) + 4096, bar = at(&barriers[3]);
  const int c = 0x1000 + 16 * OP;  // the first coordinate
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const bool one = threadIdx.x == 0 && rank == 0;
  const CUtensorMap* const t = a.tile;
  if (threadIdx.x == 0) {
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  const bool multicast = OP == kLoadMulticast || OP == kLoadMulticastHint || OP == kImMulticast || OP == kBulkMulticast;
  const bool remote = OP == kBulkShared || OP == kBulkReduceShared || OP == kStoreAsync || OP == kStoreAsync64 ||
                      OP == kStoreAsync4 || OP == kReduceAsync;
  const bool bulk = OP == kBulkLoad || OP == kBulkLoadHint || OP == kBulkMulticast || OP == kBulkShared || OP == kBulkReduceShared;
  const bool load = OP <= kImMulticast || (OP >= kMapConstant && OP <= kMapModified) || bulk;
  const u32 n = OP == kStoreAsync || OP == kReduceAsync ? 4 : OP == kStoreAsync64 ? 8 : OP == kStoreAsync4 ? 16 : bulk ? kBulkBytes : kBytes;
  const bool receives = (load && (one || multicast) && !remote) || (remote && rank == 1);
  if (threadIdx.x == 0 && receives) {
    expect(bar, n);
  }
  cluster_sync();
  const u32 peer_dst = mapa(dst, 1), peer_bar = mapa(bar, 1);
  if (one) {
    a.out[8 * OP] = dst;
    a.out[8 * OP + 1] = bar;
    a.out[8 * OP + 2] = src;
    a.out[8 * OP + 3] = peer_dst;
    a.out[8 * OP + 4] = peer_bar;
    const u64 generic = (u64)&t[2];
    a.out[8 * OP + 5] = (u32)generic;
    a.out[8 * OP + 6] = (u32)(generic >> 32);
    const unsigned short to = 3;
    if (OP == kLoad1) asm volatile(LOAD "1d" TO_SHARED " [%0], [%1, {%3}], [%2];" ::"r"(dst), "l"(&t[1]), "r"(bar), C1 : "memory");
    if (OP == kLoad2) asm volatile(LOAD "2d" TO_SHARED " [%0], [%1, {%3, %4}], [%2];" ::"r"(dst), "l"(&t[2]), "r"(bar), C2 : "memory");
    if (OP == kLoad3) asm volatile(LOAD "3d" TO_SHARED " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(dst), "l"(&t[3]), "r"(bar), C3 : "memory");
    if (OP == kLoad4) asm volatile(LOAD "4d" TO_SHARED " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(dst), "l"(&t[4]), "r"(bar), C4 : "memory");
    if (OP == kLoad5) asm volatile(LOAD "5d" TO_SHARED " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(dst), "l"(&t[5]), "r"(bar), C5 : "memory");
    if (OP == kLoadHint) asm volatile(LOAD "2d" TO_SHARED ".L2::cache_hint [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(dst), "l"(&t[2]), "r"(bar), "l"(kPolicy), C2 : "memory");
    if (OP == kLoadMulticast) asm volatile(LOAD "2d" TO_SHARED ".multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(dst), "l"(&t[2]), "r"(bar), "h"(to), C2 : "memory");
    if (OP == kLoadMulticastHint) asm volatile(LOAD "2d" TO_SHARED ".multicast::cluster.L2::cache_hint [%0], [%1, {%5, %6}], [%2], %3, %4;" ::"r"(dst), "l"(&t[2]), "r"(bar), "h"(to), "l"(kPolicy), C2 : "memory");
    const unsigned short w = 1, h = 2, d = 3;  // offsets of im2col
    if (OP == kIm3) asm volatile(LOAD "3d" IM2COL " [%0], [%1, {%4, %5, %6}], [%2], {%3};" ::"r"(dst), "l"(&a.im2col[3]), "r"(bar), "h"(w), I3 : "memory");
    if (OP == kIm4) asm volatile(LOAD "4d" IM2COL " [%0], [%1, {%5, %6, %7, %8}], [%2], {%3, %4};" ::"r"(dst), "l"(&a.im2col[4]), "r"(bar), "h"(w), "h"(h), I4 : "memory");
    if (OP == kIm5) asm volatile(LOAD "5d" IM2COL " [%0], [%1, {%6, %7, %8, %9, %10}], [%2], {%3, %4, %5};" ::"r"(dst), "l"(&a.im2col[5]), "r"(bar), "h"(w), "h"(h), "h"(d), I5 : "memory");
    if (OP == kImHint) asm volatile(LOAD "4d" IM2COL ".L2::cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%3, %4}, %5;" ::"r"(dst), "l"(&a.im2col[4]), "r"(bar), "h"(w), "h"(h), "l"(kPolicy), I4 : "memory");
    if (OP == kImMulticast) asm volatile(LOAD "4d" IM2COL ".multicast::cluster [%0], [%1, {%6, %7, %8, %9}], [%2], {%3, %4}, %5;" ::"r"(dst), "l"(&a.im2col[4]), "r"(bar), "h"(w), "h"(h), "h"(to), I4 : "memory");
#define STORE ".global.shared::cta.tile.bulk_group"
    if (OP == kStore1) asm volatile(LOAD "1d" STORE " [%0, {%2}], [%1];" ::"l"(&t[1]), "r"(src), C1 : "memory");
    if (OP == kStore2) asm volatile(LOAD "2d" STORE " [%0, {%2, %3}], [%1];" ::"l"(&t[2]), "r"(src), C2 : "memory");
    if (OP == kStore3) asm volatile(LOAD "3d" STORE " [%0, {%2, %3, %4}], [%1];" ::"l"(&t[3]), "r"(src), C3 : "memory");
    if (OP == kStore4) asm volatile(LOAD "4d" STORE " [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&t[4]), "r"(src), C4 : "memory");
    if (OP == kStore5) asm volatile(LOAD "5d" STORE " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&t[5]), "r"(src), C5 : "memory");
    if (OP == kStoreHint) asm volatile(LOAD "2d" STORE ".L2::cache_hint [%0, {%3, %4}], [%1], %2;" ::"l"(&t[2]), "r"(src), "l"(kPolicy), C2 : "memory");
    if (OP == kStoreIm4) asm volatile(LOAD "4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&a.im2col[4]), "r"(src), I4 : "memory");
#define REDUCE "cp.reduce.async.bulk.tensor."
#define ADD ".global.shared::cta.add.tile.bulk_group"
    if (OP == kReduce1) asm volatile(REDUCE "1d" ADD " [%0, {%2}], [%1];" ::"l"(&t[1]), "r"(src), C1 : "memory");
    if (OP == kReduce2) asm volatile(REDUCE "2d" ADD " [%0, {%2, %3}], [%1];" ::"l"(&t[2]), "r"(src), C2 : "memory");
    if (OP == kReduce5) asm volatile(REDUCE "5d" ADD " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&t[5]), "r"(src), C5 : "memory");
    if (OP == kReduceHint) asm volatile(REDUCE "2d" ADD ".L2::cache_hint [%0, {%3, %4}], [%1], %2;" ::"l"(&t[2]), "r"(src), "l"(kPolicy), C2 : "memory");
#define PREFETCH "cp.async.bulk.prefetch.tensor."
    if (OP == kPrefetch1) asm volatile(PREFETCH "1d.L2.global.tile [%0, {%1}];" ::"l"(&t[1]), C1 : "memory");
    if (OP == kPrefetch2) asm volatile(PREFETCH "2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&t[2]), C2 : "memory");
    if (OP == kPrefetch5) asm volatile(PREFETCH "5d.L2.global.tile [%0, {%1, %2, %3, %4, %5}];" ::"l"(&t[5]), C5 : "memory");
    if (OP == kPrefetchHint) asm volatile(PREFETCH "2d.L2.global.tile.L2::cache_hint [%0, {%2, %3}], %1;" ::"l"(&t[2]), "l"(kPolicy), C2 : "memory");
    if (OP == kPrefetchIm4) asm volatile(PREFETCH "4d.L2.global.im2col [%0, {%3, %4, %5, %6}], {%1, %2};" ::"l"(&a.im2col[4]), "h"(w), "h"(h), I4 : "memory");
    if (OP == kPrefetchMap) asm volatile("prefetch.tensormap [%0];" ::"l"(&t[2]) : "memory");
    const char* g = a.global + 0x100 * OP;
#define BULK "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    if (OP == kBulkLoad) asm volatile(BULK " [%0], [%1], %2, [%3];" ::"r"(dst), "l"(g), "r"(kBulkBytes), "r"(bar) : "memory");
    if (OP == kBulkLoadHint) asm volatile(BULK ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(dst), "l"(g), "r"(kBulkBytes), "r"(bar), "l"(kPolicy) : "memory");
    if (OP == kBulkMulticast) asm volatile(BULK ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(dst), "l"(g), "r"(kBulkBytes), "r"(bar), "h"(to) : "memory");
    if (OP == kBulkStore) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"(src), "r"(kBulkBytes) : "memory");
    if (OP == kBulkStoreHint) asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(g), "r"(src), "r"(kBulkBytes), "l"(kPolicy) : "memory");
    if (OP == kBulkShared) asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(peer_dst), "r"(src), "r"(kBulkBytes), "r"(peer_bar) : "memory");
    if (OP == kBulkReduce) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(g), "r"(src), "r"(kBulkBytes) : "memory");
    if (OP == kBulkReduceHint) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%0], [%1], %2, %3;" ::"l"(g), "r"(src), "r"(kBulkBytes), "l"(kPolicy) : "memory");
    if (OP == kBulkReduceShared) asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];" ::"r"(peer_dst), "r"(src), "r"(kBulkBytes), "r"(peer_bar) : "memory");
    if (OP == kBulkPrefetch) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(g), "r"(kBulkBytes) : "memory");
    if (OP == kBulkPrefetchHint) asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(g), "r"(kBulkBytes), "l"(kPolicy) : "memory");
#define ASYNC "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
    if (OP == kStoreAsync) asm volatile(ASYNC ".u32 [%0+16], %1, [%2];" ::"r"(peer_dst), "r"(0x5a), "r"(peer_bar) : "memory");
    if (OP == kStoreAsync64) asm volatile(ASYNC ".u64 [%0], %1, [%2];" ::"r"(peer_dst), "l"(u64{0x5b}), "r"(peer_bar) : "memory");
    if (OP == kStoreAsync4) asm volatile(ASYNC ".v4.u32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(peer_dst), "r"(0x5c), "r"(peer_bar) : "memory");
    if (OP == kReduceAsync) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(peer_dst), "r"(7), "r"(peer_bar) : "memory");
    if (OP == kRemoteArrive) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 5;" ::"r"(peer_bar) : "memory");
    const CUtensorMap* other = OP == kMapConstant ? &in_constant : a.in_global + (OP == kMapModified);
    if (OP == kMapModified) {  // another map at the same place
      for (int i = 0; i < 16; ++i) ((volatile u64*)other)[i] = ((const u64*)&t[2])[i];
      asm volatile("fence.proxy.tensormap::generic.release.gpu;\nfence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(other) : "memory");
    }
    if (OP >= kMapConstant && OP <= kMapModified) {
      a.out[8 * OP + 5] = (u32)(u64)other;
      a.out[8 * OP + 6] = (u32)((u64)other >> 32);
      asm volatile(LOAD "2d" TO_SHARED " [%0], [%1, {%3, %4}], [%2];" ::"r"(dst), "l"(other), "r"(bar), C2 : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
  if (OP == kCopyArrive) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(dst + 4 * threadIdx.x), "l"(a.global + 64 + 8 * threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&barriers[4])) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  if (receives) {
    wait(bar);
  }
  cluster_sync();
}

// Blocks that are launched as clusters of 2x2: of a grid of 4x4, so that x fastest is not the order.
__global__ __cluster_dims__(2, 2, 1) void square(u32* out) {
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = blockIdx.x;
}

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) c[i] = s[threadIdx.x] + b[i];
}

template <int OP>
static void launch_all(const Args& a, int from, int to) {
  if constexpr (OP < kOps) {
    if (OP < from || OP >= to) {
      launch_all<OP + 1>(a, from, to);
      return;
    }
    CK(cudaFuncSetAttribute(forms<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
    forms<OP><<<2, 64, 32768>>>(a);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    u32 o[8];
    CK(cudaMemcpy(o, a.out + 8 * OP, sizeof o, cudaMemcpyDeviceToHost));
    printf("op %d dst %x bar %x src %x peer_dst %x peer_bar %x map %08x%08x coordinates from %x global %llx\n", OP, o[0], o[1], o[2], o[3], o[4],
           o[6], o[5], 0x1000 + 16 * OP, (unsigned long long)(a.global + 0x100 * OP));
    launch_all<OP + 1>(a, from, to);
  }
}

// forms [FROM TO]: those forms, else all.
int main(int argc, char** argv) {
  decltype(&cuTensorMapEncodeTiled) tiled;
  decltype(&cuTensorMapEncodeIm2col) im2col;
  cudaDriverEntryPointQueryResult found;
  CK(cudaFree(0));
  CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&tiled, 12000, cudaEnableDefault, &found));
  CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void**)&im2col, 12000, cudaEnableDefault, &found));
  Args a;
  memset(&a, 0, sizeof a);
  CK(cudaMalloc(&a.global, 64 << 20));
  CK(cudaMemset(a.global, 0, 64 << 20));
  CK(cudaMalloc(&a.out, 4096));
  CK(cudaMemset(a.out, 0, 4096));
  CK(cudaMalloc(&a.in_global, 2 * sizeof(CUtensorMap)));
  const cuuint64_t dims[5] = {64, 32, 16, 8, 4}, strides[4] = {256, 8192, 131072, 1048576};
  const cuuint32_t boxes[6][5] = {{}, {64}, {16, 4}, {16, 2, 2}, {8, 2, 2, 2}, {4, 2, 2, 2, 2}}, steps[5] = {1, 1, 1, 1, 1};
  for (u32 r = 1; r <= 5; ++r) {
    if (tiled(&a.tile[r], CU_TENSOR_MAP_DATA_TYPE_INT32, r, a.global, dims, strides, boxes[r], steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
              CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return fprintf(stderr, "tiled %u\n", r), 1;
    const int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
    if (r >= 3 && im2col(&a.im2col[r], CU_TENSOR_MAP_DATA_TYPE_INT32, r, a.global, dims, strides, lower, upper, 8, 8, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return fprintf(stderr, "im2col %u\n", r), 1;
  }
  CK(cudaMemcpyToSymbol(in_constant, &a.tile[2], sizeof(CUtensorMap)));
  CK(cudaMemcpy(a.in_global, &a.tile[2], sizeof(CUtensorMap), cudaMemcpyHostToDevice));
  launch_all<0>(a, argc > 2 ? atoi(argv[1]) : 0, argc > 2 ? atoi(argv[2]) : kOps);
  square<<<dim3(4, 4), 64>>>((u32*)a.global);
  const int n = 1000;
  float *x, *y, host[1024];
  CK(cudaMalloc(&x, 4096));
  CK(cudaMalloc(&y, 4096));
  for (int i = 0; i < n; ++i) host[i] = (float)i;
  CK(cudaMemcpy(x, host, 4 * n, cudaMemcpyHostToDevice));
  vecadd<<<4, 256>>>(x, x, y, n);
  CK(cudaMemcpy(host, y, 4 * n, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    if (host[i] != 2.0f * i) return fprintf(stderr, "wrong sum %d\n", i), 1;
  }
  printf("good\n");
  return 0;
}
