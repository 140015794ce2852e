// M. Passes of 64- and 128-bit accesses to shared memory by which lanes read the same.
// Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a smem_lanes.cu; results/h200_smem_lanes.csv.
// conditions: for each lane the 16 (8) bytes it reads, counted from 0.
#include "mb.h"

template <int WIDTH, bool STORE>
__global__ void k_lanes(u32* o, const u32* offset) {
  __shared__ __align__(1024) char s[8192];
  const u32 at = sptr(s) + offset[threadIdx.x % 32];
  u32 a = threadIdx.x, b = 0, c = 0, d = 0;
  u64 t = bar_clk();
#pragma unroll 1
  for (int i = 0; i < 32; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (WIDTH == 16 && STORE) {
        asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d)
                     : "memory");
      } else if (WIDTH == 8 && STORE) {
        asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%2};" ::"r"(at), "r"(a), "r"(b) : "memory");
      } else if (WIDTH == 16) {
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at)
                     : "memory");
      } else {
        asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
      }
    }
  }
  u64 e = bar_clk();
  if (threadIdx.x == 0) {
    o[0] = (u32)(e - t);
  }
  if (a + b + c + d == 0x12345) {
    o[1] = 1;
  }
}

static u32 *o, *offsets;
template <int WIDTH, bool STORE>
static void measure(const char* what, const std::vector<u32>& segment) {
  std::vector<u32> at(32);
  std::string s;
  for (int i = 0; i < 32; i++) {
    at[i] = segment[i] * WIDTH;
    s += S("%u ", segment[i]);
  }
  CK(cudaMemcpy(offsets, at.data(), 128, cudaMemcpyHostToDevice));
  double best = 1e30;
  for (int i = 0; i < 3; i++) {
    k_lanes<WIDTH, STORE><<<1, 512>>>(o, offsets);
    sync();
    best = std::min(best, (double)down(o, 1)[0]);
  }
  rec("M", S("%s_%d", what, 8 * WIDTH), best / (16 * 256), "cyc/instr", s, "k_lanes");
}

int main() {
  o = dmalloc<u32>(16);
  offsets = dmalloc<u32>(32);
  // The lane's bits of a mask, put together: those of other lanes are the same.
  for (u32 mask = 0; mask < 32; mask++) {
    std::vector<u32> v(32);
    for (u32 i = 0; i < 32; i++) {
      u32 n = 0;
      for (u32 b = 0, k = 0; b < 5; b++) {
        if (mask >> b & 1) {
          n |= (i >> b & 1) << k++;
        }
      }
      v[i] = n;
    }
    measure<16, false>("load_bits", v);
    measure<8, false>("load_bits", v);
    measure<16, true>("store_bits", v);
    measure<8, true>("store_bits", v);
  }
  // Any of n, and of n after a row of 128 bytes each.
  u32 x = 12345;
  auto random = [&] { return (x = x * 1664525 + 1013904223) >> 8; };
  for (u32 n : {2u, 3u, 4u, 8u, 16u}) {
    for (int k = 0; k < 12; k++) {
      std::vector<u32> v(32);
      for (u32 i = 0; i < 32; i++) {
        v[i] = random() % n;
        if (k >= 8) {  // in each half-warp the same
          v[i] = i < 16 ? v[i] : v[i - 16];
        } else if (k >= 4) {  // pairs of lanes
          v[i] = i % 2 ? v[i - 1] : v[i];
        }
      }
      measure<16, false>("load_random", v);
      measure<8, false>("load_random", v);
    }
  }
  return 0;
}
