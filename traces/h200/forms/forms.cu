// Kernels of many kinds, for judging what the lowering of PTX makes against ptxas: forms.txt says how each is launched.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <stdint.h>
#define K extern "C" __global__ void
typedef unsigned int u32;
typedef unsigned long long u64;
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
__device__ __forceinline__ u32 mix(u32 h) { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; return h ^ (h >> 16); }

// ---- streams and elementwise ----
K axpy_stride(float* y, const float* x, float a, int n) { for (int i = TID; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i]; }
K triad64(double* o, const double* a, const double* b, double s, int n) { int i = TID; if (i < n) o[i] = a[i] + s * b[i]; }
K gelu_tanh(float* o, const float* a, int n) { for (int i = TID; i < n; i += gridDim.x * blockDim.x) { float x = a[i] * 1e-6f; o[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); } }
K sigmoid4(float4* o, const float4* a, int n) { int i = TID; if (i >= n) return; float4 v = a[i]; v.x = 1 / (1 + expf(-v.x)); v.y = 1 / (1 + expf(-v.y)); v.z = 1 / (1 + expf(-v.z)); v.w = 1 / (1 + expf(-v.w)); o[i] = v; }
K powlog(float* o, const float* a, float e, int n) { int i = TID; if (i < n) o[i] = powf(a[i] + 1.0f, e) + logf(a[i] + 2.0f); }
K sincos1(float2* o, const float* a, int n) { int i = TID; if (i < n) { float s, c; sincosf(a[i] * 0.001f, &s, &c); o[i] = make_float2(s, c); } }
K special64(double* o, const double* a, int n) { int i = TID; if (i < n) { double x = a[i] * 1e-4 + 0.5; o[i] = exp(-x) + log(x) + sqrt(x) / (x + 1.0); } }
K erfs(float* o, const float* a, int n) { int i = TID; if (i < n) { float x = a[i] * 1e-5f; o[i] = erff(x) + cbrtf(x + 1.0f) + atanf(x); } }
K normalize3(float* p, int n) { int i = TID; if (i >= n) return; float x = p[3 * i] + 1, y = p[3 * i + 1], z = p[3 * i + 2], r = rsqrtf(x * x + y * y + z * z); p[3 * i] = x * r; p[3 * i + 1] = y * r; p[3 * i + 2] = z * r; }
K divides(float* o, const float* a, const float* b, int n) { int i = TID; if (i < n) { float x = a[i], y = b[i] + 1.0f; for (int k = 0; k < 8; k++) x = (x + y) / (y + k); o[i] = sqrtf(x); } }
K half2_chain(__half2* o, const __half2* a, int n) { int i = TID; if (i >= n) return; __half2 x = a[i], y = __floats2half2_rn(0.5f, 0.25f); for (int k = 0; k < 16; k++) { x = __hfma2(x, y, y); y = __hmul2(y, __hadd2(x, y)); x = __hmax2(x, y); } o[i] = x; }
K bf16_rmsnorm(__nv_bfloat162* o, const __nv_bfloat162* a, const __nv_bfloat162* w, int cols2) {
  __shared__ float part[8]; const __nv_bfloat162* row = a + (size_t)blockIdx.x * cols2; float s = 0;
  for (int i = threadIdx.x; i < cols2; i += blockDim.x) { float2 v = __bfloat1622float2(row[i]); s += v.x * v.x + v.y * v.y; }
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s; __syncthreads(); s = 0; for (int i = 0; i < 8; i++) s += part[i];
  float r = rsqrtf(s / (2 * cols2) + 1e-5f);
  for (int i = threadIdx.x; i < cols2; i += blockDim.x) { float2 v = __bfloat1622float2(row[i]), g = __bfloat1622float2(w[i]); o[(size_t)blockIdx.x * cols2 + i] = __floats2bfloat162_rn(v.x * r * g.x, v.y * r * g.y); } }
