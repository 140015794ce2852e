// Matrices, stencils and the like: FMA, tensor cores, FP64, shared-memory tiles.
#pragma once
#include "common.cuh"

// sgemm: SIMT GEMM 128x64 tile, 8x4 per thread, double buffered, 128-bit shared loads
__global__ void __launch_bounds__(256) h_sgemm(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) float a[2][8][128], b[2][8][64];
  int t = threadIdx.x, tx = t & 15, ty = t >> 4;
  const float* pa = A + (size_t)(blockIdx.y * 128 + (t >> 1)) * n + (t & 1) * 4;
  const float* pb = B + (size_t)(t >> 4) * n + blockIdx.x * 64 + (t & 15) * 4;
  float c[8][4] = {};
  float4 ra = *(const float4*)pa, rb = t < 128 ? *(const float4*)pb : make_float4(0, 0, 0, 0);
  for (int k = 0; k < n; k += 8) {
    int q = (k >> 3) & 1;
    int col = (t & 1) * 4, row = t >> 1;
    a[q][col][row] = ra.x;
    a[q][col + 1][row] = ra.y;
    a[q][col + 2][row] = ra.z;
    a[q][col + 3][row] = ra.w;
    if (t < 128) {
      *(float4*)&b[q][t >> 4][(t & 15) * 4] = rb;
    }
    __syncthreads();
    if (k + 8 < n) {
      pa += 8;
      pb += 8 * (size_t)n;
      ra = *(const float4*)pa;
      if (t < 128) {
        rb = *(const float4*)pb;
      }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float4 x = *(float4*)&a[q][i][ty * 8], y = *(float4*)&a[q][i][ty * 8 + 4],
             z = *(float4*)&b[q][i][tx * 4];
      float av[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w}, bv[4] = {z.x, z.y, z.z, z.w};
#pragma unroll
      for (int r = 0; r < 8; r++) {
        for (int s = 0; s < 4; s++) {
          c[r][s] += av[r] * bv[s];
        }
      }
    }
  }
  for (int r = 0; r < 8; r++) {
    *(float4*)&C[(size_t)(blockIdx.y * 128 + ty * 8 + r) * n + blockIdx.x * 64 + tx * 4] =
        make_float4(c[r][0], c[r][1], c[r][2], c[r][3]);
  }
}

// conv3: 3x3 convolution, 8 channels, tile with halo in shared memory
__global__ void h_conv3(const float* in, const float* w, float* o, int n) {
  __shared__ float s[18][34];
  int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 32, gy = blockIdx.y * 16;
  float acc[4] = {};
  for (int c = 0; c < 8; c++) {
    __syncthreads();
    for (int i = y * 32 + x; i < 18 * 34; i += 512) {
      int yy = gy + i / 34 - 1, xx = gx + i % 34 - 1;
      s[i / 34][i % 34] = (yy >= 0 && xx >= 0 && yy < n && xx < n) ? in[((size_t)c * n + yy) * n + xx] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int i = 0; i < 9; i++) {
        acc[k] += w[(k * 8 + c) * 9 + i] * s[y + i / 3][x + i % 3];
      }
  }
  for (int k = 0; k < 4; k++) {
    o[((size_t)k * n + gy + y) * n + gx + x] = acc[k];
  }
}

// inv4: 4x4 matrix inverses in registers (array-of-structures access)
__global__ void h_inv4(const float4* a, float4* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float m[4][8];
  for (int r = 0; r < 4; r++) {
    float4 v = a[i * 4 + r];
    m[r][0] = v.x;
    m[r][1] = v.y;
    m[r][2] = v.z;
    m[r][3] = v.w;
    for (int c = 0; c < 4; c++) {
      m[r][4 + c] = r == c;
    }
  }
#pragma unroll
  for (int p = 0; p < 4; p++) {
    float d = 1.f / m[p][p];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      m[p][c] *= d;
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
      if (r != p) {
        float f = m[r][p];
#pragma unroll
        for (int c = 0; c < 8; c++) {
          m[r][c] -= f * m[p][c];
        }
      }
    }
  }
  for (int r = 0; r < 4; r++) {
    o[i * 4 + r] = make_float4(m[r][4], m[r][5], m[r][6], m[r][7]);
  }
}

