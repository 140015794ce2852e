// Thrust and CUB from the toolkit's headers: sorts, reductions, scans, selections.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static bool say(const char* what, unsigned long long value, bool ok) {
  std::printf("%-28s %llu %s\n", what, value, ok ? "PASS" : "FAIL");
  return ok;
}

template <class V>
static uint32_t hash(const V& v) {
  uint32_t h = 2166136261u;
  for (auto x : v) h = (h ^ uint32_t(x)) * 16777619u;
  return h;
}

struct Square {
  __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

// A tile of 1024 sorted by a block.
__global__ void sortTiles(const int* in, int* out) {
  using Load = cub::BlockLoad<int, 128, 8, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 128, 8>;
  using Store = cub::BlockStore<int, 128, 8, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } s;
  int items[8];
  Load(s.load).Load(in + blockIdx.x * 1024, items);
  __syncthreads();
  Sort(s.sort).Sort(items);
  __syncthreads();
  Store(s.store).Store(out + blockIdx.x * 1024, items);
}

int main() {
  bool ok = true;
  const int n = 20000;
  thrust::host_vector<int> h(n);
  unsigned state = 123;
  for (int i = 0; i < n; i++) h[i] = int((state = state * 1664525u + 1013904223u) >> 16);
  thrust::device_vector<int> d = h;

  thrust::host_vector<int> sorted = h;
  std::sort(sorted.begin(), sorted.end());
  {
    thrust::device_vector<int> x = d;
    thrust::sort(x.begin(), x.end());
    thrust::host_vector<int> got = x;
    ok &= say("thrust::sort", hash(got), got == sorted);
    auto end = thrust::unique(x.begin(), x.end());
    ok &= say("thrust::unique", end - x.begin(), end - x.begin() == std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }
  {
    thrust::device_vector<int> keys = d, values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
    thrust::host_vector<int> got = values, want(n);
    for (int i = 0; i < n; i++) want[i] = i;
    std::stable_sort(want.begin(), want.end(), [&](int a, int b) { return h[a] > h[b]; });
    ok &= say("thrust::stable_sort_by_key", hash(got), got == want);
  }
  {
    long long want = 0, squares = 0;
    for (int x : h) want += x, squares += (long long)x * x;
    long long sum = thrust::reduce(d.begin(), d.end(), 0ll);
    ok &= say("thrust::reduce", sum, sum == want);
    int most = thrust::reduce(d.begin(), d.end(), 0, thrust::maximum<int>());
    ok &= say("thrust::maximum", most, most == *std::max_element(h.begin(), h.end()));
    long long sq = thrust::transform_reduce(d.begin(), d.end(), Square(), 0ll, thrust::plus<long long>());
    ok &= say("thrust::transform_reduce", sq, sq == squares);
    long long odd = thrust::count_if(d.begin(), d.end(), Odd());
    ok &= say("thrust::count_if", odd, odd == std::count_if(h.begin(), h.end(), Odd()));
  }
  {
    thrust::device_vector<unsigned> x(n), y(n);
    thrust::transform(d.begin(), d.end(), thrust::counting_iterator<int>(0), x.begin(),
                      [] __device__(int a, int i) { return unsigned(a) ^ unsigned(i); });
    thrust::inclusive_scan(x.begin(), x.end(), y.begin());
    thrust::host_vector<unsigned> got = y, want(n);
    unsigned run = 0;
    for (int i = 0; i < n; i++) want[i] = run += unsigned(h[i]) ^ unsigned(i);
    ok &= say("thrust::inclusive_scan", got[n - 1], got == want);
  }
  {
    void* temp = nullptr;
    size_t bytes = 0;
    int* in = thrust::raw_pointer_cast(d.data());
    thrust::device_vector<int> out(n), picked(1);
    CHECK(cub::DeviceRadixSort::SortKeys(temp, bytes, in, thrust::raw_pointer_cast(out.data()), n, 0, 16));
    CHECK(cudaMalloc(&temp, bytes));
    CHECK(cub::DeviceRadixSort::SortKeys(temp, bytes, in, thrust::raw_pointer_cast(out.data()), n, 0, 16));
    CHECK(cudaFree(temp));
    thrust::host_vector<int> got = out;
    thrust::host_vector<int> want = h;
    std::sort(want.begin(), want.end());
    ok &= say("cub::DeviceRadixSort", hash(got), got == want);

    temp = nullptr;
    CHECK(cub::DeviceSelect::If(temp, bytes, in, out.begin(), picked.begin(), n, Odd()));
    CHECK(cudaMalloc(&temp, bytes));
    CHECK(cub::DeviceSelect::If(temp, bytes, in, out.begin(), picked.begin(), n, Odd()));
    CHECK(cudaFree(temp));
    int count = picked[0];
    thrust::host_vector<int> some(out.begin(), out.begin() + count), odd;
    for (int x : h)
      if (x & 1) odd.push_back(x);
    ok &= say("cub::DeviceSelect", hash(some), some == odd);

    temp = nullptr;
    CHECK(cub::DeviceHistogram::HistogramEven(temp, bytes, in, out.data().get(), 17, 0, 65536, n));
    CHECK(cudaMalloc(&temp, bytes));
    CHECK(cub::DeviceHistogram::HistogramEven(temp, bytes, in, out.data().get(), 17, 0, 65536, n));
    CHECK(cudaFree(temp));
    thrust::host_vector<int> bins(out.begin(), out.begin() + 16), counts(16);
    for (int x : h) counts[x / 4096]++;
    ok &= say("cub::DeviceHistogram", hash(bins), bins == counts);
  }
  {
    const int tiles = 4;
    thrust::device_vector<int> out(tiles * 1024);
    sortTiles<<<tiles, 128>>>(thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(out.data()));
    CHECK(cudaGetLastError());
    thrust::host_vector<int> got = out, want(h.begin(), h.begin() + tiles * 1024);
    for (int t = 0; t < tiles; t++) std::sort(want.begin() + t * 1024, want.begin() + (t + 1) * 1024);
    ok &= say("cub::BlockRadixSort", hash(got), got == want);
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