// ---- integers ----
K idiv_var(int* o, const int* a, int d, int n) { int i = TID; if (i < n) { int x = a[i]; o[i] = x / d + x % (d + 3) + (x >> 3) / (d - 1); } }
K idiv_const(u32* o, const u32* a, int n) { int i = TID; if (i < n) { u32 x = a[i]; int s = (int)x - 1000; o[i] = x / 7 + x % 10 + x / 641 + s / 3 + s % 17; } }
K digits(u32* o, const u32* a, int n) { int i = TID; if (i < n) { u32 x = mix(a[i]), s = 0; while (x) { s += x % 10; x /= 10; } o[i] = s; } }
K mul64(u64* o, const u64* a, u64 m, int n) { int i = TID; if (i < n) { u64 x = a[i] + 3; for (int k = 0; k < 8; k++) x = x * 6364136223846793005ull + (x >> 33) * m; o[i] = x ^ __umul64hi(x, m); } }
K div64(u64* o, const u64* a, u64 m, int n) { int i = TID; if (i < n) o[i] = (a[i] * 1234567ull) / m + (a[i] * 77777ull) % 1000003ull; }
K pcg(u32* o, int turns, int n) { int i = TID; if (i >= n) return; u64 s = i * 2654435761ull + 1; u32 acc = 0; for (int k = 0; k < turns; k++) { s = s * 6364136223846793005ull + 1442695040888963407ull; u32 x = (u32)(((s >> 18) ^ s) >> 27), r = (u32)(s >> 59); acc += (x >> r) | (x << ((-r) & 31)); } o[i] = acc; }
K mulhilo(u32* o, int turns, int n) { int i = TID; if (i >= n) return; u32 a = i, b = i * 3, k0 = 7, k1 = 11; for (int k = 0; k < turns; k++) { u64 p = (u64)a * 0xD2511F53u, q = (u64)b * 0xCD9E8D57u; a = (u32)(q >> 32) ^ k0 ^ (u32)p; b = (u32)(p >> 32) ^ k1 ^ (u32)q; k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; } o[i] = a ^ b; }
K montgomery(u32* o, const u32* a, u32 mod, u32 inv, int n) { int i = TID; if (i >= n) return; u32 x = a[i] % mod, r = 1; for (int e = 30; e; e >>= 1) { if (e & 1) { u64 t = (u64)r * x; u32 q = (u32)t * inv; u64 s = t + (u64)q * mod; r = (u32)(s >> 32); r = r >= mod ? r - mod : r; } u64 t = (u64)x * x; u32 q = (u32)t * inv; u64 s = t + (u64)q * mod; x = (u32)(s >> 32); x = x >= mod ? x - mod : x; } o[i] = r; }
#define ROT(x, k) __funnelshift_l(x, x, k)
K threefry(u32* o, int n) { int i = TID; if (i >= n) return; u32 x0 = i, x1 = i + 7, k0 = 0x13198a2e, k1 = 0x03707344, k2 = k0 ^ k1 ^ 0x1BD11BDA; const int r[8] = {13, 15, 26, 6, 17, 29, 16, 24}; x0 += k0; x1 += k1;
#pragma unroll
  for (int k = 0; k < 20; k++) { x0 += x1; x1 = ROT(x1, r[k & 7]); x1 ^= x0; if (k % 4 == 3) { int j = k / 4 + 1; u32 ka = j % 3 == 0 ? k0 : j % 3 == 1 ? k1 : k2, kb = j % 3 == 0 ? k1 : j % 3 == 1 ? k2 : k0; x0 += ka; x1 += kb + j; } } o[i] = x0 ^ x1; }
__constant__ u32 kSha[16] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174};
K sha_rounds(u32* o, int n) { int t = TID; if (t >= n) return; u32 w[16], a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = t;
#pragma unroll
  for (int i = 0; i < 16; i++) w[i] = t * 0x9E3779B9u + i;
#pragma unroll
  for (int i = 0; i < 48; i++) { if (i >= 16) { u32 s0 = ROT(w[(i + 1) & 15], 25) ^ ROT(w[(i + 1) & 15], 14) ^ (w[(i + 1) & 15] >> 3), s1 = ROT(w[(i + 14) & 15], 15) ^ ROT(w[(i + 14) & 15], 13) ^ (w[(i + 14) & 15] >> 10); w[i & 15] += s0 + w[(i + 9) & 15] + s1; }
    u32 t1 = h + (ROT(e, 26) ^ ROT(e, 21) ^ ROT(e, 7)) + ((e & f) ^ (~e & g)) + kSha[i & 15] + w[i & 15], t2 = (ROT(a, 30) ^ ROT(a, 19) ^ ROT(a, 10)) + ((a & b) ^ (a & c) ^ (b & c)); h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2; } o[t] = a ^ e; }
