// What a warp group's products (WGMMA) and other instructions cost each other in the same sub-cores: one warp
// group multiplies 64 x N x 16, float16 into float32, back to back; one or two others run chains of one kind
// of instruction until it has ended. Prints rows name,value: mma_N_OPERAND_KIND_CHAINS_WARPS, core cycles of
// a product, and other_N_OPERAND_KIND_CHAINS_WARPS, core cycles of 64 of the other instructions of one warp
// (the SM's slowest); WARPS: of the others in each sub-core, 0: the product alone; N = 0: the others alone.
// OPERAND: `ss` or `rs`, where A is, `sync`: as much by mma.sync. results/h200_wgmma_beside.csv,
// h100_wgmma_beside.csv; FINDINGS.md 60.
#include "mb.h"
#include "wgmma_gen.h"

enum Kind {
  kFfmaThree,
  kFfmaTwo,
  kFadd,
  kFmul,
  kEx2,
  kFmnmx,
  kLop,
  kImad,
  kPack,
  kHfma,
  kShfl,
  kLds,
  kSts,
  kLopImad,
  kLopFadd,
  kImadFadd,
  kEx2Lop,
  kEx2Fadd,
  kMovImm
};
constexpr const char* kNames[] = {"ffma_three", "ffma_two", "fadd",     "fmul",     "ex2",
                                  "fmnmx",      "lop",      "imad",     "pack",     "hfma",
                                  "shfl",       "lds128",   "sts128",   "lop_imad", "lop_fadd",
                                  "imad_fadd",  "ex2_lop",  "ex2_fadd", "mov_imm"};
constexpr int kProducts = 512, kTurns = 32;

template <Kind K>
__device__ __forceinline__ void one(int k, float& a, float b, float c, float (&q)[4], u32 at) {
  if constexpr (K == kLopImad) {
    k % 2 ? one<kLop>(k, a, b, c, q, at) : one<kImad>(k, a, b, c, q, at);
  } else if constexpr (K == kLopFadd) {
    k % 2 ? one<kLop>(k, a, b, c, q, at) : one<kFadd>(k, a, b, c, q, at);
  } else if constexpr (K == kImadFadd) {
    k % 2 ? one<kImad>(k, a, b, c, q, at) : one<kFadd>(k, a, b, c, q, at);
  } else if constexpr (K == kEx2Lop) {
    k % 8 == 0 ? one<kEx2>(k, a, b, c, q, at) : one<kLop>(k, a, b, c, q, at);
  } else if constexpr (K == kEx2Fadd) {
    k % 8 == 0 ? one<kEx2>(k, a, b, c, q, at) : one<kFadd>(k, a, b, c, q, at);
  }
  u32& x = reinterpret_cast<u32&>(a);
  const u32 y = __float_as_uint(b), z = __float_as_uint(c);
  if (K == kFfmaThree) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a) : "f"(b), "f"(c));
  } else if (K == kFfmaTwo) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
  } else if (K == kFadd) {
    asm volatile("add.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
  } else if (K == kFmul) {
    asm volatile("mul.f32 %0, %0, 0f3F8CCCCD;" : "+f"(a));
  } else if (K == kEx2) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
  } else if (K == kFmnmx) {
    asm volatile("max.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
  } else if (K == kLop) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(y), "r"(z));
  } else if (K == kImad) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z));
  } else if (K == kPack) {
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(a), "f"(b));
  } else if (K == kHfma) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z));
  } else if (K == kShfl) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+f"(a));
  } else if (K == kLds) {
    asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(q[0]), "=f"(q[1]), "=f"(q[2]), "=f"(q[3])
                 : "r"(at));
  } else if (K == kSts) {
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(at), "f"(b), "f"(c), "f"(b), "f"(c));
  } else if (K == kMovImm) {
    asm volatile("mov.b32 %0, 0x12345678;" : "=r"(x));
  }
}

// As much by mma.sync: N / 8 of m16n8k16 by each of the warps.
template <int N>
struct WG<N, 2> {
  static __device__ __forceinline__ void go(float* d, u64 da, u64 db, const u32* a) {
#pragma unroll
    for (int i = 0; i < N / 8; ++i) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
          "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+f"(d[4 * i]), "+f"(d[4 * i + 1]), "+f"(d[4 * i + 2]), "+f"(d[4 * i + 3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[0]), "r"(a[1]));
    }
  }
};

// out: [0] cycles of the products, [1 + warp]: cycles of kTurns turns, or as many as there were, [16 + warp]:
// turns
template <int N, int RS, Kind K, int Chains>
__global__ void __launch_bounds__(384) both(const float* in, u32* out, int products, int turns) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ volatile u32 ended;
  u32* words = reinterpret_cast<u32*>(tiles);
  for (u32 i = threadIdx.x; i < 16384; i += blockDim.x) {
    words[i] = 0;
  }
  if (threadIdx.x == 0) {
    ended = 0;
  }
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x < 128) {
    auto desc = [](u32 p) {
      return ((u64)((p & 0x3ffff) >> 4)) | ((u64)(128 >> 4) << 16) | ((u64)(256 >> 4) << 32);
    };
    const u64 da = desc(sptr(tiles)), db = desc(sptr(tiles) + 8192);
    float d[N / 2];
    for (int i = 0; i < N / 2; ++i) {
      d[i] = 0;
    }
    u32 a[4] = {};
    const u64 start = clk64();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int k = 0; k < products; k += 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        WG<N, RS>::go(d, da, db, a);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const u64 end = clk64();
    float s = 0;
    for (int i = 0; i < N / 2; ++i) {
      s += d[i];
    }
    if (s == 1.25f) {
      out[60] = 1;
    }
    if (threadIdx.x == 0) {
      out[0] = static_cast<u32>(end - start);
      ended = turns > kTurns;  // else the others end by themselves
    }
    return;
  }
  const float b = in[threadIdx.x % 32], c = in[threadIdx.x % 32 + 32];
  float a[8], e[8], f[8], q[4] = {};
  for (int i = 0; i < 8; ++i) {
    a[i] = b + i;
    e[i] = c + i;
    f[i] = b - i;
  }
  const u32 at = sptr(tiles) + 32768 + threadIdx.x % 32 * 16;
  const u64 start = clk64();
  int turn = 0;
