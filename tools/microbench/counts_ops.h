// Kernels of counts.cu, sections ops (one instruction many times) and dsm.
#pragma once
#include "mb.h"

// ---- one instruction, 64 times (after a dependent value that ptxas cannot fold)
#define MANY(NAME, BODY)                                    \
  __global__ void NAME(u32* g, u32 a) {                     \
    u32 x = a;                                              \
    _Pragma("unroll") for (int i = 0; i < 64; i++) { BODY } \
    if (x == 12345) {                                       \
      g[0] = x;                                             \
    }                                                       \
  }
#define SREG(NAME, REG)                               \
  MANY(NAME, {                                        \
    u32 r;                                            \
    asm volatile("mov.u32 %0, %%" REG ";" : "=r"(r)); \
    x ^= r;                                           \
  })
SREG(k_sr_tid, "tid.x")
SREG(k_sr_ntid, "ntid.x")
SREG(k_sr_laneid, "laneid")
SREG(k_sr_warpid, "warpid")
SREG(k_sr_ctaid, "ctaid.x")
SREG(k_sr_smid, "smid")
SREG(k_sr_lanemask_lt, "lanemask_lt")
SREG(k_sr_lanemask_eq, "lanemask_eq")
SREG(k_sr_clock, "clock")
SREG(k_sr_globaltimer, "globaltimer_lo")
SREG(k_sr_cluster_rank, "cluster_ctarank")
SREG(k_sr_smem, "dynamic_smem_size")
MANY(k_nothing, {})
MANY(k_acquire, {
  u32 r;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(g) : "memory");
  x ^= r;
})
MANY(k_release, asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(g), "r"(x) : "memory");)
__global__ void __cluster_dims__(2, 1, 1) k_cluster_relaxed(u32*, u32) {
#pragma unroll
  for (int i = 0; i < 16; i++) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;");
  }
}
MANY(k_redux, asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(x));)
MANY(k_redux_or, asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(x));)
MANY(k_shfl, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x));)
MANY(k_match_any, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
MANY(k_match_all, asm volatile("match.all.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
MANY(k_match_shfl,
     asm volatile("{match.any.sync.b32 %0, %0, 0xffffffff; shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;}"
                  : "+r"(x));)
MANY(k_vote, asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 3; vote.sync.ballot.b32 %0, p, 0xffffffff;}"
                          : "+r"(x));)
MANY(k_fence_cta, asm volatile("fence.acq_rel.cta;" ::: "memory");)
MANY(k_fence_gpu, asm volatile("fence.acq_rel.gpu;" ::: "memory");)
MANY(k_fence_sys, asm volatile("fence.acq_rel.sys;" ::: "memory");)
MANY(k_fence_sc, asm volatile("fence.sc.gpu;" ::: "memory");)
MANY(k_fence_proxy, asm volatile("fence.proxy.async;" ::: "memory");)
MANY(k_nanosleep, asm volatile("nanosleep.u32 1;" ::: "memory");)
MANY(k_elect, asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff;}" : "+r"(x)::"memory");)
MANY(k_hfma2, asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(x));)
MANY(k_hadd2, asm volatile("add.f16x2 %0, %0, %0;" : "+r"(x));)
MANY(k_hmul2, asm volatile("mul.f16x2 %0, %0, %0;" : "+r"(x));)
MANY(k_hfma2_bf16, asm volatile("fma.rn.bf16x2 %0, %0, %0, %0;" : "+r"(x));)
MANY(k_hmax2, asm volatile("max.f16x2 %0, %0, %1;" : "+r"(x) : "r"(a ^ i));)
MANY(k_hset2, asm volatile("set.lt.f16x2.f16x2 %0, %0, %1;" : "+r"(x) : "r"(a ^ i));)
MANY(k_dp4a, asm volatile("dp4a.u32.u32 %0, %0, %1, %0;" : "+r"(x) : "r"(a));)
MANY(k_mulhi, asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(x) : "r"(a));)
MANY(k_prmt, asm volatile("prmt.b32 %0, %0, %1, 0x2143;" : "+r"(x) : "r"(a));)
MANY(k_fma32, asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}" : "+r"(x));)
MANY(k_f64cvt, asm volatile("{.reg .f64 f; cvt.rn.f64.u32 f, %0; cvt.rzi.u32.f64 %0, f;}" : "+r"(x));)
MANY(k_cvt16, asm volatile("{.reg .f32 f; cvt.rn.f32.u32 f, %0; cvt.rni.u32.f32 %0, f;}" : "+r"(x));)
MANY(k_brev, asm volatile("brev.b32 %0, %0;" : "+r"(x));)
MANY(k_bmsk, asm volatile("bmsk.clamp.b32 %0, %0, %1;" : "+r"(x) : "r"(a));)
MANY(k_movmatrix, asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x));)
MANY(k_activemask, {
  u32 r;
  asm volatile("activemask.b32 %0;" : "=r"(r));
  x ^= r;
})

constexpr int kRepeat = 8;

// ---- distributed shared memory: word offset per lane, at the next block of a cluster of two
template <int KIND>
__global__ void __cluster_dims__(2, 1, 1) k_dsm(const int2* tab) {
  __shared__ u32 s[8192];
  int2 o = tab[threadIdx.x];
  u32 rank, to;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(sptr(s) + o.x), "r"(rank ^ 1));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  u32 r = 0;
  if (rank == 0) {
#pragma unroll
    for (int i = 0; i < kRepeat; i++) {
      if constexpr (KIND == 0) {
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(r) : "r"(to) : "memory");
      } else if constexpr (KIND == 1) {
        asm volatile("st.shared::cluster.u32 [%0], 1;" ::"r"(to) : "memory");
      } else if constexpr (KIND == 2) {
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(r) : "r"(to) : "memory");
      } else {
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(to) : "memory");
      }
    }
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
