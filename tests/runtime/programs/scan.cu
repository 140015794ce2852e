// Prefix sums of an array over many blocks: three kernels, and one kernel that looks back at earlier blocks.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kTile = kThreads * kPerThread;

__device__ unsigned warpInclusive(unsigned x) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    unsigned y = __shfl_up_sync(~0u, x, d);
    if (lane >= d) x += y;
  }
  return x;
}

// The sum of the threads before this one; `total` is that of the whole block.
__device__ unsigned blockExclusive(unsigned x, unsigned& total) {
  __shared__ unsigned warps[kThreads / 32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned inclusive = warpInclusive(x);
  if (lane == 31) warps[warp] = inclusive;
  __syncthreads();
  unsigned before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; w++) {
    if (w < warp) before += warps[w];
    total += warps[w];
  }
  __syncthreads();
  return before + inclusive - x;
}

template <bool kInclusive>
__global__ void scanTiles(const unsigned* in, unsigned* out, unsigned* totals, int n) {
  int base = blockIdx.x * kTile + threadIdx.x * kPerThread;
  unsigned x[kPerThread], sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; i++) sum += x[i] = base + i < n ? in[base + i] : 0;
  unsigned total, run = blockExclusive(sum, total);
#pragma unroll
  for (int i = 0; i < kPerThread; i++) {
    if (base + i < n) out[base + i] = kInclusive ? run + x[i] : run;
    run += x[i];
  }
  if (totals && threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void addOffsets(unsigned* out, const unsigned* offsets, int n) {
  unsigned add = offsets[blockIdx.x];
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
    int j = blockIdx.x * kTile + i;
    if (j < n) out[j] += add;
  }
}

// Each tile announces its own sum, then the sum up to its end; a later one adds up what stands before it.
// Above the value's 32 bits stands its state: 0 none, 1 the tile's own, 2 up to its end.
__global__ void scanOnce(const unsigned* in, unsigned* out, unsigned long long* state, unsigned* ticket, int n) {
  __shared__ unsigned tile, offset;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int base = tile * kTile + threadIdx.x * kPerThread;
  unsigned x[kPerThread], sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; i++) sum += x[i] = base + i < n ? in[base + i] : 0;
  unsigned total, run = blockExclusive(sum, total);
  if (threadIdx.x == 0) {
    unsigned before = 0;
    if (tile > 0) {
      atomicExch(&state[tile], 1ull << 32 | total);
      for (int t = int(tile) - 1; t >= 0;) {
        unsigned long long s = atomicAdd(&state[t], 0ull);
        if (s >> 32 == 0) continue;
        before += unsigned(s);
        if (s >> 32 == 2) break;
        t--;
      }
    }
    atomicExch(&state[tile], 2ull << 32 | (before + total));
    offset = before;
  }
  __syncthreads();
  run += offset;
#pragma unroll
  for (int i = 0; i < kPerThread; i++) {
    run += x[i];
    if (base + i < n) out[base + i] = run;
  }
}

static uint32_t hash(const std::vector<unsigned>& v) {
  uint32_t h = 2166136261u;
  for (unsigned x : v) h = (h ^ x) * 16777619u;
  return h;
}

static bool compare(const char* name, const std::vector<unsigned>& got, const std::vector<unsigned>& want) {
  bool same = got == want;
  std::printf("%-10s n %6zu last %u hash %08x %s\n", name, got.size(), got.back(), hash(got), same ? "PASS" : "FAIL");
  return same;
}

int main() {
  bool ok = true;
  for (int n : {1, 31, 1024, 1025, 65536, 250007}) {
    std::vector<unsigned> v(n), inclusive(n), exclusive(n), got(n);
    unsigned run = 0, state = 1;
    for (int i = 0; i < n; i++) {
      state = state * 1664525u + 1013904223u;
      v[i] = state >> 22;
      exclusive[i] = run;
      inclusive[i] = run += v[i];
    }
    const int tiles = (n + kTile - 1) / kTile;
    unsigned *in, *out, *totals, *ticket;
    unsigned long long* states;
    CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&totals, tiles * sizeof(unsigned)));
    CHECK(cudaMalloc(&ticket, sizeof(unsigned)));
    CHECK(cudaMalloc(&states, tiles * sizeof(unsigned long long)));
    CHECK(cudaMemcpy(in, v.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));

    scanTiles<true><<<tiles, kThreads>>>(in, out, totals, n);
    scanTiles<false><<<1, kThreads>>>(totals, totals, nullptr, tiles);
    addOffsets<<<tiles, kThreads>>>(out, totals, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    ok &= compare("inclusive", got, inclusive);

    scanTiles<false><<<tiles, kThreads>>>(in, out, totals, n);
    scanTiles<false><<<1, kThreads>>>(totals, totals, nullptr, tiles);
    addOffsets<<<tiles, kThreads>>>(out, totals, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    ok &= compare("exclusive", got, exclusive);

    CHECK(cudaMemset(states, 0, tiles * sizeof(unsigned long long)));
    CHECK(cudaMemset(ticket, 0, sizeof(unsigned)));
    CHECK(cudaMemset(out, 0xff, n * sizeof(unsigned)));
    scanOnce<<<tiles, kThreads>>>(in, out, states, ticket, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    ok &= compare("one pass", got, inclusive);

    for (void* p : {(void*)in, (void*)out, (void*)totals, (void*)ticket, (void*)states}) CHECK(cudaFree(p));
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
