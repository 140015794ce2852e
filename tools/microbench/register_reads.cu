// What reading the registers of an instruction costs those behind it: loops of 64 FFMAs of eight independent chains, and between them
// `count` instructions of a kind; `three`: of FFMAs that read three registers (results/h200_register_reads.csv; FINDINGS.md 51).
// Prints rows name,value: reads_KIND_COUNT_WARPS, core cycles of a turn of the warps of a sub-core (by the slowest of the SM's).
#include "mb.h"

enum Kind { kNothing, kLds32, kLds64, kLds128, kLdsAll32, kLdsAll128, kRsq, kShfl, kLdg32, kLdg128, kSts32, kSts128, kFadd };
constexpr int kTurns = 64;
// Registers that an instruction brings.
template <Kind K>
constexpr int kRegisters = K == kLds128 || K == kLdsAll128 || K == kLdg128     ? 4
                           : K == kLds64                                        ? 2
                           : K == kNothing || K == kSts32 || K == kSts128       ? 0
                                                                                : 1;

// The first four FFMAs of each group take what the instruction before the last one of the kind has brought.
template <Kind K, int Count, bool Three>
__global__ void turns(const float* in, u64* out, float* sink) {
  __shared__ __align__(16) float shared[8192];
  for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) {
    shared[i] = 1.0f;
  }
  __syncthreads();
  const bool same = K == kLdsAll32 || K == kLdsAll128;  // for all lanes
  const u32 address = sptr(shared) + (same ? 0 : threadIdx.x % 32 * 16);
  const float* global = in + (threadIdx.x % 32) * 4;
  const float b = in[threadIdx.x % 32], c = in[threadIdx.x % 32 + 32];  // not of a parameter, which would be loaded each turn
  float a[8], d[8];
  for (int i = 0; i < 8; ++i) {
    a[i] = b + i;
    d[i] = c + i;
  }
  float got[2][4] = {{1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}};
  u64 start = 0;
#pragma unroll 1
  for (int turn = -4; turn < kTurns; ++turn) {
    if (turn == 0) {
      __syncthreads();
      start = clk64();
    }
#pragma unroll
    for (int k = 0; k < 64; ++k) {
      constexpr int kEvery = Count > 0 ? 64 / Count : 64;
      float(&g)[4] = got[k / kEvery % 2];
      const bool takes = Count > 0 && k % kEvery == 3;
      if (Count > 0 && k % kEvery < kRegisters<K>) {
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[k % 8]) : "f"(g[k % kEvery]), "f"(d[k % 8]));
      } else if (Three) {
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[k % 8]) : "f"(d[k % 8]), "f"(d[(k + 1) % 8]));
      } else {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[k % 8]) : "f"(b), "f"(c));
      }
      if (takes) {
        const u32 at = address + k / kEvery * 512;
        if (K == kLds32 || K == kLdsAll32) {
          asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(g[0]) : "r"(at));
        } else if (K == kLds64) {
          asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(g[0]), "=f"(g[1]) : "r"(at));
        } else if (K == kLds128 || K == kLdsAll128) {
          asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                       : "=f"(g[0]), "=f"(g[1]), "=f"(g[2]), "=f"(g[3])
                       : "r"(at));
        } else if (K == kRsq) {
          asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(g[0]) : "f"(a[(k + 4) % 8]));
        } else if (K == kShfl) {
          asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(g[0]) : "f"(a[(k + 4) % 8]));
        } else if (K == kLdg32) {
          asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(g[0]) : "l"(global + k / kEvery * 128));
        } else if (K == kLdg128) {
          asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                       : "=f"(g[0]), "=f"(g[1]), "=f"(g[2]), "=f"(g[3])
                       : "l"(global + k / kEvery * 128));
        } else if (K == kSts128) {
          asm volatile("st.volatile.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(at), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
        } else if (K == kSts32) {
          asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(d[k / kEvery % 8]));
        } else if (K == kFadd) {
          asm volatile("add.f32 %0, %1, %2;" : "=f"(g[0]) : "f"(a[(k + 4) % 8]), "f"(c));
        }
      }
    }
  }
  const u64 end = clk64();
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) {
    sum += a[i] + got[i / 4][i % 4];
  }
  out[threadIdx.x] = end - start;
  sink[threadIdx.x] = sum;
}

template <Kind K, int Count, bool Three>
void measure(const char* kind, const float* in, u64* out, float* sink) {
  for (int warps : {1, 2, 4, 8}) {
    const int threads = warps * 4 * 32;
    turns<K, Count, Three><<<1, threads>>>(in, out, sink);  // brings the code
    turns<K, Count, Three><<<1, threads>>>(in, out, sink);
    sync();
    const std::vector<u64> got = down(out, threads);
    const u64 cycles = *std::max_element(got.begin(), got.end());
    std::printf("reads_%s_%s%d_%d,%.2f\n", kind, Three ? "three_" : "", Count, warps, static_cast<double>(cycles) / kTurns);
  }
}

template <Kind K, bool Three>
void counts(const char* kind, const float* in, u64* out, float* sink) {
  measure<K, 4, Three>(kind, in, out, sink);
  measure<K, 8, Three>(kind, in, out, sink);
  measure<K, 16, Three>(kind, in, out, sink);
}

template <bool Three>
void all(const float* in, u64* out, float* sink) {
  measure<kNothing, 0, Three>("nothing", in, out, sink);
  counts<kLds32, Three>("lds32", in, out, sink);
  counts<kLds64, Three>("lds64", in, out, sink);
  counts<kLds128, Three>("lds128", in, out, sink);
  counts<kLdsAll32, Three>("ldsall32", in, out, sink);
  counts<kLdsAll128, Three>("ldsall128", in, out, sink);
  counts<kRsq, Three>("rsq", in, out, sink);
  counts<kShfl, Three>("shfl", in, out, sink);
  counts<kLdg32, Three>("ldg32", in, out, sink);
  counts<kLdg128, Three>("ldg128", in, out, sink);
  counts<kSts32, Three>("sts32", in, out, sink);
  counts<kSts128, Three>("sts128", in, out, sink);
  counts<kFadd, Three>("fadd", in, out, sink);
}

int main() {
  const auto in = dmalloc<float>(1 << 14);
  const auto sink = dmalloc<float>(1024);
  const auto out = dmalloc<u64>(1024);
  all<false>(in, out, sink);
  all<true>(in, out, sink);
  return 0;
}