K bits(u32* o, const u32* a, int n) { int i = TID; if (i < n) { u32 x = mix(a[i]); o[i] = __popc(x) + __clz(x) * 3 + __ffs(x) + (__brev(x) >> 20) + __byte_perm(x, i, 0x2103) + min((int)x, i) + abs((int)x >> 4) + max(x, 77u); } }
K morton(u64* o, int n) { int i = TID; if (i >= n) return; u32 v[3] = {mix(i) & 0x3ff, mix(i + 1) & 0x3ff, mix(i + 2) & 0x3ff}; u64 r = 0; for (int d = 0; d < 3; d++) { u64 x = v[d]; x = (x | (x << 16)) & 0x030000FFull; x = (x | (x << 8)) & 0x0300F00Full; x = (x | (x << 4)) & 0x030C30C3ull; x = (x | (x << 2)) & 0x09249249ull; r |= x << d; } o[i] = r; }
K crc_table(u32* o, const unsigned char* text, int len, int n) { __shared__ u32 table[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) { u32 c = i; for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1; table[i] = c; } __syncthreads(); int i = TID; if (i >= n) return; u32 c = ~0u; for (int k = 0; k < len; k++) c = table[(c ^ text[i * len + k]) & 255] ^ (c >> 8); o[i] = ~c; }
K quant8(int* o, const char4* a, const char4* w, int k4) { int i = TID, s = 0; for (int k = 0; k < k4; k++) { char4 x = a[i * k4 + k], y = w[k]; s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; } o[i] = max(-128, min(127, (s * 3) >> 8)); }
// ---- warps and blocks ----
K block_sum(float* o, const float* a, int n) { __shared__ float part[32]; float s = 0; for (int i = TID; i < n; i += gridDim.x * blockDim.x) s += a[i]; for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d); int w = threadIdx.x >> 5, l = threadIdx.x & 31; if (!l) part[w] = s; __syncthreads(); if (!w) { s = l < blockDim.x / 32 ? part[l] : 0; for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d); if (!l) atomicAdd(o, s); } }
K block_scan(int* o, const int* a) { __shared__ int t[512]; int i = threadIdx.x; t[i] = a[TID]; __syncthreads(); for (int d = 1; d < 512; d *= 2) { int v = i >= d ? t[i - d] : 0; __syncthreads(); t[i] += v; __syncthreads(); } o[TID] = t[i]; }
K compact(u32* o, u32* count, const u32* a, int n) { int i = TID; bool keep = i < n && (mix(a[i]) & 3) == 0; u32 m = __ballot_sync(~0u, keep); int l = threadIdx.x & 31; u32 base; if (!l) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (keep) o[base + __popc(m & ((1u << l) - 1))] = a[i]; }
K hist64(u32* o, const u32* a, int n) { __shared__ u32 h[64]; if (threadIdx.x < 64) h[threadIdx.x] = 0; __syncthreads(); for (int i = TID; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[mix(a[i]) & 63], 1); __syncthreads(); if (threadIdx.x < 64) atomicAdd(&o[threadIdx.x], h[threadIdx.x]); }
K hash_insert(u32* table, const u32* a, u32 mask, int n) { int i = TID; if (i >= n) return; u32 key = a[i] + 1, s = mix(key) & mask; while (true) { u32 old = atomicCAS(&table[s], 0, key); if (old == 0 || old == key) break; s = (s + 1) & mask; } }
K bitonic512(u32* a) { __shared__ u32 s[512]; int i = threadIdx.x; s[i] = mix(a[TID]); for (int k = 2; k <= 512; k <<= 1) for (int j = k >> 1; j; j >>= 1) { __syncthreads(); int x = i ^ j; if (x > i) { bool up = (i & k) == 0; u32 p = s[i], q = s[x]; if ((p > q) == up) { s[i] = q; s[x] = p; } } } __syncthreads(); a[TID] = s[i]; }
K warp_sort(u32* a) { u32 v = mix(a[TID]); int l = threadIdx.x & 31;
#pragma unroll
  for (int k = 2; k <= 32; k <<= 1)
#pragma unroll
    for (int j = k >> 1; j; j >>= 1) { u32 w = __shfl_xor_sync(~0u, v, j); bool up = (l & k) == 0, low = (l & j) == 0; v = (low == up) ? min(v, w) : max(v, w); } a[TID] = v; }
