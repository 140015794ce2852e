// N. What Nsight's counters count: small kernels to be profiled by ncu (counts.py does that). Prints one line
// per launch: LAUNCH,<number>,<name>[,<table of lane offsets>]. Kernels with per-lane tables read them with
// one LDG.64 (8 sectors, 1 request) and repeat their instruction kRepeat times.
#include <cuda_fp16.h>
#include "counts_ops.h"
#include "mb.h"
#include "wgmma_gen.h"
static int launch_number = 0;
static void say(const std::string& name, const std::string& table = "") {
  sync();
  printf("LAUNCH,%d,%s,%s\n", launch_number++, name.c_str(), table.c_str());
  fflush(stdout);
}

// ---- asynchronous copies: global offset, shared offset per lane
template <int W, int CG>
__global__ void k_ldgsts(const char* g, const int2* tab, int bytes) {
  extern __shared__ __align__(128) char s[];
  int2 o = tab[threadIdx.x];
  u32 to = sptr(s) + o.y;
  const char* from = g + o.x;
#pragma unroll
  for (int i = 0; i < kRepeat; i++) {  // copies in flight to one place would be merged
    u32 there = to + i * 16384;
    if constexpr (CG) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(from + i * 65536),
                   "r"(bytes));
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(from + i * 65536), "n"(W));
    }
  }
  asm volatile("cp.async.wait_all;");
}

// ---- reductions and atomics: word offset per lane
template <int KIND>
__global__ void k_red(char* g, const int2* tab) {
  int2 o = tab[threadIdx.x];
  char* p = g + o.x;
#pragma unroll
  for (int i = 0; i < kRepeat; i++) {
    char* q = p + i * 65536;
    u32 r;
    if constexpr (KIND == 0) {
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(q) : "memory");
    } else if constexpr (KIND == 1) {
      asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(q) : "memory");
    } else if constexpr (KIND == 2) {
      asm volatile("red.global.add.u64 [%0], 1;" ::"l"(q) : "memory");
    } else if constexpr (KIND == 3) {
      asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(r) : "l"(q) : "memory");
    } else if constexpr (KIND == 4) {
      asm volatile("st.global.u32 [%0], 1;" ::"l"(q) : "memory");
    } else {
      asm volatile("red.global.max.u32 [%0], 1;" ::"l"(q) : "memory");
    }
  }
}

// ---- what a barrier adds: an instruction between barriers
template <int KIND>
__global__ void k_bar(u32* g) {
  __shared__ volatile u32 s[1024];
  u32 x = 0, t = KIND ? threadIdx.x : 0;
  if (KIND == 9) {
    t = 0;
  }
#pragma unroll
  for (int i = 0; i < 16; i++) {
    if constexpr (KIND == 2) {
      x += s[t];
    } else if constexpr (KIND == 3) {
      s[t] = i;
    } else if constexpr (KIND == 4) {
      asm volatile("{.reg .u32 r; ld.global.u32 r, [%0]; add.u32 %1, %1, r;}" : "+l"(g), "+r"(x));
    } else if constexpr (KIND == 5) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(g + t), "r"(i) : "memory");
    } else if constexpr (KIND == 6) {
      x = __shfl_xor_sync(~0u, x + t, 1);
    } else if constexpr (KIND == 7) {
      u32 r;
      asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
      x += r;
    } else if constexpr (KIND == 8) {
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(g + t) : "memory");
    }
    __syncthreads();
  }
  if (x == 12345) {
    g[x] = x;
  }
}

// ---- warp-group products
template <int N, int RS>
__global__ void __launch_bounds__(128) k_gmma() {
  __shared__ __align__(1024) char s[40960];
  float d[N / 2] = {};
  u32 a[4] = {};
  u64 desc = ((u64)(sptr(s) & 0x3ffff) >> 4) | ((u64)(128 >> 4) << 16) | ((u64)(256 >> 4) << 32);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 16; i++) {
    WG<N, RS>::go(d, desc, desc, a);
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  float r = 0;
  for (int i = 0; i < N / 2; i++) {
    r += d[i];
  }
  if (r == 12345) {
    asm volatile("trap;");
  }
}

