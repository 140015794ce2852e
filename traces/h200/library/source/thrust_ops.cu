// Thrust. nvcc -std=c++17 -O3 -arch=sm_90a --extended-lambda thrust_ops.cu -o thrust_ops
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <memory>

#include "device_ops.h"

namespace {

constexpr int kMany = 1 << 18;

struct Data {
  Vector<int> i = random_vector<int>(kMany, 1 << 20), j = random_vector<int>(kMany, kMany), k = Vector<int>(2 * kMany), sorted = i, other = j;
  Vector<float> x = random_vector<float>(kMany, 1 << 20, 1e5), y = random_vector<float>(kMany, 1 << 20, 1e6), z = Vector<float>(2 * kMany);
  Vector<double> d = random_vector<double>(kMany, 1 << 20, 1e5);
  Data() {
    thrust::sort(sorted.begin(), sorted.end());
    thrust::sort(other.begin(), other.end());
  }
};

struct Wave {
  __device__ float operator()(float a) const { return sinf(a) * expf(-a); }
};
struct Both {
  __device__ float operator()(float a, float b) const { return a > b ? a * b : a + b; }
};
struct Odd {
  __device__ bool operator()(int a) const { return a & 1; }
};
struct Collatz {
  __device__ int operator()(int a) const {
    int n = 0;
    for (unsigned v = a % 5000 + 1; v != 1 && n < 60; ++n) {
      v = v & 1 ? 3 * v + 1 : v / 2;
    }
    return n;
  }
};
struct Polynomial {
  __device__ double operator()(double a) const { return ((a * 0.1 + 2) * a - 3) * a + sqrt(a); }
};

}  // namespace

int main(int argc, char** argv) {
  Ops ops(argc, argv);
  auto data = std::make_shared<Data>();
  Data& v = *data;
  const auto add = [&](const char* name, std::function<void()> f) {
    ops.add(name, [f] { return f; });
  };
  add("thrust_transform", [&] { thrust::transform(v.x.begin(), v.x.end(), v.z.begin(), Wave()); });
  add("thrust_transform_2", [&] { thrust::transform(v.x.begin(), v.x.end(), v.y.begin(), v.z.begin(), Both()); });
  add("thrust_collatz", [&] { thrust::transform(v.i.begin(), v.i.end(), v.k.begin(), Collatz()); });
  add("thrust_transform_f64", [&] { thrust::transform(v.d.begin(), v.d.end(), v.d.begin(), Polynomial()); });
  add("thrust_transform_reduce", [&] { thrust::transform_reduce(v.x.begin(), v.x.end(), Wave(), 0.f, thrust::plus<float>()); });
  add("thrust_inner_product", [&] { thrust::inner_product(v.x.begin(), v.x.end(), v.y.begin(), 0.f); });
  add("thrust_minmax", [&] { thrust::minmax_element(v.x.begin(), v.x.end()); });
  add("thrust_count_if", [&] { thrust::count_if(v.i.begin(), v.i.end(), Odd()); });
  add("thrust_transform_scan", [&] { thrust::transform_inclusive_scan(v.x.begin(), v.x.end(), v.z.begin(), Wave(), thrust::plus<float>()); });
  add("thrust_scan_max", [&] { thrust::inclusive_scan(v.i.begin(), v.i.end(), v.k.begin(), thrust::maximum<int>()); });
  add("thrust_gather", [&] { thrust::gather(v.j.begin(), v.j.end(), v.x.begin(), v.z.begin()); });
  add("thrust_scatter", [&] { thrust::scatter(v.x.begin(), v.x.end(), v.j.begin(), v.z.begin()); });
  add("thrust_copy_if", [&] { thrust::copy_if(v.i.begin(), v.i.end(), v.k.begin(), Odd()); });
  add("thrust_stable_partition", [&] { thrust::stable_partition_copy(v.i.begin(), v.i.end(), v.k.begin(), v.k.begin() + kMany, Odd()); });
  add("thrust_lower_bound", [&] { thrust::lower_bound(v.sorted.begin(), v.sorted.end(), v.i.begin(), v.i.end(), v.k.begin()); });
  add("thrust_merge", [&] { thrust::merge(v.sorted.begin(), v.sorted.end(), v.other.begin(), v.other.end(), v.k.begin()); });
  add("thrust_set_union", [&] { thrust::set_union(v.sorted.begin(), v.sorted.end(), v.other.begin(), v.other.end(), v.k.begin()); });
  add("thrust_set_intersection", [&] { thrust::set_intersection(v.sorted.begin(), v.sorted.end(), v.other.begin(), v.other.end(), v.k.begin()); });
  add("thrust_unique_copy", [&] { thrust::unique_copy(v.other.begin(), v.other.end(), v.k.begin()); });
  add("thrust_reduce_by_key", [&] { thrust::reduce_by_key(v.other.begin(), v.other.end(), v.x.begin(), v.k.begin(), v.z.begin()); });
  add("thrust_adjacent_difference", [&] { thrust::adjacent_difference(v.x.begin(), v.x.end(), v.z.begin()); });
  add("thrust_sequence", [&] { thrust::sequence(v.k.begin(), v.k.end(), 3, 7); });
  add("thrust_reverse", [&] { thrust::reverse_copy(v.x.begin(), v.x.end(), v.z.begin()); });
  add("thrust_stable_sort_descending", [&] {
    thrust::copy(v.i.begin(), v.i.begin() + 50000, v.k.begin());
    thrust::stable_sort(v.k.begin(), v.k.begin() + 50000, thrust::greater<int>());
  });
}
