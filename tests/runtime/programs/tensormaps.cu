// Tensor maps: made by the host through the driver's entry point, tiles copied by them and written back, a product.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

constexpr int kTile = 32;

__device__ uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void begin(uint64_t* bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(bar)), "r"(bytes));
}

__device__ void wait(uint64_t* bar, uint32_t phase) {
  asm volatile(
      "{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L; }" ::"r"(shared(bar)), "r"(phase)
      : "memory");
}

__device__ void load(void* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared(bar))
      : "memory");
}

// Each block transposes a tile.
__global__ void transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) float a[kTile][kTile];
  __shared__ alignas(128) float b[kTile][kTile];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&bar)));
    asm volatile("fence.proxy.async.shared::cta;");
    begin(&bar, sizeof(a));
    load(a, &in, blockIdx.x * kTile, blockIdx.y * kTile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) b[i % kTile][i / kTile] = a[i / kTile][i % kTile];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
                 "r"(blockIdx.y * kTile), "r"(blockIdx.x * kTile), "r"(shared(b))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// What a copy of a tile brings from beyond the end of a row, and what one of sevens leaves there.
__global__ void edge(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, float* got) {
  __shared__ alignas(128) float a[kTile][kTile];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&bar)));
    asm volatile("fence.proxy.async.shared::cta;");
    begin(&bar, sizeof(a));
    load(a, &in, 0, 0, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  got[threadIdx.x] = a[1][threadIdx.x];
  __syncthreads();
  for (int i = 0; i < kTile; i++) a[i][threadIdx.x] = 7;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&out), "r"(0), "r"(shared(a))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// A tile of C = A * B, tiles of A and B swizzled by 128 bytes, two of each under way.
__global__ void product(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B, float* c, int n) {
  extern __shared__ __align__(1024) unsigned char space[];
  auto tiles = reinterpret_cast<float(*)[2][kTile * kTile]>(space);
  __shared__ uint64_t bar[2];
  const int steps = (n + kTile - 1) / kTile;
  const auto fetch = [&](int k) {
    begin(&bar[k % 2], 2 * kTile * kTile * sizeof(float));
    load(tiles[k % 2][0], &A, k * kTile, blockIdx.y * kTile, &bar[k % 2]);
    load(tiles[k % 2][1], &B, blockIdx.x * kTile, k * kTile, &bar[k % 2]);
  };
  if (threadIdx.x == 0) {
    for (auto& b : bar) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&b)));
    asm volatile("fence.proxy.async.shared::cta;");
    fetch(0);
    if (steps > 1) fetch(1);
  }
  __syncthreads();
  const auto at = [](const float* t, int row, int column) {
    const int chunk = (column / 4) ^ (row % 8);
    return t[row * kTile + chunk * 4 + column % 4];
  };
  float sum[4] = {};
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  for (int k = 0; k < steps; k++) {
    wait(&bar[k % 2], k / 2 % 2);
    for (int j = 0; j < kTile; j++)
      for (int r = 0; r < 4; r++) sum[r] += at(tiles[k % 2][0], y + 8 * r, j) * at(tiles[k % 2][1], j, x);
    __syncthreads();
    if (threadIdx.x == 0 && k + 2 < steps) fetch(k + 2);
  }
  for (int r = 0; r < 4; r++) {
    const int row = blockIdx.y * kTile + y + 8 * r, column = blockIdx.x * kTile + x;
    if (row < n && column < n) c[row * n + column] = sum[r];
  }
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                            const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

static Encode encode;

static CUtensorMap map2d(float* p, int columns, int rows, int pitch, CUtensorMapSwizzle swizzle) {
  CUtensorMap m;
  const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {pitch * sizeof(float)};
  const cuuint32_t box[] = {kTile, kTile}, step[] = {1, 1};
  const CUresult r = encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", int(r));
    std::exit(1);
  }
  return m;
}

static void show(const char* what, CUresult r, const CUtensorMap& m) {
  std::printf("%-28s %d", what, int(r));
  const auto* words = reinterpret_cast<const uint64_t*>(&m);
  for (int i = 1; r == CUDA_SUCCESS && i < 8; i++) std::printf(" %llx", (unsigned long long)words[i]);
  std::printf("\n");
}

