// K. mbarrier operations and bulk copies by their parts: issue, arrival, wake-up, failing waits.
#include "mb.h"
__device__ __forceinline__ u32 d32(u64 a) { return a > 0xffffffffull ? 0xffffffffu : (u32)a; }
__device__ __forceinline__ void mwait(u32 b, u32 ph) {
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra L;}" ::"r"(b), "r"(ph)
               : "memory");
}
__device__ __forceinline__ void minit(u32 b, u32 n) {
  asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b), "r"(n));
}
// M copies issued one after the other by one elected lane, straight-line: issue times and arrival of all.
template <int M>
__global__ void k_issue(u32* o, const char* g, u32 bytes) {
  extern __shared__ __align__(128) char sb[];
  __shared__ __align__(8) u64 bar;
  u32 b = sptr(&bar), s = sptr(sb), ph = 0;
  if (threadIdx.x == 0) {
    minit(b, 1);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
#pragma unroll 1
  for (int r = 0; r < 4; r++) {
    u32 lead;
    asm volatile("{.reg .pred p; elect.sync _|p, -1; selp.u32 %0,1,0,p;}" : "=r"(lead));
    t0 = bar_clk();
    if (lead) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(b), "r"(bytes * M) : "memory");
    }
    t1 = clk64();
    asm volatile("{.reg .pred p; elect.sync _|p, -1;\n" ::: "memory");
#pragma unroll
    for (int i = 0; i < M; i++) {
      asm volatile(
          "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(s + i * 4096),
          "l"(g + i * 4096), "r"(bytes), "r"(b)
          : "memory");
    }
    asm volatile("}" ::: "memory");
    t2 = clk64();
    mwait(b, ph);
    t3 = clk64();
    ph ^= 1;
  }
  if (threadIdx.x == 0) {
    o[0] = d32(t1 - t0);
    o[1] = d32(t2 - t1);
    o[2] = d32(t3 - t0);
  }
}
// Arrival of the last thread (warp 0, late) to the waiting warps going on. KIND 0 all lanes wait, 1 one lane.
template <int KIND>
__global__ void k_wake(u32* o, u32 delay) {
  __shared__ __align__(8) u64 bar;
  __shared__ u64 when;
  u32 b = sptr(&bar), ph = 0;
  if (threadIdx.x == 0) {
    minit(b, 1);
  }
  __syncthreads();
  u64 t = 0;
#pragma unroll 1
  for (int r = 0; r < 3; r++) {
    __syncthreads();
    if (threadIdx.x < 32) {
      u64 c = clk64();
      while (clk64() - c < delay)
        ;
      if (threadIdx.x == 0) {
        when = t = clk64();
        asm volatile("mbarrier.arrive.shared.b64 _,[%0];" ::"r"(b) : "memory");
      }
    } else if (KIND == 0 || threadIdx.x % 32 == 0) {
      mwait(b, ph);
      t = clk64();
    }
    ph ^= 1;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
      o[threadIdx.x / 32] = d32(t - when);
    }
  }
}
__global__ void k_fail(u32* o, u32 ns) {
  __shared__ __align__(8) u64 bar;
  u32 b = sptr(&bar), x = 0, p;
  if (threadIdx.x == 0) {
    minit(b, 1);
  }
  __syncthreads();
  u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
  for (int r = 0; r < 2; r++) {
    t0 = clk64();
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}"
                 : "=r"(p)
                 : "r"(b)
                 : "memory");
    x += p;
    t1 = clk_after(p, 77);
    u64 u0 = clk64();
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0,%2; selp.u32 %0,1,0,p;}"
                 : "=r"(p)
                 : "r"(b), "r"(ns)
                 : "memory");
    x += p;
    t2 = clk_after(p, 77) - (u32)u0;
    u64 u1 = clk64();
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}"
                 : "=r"(p)
                 : "r"(b)
                 : "memory");
    x += p;
    t3 = clk_after(p, 77) - (u32)u1;
  }
  if (threadIdx.x == 0) {
    o[0] = (u32)t1 - (u32)t0;
    o[1] = (u32)t2;
    o[2] = (u32)t3;
    o[3] = x;
  }
}
// Rates. KIND 0 arrive, 1 arrive.expect_tx 0, 2 test_wait, 3 try_wait of a completed phase, 4 arrive returning the state.
template <int KIND>
__global__ void __launch_bounds__(1024) k_rate(u32* o, int n, int lanes) {
  __shared__ __align__(8) u64 bar[32];
  u32 b = sptr(&bar[threadIdx.x / 32]), x = 0;
  if (threadIdx.x % 32 == 0) {
    minit(b, 1 << 19);
  }
  u64 t0 = bar_clk();
  if ((int)(threadIdx.x % 32) < lanes) {
#pragma unroll 1
    for (int r = 0; r < n; r++) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        u64 st;
        u32 p;
        if (KIND == 0) {
          asm volatile("mbarrier.arrive.shared.b64 _,[%0];" ::"r"(b) : "memory");
        } else if (KIND == 1) {
          asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],0;" ::"r"(b) : "memory");
        } else if (KIND == 2) {
          asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],1; selp.u32 %0,1,0,p;}"
                       : "=r"(p)
                       : "r"(b)
                       : "memory");
          x += p;
        } else if (KIND == 3) {
          asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],1; selp.u32 %0,1,0,p;}"
                       : "=r"(p)
                       : "r"(b)
                       : "memory");
          x += p;
        } else {
          asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(st) : "r"(b) : "memory");
          x += (u32)st;
        }
      }
    }
  }
  __syncthreads();
  u64 t1 = bar_clk();
  if (x == 77) {
    o[1] = x;
  }
  if (threadIdx.x == 0) {
    o[0] = d32(t1 - t0);
  }
}
static u32* o;
static char* g;
template <int M>
void issue() {
  CK(cudaFuncSetAttribute(k_issue<M>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  for (u32 by : {16u, 128u, 1024u, 4096u}) {
    k_issue<M><<<1, 32, 90000>>>(o, g, by);
    sync();
    auto r = down(o, 3);
    rec("K", "bulk_copy_parts(L2 hit)", r[2], "cyc",
        S("%d copies of %u B; expect_tx issue %u; copies issue %u; total to the wait's end", M, by, r[0], r[1]),
        "k_issue");
  }
}
template <int KIND>
void rate(const char* nm) {
  for (int w : {1, 4, 8, 32}) {
    for (int lanes : {1, 32}) {
      auto f = [&](int n) {
        k_rate<KIND><<<1, 32 * w>>>(o, n, lanes);
        sync();
        return (double)down(o, 1)[0];
      };
      f(8);
      rec("K", nm, (f(24) - f(8)) / (16.0 * 8 * w), "cyc/warp-instr/SM", S("%d warps; %d lanes; a barrier per warp", w, lanes),
          "k_rate");
    }
  }
}
int main() {
  o = dmalloc<u32>(64);
  g = dmalloc<char>(1 << 20);
  issue<1>();
  issue<2>();
  issue<4>();
  issue<8>();
  issue<16>();
  for (int w : {2, 5, 9, 32}) {
    k_wake<0><<<1, 32 * w>>>(o, 3000);
    sync();
    auto a = down(o, 32);
    k_wake<1><<<1, 32 * w>>>(o, 3000);
    sync();
    auto b = down(o, 32);
    rec("K", "mbarrier_wake", a[1], "cyc", S("%d waiting warps; last %u; one lane waiting %u; last %u", w - 1, a[w - 1], b[1], b[w - 1]), "k_wake");
  }
  for (u32 ns : {0u, 100u, 1000u, 10000u}) {
    k_fail<<<1, 32>>>(o, ns);
    sync();
    auto r = down(o, 4);
    rec("K", "mbarrier_failing_wait", r[0], "cyc", S("try_wait; with a limit of %u ns %u; test_wait %u", ns, r[1], r[2]), "k_fail");
  }
  rate<0>("mbarrier_arrive_rate");
  rate<1>("mbarrier_expect_tx_rate");
  rate<2>("mbarrier_test_wait_rate");
  rate<3>("mbarrier_try_wait_rate");
  rate<4>("mbarrier_arrive_state_rate");
  return 0;
}
