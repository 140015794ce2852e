// What each kind of access, the code and the launch itself cost in L2 and DRAM counters. Run under ncu; stdout lists the
// cases in launch order. FINDINGS.md 17.
#include "mb.h"

enum Op { kLoad, kLoadCg, kStore, kRed, kAtom };

__global__ void k_empty() {}
struct Big {
  u32 v[1000];
};
__global__ void k_params(const __grid_constant__ Big b, u32* o, int n) {
  u32 s = 0;
  for (int i = 0; i < n; ++i) s += b.v[i];
  if (s == 12345) *o = s;
}
__global__ void k_spin(u32 cycles, u32* o) {
  u64 t = clk64();
  while (clk64() - t < cycles) {
  }
  if (cycles == 1) *o = 1;
}
// Lane i of block b touches one word at (b * n + i) * stride; n lanes.
template <int OP>
__global__ void k_touch(char* p, int n, u32 stride, u32* o, int same) {
  u32 r = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    u32* a = (u32*)(p + ((u64)(same ? 0 : blockIdx.x) * n + i) * stride);
    if (OP == kLoad) r += *a;
    if (OP == kLoadCg) r += __ldcg(a);
    if (OP == kStore) *a = 7;
    if (OP == kRed) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a) : "memory");
    if (OP == kAtom) r += atomicExch(a, 1u);
  }
  if (r == 0xfffffff1u) *o = r;
}
template <int N>
__global__ void k_code(float* o, int n, float b) {
  float v = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(b));
  }
  if (v == 1.5f) o[0] = v;
}
__constant__ u32 bank[16000];
__global__ void k_constant(u32* o, int n) {
  u32 s = 0;
  for (int i = 0; i < n; i += 16) s += bank[i];
  if (s == 12345) *o = s;
}
// Whole lines, 512 bytes per warp instruction; `times` over.
__global__ void k_fill(uint4* p, u64 n, int times) {
  for (int k = 0; k < times; ++k)
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
      p[i] = make_uint4(k, k, k, k);
}
__global__ void k_fill32(u32* p, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) p[i] = 3;
}
__global__ void k_copy32(u32* p, const u32* q, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) p[i] = q[i];
}

// `first` 16-byte words written, then `second` read `times` over, whole lines.
__global__ void k_write_read(uint4* p, u64 first, u64 second, int times, u32* o) {
  u64 t = blockIdx.x * (u64)blockDim.x + threadIdx.x, all = (u64)gridDim.x * blockDim.x;
  u32 s = 0;
  for (u64 i = t; i < first; i += all) p[i] = make_uint4(1, 2, 3, 4);
  for (int k = 0; k < times; ++k)
    for (u64 i = t; i < second; i += all) s += __ldcg(p + first + i).x;
  if (s == 0xfffffff1u) *o = s;
}

static char* pool;
static u32* out;
static void label(const char* f, ...) {
  CK(cudaDeviceSynchronize());
  va_list a;
  va_start(a, f);
  printf("CASE,");
  vprintf(f, a);
  printf("\n");
  va_end(a);
}
template <int OP>
static void touch(const char* name, int grid, int n, u32 stride, int same = 0) {
  label("%s grid %d n %d stride %u same %d", name, grid, n, stride, same);
  k_touch<OP><<<grid, std::min(n, 256)>>>(pool, n, stride, out, same);
}

