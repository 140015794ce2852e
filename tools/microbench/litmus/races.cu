// Two shapes of public programs whose threads race within a block, 20 runs each: a Petri net with plain increments, and a softmax whose
// warps use the same words of shared memory. Lines S,... as in locks.cu; an outcome is what a run's result comes to.
//   nvcc -O2 -std=c++20 -arch=sm_90 -o races races.cu && ./races > races.txt
#include <map>
#include "access.h"

constexpr u32 kRuns = 20, kBlocks = 132, kThreads = 256;

// ---- a Petri net: kSide x kSide places on a torus, a transition at each ------------------------------------------------------------
// A transition takes a token each from its place and the place above and gives one each to the places below and to the right. Threads
// that chose neighbouring transitions take and give by plain loads and stores of bytes; barriers only part the three phases.
constexpr u32 kSide = 64, kPlaces = kSide * kSide;

template <bool SHARED>
__device__ __forceinline__ void petri_body(unsigned char* all, u32* tokens, u32* squares, u32* hashes, u32 steps) {
  __shared__ unsigned char own[SHARED ? kPlaces : 1];
  __shared__ u32 sum[3];
  // volatile: each increment is a load and a store, as the program says
  volatile unsigned char* place = SHARED ? own : all + blockIdx.x * kPlaces;
  for (u32 i = threadIdx.x; i < kPlaces; i += kThreads) place[i] = 1;
  if (threadIdx.x < 3) sum[threadIdx.x] = 0;
  __syncthreads();
  for (u32 step = 0; step < steps; step++) {
    u32 t = mix(blockIdx.x, step, threadIdx.x) % kPlaces, row = t / kSide, col = t % kSide;
    u32 above = (row + kSide - 1) % kSide * kSide + col, below = (row + 1) % kSide * kSide + col, right = row * kSide + (col + 1) % kSide;
    u32 here = place[t], up = place[above];
    bool fires = here > 0 && up > 0;
    __syncthreads();
    if (fires) {
      place[t] = here - 1;
      place[above] = up - 1;
    }
    __syncthreads();
    if (fires) {
      place[below] = place[below] + 1;
      place[right] = place[right] + 1;
    }
    __syncthreads();
  }
  for (u32 i = threadIdx.x; i < kPlaces; i += kThreads) {
    u32 v = place[i];
    atomicAdd(&sum[0], v);
    atomicAdd(&sum[1], v * v);
    atomicXor(&sum[2], mix(v, i));
  }
  __syncthreads();
  if (threadIdx.x == 0) tokens[blockIdx.x] = sum[0], squares[blockIdx.x] = sum[1], hashes[blockIdx.x] = sum[2];
}
extern "C" __global__ void petri_shared(unsigned char* p, u32* t, u32* s, u32* h, u32 steps) { petri_body<true>(p, t, s, h, steps); }
extern "C" __global__ void petri_global(unsigned char* p, u32* t, u32* s, u32* h, u32 steps) { petri_body<false>(p, t, s, h, steps); }

static void run_petri(bool shared) {
  unsigned char* places = dmalloc<unsigned char>(kBlocks * kPlaces);
  u32* d = dmalloc<u32>(3 * kBlocks);
  std::vector<u32> h(3 * kBlocks);
  std::map<std::string, u32> outcomes;
  for (u32 run = 0; run < kRuns; run++) {
    (shared ? petri_shared : petri_global)<<<kBlocks, kThreads>>>(places, d, d + kBlocks, d + 2 * kBlocks, 300);
    CK(cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost));
    u64 tokens = 0, squares = 0;
    u32 hash = 0;
    for (u32 b = 0; b < kBlocks; b++) tokens += h[b], squares += h[kBlocks + b], hash = mix(hash, h[2 * kBlocks + b]);
    double n = double(kBlocks) * kPlaces, mean = tokens / n;
    char text[80];
    snprintf(text, sizeof text, "tokens %llu variance %.6f marking %08x", tokens, squares / n - mean * mean, hash);
    outcomes[text]++;
  }
  for (auto& [text, n] : outcomes) printf("S,races,petri,plain,none,%s,block,%s,%u,allowed,race\n", shared ? "shared" : "global", text.c_str(), n);
  CK(cudaFree(places));
  CK(cudaFree(d));
}