// ---- linear algebra ----
K mm_tile32(float* c, const float* a, const float* b, int n) { __shared__ float s[32][33], t[32][33]; int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32 + y, q = blockIdx.x * 32 + x; float acc = 0; for (int k = 0; k < n; k += 32) { s[y][x] = a[r * n + k + x]; t[y][x] = b[(k + y) * n + q]; __syncthreads(); for (int i = 0; i < 32; i++) acc += s[y][i] * t[i][x]; __syncthreads(); } c[r * n + q] = acc; }
K mm_reg4(float* c, const float* a, const float* b, int n) { __shared__ float s[16][64], t[16][64]; int tx = threadIdx.x % 16, ty = threadIdx.x / 16; float acc[4][4] = {}; const float* pa = a + (blockIdx.y * 64) * n; const float* pb = b + blockIdx.x * 64;
  for (int k = 0; k < n; k += 16) { float4 v = *(const float4*)(pa + (threadIdx.x / 4) * n + k + (threadIdx.x % 4) * 4); int kk = (threadIdx.x % 4) * 4, m = threadIdx.x / 4; s[kk][m] = v.x; s[kk + 1][m] = v.y; s[kk + 2][m] = v.z; s[kk + 3][m] = v.w; *(float4*)&t[threadIdx.x / 16][(threadIdx.x % 16) * 4] = *(const float4*)(pb + (k + threadIdx.x / 16) * n + (threadIdx.x % 16) * 4); __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) { float4 x = *(float4*)&s[i][ty * 4], y = *(float4*)&t[i][tx * 4]; float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++) acc[p][q] += xs[p] * ys[q]; } __syncthreads(); }
  for (int p = 0; p < 4; p++) *(float4*)(c + (blockIdx.y * 64 + ty * 4 + p) * n + blockIdx.x * 64 + tx * 4) = make_float4(acc[p][0], acc[p][1], acc[p][2], acc[p][3]); }
__device__ __forceinline__ void ldsm4(u32* r, const void* p) { u32 s = (u32)__cvta_generic_to_shared(p); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s)); }
__device__ __forceinline__ void mma16816(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
K mm_mma(float* c, const __half* a, const __half* b, int n) { __shared__ __align__(16) __half s[2][64][40], t[2][64][40]; int w = threadIdx.x / 32, l = threadIdx.x % 32, wr = (w / 2) * 32, wc = (w % 2) * 32; float acc[2][4][4] = {}; int lr = threadIdx.x / 4, lc = (threadIdx.x % 4) * 8;
  auto load = [&](int st, int k) { for (int h = 0; h < 2; h++) { __pipeline_memcpy_async(&s[st][lr + 32 * h][lc], a + (blockIdx.y * 64 + lr + 32 * h) * n + k + lc, 16); __pipeline_memcpy_async(&t[st][lr + 32 * h][lc], b + (blockIdx.x * 64 + lr + 32 * h) * n + k + lc, 16); } __pipeline_commit(); };
  load(0, 0); for (int k = 0; k < n; k += 32) { int st = (k / 32) & 1; if (k + 32 < n) { load(st ^ 1, k + 32); __pipeline_wait_prior(1); } else __pipeline_wait_prior(0); __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) { u32 fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) { ldsm4(fa[i], &s[st][wr + i * 16 + l % 16][kk + (l / 16) * 8]); ldsm4(fb[i], &t[st][wc + i * 16 + l % 16][kk + (l / 16) * 8]); }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) { u32 f[2] = {fb[j / 2][j % 2], fb[j / 2][j % 2 + 2]}; mma16816(acc[i][j], fa[i], f); } } __syncthreads(); }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) { int r = blockIdx.y * 64 + wr + i * 16 + l / 4, q = blockIdx.x * 64 + wc + j * 8 + (l % 4) * 2; *(float2*)(c + r * n + q) = make_float2(acc[i][j][0], acc[i][j][1]); *(float2*)(c + (r + 8) * n + q) = make_float2(acc[i][j][2], acc[i][j][3]); } }
K lu6(float* a, int n) { int i = TID; if (i >= n) return; float m[6][6]; for (int r = 0; r < 6; r++) for (int q = 0; q < 6; q++) m[r][q] = a[(r * 6 + q) * n + i] + (r == q ? 10.0f : 0.0f);
#pragma unroll
  for (int k = 0; k < 6; k++)
#pragma unroll
    for (int r = k + 1; r < 6; r++) { float f = m[r][k] / m[k][k]; m[r][k] = f;
#pragma unroll
      for (int q = k + 1; q < 6; q++) m[r][q] -= f * m[k][q]; }
  for (int r = 0; r < 6; r++) for (int q = 0; q < 6; q++) a[(r * 6 + q) * n + i] = m[r][q]; }
