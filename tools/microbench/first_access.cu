// What the first accesses of a launch cost: pages, DRAM that was idle, constants. first_access plain|NAME: as it is and behind
// kernels that evict everything, or once (under ncu; "rec": for a capture). FINDINGS.md 34.
#include <cuda_runtime.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CK(x)                                                  \
  do {                                                         \
    cudaError_t e_ = (x);                                      \
    if (e_) {                                                  \
      printf("err %d %s\n", __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                 \
    }                                                          \
  } while (0)
__device__ __forceinline__ unsigned clk() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
// One thread of each block: n dependent loads, stride bytes apart; block b from b*step on. The times are kept
// in shared memory.
__global__ void probe(const char* p, size_t stride, size_t step, int n, unsigned* o) {
  __shared__ unsigned t[64];
  p += blockIdx.x * step;
  for (int i = 0; i < n; ++i) {
    unsigned s = clk();
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    if (v == 12345u) {
      o[0] = 1;
      return;
    }
    t[i] = clk() - s;
    p += stride;
  }
  for (int i = 0; i < n; ++i) {
    o[blockIdx.x * 64 + i] = t[i];
  }
}
// Stores, each followed by a fence.
__global__ void probe_st(char* p, size_t stride, int n, unsigned* o) {
  __shared__ unsigned t[64];
  for (int i = 0; i < n; ++i) {
    unsigned s = clk();
    asm volatile("st.global.u32 [%0],%1;\n fence.acq_rel.gpu;" ::"l"(p), "r"(i) : "memory");
    t[i] = clk() - s;
    p += stride;
  }
  for (int i = 0; i < n; ++i) {
    o[i] = t[i];
  }
}
__constant__ int cc[4096];
__global__ void probe_const(int n, unsigned* o) {  // cold constant lines, 64 B apart
  __shared__ unsigned t[64];
  for (int i = 0; i < n; ++i) {
    unsigned s = clk();
    int v = cc[i * 16];
    if (v == 12345) {
      o[0] = 1;
      return;
    }
    t[i] = clk() - s;
  }
  for (int i = 0; i < n; ++i) {
    o[i] = t[i];
  }
}
__global__ void flush(float4* p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    p[i] = make_float4(0, 0, 0, 0);
  }
}
__global__ void rflush(const float4* p, size_t n, unsigned* o) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    s += p[i].x;
  }
  if (s == 12345.f) {
    o[0] = 1;
  }
}
__global__ void only_store(int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    o[i] = 7;
  }
}
__global__ void only_load(const int* a, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] == -12345) {
    o[0] = 1;
  }
}
__global__ void copyk(const int* a, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    o[i] = a[i];
  }
}
__global__ void copy4(const float4* a, float4* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    o[i] = a[i];
  }
}
__global__ void nothing() {}
static void show(const char* w, unsigned* d, int n, int blocks = 1) {
  std::vector<unsigned> h(64 * blocks);
  CK(cudaMemcpy(h.data(), d, 64 * 4 * blocks, cudaMemcpyDeviceToHost));
  printf("TOUCH %s:", w);
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int b = 0; b < blocks; ++b) {
      s += h[b * 64 + i];
    }
    printf(" %.0f", s / blocks);
  }
  if (blocks > 1) {
    printf(" | max");
    for (int i = 0; i < n; ++i) {
      unsigned m = 0;
      for (int b = 0; b < blocks; ++b) {
        m = h[b * 64 + i] > m ? h[b * 64 + i] : m;
      }
      printf(" %u", m);
    }
  }
  puts("");
}
int main(int c, char** v) {
  const char* w = c > 1 ? v[1] : "plain";
  bool plain = !strcmp(w, "plain"), rec = !strcmp(w, "rec");
  char s[200];
  unsigned* o;
  CK(cudaMalloc(&o, 1 << 16));
  char* big;
  CK(cudaMalloc(&big, (size_t)2 << 30));
  float4* fl;
  CK(cudaMalloc(&fl, (size_t)256 << 20));
  CK(cudaMemset(big, 0, (size_t)2 << 30));
  CK(cudaMemset(fl, 0, (size_t)256 << 20));
  CK(cudaDeviceSynchronize());
  for (int r = 0; r < (rec ? 1 : 3); ++r) {
    for (int mode = 0; mode < (plain ? 4 : 1);
         ++mode) {  // 0: as it is; 1: behind a flush by stores; 2: by loads; 3: by loads and idle for 20 ms
      auto prep = [&] {
        if (mode == 1) {
          flush<<<528, 512>>>(fl, (256 << 20) / 16);
        }
        if (mode >= 2) {
          rflush<<<528, 512>>>(fl, (256 << 20) / 16, o);
        }
        CK(cudaDeviceSynchronize());
        if (mode == 3) {
          usleep(20000);
        }
      };
      auto one = [&](const char* name, size_t at, size_t stride, size_t step, int blocks, int n) {
        prep();
        probe<<<blocks, 1>>>(big + at, stride, step, n, o);
        snprintf(s, 200, "%s mode%d %s run%d", w, mode, name, r);
        show(s, o, n, blocks);
      };
      one("2MB", 0, 2 << 20, 0, 1, 24);
      one("4KB", (size_t)64 << 20, 4096, 0, 1, 24);
      one("128B", (size_t)66 << 20, 128, 0, 1, 24);
      one("64KB", (size_t)68 << 20, 65536, 0, 1, 24);
      one("all_4KB", (size_t)128 << 20, 4096, 65536, 132, 8);
      one("all_2MB", (size_t)256 << 20, 2 << 20, 8192, 132, 8);
      one("all_same", (size_t)512 << 20, 4096, 0, 132, 8);
      prep();
      probe_st<<<1, 1>>>(big + ((size_t)768 << 20), 2 << 20, 12, o);
      snprintf(s, 200, "%s mode%d st2MB run%d", w, mode, r);
      show(s, o, 12);
      prep();
      probe_st<<<1, 1>>>(big + ((size_t)800 << 20), 4096, 12, o);
      snprintf(s, 200, "%s mode%d st4KB run%d", w, mode, r);
      show(s, o, 12);
      prep();
      probe_const<<<1, 1>>>(24, o);
      snprintf(s, 200, "%s mode%d const run%d", w, mode, r);
      show(s, o, 24);
    }
    if (!plain) {
      nothing<<<1, 32>>>();
      for (int b : {1, 8, 66, 132, 264, 1056, 4224}) {
        only_store<<<b, 128>>>((int*)(big + (600 << 20)), b * 128);
        only_load<<<b, 128>>>((int*)(big + (640 << 20)), (int*)o, b * 128);
        copyk<<<b, 128>>>((int*)(big + (680 << 20)), (int*)(big + (720 << 20)), b * 128);
        copy4<<<b, 128>>>((float4*)(big + (980 << 20)), (float4*)(big + (1020 << 20)), b * 128);
      }
      CK(cudaDeviceSynchronize());
    }
  }
  puts("done");
}
