// Integer, half-precision and transcendental arithmetic, with and without divergence.
#pragma once
#include "common.cuh"

// queens: n queens by bit tricks, divergent integer loops
__global__ void h_queens(u32* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 all = (1u << n) - 1, c0 = 1u << (t % n), c1 = 1u << ((t / n) % n);
  u32 cnt = 0;
  if (!((c0 | c0 << 1 | c0 >> 1) & c1)) {
    u32 cols[12], l[12], r[12], f[12];
    int d = 0;
    cols[0] = c0 | c1;
    l[0] = ((c0 << 1) | c1) << 1;
    r[0] = ((c0 >> 1) | c1) >> 1;
    f[0] = all & ~(cols[0] | l[0] | r[0]);
    while (d >= 0) {
      u32 b = f[d] & -f[d];
      if (!b) {
        d--;
        continue;
      }
      f[d] ^= b;
      u32 c = cols[d] | b;
      if (c == all) {
        cnt++;
        continue;
      }
      d++;
      cols[d] = c;
      l[d] = (l[d - 1] | b) << 1;
      r[d] = (r[d - 1] | b) >> 1;
      f[d] = all & ~(c | l[d] | r[d]);
    }
  }
  o[t] = cnt;
}

// hash: integer hashing (rotate, xor, add)
__global__ void h_hash(const u32* a, u32* o, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 s[8];
  for (int i = 0; i < 8; i++) {
    s[i] = a[t] * (i + 1) + 0x9e3779b9u;
  }
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      u32 e = s[(i + 4) & 7],
          x = __funnelshift_l(e, e, 26) ^ __funnelshift_l(e, e, 21) ^ __funnelshift_l(e, e, 7),
          ch = (e & s[(i + 5) & 7]) ^ (~e & s[(i + 6) & 7]);
      s[(i + 3) & 7] += x + ch + r;
      s[(i + 7) & 7] += ((s[i] & s[(i + 1) & 7]) | (s[(i + 2) & 7] & (s[i] | s[(i + 1) & 7]))) + x;
    }
  }
  o[t] = s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6] ^ s[7];
}

// half: half2 polynomial and exponentials
__global__ void h_half(const half2* a, half2* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  half2 x = a[t], y = x;
  for (int i = 0; i < n; i++) {
    y = __hfma2(y, x, __float2half2_rn(0.3f));
    y = __hadd2(__hmul2(y, y), x);
    y = h2exp(__hmul2(y, __float2half2_rn(0.01f)));
  }
  o[t] = y;
}

// philox: Philox random numbers, pi by Monte Carlo
__global__ void h_philox(u64* o, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, hit = 0;
  for (int i = 0; i < n; i++) {
    u32 c0 = i, c1 = t, c2 = 7, c3 = 11, k0 = 0xa4093822, k1 = 0x299f31d0;
#pragma unroll
    for (int r = 0; r < 10; r++) {
      u64 p0 = (u64)c0 * 0xD2511F53u, p1 = (u64)c2 * 0xCD9E8D57u;
      c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
      c1 = (u32)p1;
      c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
      c3 = (u32)p0;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    float x = c0 * 2.3283064e-10f, y = c1 * 2.3283064e-10f, z = c2 * 2.3283064e-10f, w = c3 * 2.3283064e-10f;
    hit += (x * x + y * y < 1.f) + (z * z + w * w < 1.f);
  }
  for (int d = 16; d; d >>= 1) {
    hit += __shfl_down_sync(~0u, hit, d);
  }
  if ((t & 31) == 0) {
    atomicAdd(o, (u64)hit);
  }
}

// life: game of life on bytes
__global__ void h_life(const unsigned char* a, unsigned char* o, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, xm = (x + n - 1) % n,
      xp = (x + 1) % n, ym = (y + n - 1) % n, yp = (y + 1) % n;
  int s = a[ym * n + xm] + a[ym * n + x] + a[ym * n + xp] + a[y * n + xm] + a[y * n + xp] + a[yp * n + xm] +
          a[yp * n + x] + a[yp * n + xp];
  o[y * n + x] = s == 3 || (s == 2 && a[y * n + x]);
}

// kmeans: nearest of 32 centroids in shared memory, an atomic sum for each
__global__ void h_kmeans(const float* p, const float* c, int* o, float* acc, int n) {
  __shared__ float s[32][9];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    s[i >> 3][i & 7] = c[i];
  }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
  for (int d = 0; d < 8; d++) {
    v[d] = p[(size_t)d * n + t];
  }
  float best = 1e30f;
  int bi = 0;
  for (int k = 0; k < 32; k++) {
    float q = 0;
#pragma unroll
    for (int d = 0; d < 8; d++) {
      float e = v[d] - s[k][d];
      q += e * e;
    }
    if (q < best) {
      best = q;
      bi = k;
    }
  }
  o[t] = bi;
  atomicAdd(&acc[bi], best);
}

// gru: a GRU cell, sigmoid and tanh
__global__ void h_gru(const float* x, const float* h, float* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float hv = h[t];
  for (int i = 0; i < n; i++) {
    float xi = x[(size_t)i * gridDim.x * blockDim.x + t];
    float z = 1.f / (1.f + __expf(-(0.5f * xi + 0.3f * hv))),
          r = 1.f / (1.f + __expf(-(0.2f * xi - 0.7f * hv))), c = tanhf(xi + r * hv);
    hv = (1.f - z) * hv + z * c;
  }
  o[t] = hv;
}