// ---- two roles on one SM: which accesses collide in the data stage
enum Role {
  kIdle,
  kLds32,
  kLds64,
  kLds128,
  kSts32,
  kSts64,
  kSts128,
  kLdgHit,
  kLdgMiss,
  kLdgFill,
  kStg,
  kShfl,
  kCopy,
  kLdsm,
  kAtoms
};
template <int R>
__device__ __forceinline__ u32 work(u32 s, char* g, u32 lane, int n) {
  u32 x = 0;
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      u32 r = 0;
      if constexpr (R == kLds32) {
        asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(s + lane * 4 + i * 128));
      } else if constexpr (R == kLds64) {
        asm volatile("{.reg .u32 b; ld.volatile.shared.v2.u32 {%0,b},[%1];}"
                     : "=r"(r)
                     : "r"(s + lane * 8 + i * 256));
      } else if constexpr (R == kLds128) {
        asm volatile("{.reg .u32 b,c,d; ld.volatile.shared.v4.u32 {%0,b,c,d},[%1];}"
                     : "=r"(r)
                     : "r"(s + lane * 16 + i * 512));
      } else if constexpr (R == kSts32) {
        asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(s + lane * 4 + i * 128), "r"(k));
      } else if constexpr (R == kSts64) {
        asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%1};" ::"r"(s + lane * 8 + i * 256), "r"(k));
      } else if constexpr (R == kSts128) {
        asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(s + lane * 16 + i * 512), "r"(k));
      } else if constexpr (R == kLdgHit) {
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(r) : "l"(g + lane * 4 + i * 128) : "memory");
      } else if constexpr (R == kLdgMiss) {
        asm volatile("ld.global.cg.u32 %0,[%1];"
                     : "=r"(r)
                     : "l"(g + lane * 4 + (k * 8 + i) * 128)
                     : "memory");
      } else if constexpr (R == kLdgFill) {
        asm volatile("ld.global.ca.u32 %0,[%1];"
                     : "=r"(r)
                     : "l"(g + lane * 4 + (k * 8 + i) * 128)
                     : "memory");
      } else if constexpr (R == kStg) {
        asm volatile("st.global.u32 [%0],%1;" ::"l"(g + lane * 4 + (k * 8 + i) * 128), "r"(k) : "memory");
      } else if constexpr (R == kShfl) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(r) : "r"(x + k));
      } else if constexpr (R == kCopy) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s + lane * 4 + i * 128),
                     "l"(g + lane * 4 + (k * 8 + i) * 128)
                     : "memory");
      } else if constexpr (R == kLdsm) {
        asm volatile("{.reg .u32 b,c,d; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,b,c,d},[%1];}"
                     : "=r"(r)
                     : "r"(s + lane * 16 + i * 512)
                     : "memory");
      } else if constexpr (R == kAtoms) {
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(s + lane * 4 + i * 128) : "memory");
      }
      x += r;
    }
    if constexpr (R == kCopy) {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
  }
  return x;
}
// Warps with (warp >> SHIFT) & 1 do B, the others A.
template <int A, int B, int SHIFT>
__global__ void __launch_bounds__(256) k_two(char* g, int n) {
  __shared__ __align__(1024) char s[40960];
  u32 w = threadIdx.x / 32, lane = threadIdx.x % 32, x;
  char* mine = g + ((size_t)blockIdx.x * 8 + w) * 65536;
  if ((w >> SHIFT) & 1) {
    x = work<B>(sptr(s) + w * 4096, mine, lane, n);
  } else {
    x = work<A>(sptr(s) + w * 4096, mine, lane, n);
  }
  if (x == 12345) {
    g[x] = 1;
  }
}

// ---- the loop of a tiled matrix product, with parts left out
template <int KIND>
__global__ void __launch_bounds__(256) k_tile(const float* a, float* c, int n) {
  __shared__ float A[16][16], B[16][16];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float x = 0, va = 0, vb = 0;
  for (int k = 0; k < n; k++) {
    if (KIND != 1) {
      va = a[(blockIdx.x * 16 + ty) * 1024 + k * 16 + tx];
      vb = a[(k * 16 + ty) * 1024 + blockIdx.x % 64 * 16 + tx];
    }
    if (KIND != 3) {
      A[ty][tx] = va;
      B[ty][tx] = vb;
    }
    __syncthreads();
    if (KIND != 2) {
#pragma unroll
      for (int i = 0; i < 16; i++) {
        x += A[ty][i] * B[i][tx];
      }
    } else {
      x += va + vb;
    }
    if (KIND != 4) {
      __syncthreads();
    }
  }
  if (x == 12345) {
    c[threadIdx.x] = x;
  }
}

static int2* upload(std::function<int(int)> g, std::function<int(int)> s, std::string& text) {
  static int2* d = dmalloc<int2>(32);
  int2 h[32];
  text = "";
  for (int l = 0; l < 32; l++) {
    h[l] = {g(l), s(l)};
    text += S("%d:%d ", h[l].x, h[l].y);
  }
  CK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  return d;
}

