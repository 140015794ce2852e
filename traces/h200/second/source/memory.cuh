// Data movement, atomics, barriers, shared memory within a block and a cluster.
#pragma once
#include "common.cuh"

// radix: one pass of a radix sort: per-warp digit ranks with ballots, shared counters
__global__ void h_radix(const u32* k, u32* o, u32* cnt, int shift) {
  __shared__ u32 h[16][8];
  int t = threadIdx.x, w = t >> 5, l = t & 31;
  if (t < 128) {
    h[t >> 3][t & 7] = 0;
  }
  __syncthreads();
  u32 key = k[blockIdx.x * 256 + t], d = (key >> shift) & 15, m = ~0u;
  for (int b = 0; b < 4; b++) {
    u32 v = __ballot_sync(~0u, (d >> b) & 1);
    m &= ((d >> b) & 1) ? v : ~v;
  }
  u32 rank = __popc(m & ((1u << l) - 1));
  if (!rank) {
    h[d][w] = __popc(m);
  }
  __syncthreads();
  if (t < 16) {
    u32 s = 0;
    for (int i = 0; i < 8; i++) {
      u32 c = h[t][i];
      h[t][i] = s;
      s += c;
    }
    cnt[t * gridDim.x + blockIdx.x] = s;
  }
  __syncthreads();
  o[blockIdx.x * 256 + t] = rank + h[d][w] + (d << 16);
}

// bsearch: binary search in a 4 MB table
__global__ void h_bsearch(const u32* tab, const u32* key, u32* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 k = key[t];
  int lo = 0, hi = n;
  while (lo < hi) {
    int m = (lo + hi) >> 1;
    if (tab[m] < k) {
      lo = m + 1;
    } else {
      hi = m;
    }
  }
  o[t] = lo;
}

// scatter: sums at random places with float atomics
__global__ void h_scatter(const int* dst, const float* v, float* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&o[dst[i]], v[i] * 0.85f);
  }
}

// cpasync: cp.async pipeline, 4 stages
__global__ void __launch_bounds__(128) h_cpasync(const float4* a, float4* o, int n) {
  __shared__ __align__(16) float4 s[4][128];
  int t = threadIdx.x;
  const float4* p = a + (size_t)blockIdx.x * n * 128 + t;
  float4 acc = make_float4(0, 0, 0, 0);
  for (int i = 0; i < 3; i++) {
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;\ncp.async.commit_group;" ::"r"(sp(&s[i][t])),
                 "l"(p + (size_t)i * 128));
  }
  for (int i = 0; i < n; i++) {
    if (i + 3 < n) {
      asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(sp(&s[(i + 3) & 3][t])),
                   "l"(p + (size_t)(i + 3) * 128));
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 3;" ::: "memory");
    __syncthreads();
    float4 v = s[i & 3][(t + 1) & 127];
    acc.x += v.x;
    acc.y += v.y;
    acc.z += v.z;
    acc.w += v.w;
    __syncthreads();
  }
  o[blockIdx.x * 128 + t] = acc;
}

// trans64: transpose of 64-bit elements with an XOR swizzle
__global__ void h_trans64(const double* a, double* o, int n) {
  __shared__ double s[32][32];
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    s[y][x ^ y] = a[(size_t)(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    o[(size_t)(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = s[x][y ^ x];
  }
}

// redux: sums and maxima over warps by REDUX
__global__ void h_redux(const int* a, int* o, int n) {
  int t = threadIdx.x;
  __shared__ int s[8];
  int v = 0;
  for (int i = 0; i < n; i++) {
    int x = a[((size_t)blockIdx.x * n + i) * 256 + t];
    v += __reduce_add_sync(~0u, x) + __reduce_max_sync(~0u, x ^ i);
  }
  if (t % 32 == 0) {
    s[t / 32] = v;
  }
  __syncthreads();
  if (!t) {
    int r = 0;
    for (int i = 0; i < 8; i++) {
      r += s[i];
    }
    o[blockIdx.x] = r;
  }
}

// insert: into a hash table with open addressing, by compare-and-swap; races with itself
__global__ void h_insert(const u32* k, u32* tab, int bits) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 key = k[t] | 1, i = (key * 0x9e3779b1u) >> (32 - bits);
  for (;;) {
    u32 old = atomicCAS(&tab[i], 0u, key);
    if (old == 0 || old == key) {
      break;
    }
    i = (i + 1) & ((1u << bits) - 1);
  }
}

// copy: 128 bits a thread
__global__ void h_copy(const float4* a, float4* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    o[i] = a[i];
  }
}

// fill: 128-bit stores only
__global__ void h_fill(float4* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    o[i] = make_float4(1, 2, 3, 4);
  }
}

// named: producer and consumer warps with named barriers
__global__ void __launch_bounds__(128) h_named(const float* a, float* o, int n) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float r = 0;
  if (t < 64) {
    for (int i = 0; i < n; i++) {
      if (i >= 2) {
        asm volatile("bar.sync %0, 128;" ::"r"(3 + (i & 1)) : "memory");
      }
      s[i & 1][t] = a[((size_t)blockIdx.x * n + i) * 64 + t];
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + (i & 1)) : "memory");
    }
  } else {
    for (int i = 0; i < n; i++) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + (i & 1)) : "memory");
      r += s[i & 1][(t * 7) & 63];
      if (i + 2 < n) {
        asm volatile("bar.arrive %0, 128;" ::"r"(3 + (i & 1)) : "memory");
      }
    }
    o[blockIdx.x * 64 + t - 64] = r;
  }
}

// ring: blocks of a pair exchange values through distributed shared memory
__global__ void __cluster_dims__(2, 1, 1) h_ring(const float* a, float* o, int n) {
  __shared__ float s[2][256];
  cg::cluster_group c = cg::this_cluster();
  int t = threadIdx.x;
  float v = a[blockIdx.x * 256 + t];
  for (int i = 0; i < n; i++) {
    s[i & 1][t] = v;
    c.sync();
    v = v * 0.5f + c.map_shared_rank(&s[i & 1][0], c.block_rank() ^ 1)[(t + i) & 255];
  }
  c.sync();
  o[blockIdx.x * 256 + t] = v;
}

// scan1: prefix sums by one block, a barrier in each of their dependent steps
__global__ void h_scan1(const int* a, int* o, int n) {
  __shared__ int s[2][1024];
  int t = threadIdx.x, carry = 0;
  for (int b = 0; b < n; b += 1024) {
    s[0][t] = a[b + t];
    __syncthreads();
    int p = 0;
    for (int d = 1; d < 1024; d *= 2) {
      s[p ^ 1][t] = s[p][t] + (t >= d ? s[p][t - d] : 0);
      p ^= 1;
      __syncthreads();
    }
    o[b + t] = s[p][t] + carry;
    carry += s[p][1023];
    __syncthreads();
  }
}
