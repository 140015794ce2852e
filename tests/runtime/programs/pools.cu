// Memory in stream order: cudaMallocAsync from the default pool and from one's own, and the pools' attributes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

__global__ void iota(int* x, int n, int start) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = start + i;
}

__global__ void sum(const int* a, const int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// An array that lives in a stream's order.
template <class T>
class StreamArray {
 public:
  StreamArray(size_t n, cudaStream_t s, cudaMemPool_t pool = nullptr) : n_(n), s_(s) {
    if (pool)
      CHECK(cudaMallocFromPoolAsync(&p_, n * sizeof(T), pool, s));
    else
      CHECK(cudaMallocAsync(&p_, n * sizeof(T), s));
  }
  StreamArray(StreamArray&& o) noexcept : p_(o.p_), n_(o.n_), s_(o.s_) { o.p_ = nullptr; }
  ~StreamArray() {
    if (p_) CHECK(cudaFreeAsync(p_, s_));
  }
  T* get() const { return p_; }

 private:
  T* p_;
  size_t n_;
  cudaStream_t s_;
};

static bool say(const char* what, bool ok) {
  std::printf("%-44s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

static uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr a) {
  uint64_t v = 0;
  CHECK(cudaMemPoolGetAttribute(pool, a, &v));
  return v;
}

int main() {
  bool ok = true;
  int supported = 0, device = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  ok &= say("memory pools supported", supported == 1);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));

  const int n = 10000, blocks = (n + 255) / 256;
  std::vector<int> got(n);
  for (int round = 0; round < 3; round++) {
    StreamArray<int> a(n, s), b(n, s), c(n, s);
    iota<<<blocks, 256, 0, s>>>(a.get(), n, round);
    iota<<<blocks, 256, 0, s>>>(b.get(), n, 10 * round);
    sum<<<blocks, 256, 0, s>>>(a.get(), b.get(), c.get(), n);
    CHECK(cudaMemcpyAsync(got.data(), c.get(), n * sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    bool same = true;
    long long total = 0;
    for (int i = 0; i < n; i++) same &= got[i] == 2 * i + 11 * round, total += got[i];
    std::printf("round %d: sum %lld\n", round, total);
    ok &= say("default pool", same);
  }
  CHECK(cudaStreamSynchronize(s));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  ok &= say("nothing left in use", attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  ok &= say("three arrays at most in use", attribute(pool, cudaMemPoolAttrUsedMemHigh) >= 3 * n * sizeof(int));
  std::printf("release threshold %llu\n", (unsigned long long)attribute(pool, cudaMemPoolAttrReleaseThreshold));
  int reuse = -1;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
  std::printf("reuse after events %d\n", reuse);
  cudaMemPool_t current;
  CHECK(cudaDeviceGetMemPool(&current, device));
  ok &= say("the default pool is the current one", current == pool);

  // One's own, that keeps its memory.
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  cudaMemPool_t own;
  CHECK(cudaMemPoolCreate(&own, &props));
  uint64_t threshold = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  int* first = nullptr;
  for (int i = 0; i < 4; i++) {
    StreamArray<int> a(n, s, own);
    if (!first) first = a.get();
    ok &= say("freed memory is used again", a.get() == first);
    iota<<<blocks, 256, 0, s>>>(a.get(), n, i);
  }
  CHECK(cudaStreamSynchronize(s));
  ok &= say("kept after the last free", attribute(own, cudaMemPoolAttrReservedMemCurrent) > 0);
  CHECK(cudaMemPoolTrimTo(own, 0));
  ok &= say("given back by cudaMemPoolTrimTo", attribute(own, cudaMemPoolAttrReservedMemCurrent) == 0);

  // As the device's pool; freed in another stream, after an event.
  CHECK(cudaDeviceSetMemPool(device, own));
  cudaStream_t t;
  cudaEvent_t e;
  CHECK(cudaStreamCreate(&t));
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  int *x, one;
  CHECK(cudaMallocAsync(&x, n * sizeof(int), s));
  iota<<<blocks, 256, 0, s>>>(x, n, 1000);
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaStreamWaitEvent(t, e, 0));
  CHECK(cudaMemcpyAsync(&one, x + 234, sizeof(int), cudaMemcpyDeviceToHost, t));
  ok &= say("in use in one's own pool", attribute(own, cudaMemPoolAttrUsedMemCurrent) >= n * sizeof(int));
  CHECK(cudaFreeAsync(x, t));
  CHECK(cudaStreamSynchronize(t));
  std::printf("value %d\n", one);
  ok &= say("freed in another stream", one == 1234 && attribute(own, cudaMemPoolAttrUsedMemCurrent) == 0);
  CHECK(cudaDeviceSetMemPool(device, pool));
  CHECK(cudaMallocAsync(&x, 64, s));
  CHECK(cudaStreamSynchronize(s));
  ok &= say("cudaFree of pool memory", cudaFree(x) == cudaSuccess);
  cudaError_t wrong = cudaFreeAsync(&one, s);
  std::printf("cudaFreeAsync of the host's: %s\n", cudaGetErrorName(wrong));
  cudaGetLastError();
  wrong = cudaMallocAsync(&x, size_t(1) << 50, s);
  std::printf("cudaMallocAsync of 1 PB: %s\n", cudaGetErrorName(wrong));
  cudaGetLastError();
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaEventDestroy(e));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaStreamDestroy(t));
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