static char* g;
template <int W, int CG>
static void ldgsts(const std::string& name, std::function<int(int)> from, std::function<int(int)> to,
                   int bytes = 16) {
  std::string t;
  int2* tab = upload(from, to, t);
  CK(cudaFuncSetAttribute(k_ldgsts<W, CG>, cudaFuncAttributeMaxDynamicSharedMemorySize, kRepeat * 16384));
  k_ldgsts<W, CG><<<1, 32, kRepeat * 16384>>>(g, tab, bytes);
  say(S("ldgsts %d %s %s", W, CG ? "bypass" : "access", name.c_str()), t);
}
template <int KIND>
static void red(const std::string& name, std::function<int(int)> at) {
  std::string t;
  int2* tab = upload(
      at, [](int) { return 0; }, t);
  k_red<KIND><<<1, 32>>>(g, tab);
  const char* kinds[] = {"red.u32", "red.f32", "red.u64", "atom.u32", "stg.u32", "red.max.u32"};
  say(S("%s %s", kinds[KIND], name.c_str()), t);
}
template <int A, int B, int SHIFT>
static void two(const std::string& name) {
  k_two<A, B, SHIFT><<<nsm(), 256>>>(g, 32);
  say(S("two %s %s", name.c_str(), SHIFT == 2 ? "same sub-core" : "other sub-core"));
}
static void tile(int kind, int grid) {
  void (*k[])(const float*, float*, int) = {k_tile<0>, k_tile<1>, k_tile<2>, k_tile<3>, k_tile<4>};
  k[kind]<<<grid, 256>>>((float*)g, (float*)g, 64);
}
template <int KIND>
static void dsm(const std::string& name, std::function<int(int)> at) {
  std::string t;
  int2* tab = upload(
      at, [](int) { return 0; }, t);
  k_dsm<KIND><<<2, 32>>>(tab);
  const char* kinds[] = {"ld", "st", "atom", "red"};
  say(S("dsm %s %s", kinds[KIND], name.c_str()), t);
}

static void copies() {
  auto line = [](int w) { return [w](int l) { return w * l; }; };
  auto row = [](int lanes, int stride, int w, int base = 0) {
    return [=](int l) { return base + l / lanes * stride + l % lanes * w; };
  };
  for (int o : {0, 16, 32, 48, 64}) {
    ldgsts<16, 1>(S("contiguous to +%d", o), line(16), row(32, 0, 16, o));
  }
  ldgsts<16, 0>("contiguous", line(16), line(16));
  ldgsts<16, 0>("contiguous to +16", line(16), row(32, 0, 16, 16));
  for (int stride : {64, 80, 96, 112, 128, 144, 272}) {
    ldgsts<16, 1>(S("rows of 64 B to stride %d", stride), row(4, 2048, 16), row(4, stride, 16));
  }
  ldgsts<16, 0>("rows of 64 B to stride 80", row(4, 2048, 16), row(4, 80, 16));
  for (int stride : {128, 144, 160, 176, 192}) {
    ldgsts<16, 1>(S("rows of 128 B to stride %d", stride), row(8, 2048, 16), row(8, stride, 16));
  }
  for (int x : {1, 2, 3, 4, 5, 8}) {
    ldgsts<16, 1>(S("contiguous to lane ^ %d", x), line(16), [x](int l) { return 16 * (l ^ x); });
  }
  ldgsts<16, 1>("rows of 128 B swizzled", row(8, 2048, 16),
                [](int l) { return l / 8 * 128 + 16 * ((l % 8) ^ (l / 8)); });
  ldgsts<16, 1>("rows of 128 B swizzled with 4..7", row(8, 2048, 16),
                [](int l) { return l / 8 * 128 + 16 * ((l % 8) ^ (l / 8 + 4)); });
  for (int s : {32, 48, 64, 128, 256}) {
    ldgsts<16, 1>(S("contiguous to stride %d", s), line(16), line(s));
  }
  ldgsts<16, 1>("stride 32 to contiguous", line(32), line(16));
  ldgsts<16, 1>("contiguous from +16", row(32, 0, 16, 16), line(16));
  ldgsts<16, 1>("all one", row(32, 0, 0), line(16));
  ldgsts<16, 1>(
      "lanes / 2", [](int l) { return l / 2 * 16; }, line(16));
  ldgsts<16, 1>(
      "lanes % 2", [](int l) { return l % 2 * 16; }, line(16));
  ldgsts<16, 1>("zero fill", line(16), line(16), 0);
  ldgsts<16, 1>("half fill", line(16), line(16), 8);
  for (int i = 0; i < 4; i++) {
    srand(i + 1);
    std::vector<int> p(64);
    for (int l = 0; l < 64; l++) {
      p[l] = l;
    }
    std::random_shuffle(p.begin(), p.end(), [](int n) { return rand() % n; });
    ldgsts<16, 1>(S("contiguous to random %d", i), line(16), [p](int l) { return 16 * p[l]; });
  }
  for (int o : {0, 4, 8, 16, 32}) {
    ldgsts<4, 0>(S("contiguous to +%d", o), line(4), row(32, 0, 4, o));
    if (o != 4) {
      ldgsts<8, 0>(S("contiguous to +%d", o), line(8), row(32, 0, 8, o));
    }
  }
  ldgsts<4, 0>("contiguous to stride 8", line(4), line(8));
  ldgsts<4, 0>("contiguous to stride 128", line(4), line(128));
  ldgsts<4, 0>("stride 32 to contiguous", line(32), line(4));
  ldgsts<8, 0>("contiguous to stride 16", line(8), line(16));
}