K spmv_ell(float* y, const float* v, const int* col, const float* x, int per, int n) { int i = TID; if (i >= n) return; float s = 0; for (int k = 0; k < per; k++) { int c = col[k * n + i] & (n - 1); s += v[k * n + i] * x[c]; } y[i] = s; }
K gemv_row(float* y, const float4* a, const float4* x, int k4) { int r = (TID) / 32, l = threadIdx.x & 31; float s = 0; for (int k = l; k < k4; k += 32) { float4 u = a[r * k4 + k], v = x[k]; s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w; } for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!l) y[r] = s; }
// ---- grids ----
K heat7(float* o, const float* a, int nx, int ny, int nz) { int x = TID, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return; float below = a[y * nx + x], mid = a[(ny + y) * nx + x]; for (int z = 1; z < nz - 1; z++) { int i = (z * ny + y) * nx + x; float above = a[i + nx * ny]; o[i] = 0.4f * mid + 0.1f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + below + above); below = mid; mid = above; } }
K lbm9(float* o, const float* a, int nx, int n) { int i = TID; if (i >= n) return; const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}; const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36}; float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) { int j = (i - cx[k] - cy[k] * nx + n) % n; f[k] = a[k * n + j]; rho += f[k]; ux += f[k] * cx[k]; uy += f[k] * cy[k]; } ux /= rho; uy /= rho;
#pragma unroll
  for (int k = 0; k < 9; k++) { float cu = 3 * (cx[k] * ux + cy[k] * uy); o[k * n + i] = f[k] - 0.6f * (f[k] - w[k] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy))); } }
__constant__ float kW[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
K blur5(float* o, const float* a, int w, int h) { __shared__ float s[20][36]; int bx = blockIdx.x * 32, by = blockIdx.y * 16; for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) { int y = min(max(by + i / 36 - 2, 0), h - 1), x = min(max(bx + i % 36 - 2, 0), w - 1); s[i / 36][i % 36] = a[y * w + x]; } __syncthreads(); float t = 0;
#pragma unroll
  for (int j = 0; j < 5; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) t += kW[j * 5 + i] * s[threadIdx.y + j][threadIdx.x + i]; o[(by + threadIdx.y) * w + bx + threadIdx.x] = t * (1.0f / 256); }
K sobel8(unsigned char* o, const unsigned char* a, int w, int h) { int x = TID, y = blockIdx.y; if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return; const unsigned char* p = a + y * w + x; int gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1], gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w]; int m = abs(gx) + abs(gy); o[y * w + x] = m > 255 ? 255 : m; }
K rgb2gray(unsigned char* o, const uchar4* a, int n) { int i = TID; if (i < n) { uchar4 p = a[i]; o[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f); } }
K bilateral(float* o, const float* a, int w, int h) { int x = TID, y = blockIdx.y; if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return; float c = a[y * w + x], s = 0, ws = 0; for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) { float v = a[(y + j) * w + x + i], g = __expf(-(i * i + j * j) * 0.1f - (v - c) * (v - c) * 1e-6f); s += g * v; ws += g; } o[y * w + x] = s / ws; }
// ---- learning ----
K softmax_row(float* o, const float* a, int cols) { const float* r = a + (size_t)blockIdx.x * cols; __shared__ float p[8]; float m = -1e30f, s = 0; for (int i = threadIdx.x; i < cols; i += 256) m = fmaxf(m, r[i]); for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); if (!(threadIdx.x & 31)) p[threadIdx.x >> 5] = m; __syncthreads(); for (int i = 0; i < 8; i++) m = fmaxf(m, p[i]); __syncthreads(); for (int i = threadIdx.x; i < cols; i += 256) s += __expf(r[i] - m); for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!(threadIdx.x & 31)) p[threadIdx.x >> 5] = s; __syncthreads(); s = 0; for (int i = 0; i < 8; i++) s += p[i]; s = 1 / s; for (int i = threadIdx.x; i < cols; i += 256) o[(size_t)blockIdx.x * cols + i] = __expf(r[i] - m) * s; }
K welford(float2* o, const float* a, int cols) { int r = TID / 32, l = threadIdx.x & 31; float m = 0, q = 0, c = 0; for (int i = l; i < cols; i += 32) { float v = a[r * cols + i]; c += 1; float d = v - m; m += d / c; q += d * (v - m); } for (int d = 16; d; d >>= 1) { float m2 = __shfl_xor_sync(~0u, m, d), q2 = __shfl_xor_sync(~0u, q, d), c2 = __shfl_xor_sync(~0u, c, d), t = c + c2, e = m2 - m; m = (m * c + m2 * c2) / t; q = q + q2 + e * e * c * c2 / t; c = t; } if (!l) o[r] = make_float2(m, q / c); }
K rotary(__half2* x, int heads, int dim2, int n) { int i = TID; if (i >= n) return; int d = i % dim2, t = i / (dim2 * heads); float f = t * exp2f(-13.28771f * d / dim2), s = __sinf(f), c = __cosf(f); float2 v = __half22float2(x[i]); x[i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c); }
K adamw(float* p, float* m, float* v, const float* g, float lr, float b1, float b2, float eps, float wd, int n) { int i = TID; if (i >= n) return; float q = g[i], mm = b1 * m[i] + (1 - b1) * q, vv = b2 * v[i] + (1 - b2) * q * q; m[i] = mm; v[i] = vv; p[i] = p[i] * (1 - lr * wd) - lr * mm / (sqrtf(vv) + eps); }
K topk4(float* o, const float* a, int cols) { int r = TID; float b[4] = {-1e30f, -1e30f, -1e30f, -1e30f}; for (int i = 0; i < cols; i++) { float v = a[i * 4096 + (r & 4095)]; if (v > b[3]) { b[3] = v;
#pragma unroll
      for (int k = 3; k > 0; k--) if (b[k] > b[k - 1]) { float t = b[k]; b[k] = b[k - 1]; b[k - 1] = t; } } } *(float4*)(o + r * 4) = make_float4(b[0], b[1], b[2], b[3]); }