static bool say(const char* what, bool ok) {
  std::printf("%-44s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

int main() {
  bool ok = true;
  cudaDriverEntryPointQueryResult found;
  void* entry = nullptr;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  ok &= say("cuTensorMapEncodeTiled", found == cudaDriverEntryPointSuccess);
  encode = reinterpret_cast<Encode>(entry);
  void* none = nullptr;
  CHECK(cudaGetDriverEntryPointByVersion("cuNothing", &none, 12000, cudaEnableDefault, &found));
  ok &= say("no such call", found == cudaDriverEntryPointSymbolNotFound && !none);

  CHECK(cudaFree(nullptr));  // maps want a context
  // What a map holds but for the address, and what may not be.
  {
    CUtensorMap m;
    auto* p = reinterpret_cast<void*>(uint64_t{1} << 32);
    const cuuint64_t size[] = {1000, 200, 30, 4, 2}, stride[] = {2048, 512000, 20480000, 102400000}, odd[] = {2040, 512000, 20480000, 102400000};
    const cuuint32_t box[] = {64, 8, 4, 2, 1}, large[] = {64, 257, 1, 1, 1}, step[] = {1, 2, 1, 3, 1}, zero[] = {0, 1, 1, 1, 1};
    const auto I = CU_TENSOR_MAP_INTERLEAVE_NONE;
    const auto P = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    const auto F = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    show("rank 5, half", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 5, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_128B, P, F), m);
    show("rank 3, bfloat16, NaN", encode(&m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA), m);
    show("rank 1, bytes", encode(&m, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE, F), m);
    show("rank 2, tf32", encode(&m, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 2, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
    show("rank 4, double", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 4, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, F), m);
    show("an odd stride", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, p, size, odd, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
    show("a large box", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, p, size, stride, large, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
    show("a row too long to swizzle", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_128B, P, F), m);
    show("an empty step", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, p, size, stride, box, zero, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
    show("rank 6", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 6, p, size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
    show("an odd address", encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, reinterpret_cast<void*>(8), size, stride, box, step, I, CU_TENSOR_MAP_SWIZZLE_NONE, P, F), m);
  }

  // 100 x 72 floats in rows of 112, so that tiles stand over the edges.
  {
    const int columns = 100, rows = 72, pitch = 112, outPitch = 80;
    std::vector<float> in(pitch * rows), out(outPitch * columns, -1.0f);
    for (size_t i = 0; i < in.size(); i++) in[i] = float(i % 1009);
    float *din, *dout;
    CHECK(cudaMalloc(&din, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&dout, out.size() * sizeof(float)));
    CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dout, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice));
    const CUtensorMap a = map2d(din, columns, rows, pitch, CU_TENSOR_MAP_SWIZZLE_NONE);
    const CUtensorMap b = map2d(dout, rows, columns, outPitch, CU_TENSOR_MAP_SWIZZLE_NONE);
    transpose<<<dim3((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), 128>>>(a, b);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool same = true;
    double sum = 0;
    for (int c = 0; c < columns; c++)
      for (int r = 0; r < outPitch; r++) {
        same &= out[c * outPitch + r] == (r < rows ? in[r * pitch + c] : -1.0f);
        sum += out[c * outPitch + r];
      }
    std::printf("sum %.17g\n", sum);
    ok &= say("tiles transposed, edges left alone", same);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
  }

  // Rows whose end is not that of 16 bytes.
  for (int columns = 17; columns <= 20; columns++) {
    const int rows = 2, pitch = 32;
    std::vector<float> in(rows * pitch), out(rows * pitch, -1.0f), got(kTile);
    for (size_t i = 0; i < in.size(); i++) in[i] = float(i);
    float *din, *dout, *dgot;
    CHECK(cudaMalloc(&din, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&dout, out.size() * sizeof(float)));
    CHECK(cudaMalloc(&dgot, got.size() * sizeof(float)));
    CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dout, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice));
    edge<<<1, kTile>>>(map2d(din, columns, rows, pitch, CU_TENSOR_MAP_SWIZZLE_NONE), map2d(dout, columns, rows, pitch, CU_TENSOR_MAP_SWIZZLE_NONE), dgot);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), dgot, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("%d columns: loaded", columns);
    for (int i = 15; i < 22; i++) std::printf(" %g", got[i]);
    std::printf(", stored");
    for (int i = 15; i < 22; i++) std::printf(" %g", out[pitch + i]);
    std::printf("\n");
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(dgot));
  }

  for (int n : {32, 104, 256}) {
    const int pitch = (n + 3) / 4 * 4;
    std::vector<float> a(n * pitch), b(n * pitch), c(n * n);
    for (int i = 0; i < n * pitch; i++) a[i] = float(i % 13 - 6), b[i] = float(i % 7 - 3);
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
    product<<<grid, 256, 4 * kTile * kTile * sizeof(float)>>>(map2d(da, n, n, pitch, CU_TENSOR_MAP_SWIZZLE_128B), map2d(db, n, n, pitch, CU_TENSOR_MAP_SWIZZLE_128B), dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool same = true;
    double total = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float want = 0;
        for (int k = 0; k < n; k++) want += a[i * pitch + k] * b[k * pitch + j];
        same &= c[i * n + j] == want;
        total += c[i * n + j];
      }
    std::printf("n %d sum %.17g\n", n, total);
    ok &= say("product of swizzled tiles", same);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