#pragma unroll 1
  for (; turn < turns && ended == 0; ++turn) {
#pragma unroll
    for (int k = 0; k < 256; ++k) {
      one<K>(k, a[k % Chains], K == kFfmaThree ? e[k % 8] : b, K == kFfmaThree ? f[(k + 1) % 8] : c, q, at);
    }
  }
  const u64 end = clk64();
  float s = q[0] + q[1] + q[2] + q[3];
  for (int i = 0; i < 8; ++i) {
    s += a[i];
  }
  if (s == 1.25f) {
    out[61] = 1;
  }
  if (threadIdx.x % 32 == 0) {
    out[threadIdx.x / 32] = static_cast<u32>(end - start);
    out[16 + threadIdx.x / 32] = turn;
  }
}

static float* in;
static u32* o;
template <int N, int RS, Kind K, int Chains>
void rows(bool alone, bool others_alone) {
  CK(cudaFuncSetAttribute(both<N, RS, K, Chains>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  const std::string where = RS == 2 ? "sync" : RS == 1 ? "rs" : "ss", kind = S("%s_%d", kNames[K], Chains);
  auto go = [&](int threads, int products, int turns) {
    for (int r = 0; r < 2; ++r) {  // the first brings the code
      both<N, RS, K, Chains><<<1, threads, 65536>>>(in, o, products, turns);
      sync();
    }
    return down(o, 64);
  };
  if (alone) {
    printf("mma_%d_%s_none_0_0,%.3f\n", N, where.c_str(),
           (go(128, kProducts, 1)[0] - go(128, kProducts / 2, 1)[0]) / (kProducts / 2.0));
  }
  for (int warps : {1, 2}) {
    auto slowest = [&](const std::vector<u32>& v) {
      double most = 0;
      for (int w = 4; w < 4 + 4 * warps; ++w) {
        most = std::max(most, v[16 + w] ? double(v[w]) / v[16 + w] / 4 : 0.0);
      }
      return most;
    };
    if (others_alone) {
      printf("other_0_none_%s_%d,%.2f\n", kind.c_str(), warps, slowest(go(128 + 128 * warps, 0, kTurns)));
    }
    const auto v = go(128 + 128 * warps, kProducts, 1 << 20);
    printf("mma_%d_%s_%s_%d,%.3f\n", N, where.c_str(), kind.c_str(), warps, double(v[0]) / kProducts);
    printf("other_%d_%s_%s_%d,%.2f\n", N, where.c_str(), kind.c_str(), warps, slowest(v));
  }
  fflush(stdout);
}

template <Kind K, int Chains>
void kind() {
  rows<128, 0, K, Chains>(false, true);
  rows<128, 1, K, Chains>(false, false);
  rows<128, 2, K, Chains>(false, false);
}
template <Kind K>
void shapes() {
  kind<K, 8>();
  rows<64, 0, K, 8>(false, false);
  rows<256, 0, K, 8>(false, false);
  rows<32, 0, K, 8>(false, false);
  rows<64, 1, K, 8>(false, false);
}
template <Kind K>
void chains() {
  kind<K, 1>();
  kind<K, 2>();
  kind<K, 4>();
}

int main() {
  in = dmalloc<float>(64);
  o = dmalloc<u32>(64);
  std::vector<float> h(64, 0.5f);
  CK(cudaMemcpy(in, h.data(), 256, cudaMemcpyHostToDevice));
  printf("name,value\n");
  rows<32, 0, kLop, 8>(true, false);
  rows<64, 0, kLop, 8>(true, false);
  rows<64, 1, kLop, 8>(true, false);
  rows<128, 0, kLop, 8>(true, false);
  rows<128, 1, kLop, 8>(true, false);
  rows<128, 2, kLop, 8>(true, false);
  rows<256, 0, kLop, 8>(true, false);
  shapes<kFfmaThree>();
  shapes<kFadd>();
  shapes<kLds>();
  shapes<kSts>();
  shapes<kShfl>();
  kind<kFfmaTwo, 8>();
  kind<kFmul, 8>();
  kind<kEx2, 8>();
  kind<kFmnmx, 8>();
  kind<kLop, 8>();
  kind<kImad, 8>();
  kind<kPack, 8>();
  kind<kHfma, 8>();
  kind<kLopImad, 8>();
  kind<kLopFadd, 8>();
  kind<kImadFadd, 8>();
  kind<kEx2Lop, 8>();
  kind<kEx2Fadd, 8>();
  kind<kMovImm, 8>();
  chains<kFadd>();
  chains<kFfmaThree>();
  chains<kLop>();
  chains<kImad>();
  chains<kEx2>();
  chains<kLopImad>();
  chains<kLds>();
  chains<kShfl>();
  return 0;
}