static void reductions() {
  auto both = [](const std::string& name, std::function<int(int)> at) { red<0>(name, at); };
  for (int d : {1, 2, 4, 8, 16, 32}) {
    both(S("word lane / %d", d), [d](int l) { return l / d * 4; });
    both(S("word lane %% %d", d), [d](int l) { return l % d * 4; });
  }
  for (int s : {8, 16, 32, 64, 128, 256}) {
    both(S("stride %d", s), [s](int l) { return l * s; });
  }
  both("4 sectors word 0", [](int l) { return l % 4 * 32; });
  both("4 sectors 2 words", [](int l) { return l % 4 * 32 + l / 4 % 2 * 4; });
  both("4 lines word 0", [](int l) { return l % 4 * 128; });
  both("4 lines word lane / 4", [](int l) { return l % 4 * 128 + l / 4 * 4; });
  both("4 lines / 8 word 0", [](int l) { return l / 8 * 128; });
  both("one lane apart", [](int l) { return l == 5 ? 4 : 0; });
  both("two twice", [](int l) { return l == 31 ? 0 : l * 4; });
  both("two twice neighbours", [](int l) { return l == 1 ? 0 : l * 4; });
  both("two twice in other sectors", [](int l) { return l == 31 ? 0 : l == 30 ? 32 : l * 4; });
  for (int words : {64, 128, 256, 256, 256, 256, 1024, 4096}) {
    static int seed = 0;
    srand(++seed);
    int at[32];
    for (int& a : at) {
      a = rand() % words * 4;
    }
    auto f = [&](int l) { return at[l]; };
    both(S("random of %d words", words), f);
    if (seed == 3) {
      red<1>("random of 256 words", f);
      red<3>("random of 256 words", f);
      red<4>("random of 256 words", f);
      red<5>("random of 256 words", f);
    }
  }
  for (int i = 0; i < 60; i++) {
    srand(100 + i);
    int at[32], words = 64 << (i % 5);
    for (int& a : at) {
      a = rand() % words * 4;
    }
    both(S("table %d of %d words", i, words), [&](int l) { return at[l]; });
  }
  red<1>("word lane", [](int l) { return l * 4; });
  red<1>("word 0", [](int) { return 0; });
  red<2>("word lane", [](int l) { return l * 8; });
  red<2>("word lane / 2", [](int l) { return l / 2 * 8; });
  red<3>("word 0", [](int) { return 0; });
  red<3>("word lane / 2", [](int l) { return l / 2 * 4; });
}

template <int KIND>
static void bar(const char* name) {
  for (int grid : {1, 2 * nsm()}) {
    k_bar<KIND><<<grid, 128>>>((u32*)g);
    say(S("bar %s grid %d", name, grid));
  }
}
template <int N>
static void gmma() {
  k_gmma<N, 0><<<1, 128>>>();
  say(S("gmma N %d both shared", N));
  k_gmma<N, 1><<<1, 128>>>();
  say(S("gmma N %d A in registers", N));
}