// attn: attention, one warp per 16 query rows, d = 64, HMMA, online softmax
__device__ __forceinline__ void mma(float* c, const u32* a, u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__global__ void __launch_bounds__(128) h_attn(const half* Q, const half* K, const half* V, half* O, int n) {
  __shared__ __align__(16) half k[64][72], v[64][72];
  int t = threadIdx.x, w = t >> 5, l = t & 31;
  u32 q[4][4];
  const half* qp = Q + (size_t)(blockIdx.x * 64 + w * 16) * 64;
  for (int i = 0; i < 4; i++) {
    int r = l >> 2, c = i * 16 + (l & 3) * 2;
    q[i][0] = *(u32*)&qp[r * 64 + c];
    q[i][1] = *(u32*)&qp[(r + 8) * 64 + c];
    q[i][2] = *(u32*)&qp[r * 64 + c + 8];
    q[i][3] = *(u32*)&qp[(r + 8) * 64 + c + 8];
  }
  float o[8][4] = {}, mx[2] = {-1e30f, -1e30f}, sm[2] = {};
  for (int j = 0; j < n; j += 64) {
    __syncthreads();
    for (int i = t; i < 512; i += 128) {
      int r = i >> 3, c = (i & 7) * 8;
      *(uint4*)&k[r][c] = *(const uint4*)&K[(size_t)(j + r) * 64 + c];
      *(uint4*)&v[r][c] = *(const uint4*)&V[(size_t)(j + r) * 64 + c];
    }
    __syncthreads();
    float s[8][4] = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int m = 0; m < 8; m += 2) {
        u32 b[4];
        u32 ad = sp(&k[m * 8 + (l & 7) + ((l >> 4) << 3)][i * 16 + ((l >> 3) & 1) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                     : "r"(ad));
        mma(s[m], q[i], b[0], b[1]);
        mma(s[m + 1], q[i], b[2], b[3]);
      }
    float m0 = mx[0], m1 = mx[1];
    for (int m = 0; m < 8; m++) {
      m0 = fmaxf(m0, fmaxf(s[m][0], s[m][1]));
      m1 = fmaxf(m1, fmaxf(s[m][2], s[m][3]));
    }
    for (int d = 1; d < 4; d *= 2) {
      m0 = fmaxf(m0, __shfl_xor_sync(~0u, m0, d));
      m1 = fmaxf(m1, __shfl_xor_sync(~0u, m1, d));
    }
    float f0 = __expf(mx[0] - m0), f1 = __expf(mx[1] - m1);
    mx[0] = m0;
    mx[1] = m1;
    sm[0] *= f0;
    sm[1] *= f1;
    u32 p[4][4];
#pragma unroll
    for (int m = 0; m < 8; m++) {
      float e0 = __expf(s[m][0] - m0), e1 = __expf(s[m][1] - m0), e2 = __expf(s[m][2] - m1),
            e3 = __expf(s[m][3] - m1);
      sm[0] += e0 + e1;
      sm[1] += e2 + e3;
      half2 x = __floats2half2_rn(e0, e1), y = __floats2half2_rn(e2, e3);
      p[m >> 1][(m & 1) * 2] = *(u32*)&x;
      p[m >> 1][(m & 1) * 2 + 1] = *(u32*)&y;
      o[m][0] *= f0;
      o[m][1] *= f0;
      o[m][2] *= f1;
      o[m][3] *= f1;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int m = 0; m < 8; m += 2) {
        u32 b[4];
        u32 ad = sp(&v[i * 16 + (l & 7) + ((l >> 3) & 1) * 8][m * 8 + ((l >> 4) << 3)]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                     : "r"(ad));
        mma(o[m], p[i], b[0], b[1]);
        mma(o[m + 1], p[i], b[2], b[3]);
      }
  }
  for (int d = 1; d < 4; d *= 2) {
    sm[0] += __shfl_xor_sync(~0u, sm[0], d);
    sm[1] += __shfl_xor_sync(~0u, sm[1], d);
  }
  half* op = O + (size_t)(blockIdx.x * 64 + w * 16) * 64;
  for (int m = 0; m < 8; m++) {
    int r = l >> 2, c = m * 8 + (l & 3) * 2;
    *(half2*)&op[r * 64 + c] = __floats2half2_rn(o[m][0] / sm[0], o[m][1] / sm[0]);
    *(half2*)&op[(r + 8) * 64 + c] = __floats2half2_rn(o[m][2] / sm[1], o[m][3] / sm[1]);
  }
}

// imma: int8 GEMM by IMMA, fragments straight from global memory
__global__ void h_imma(const char* A, const char* B, int* C, int n) {
  int w = threadIdx.x >> 5, l = threadIdx.x & 31, r = blockIdx.y * 64 + (w >> 1) * 16,
      c = blockIdx.x * 64 + (w & 1) * 32;
  int acc[4][4] = {};
  for (int k = 0; k < n; k += 32) {
    u32 a[4];
    const char* p = A + (size_t)(r + (l >> 2)) * n + k + (l & 3) * 4;
    a[0] = *(u32*)p;
    a[1] = *(u32*)(p + 8 * n);
    a[2] = *(u32*)(p + 16);
    a[3] = *(u32*)(p + 8 * n + 16);
    for (int j = 0; j < 4; j++) {
      const char* q = B + (size_t)(c + j * 8 + (l >> 2)) * n + k + (l & 3) * 4;
      u32 b0 = *(u32*)q, b1 = *(u32*)(q + 16);
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
  }
  for (int j = 0; j < 4; j++) {
    int* o = C + (size_t)(r + (l >> 2)) * n + c + j * 8 + (l & 3) * 2;
    o[0] = acc[j][0];
    o[1] = acc[j][1];
    o[8 * n] = acc[j][2];
    o[8 * n + 1] = acc[j][3];
  }
}

// jacobi64: double-precision Jacobi step
__global__ void h_jacobi64(const double* a, double* o, int n) {
  int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
  if (x < n - 1 && y < n - 1) {
    o[(size_t)y * n + x] = 0.25 * (a[(size_t)y * n + x - 1] + a[(size_t)y * n + x + 1] +
                                   a[(size_t)(y - 1) * n + x] + a[(size_t)(y + 1) * n + x]);
  }
}

// spmm: sparse matrix times a dense one of 32 columns, a row per warp
__global__ void h_spmm(const int* ptr, const int* idx, const float* val, const float* x, float* y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31;
  if (r >= rows) {
    return;
  }
  float s = 0;
  for (int i = ptr[r]; i < ptr[r + 1]; i++) {
    s += val[i] * x[(size_t)idx[i] * 32 + l];
  }
  y[(size_t)r * 32 + l] = s;
}

// gemv: matrix times vector, a row per warp
__global__ void h_gemv(const float4* a, const float4* x, float* y, int n4) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31;
  float s = 0;
  for (int i = l; i < n4; i += 32) {
    float4 p = a[(size_t)r * n4 + i], q = x[i];
    s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int d = 16; d; d >>= 1) {
    s += __shfl_xor_sync(~0u, s, d);
  }
  if (!l) {
    y[r] = s;
  }
}

// chol: Cholesky-like triangular updates in shared memory, double precision
__global__ void h_chol(double* a) {
  __shared__ double s[32][33];
  int t = threadIdx.x;
  double* p = a + (size_t)blockIdx.x * 1024;
  for (int r = 0; r < 32; r++) {
    s[r][t] = p[r * 32 + t];
  }
  __syncwarp();
  for (int k = 0; k < 32; k++) {
    if (t == k) {
      s[k][k] = sqrt(s[k][k]);
    }
    __syncwarp();
    if (t > k) {
      s[t][k] /= s[k][k];
    }
    __syncwarp();
    for (int j = k + 1; j <= t; j++) {
      s[t][j] -= s[t][k] * s[j][k];
    }
    __syncwarp();
  }
  for (int r = 0; r < 32; r++) {
    p[r * 32 + t] = s[r][t];
  }
}
