// Stores between the tag stage of L1 and the NoC: which of them become one packet, and who waits behind them.
// store_path merged | residence: under ncu (l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
// lts__t_sectors_srcunit_tex_op_write.sum): the first less the second is what has become one.
// store_path behind: prints cycles.
#include "mb.h"
namespace {

constexpr int kTurns = 16;

template <int W>  // words a lane
__device__ void store(char* p, u32 x) {
  if (W == 4) {
    asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(x) : "memory");
  } else {
    asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(x) : "memory");
  }
}
__device__ u32 load_ca(const char* p) {
  u32 v;
  asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ u32 load_cg(const char* p) {
  u32 v;
  asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ void wait_until(u64 t) {
  while (clk64() < t) {
  }
}
template <int G>
__device__ u32 chain(u32 x) {
#pragma unroll
  for (int g = 0; g < G; g++) {
    asm volatile("mad.lo.u32 %0,%0,%0,7;" : "+r"(x));
  }
  return x;
}
// Lanes of an instruction that touches L lines and S sectors of each.
template <int L, int S>
struct Pattern {
  u32 lane = threadIdx.x & 31, in = lane % (32 / L);
  bool on = in < S;
  u32 offset = lane / (32 / L) * 128 + in * 32;
};

// Each warp stores the first and then the second half of its sectors (W: words of a half).
template <int L, int W>
__global__ void k_halves(char* b) {
  const Pattern<L, 4> p;
  char* frame = b + (size_t)(threadIdx.x / 32) * 65536 + p.offset;
#pragma unroll 1
  for (int i = 0; i < kTurns; i++) {
    char* at = frame + (i & 7) * 4096;
    wait_until(clk64() + 1000);
    __syncthreads();
    if (p.on) {
      store<W>(at, i);
      store<W>(at + W * 4, i);
    }
  }
}
// Structures of 64 bytes by four stores of 16.
__global__ void k_structures(char* b) {
#pragma unroll 1
  for (int i = 0; i < kTurns; i++) {
    char* p = b + (size_t)((i * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x) * 64;
    wait_until(clk64() + 1500);
    __syncthreads();
    store<4>(p, 1), store<4>(p + 16, 2), store<4>(p + 32, 3), store<4>(p + 48, 4);
  }
}
// One store, and G dependent products later a word of one lane to line k: has line k left? out: cycles
// between the two.
template <int L, int S, int W, int G>
__global__ void k_residence(char* b, u32* out, int k) {
  const Pattern<L, S> p;
  u32 sum = 0, y = out[100];
#pragma unroll 1
  for (int i = 0; i < kTurns; i++) {
    char* at = b + (i & 7) * 4096 + p.offset;
    char* word = b + ((i & 7) * 32 + k) * 128 + 4;
    wait_until(clk64() + 1000);
    __syncwarp();
    u32 from = clk();
    if (p.on) {
      store<W>(at, i);
    }
    y = chain<G>(y);
    u32 to = clk();
    if (p.lane == 0) {
      store<1>(word, y);
    }
    sum += to - from;
  }
  out[threadIdx.x] = sum / kTurns;
}
// Warps 1 to W store n times each; warp 0 then loads from L1 (probe 1), L2 (0) or shared memory (2).
template <int L, int S>
__global__ void k_behind(char* b, u32* out, int n, int warps, int probe, int after) {
  __shared__ u32 shared[32];
  const Pattern<L, S> p;
  const u32 warp = threadIdx.x / 32;
  char* mine = b + (200 << 20) + p.lane * 4;
  u32 sum = 0, v;
  for (int r = 0; r < 10; r++) {
    __syncthreads();
    wait_until(clk64() + 6000);
    if (warp == 0) {
      v = load_ca(mine);
      if (v == 77) {
        b[1] = 2;
      }
    }
    __syncthreads();
    if (warp == 0) {
      wait_until(clk64() + after);
      u32 from = clk();
      if (probe == 1) {
        v = load_ca(mine);
      }
      if (probe == 0) {
        v = load_cg(mine + (r + 1) * 128);
      }
      if (probe == 2) {
        asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(sptr(shared) + p.lane * 4) : "memory");
      }
      u32 took = clk_after(v, 0x12345678u) - from;
      if (r > 1) {
        sum += took;
      }
    } else if ((int)warp <= warps) {
      char* to = b + warp * 262144 + p.offset;
      for (int j = 0; j < n; j++, to += 4096) {
        if (p.on) {
          store<1>(to, j);
        }
      }
    }
  }
  if (threadIdx.x == 0) {
    out[0] = sum / 8;
  }
}
__global__ void k_warm(char* b) {
  if (load_cg(b + (200 << 20) + blockIdx.x * 128 + threadIdx.x * 4) == 0x12345) {
    b[0] = 1;
  }
}

char* b;
u32* out;
u32 result() {
  sync();
  return down(out, 1)[0];
}

template <int L, int W>
void halves() {
  for (int t : {32, 64, 128, 256, 512}) {
    printf("launch,merged L%d W%d t%d,0\n", L, W, t);
    k_halves<L, W><<<1, t>>>(b);
    sync();
  }
}
template <int L, int S, int W, int G>
void residence() {
  for (int k : {0, L / 2, L - 1}) {
    k_residence<L, S, W, G><<<1, 32>>>(b, out, k);
    printf("launch,residence L%d S%d W%d G%d k%d,%u\n", L, S, W, G, k, result());
  }
}
template <int L, int S, int W, int... G>
void residences(std::integer_sequence<int, G...>) {
  (residence<L, S, W, G>(), ...);
}
template <int L, int S>
void behind(int warps) {
  for (int probe : {0, 1, 2}) {
    for (int after : {200, 600}) {
      for (int n : {0, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64}) {
        k_warm<<<64, 32>>>(b);
        k_behind<L, S><<<1, 128>>>(b, out, n, warps, probe, after);
        printf("behind,L%d S%d warps%d probe%d after%d n%d,%u\n", L, S, warps, probe, after, n, result());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  b = dmalloc<char>(256 << 20);
  out = dmalloc<u32>(4096);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "merged") {
    halves<1, 4>(), halves<2, 4>(), halves<4, 4>(), halves<8, 4>(), halves<16, 4>(), halves<32, 4>();
    halves<1, 1>(), halves<2, 1>(), halves<4, 1>(), halves<8, 1>(), halves<16, 1>(), halves<32, 1>();
    for (int t : {32, 64, 128, 256, 512}) {
      printf("launch,structures t%d,0\n", t);
      k_structures<<<1, t>>>(b);
      sync();
    }
  } else if (what == "residence") {
    using Gaps = std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 36>;
    residences<4, 4, 1>(Gaps()), residences<8, 1, 1>(Gaps()), residences<8, 4, 1>(Gaps());
    residences<16, 1, 1>(Gaps()), residences<16, 2, 1>(Gaps()), residences<32, 1, 1>(Gaps());
    residences<8, 4, 4>(Gaps()), residences<16, 2, 4>(Gaps());
  } else {
    behind<1, 4>(3), behind<4, 4>(1), behind<8, 4>(1), behind<8, 1>(1), behind<16, 2>(1), behind<32, 1>(1);
    behind<8, 4>(3);
  }
  return 0;
}
