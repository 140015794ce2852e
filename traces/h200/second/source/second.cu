// The second suite: 28 kernels of other kinds than those of ../../suite.cu, each launched once.
//
//   second          all, in the order of suite.csv
//   second NAME     one, as it was traced
//
// Writes "ok NAME" to stderr after each. Build, trace and measure: ../README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "arithmetic.cuh"
#include "common.cuh"
#include "linear_algebra.cuh"
#include "memory.cuh"

#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

// Every kernel takes its arrays from the start of one allocation, which starts out as zeros; kernels after
// the first find what the earlier ones left where they ask for memory without filling it.
static char* pool;
static size_t used, cap = 2ull << 30;

template <class T>
T* dev(size_t n) {
  used = (used + 1023) & ~1023ull;
  T* p = (T*)(pool + used);
  used += n * sizeof(T);
  if (used > cap) {
    fprintf(stderr, "the pool is too small\n");
    exit(1);
  }
  return p;
}

template <class T>
T* up(const std::vector<T>& v) {
  T* p = dev<T>(v.size());
  CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

// Inputs: xorshift from the same seed for every kernel. Floats in [0.01, 1.01), integers below m, halves in
// [-0.5, 0.5).
static u32 rs;
static u32 rnd() {
  rs ^= rs << 13;
  rs ^= rs >> 17;
  rs ^= rs << 5;
  return rs;
}

static std::vector<float> rf(size_t n) {
  std::vector<float> v(n);
  for (auto& x : v) {
    x = (rnd() & 0xffff) / 65536.f + 0.01f;
  }
  return v;
}

static std::vector<u32> ru(size_t n, u32 m = 0) {
  std::vector<u32> v(n);
  for (auto& x : v) {
    x = m ? rnd() % m : rnd();
  }
  return v;
}

static std::vector<int> ri(size_t n, u32 m) {
  std::vector<int> v(n);
  for (auto& x : v) {
    x = rnd() % m;
  }
  return v;
}

static std::vector<half> rh(size_t n) {
  std::vector<half> v(n);
  for (auto& x : v) {
    x = __float2half((rnd() & 0xff) / 256.f - 0.5f);
  }
  return v;
}

int main(int argc, char** argv) {
  std::string want = argc > 1 ? argv[1] : "all";
  CK(cudaSetDevice(0));
  CK(cudaMalloc(&pool, cap));
  CK(cudaMemset(pool, 0, cap));
  auto run = [&](const char* nm, std::function<void()> f) {
    if (want != "all" && want != nm) {
      return;
    }
    used = 0;
    rs = 4711;
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    fprintf(stderr, "ok %s\n", nm);
  };
  run("radix", [] {
    int n = 1 << 18;
    auto k = up(ru(n));
    auto o = dev<u32>(n), c = dev<u32>(16 * n / 256);
    h_radix<<<n / 256, 256>>>(k, o, c, 8);
  });
  run("sgemm", [] {
    int n = 640;
    auto a = up(rf(n * n)), b = up(rf(n * n));
    auto c = dev<float>(n * n);
    h_sgemm<<<dim3(n / 64, n / 128), 256>>>(a, b, c, n);
  });
  run("conv3", [] {
    int n = 512;
    auto a = up(rf(8 * n * n)), w = up(rf(288));
    auto o = dev<float>(4 * n * n);
    h_conv3<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(a, w, o, n);
  });
  run("inv4", [] {
    int n = 1 << 17;
    auto a = (float4*)up(rf(16 * n));
    auto o = dev<float4>(4 * n);
    h_inv4<<<n / 128, 128>>>(a, o);
  });
  run("attn", [] {
    int n = 1024, q = 132 * 64;
    auto Q = up(rh((size_t)q * 64)), K = up(rh(n * 64)), V = up(rh(n * 64));
    auto o = dev<half>((size_t)q * 64);
    h_attn<<<q / 64, 128>>>(Q, K, V, o, n);
  });
  run("imma", [] {
    int n = 1024;
    auto a = (char*)up(ru(n * n / 4)), b = (char*)up(ru(n * n / 4));
    auto c = dev<int>(n * n);
    h_imma<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
  });
  run("jacobi64", [] {
    int n = 1026;
    auto a = dev<double>((size_t)n * n), o = dev<double>((size_t)n * n);
    h_jacobi64<<<dim3(32, 128), dim3(32, 8)>>>(a, o, n);
  });
  run("queens", [] {
    auto o = dev<u32>(132 * 128);
    h_queens<<<132, 128>>>(o, 8);
  });
  run("hash", [] {
    int n = 132 * 1024;
    auto a = up(ru(n));
    auto o = dev<u32>(n);
    h_hash<<<n / 256, 256>>>(a, o, 16);
  });
  run("bsearch", [] {
    int n = 1 << 20, m = 1 << 16;
    std::vector<u32> t(n);
    for (int i = 0; i < n; i++) {
      t[i] = i * 4096u;
    }
    auto tab = up(t), k = up(ru(m));
    auto o = dev<u32>(m);
    h_bsearch<<<m / 256, 256>>>(tab, k, o, n);
  });
  run("spmm", [] {
    int r = 8192;
    std::vector<int> p(r + 1);
    for (int i = 0; i < r; i++) {
      p[i + 1] = p[i] + 4 + rnd() % 25;
    }
    auto P = up(p), I = up(ri(p[r], r));
    auto v = up(rf(p[r])), x = up(rf((size_t)r * 32));
    auto y = dev<float>((size_t)r * 32);
    h_spmm<<<r / 4, 128>>>(P, I, v, x, y, r);
  });
  run("scatter", [] {
    int n = 1 << 18;
    auto d = up(ri(n, 1 << 16));
    auto v = up(rf(n));
    auto o = dev<float>(1 << 16);
    h_scatter<<<264, 256>>>(d, v, o, n);
  });
  run("half", [] {
    int n = 132 * 2048;
    auto a = (half2*)up(rh(2 * n));
    auto o = dev<half2>(n);
    h_half<<<n / 256, 256>>>(a, o, 12);
  });
  run("cpasync", [] {
    int n = 32, g = 132 * 4;
    auto a = dev<float4>((size_t)g * n * 128), o = dev<float4>(g * 128);
    h_cpasync<<<g, 128>>>(a, o, n);
  });
  run("trans64", [] {
    int n = 1024;
    auto a = dev<double>(n * n), o = dev<double>(n * n);
    h_trans64<<<dim3(32, 32), dim3(32, 8)>>>(a, o, n);
  });
  run("redux", [] {
    int n = 16, g = 528;
    auto a = up(ri((size_t)g * n * 256, 1000));
    auto o = dev<int>(g);
    h_redux<<<g, 256>>>(a, o, n);
  });
  run("philox", [] {
    auto o = dev<u64>(1);
    h_philox<<<264, 256>>>(o, 16);
  });
  run("life", [] {
    int n = 1024;
    std::vector<unsigned char> v(n * n);
    for (auto& x : v) {
      x = rnd() >> 31;
    }
    auto a = up(v);
    auto o = dev<unsigned char>(n * n);
    h_life<<<dim3(32, 128), dim3(32, 8)>>>(a, o, n);
  });
  run("kmeans", [] {
    int n = 1 << 17;
    auto p = up(rf(8 * n)), c = up(rf(256));
    auto o = dev<int>(n);
    auto s = dev<float>(32);
    h_kmeans<<<n / 256, 256>>>(p, c, o, s, n);
  });
  run("gru", [] {
    int g = 264, n = 16;
    auto x = up(rf((size_t)n * g * 256)), h = up(rf(g * 256));
    auto o = dev<float>(g * 256);
    h_gru<<<g, 256>>>(x, h, o, n);
  });
  run("insert", [] {
    int n = 1 << 17;
    auto k = up(ru(n));
    auto t = dev<u32>(1 << 19);
    CK(cudaMemset(t, 0, 4 << 19));
    h_insert<<<n / 256, 256>>>(k, t, 19);
  });
  run("copy", [] {
    int n = 1 << 21;
    auto a = dev<float4>(n), o = dev<float4>(n);
    h_copy<<<132 * 8, 256>>>(a, o, n);
  });
  run("fill", [] {
    int n = 1 << 20;
    auto o = dev<float4>(n);
    h_fill<<<132 * 8, 256>>>(o, n);
  });
  run("gemv", [] {
    int r = 4096, c = 2048;
    auto a = dev<float4>((size_t)r * c / 4), x = dev<float4>(c / 4);
    auto y = dev<float>(r);
    h_gemv<<<r / 8, 256>>>(a, x, y, c / 4);
  });
  run("named", [] {
    int n = 32, g = 528;
    auto a = up(rf((size_t)g * n * 64));
    auto o = dev<float>(g * 64);
    h_named<<<g, 128>>>(a, o, n);
  });
  run("ring", [] {
    auto a = up(rf(264 * 256));
    auto o = dev<float>(264 * 256);
    h_ring<<<264, 256>>>(a, o, 16);
  });
  run("scan1", [] {
    int n = 1 << 14;
    auto a = up(ri(n, 100));
    auto o = dev<int>(n);
    h_scan1<<<1, 1024>>>(a, o, n);
  });
  run("chol", [] {
    int g = 1056;
    std::vector<double> m((size_t)g * 1024);
    for (int b = 0; b < g; b++) {
      for (int r = 0; r < 32; r++) {
        for (int c = 0; c < 32; c++) {
          m[(size_t)b * 1024 + r * 32 + c] = r == c ? 40.0 : 1.0 / (1 + r + c);
        }
      }
    }
    auto a = up(m);
    h_chol<<<g, 32>>>(a);
  });
  return 0;
}