// ---- a softmax: a block a row -----------------------------------------------------------------------------------------------------
constexpr u32 kRows = 64, kColumns = 1024;
__device__ __forceinline__ float warp_max(float v) {
  for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
// The sums of the warps go into the words of their maxima, with no barrier between the last read of these and the first write of those.
extern "C" __global__ void softmax_reuse(float* out, const float* in) {
  __shared__ float part[32];
  const float* row = in + blockIdx.x * kColumns;
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  float top = -INFINITY, sum = 0;
  for (u32 i = threadIdx.x; i < kColumns; i += blockDim.x) top = fmaxf(top, row[i]);
  top = warp_max(top);
  if (lane == 0) part[warp] = top;
  __syncthreads();
  top = part[0];
  for (u32 i = 1; i < warps; i++) top = fmaxf(top, part[i]);
  for (u32 i = threadIdx.x; i < kColumns; i += blockDim.x) sum += expf(row[i] - top);
  sum = warp_sum(sum);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0;
  for (u32 i = 0; i < warps; i++) sum += part[i];
  for (u32 i = threadIdx.x; i < kColumns; i += blockDim.x) out[blockIdx.x * kColumns + i] = expf(row[i] - top) / sum;
}
// A warp a row, eight rows a block; results of 8 bits, a column's eight rows beside each other: four warps store into each word.
extern "C" __global__ void softmax_bytes(unsigned char* out, const float* in) {
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 8 + warp;
  const float* row = in + r * kColumns;
  float top = -INFINITY, sum = 0;
  for (u32 i = lane; i < kColumns; i += 32) top = fmaxf(top, row[i]);
  top = warp_max(top);
  for (u32 i = lane; i < kColumns; i += 32) sum += expf(row[i] - top);
  sum = warp_sum(sum);
  for (u32 i = lane; i < kColumns; i += 32) out[(blockIdx.x * kColumns + i) * 8 + warp] = (unsigned char)(expf(row[i] - top) / sum * 65536.f);
}

static void run_softmax(bool bytes) {
  std::vector<float> in(kRows * kColumns), out(in.size());
  for (size_t i = 0; i < in.size(); i++) in[i] = (i * 7919 % 1000) / 1000.f;
  std::vector<unsigned char> small(in.size());
  float *din = dmalloc<float>(in.size()), *dout = dmalloc<float>(in.size());
  CK(cudaMemcpy(din, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  std::map<std::string, u32> outcomes;
  for (u32 run = 0; run < kRuns; run++) {
    CK(cudaMemset(dout, 0, in.size() * 4));
    if (bytes) softmax_bytes<<<kRows / 8, 256>>>((unsigned char*)dout, din);
    else softmax_reuse<<<kRows, 256>>>(dout, din);
    CK(cudaMemcpy(bytes ? (void*)small.data() : (void*)out.data(), dout, bytes ? small.size() : out.size() * 4, cudaMemcpyDeviceToHost));
    u32 right = 0;
    for (u32 r = 0; r < kRows; r++) {
      double sum = 0, worst = 0;
      for (u32 i = 0; i < kColumns; i++) sum += exp(double(in[r * kColumns + i]));
      for (u32 i = 0; i < kColumns; i++) {
        double want = exp(double(in[r * kColumns + i])) / sum;
        double e = bytes ? fabs(small[((r / 8) * kColumns + i) * 8 + r % 8] - floor(want * 65536)) : fabs(out[r * kColumns + i] / want - 1);
        worst = std::max(worst, e);
      }
      right += worst <= (bytes ? 1 : 1e-4);
    }
    outcomes[std::to_string(right) + " of 64 rows right"]++;
  }
  for (auto& [text, n] : outcomes)
    printf("S,races,%s,plain,none,%s,block,%s,%u,%s,%s\n", bytes ? "softmax_bytes" : "softmax_reuse", bytes ? "global" : "shared", text.c_str(), n,
           bytes && text != "64 of 64 rows right" ? "forbidden" : "allowed", bytes ? "bytes are locations of their own" : "race");
  CK(cudaFree(din));
  CK(cudaFree(dout));
}

int main() {
  run_petri(true);
  run_petri(false);
  run_softmax(false);
  run_softmax(true);
  return 0;
}