int main(int c, char** v) {
  Main m{c, v};
  g = dmalloc<char>(96 << 20);
  if (m.want("copies")) {
    copies();
  }
  if (m.want("reductions")) {
    reductions();
  }
  if (m.want("barriers")) {
    bar<0>("nothing between"), bar<1>("thread number before"), bar<2>("LDS"), bar<3>("STS"), bar<4>("LDG"),
        bar<5>("STG"), bar<6>("SHFL"), bar<7>("LANEID"), bar<8>("RED");
  }
  if (m.want("gmma")) {
    gmma<8>(), gmma<16>(), gmma<32>(), gmma<64>(), gmma<128>(), gmma<256>();
  }
  if (m.want("ops")) {
#define ONE(K) k_##K<<<1, 32>>>((u32*)g, 3), say("op " #K)
    ONE(nothing), ONE(acquire), ONE(release);
    k_cluster_relaxed<<<2, 32>>>((u32*)g, 3), say("op cluster_relaxed");
    k_redux<<<1, 128>>>((u32*)g, 3), say("op redux 4 warps");
    k_redux<<<1, 512>>>((u32*)g, 3), say("op redux 16 warps");
    k_match_any<<<1, 128>>>((u32*)g, 3), say("op match_any 4 warps");
    ONE(sr_tid), ONE(sr_ntid), ONE(sr_laneid), ONE(sr_warpid), ONE(sr_ctaid), ONE(sr_smid),
        ONE(sr_lanemask_lt), ONE(sr_lanemask_eq), ONE(sr_clock), ONE(sr_globaltimer), ONE(sr_cluster_rank),
        ONE(sr_smem);
    ONE(redux), ONE(redux_or), ONE(shfl), ONE(match_any), ONE(match_all), ONE(match_shfl), ONE(vote),
        ONE(fence_cta), ONE(fence_gpu), ONE(fence_sys), ONE(fence_sc), ONE(fence_proxy), ONE(nanosleep),
        ONE(elect);
    ONE(hfma2), ONE(hadd2), ONE(hmul2), ONE(hfma2_bf16), ONE(hmax2), ONE(hset2), ONE(dp4a), ONE(mulhi),
        ONE(prmt), ONE(fma32), ONE(f64cvt), ONE(cvt16), ONE(brev), ONE(bmsk), ONE(movmatrix), ONE(activemask);
    k_match_shfl<<<nsm(), 256>>>((u32*)g, 3), say("op match_shfl 8 warps on each SM");
    k_shfl<<<nsm(), 256>>>((u32*)g, 3), say("op shfl 8 warps on each SM");
  }
  if (m.want("two")) {
#define BOTH(A, B) two<k##A, k##B, 2>(#A " " #B), two<k##A, k##B, 0>(#A " " #B)
    two<kSts32, kSts32, 0>("Sts32 Sts32"), two<kLds32, kLds32, 0>("Lds32 Lds32"),
        two<kLds128, kLds128, 0>("Lds128 Lds128"), two<kSts128, kSts128, 0>("Sts128 Sts128");
    BOTH(Sts32, Idle), BOTH(Sts32, Lds32), BOTH(Sts32, Lds64), BOTH(Sts32, Lds128), BOTH(Sts32, Sts128),
        BOTH(Sts64, Lds32), BOTH(Sts128, Lds32), BOTH(Sts128, Lds128), BOTH(Lds32, Lds128);
    BOTH(Sts32, LdgHit), BOTH(Sts32, LdgMiss), BOTH(Sts32, Stg), BOTH(Sts32, Shfl), BOTH(Sts32, Copy),
        BOTH(Sts32, Ldsm), BOTH(Sts32, Atoms);
    BOTH(Lds32, LdgHit), BOTH(Lds32, LdgMiss), BOTH(Lds32, Stg), BOTH(Lds32, Shfl), BOTH(Lds32, Copy),
        BOTH(Lds128, LdgMiss), BOTH(Lds128, LdgHit), BOTH(Lds128, Stg), BOTH(Ldsm, Copy), BOTH(Ldsm, LdgMiss);
    BOTH(Sts32, LdgFill), BOTH(Lds32, LdgFill), BOTH(Sts128, LdgFill), BOTH(Lds128, LdgFill);
    for (int grid : {1, nsm(), 4 * nsm()}) {
      for (int kind : {0, 1, 2, 3, 4}) {
        const char* names[] = {"all", "no global loads", "no shared loads", "no shared stores",
                               "no second barrier"};
        tile(kind, grid);
        say(S("tile %s grid %d", names[kind], grid));
      }
    }
  }
  if (m.want("dsm")) {
    auto word = [](int l) { return l * 4; };
    dsm<0>("word lane", word), dsm<1>("word lane", word), dsm<2>("word lane", word),
        dsm<3>("word lane", word);
    auto zero = [](int) { return 0; };
    dsm<0>("word 0", zero), dsm<1>("word 0", zero), dsm<2>("word 0", zero), dsm<3>("word 0", zero);
    auto far = [](int l) { return l * 128; };
    dsm<0>("stride 128", far), dsm<1>("stride 128", far), dsm<2>("stride 128", far),
        dsm<3>("stride 128", far);
    auto half = [](int l) { return l / 2 * 4; };
    dsm<2>("word lane / 2", half), dsm<3>("word lane / 2", half);
  }
  return 0;
}