K embed_sum(float* o, const float* table, const int* idx, int dim, int bag) { int b = blockIdx.x; for (int d = threadIdx.x; d < dim; d += blockDim.x) { float s = 0; for (int k = 0; k < bag; k++) s += table[(mix(idx[b * bag + k]) & 4095) * dim + d]; o[b * dim + d] = s; } }
// ---- irregular ----
K local_hist(u32* o, const u32* a, int per, int n) { int i = TID; u32 h[16] = {}; for (int k = 0; k < per; k++) h[mix(a[i + k * n]) & 15]++; u32 s = 0; for (int k = 0; k < 16; k++) s = s * 31 + h[k]; o[i] = s; }
K interp(u32* o, const unsigned char* code, int len, int n) { int i = TID; if (i >= n) return; u32 acc = i, r = 1; for (int p = 0; p < len; p++) switch (code[p] & 7) { case 0: acc += r; break; case 1: acc *= 3; break; case 2: r ^= acc; break; case 3: acc = acc >> 1 | acc << 31; break; case 4: r += acc / 3; break; case 5: if (acc & 1) acc += 7; break; case 6: { u32 t = r; r = acc; acc = t; break; } default: acc -= r; } o[i] = acc; }
K tree_walk(int* o, const float* q, const float* split, int depth, int n) { int i = TID; if (i >= n) return; float x = q[i]; int node = 0; for (int d = 0; d < depth; d++) node = 2 * node + 1 + (x > split[node]); o[i] = node; }
K newton_exit(int* o, const float* a, int n) { int i = TID; if (i >= n) return; float x = a[i] + 2, y = x; int k = 0; while (k < 60) { float z = 0.5f * (y + x / y); if (fabsf(z - y) < 1e-4f * y) break; y = z; k++; } o[i] = k; }
K edit_distance(int* o, const unsigned char* s, const unsigned char* t, int len) { __shared__ int row[2][65]; int j = threadIdx.x; row[0][j + 1] = j + 1; if (!j) row[0][0] = 0; __syncthreads(); int b = blockIdx.x; int cur = 0; for (int d = 0; d < 2 * len - 1; d++) { int i = d - j; if (i >= 0 && i < len) { int c = (s[b * len + i] & 3) != (t[b * len + j] & 3); int up = row[cur][j + 1] + 1, left = row[cur][j] + 1; row[cur ^ 1][j + 1] = min(min(up, left), row[cur][j] + c); } __syncthreads(); cur ^= 1; } if (!j) o[b] = row[cur][len]; }
K lj_pairs(float4* f, const float4* p, int n, float rc2) { __shared__ float4 s[128]; float4 me = p[TID]; float fx = 0, fy = 0, fz = 0, e = 0; for (int t = 0; t < n; t += 128) { s[threadIdx.x] = p[t + threadIdx.x]; __syncthreads(); for (int k = 0; k < 128; k++) { float dx = me.x - s[k].x, dy = me.y - s[k].y, dz = me.z - s[k].z, r2 = dx * dx + dy * dy + dz * dz; if (r2 < rc2 && r2 > 0) { float i2 = 1 / r2, i6 = i2 * i2 * i2, ff = 24 * i2 * i6 * (2 * i6 - 1); fx += ff * dx; fy += ff * dy; fz += ff * dz; e += 4 * i6 * (i6 - 1); } } __syncthreads(); } f[TID] = make_float4(fx, fy, fz, e); }
K mandel64(int* o, int w, int iters) { int x = TID % w, y = TID / w; double cr = -2.0 + 3.0 * x / w, ci = -1.5 + 3.0 * y / w, r = 0, i = 0; int k = 0; for (; k < iters && r * r + i * i < 4.0; k++) { double t = r * r - i * i + cr; i = 2 * r * i + ci; r = t; } o[TID] = k; }
K mc_pi(u32* o, int turns) { u32 s = mix(TID + 1) | 1, in = 0; for (int k = 0; k < turns; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float x = s * 2.3283064e-10f; s ^= s << 13; s ^= s >> 17; s ^= s << 5; float y = s * 2.3283064e-10f; in += x * x + y * y < 1; } in = __reduce_add_sync(~0u, in); if (!(threadIdx.x & 31)) atomicAdd(o, in); }
struct Particle { float x, y, z, vx, vy, vz, m; int kind; };
K particles(Particle* p, float dt, int n) { int i = TID; if (i >= n) return; Particle q = p[i]; float g = q.kind & 1 ? -9.81f : 4.0f; q.vz += g * dt; q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt; if (q.z < 0) { q.z = -q.z; q.vz = -0.8f * q.vz; } p[i] = q; }
K fft4(float2* a, int n) { int i = TID, q = n / 4; if (i >= q) return; float2 x0 = a[i], x1 = a[i + q], x2 = a[i + 2 * q], x3 = a[i + 3 * q]; float2 s = {x0.x + x2.x, x0.y + x2.y}, d = {x0.x - x2.x, x0.y - x2.y}, u = {x1.x + x3.x, x1.y + x3.y}, v = {x1.y - x3.y, x3.x - x1.x}; float an = -6.2831853f * i / n, sn, cn; __sincosf(an, &sn, &cn); float2 w1 = {cn, sn}, w2 = {cn * cn - sn * sn, 2 * cn * sn}, w3 = {w1.x * w2.x - w1.y * w2.y, w1.x * w2.y + w1.y * w2.x}; float2 y1 = {d.x + v.x, d.y + v.y}, y2 = {s.x - u.x, s.y - u.y}, y3 = {d.x - v.x, d.y - v.y}; a[4 * i] = make_float2(s.x + u.x, s.y + u.y); a[4 * i + 1] = make_float2(y1.x * w1.x - y1.y * w1.y, y1.x * w1.y + y1.y * w1.x); a[4 * i + 2] = make_float2(y2.x * w2.x - y2.y * w2.y, y2.x * w2.y + y2.y * w2.x); a[4 * i + 3] = make_float2(y3.x * w3.x - y3.y * w3.y, y3.x * w3.y + y3.y * w3.x); }
K nw_wave(int* m, const int* ref, int n, int d) { int i = TID + 1; int j = d - i; if (i >= n || j < 1 || j >= n) return; int a = m[(i - 1) * n + j - 1] + ref[i * n + j], b = m[i * n + j - 1] - 10, c = m[(i - 1) * n + j] - 10; m[i * n + j] = max(a, max(b, c)); }
K kmeans_step(int* o, const float* p, const float* c, int k, int n) { int i = TID; if (i >= n) return; float v[8]; for (int d = 0; d < 8; d++) v[d] = p[d * n + i]; int best = 0; float bd = 1e30f; for (int j = 0; j < k; j++) { float s = 0; for (int d = 0; d < 8; d++) { float e = v[d] - c[j * 8 + d]; s += e * e; } if (s < bd) { bd = s; best = j; } } o[i] = best; }