int main() {
  CK(cudaMalloc(&pool, 1ull << 30));
  CK(cudaMalloc(&out, 1 << 20));
  CK(cudaMemset(pool, 0, 1ull << 30));
  for (int g : {1, 8, 132, 1056}) {
    label("empty grid %d", g);
    k_empty<<<g, 32>>>();
  }
  label("empty grid 132 block 1024");
  k_empty<<<132, 1024>>>();
  for (u32 c : {2000u, 100000u}) {
    label("spin %u grid 132", c);
    k_spin<<<132, 32>>>(c, out);
  }
  Big b = {};
  for (int n : {0, 8, 1000}) {
    label("params %d grid 132", n);
    k_params<<<132, 32>>>(b, out, n);
  }
  for (int g : {1, 132}) {
    label("code 4 KB grid %d", g);
    k_code<256><<<g, 32>>>((float*)out, 1, 1.f);
    label("code 32 KB grid %d", g);
    k_code<2048><<<g, 32>>>((float*)out, 1, 1.f);
    label("code 160 KB grid %d", g);
    k_code<10240><<<g, 32>>>((float*)out, 1, 1.f);
  }
  label("code 160 KB 4 times grid 132");
  k_code<10240><<<132, 32>>>((float*)out, 4, 1.f);
  for (int g : {1, 132}) {
    label("constants 64 KB grid %d", g);
    k_constant<<<g, 32>>>(out, 16000);
  }
  for (int n : {1, 4, 16, 64, 256}) {
    touch<kLoad>("load", 132, n, 4096);
    touch<kStore>("store", 132, n, 4096);
  }
  touch<kLoad>("load", 1, 256, 4096);
  touch<kStore>("store", 1, 256, 4096);
  touch<kLoad>("load", 1, 256, 128);
  touch<kStore>("store", 1, 256, 128);
  touch<kStore>("store", 1, 2048, 32);
  touch<kStore>("store", 1, 16384, 4);
  touch<kLoad>("load", 132, 256, 128);
  touch<kLoad>("load", 132, 256, 64);
  touch<kLoad>("load", 132, 256, 4096, 1);
  touch<kLoadCg>("loadcg", 132, 256, 4096);
  touch<kRed>("red", 132, 64, 4096);
  touch<kRed>("red", 132, 64, 4096, 1);
  touch<kAtom>("atom", 132, 64, 4096);
  touch<kStore>("store", 132, 64, 4096, 1);
  touch<kStore>("store", 132, 4096, 32);
  touch<kStore>("store", 132, 4096, 128);
  touch<kStore>("store", 1056, 4096, 32);
  touch<kStore>("store", 1056, 4096, 4);
  for (int mb : {1, 4, 8, 16, 32, 48, 64, 128}) {
    label("fill %d MB", mb);
    k_fill<<<264, 512>>>((uint4*)pool, (u64)mb << 16, 1);
  }
  for (int mb : {20, 24, 28}) {
    label("fill %d MB", mb);
    k_fill<<<264, 512>>>((uint4*)pool, (u64)mb << 16, 1);
  }
  for (int mb : {16, 24, 32, 40, 48, 64}) {
    label("read %d MB 3 times", mb);
    k_write_read<<<264, 512>>>((uint4*)pool, 0, (u64)mb << 16, 3, out);
  }
  for (int w : {4, 16})
    for (int mb : {16, 32, 64, 256}) {
      label("write %d MB read %d MB", w, mb);
      k_write_read<<<264, 512>>>((uint4*)pool, (u64)w << 16, (u64)mb << 16, 1, out);
    }
  label("fill 16 MB 2 times");
  k_fill<<<264, 512>>>((uint4*)pool, 1ull << 20, 2);
  label("fill 32 MB 2 times");
  k_fill<<<264, 512>>>((uint4*)pool, 2ull << 20, 2);
  label("fill32 4 MB");
  k_fill32<<<1024, 256>>>((u32*)pool, 1 << 20);
  label("fill32 16 MB");
  k_fill32<<<1024, 256>>>((u32*)pool, 4 << 20);
  label("copy32 4 MB");
  k_copy32<<<1024, 256>>>((u32*)pool, (u32*)(pool + (512 << 20)), 1 << 20);
  label("copy32 16 MB");
  k_copy32<<<1024, 256>>>((u32*)pool, (u32*)(pool + (512 << 20)), 4 << 20);
  CK(cudaDeviceSynchronize());
  return 0;
}
