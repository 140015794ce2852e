// CUB's device-wide primitives. nvcc -std=c++17 -O3 -arch=sm_90a cub_ops.cu -o cub_ops
#include <cub/cub.cuh>
#include <memory>

#include "device_ops.h"

namespace {

// A primitive with its temporary storage, which it is called for once.
template <class F>
std::function<void()> with_storage(F f) {
  size_t bytes = 0;
  check(f(nullptr, bytes));
  auto storage = std::make_shared<Vector<char>>(bytes + 1);
  return [f, storage, bytes]() mutable { check(f(raw(*storage), bytes)); };
}

template <class T>
std::shared_ptr<Vector<T>> share(Vector<T> v) {
  return std::make_shared<Vector<T>>(std::move(v));
}
template <class T>
std::shared_ptr<Vector<T>> numbers(size_t n, unsigned range, double by = 1) {
  return share(random_vector<T>(n, range, by));
}
template <class T>
std::shared_ptr<Vector<T>> room(size_t n) {
  return share(Vector<T>(n));
}

struct Even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Less {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct Most {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

template <class T>
void by_type(Ops& ops, const std::string& type, int n) {
  const auto name = [&](const char* s) { return s + ("_" + type); };
  ops.add(name("cub_reduce").c_str(), [&] {
    auto x = numbers<T>(n, 1000);
    auto y = room<T>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceReduce::Sum(t, b, raw(*x), raw(*y), n); });
  });
  ops.add(name("cub_scan").c_str(), [&] {
    auto x = numbers<T>(n, 1000), y = room<T>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceScan::InclusiveSum(t, b, raw(*x), raw(*y), n); });
  });
  ops.add(name("cub_radix_sort").c_str(), [&] {
    auto x = numbers<T>(n / 4, 1 << 30), y = room<T>(n / 4);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceRadixSort::SortKeys(t, b, raw(*x), raw(*y), n / 4); });
  });
  ops.add(name("cub_merge_sort").c_str(), [&] {
    auto x = numbers<T>(n / 8, 1 << 30);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceMergeSort::SortKeys(t, b, raw(*x), n / 8, Less()); });
  });
}

void sorts(Ops& ops) {
  ops.add("cub_sort_pairs", [] {
    constexpr int n = 100000;
    auto k = numbers<unsigned>(n, 1 << 30), v = numbers<unsigned>(n, 1 << 30), k2 = room<unsigned>(n), v2 = room<unsigned>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceRadixSort::SortPairs(t, b, raw(*k), raw(*k2), raw(*v), raw(*v2), n); });
  });
  ops.add("cub_sort_pairs_16_bits", [] {
    constexpr int n = 300000;
    auto k = numbers<unsigned>(n, 1 << 16), v = numbers<unsigned>(n, 1 << 30), k2 = room<unsigned>(n), v2 = room<unsigned>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceRadixSort::SortPairs(t, b, raw(*k), raw(*k2), raw(*v), raw(*v2), n, 0, 16); });
  });
  ops.add("cub_segmented_sort", [] {
    constexpr int n = 1 << 17, segments = 700;
    auto x = numbers<int>(n, 1 << 20), y = room<int>(n);
    std::vector<int> at(segments + 1);
    for (int i = 0; i <= segments; ++i) {
      at[i] = static_cast<int>(static_cast<long long>(i) * i * n / (static_cast<long long>(segments) * segments));
    }
    auto o = share(Vector<int>(at.begin(), at.end()));
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSegmentedSort::SortKeys(t, b, raw(*x), raw(*y), n, segments, raw(*o), raw(*o) + 1); });
  });
  ops.add("cub_segmented_radix_sort", [] {
    constexpr int n = 1 << 17, segments = 256;
    auto x = numbers<int>(n, 1 << 20), y = room<int>(n);
    std::vector<int> at(segments + 1);
    for (int i = 0; i <= segments; ++i) {
      at[i] = i * (n / segments);
    }
    auto o = share(Vector<int>(at.begin(), at.end()));
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSegmentedRadixSort::SortKeys(t, b, raw(*x), raw(*y), n, segments, raw(*o), raw(*o) + 1); });
  });
}

void selections(Ops& ops) {
  constexpr int n = 1 << 19;
  ops.add("cub_select_if", [] {
    auto x = numbers<int>(n, 1000), y = room<int>(n), c = room<int>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSelect::If(t, b, raw(*x), raw(*y), raw(*c), n, Even()); });
  });
  ops.add("cub_select_flagged", [] {
    auto x = numbers<double>(n / 2, 1000);
    auto y = room<double>(n / 2);
    auto f = numbers<char>(n / 2, 2);
    auto c = room<int>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSelect::Flagged(t, b, raw(*x), raw(*f), raw(*y), raw(*c), n / 2); });
  });
  ops.add("cub_unique", [] {
    auto x = numbers<int>(n, 3), y = room<int>(n), c = room<int>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSelect::Unique(t, b, raw(*x), raw(*y), raw(*c), n); });
  });
  ops.add("cub_partition", [] {
    auto x = numbers<int>(n, 1000), y = room<int>(n), c = room<int>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DevicePartition::If(t, b, raw(*x), raw(*y), raw(*c), n, Even()); });
  });
  ops.add("cub_run_length", [] {
    auto x = numbers<int>(n / 2, 2), y = room<int>(n), l = room<int>(n), c = room<int>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceRunLengthEncode::Encode(t, b, raw(*x), raw(*y), raw(*l), raw(*c), n / 2); });
  });
  ops.add("cub_reduce_by_key", [] {
    auto k = numbers<int>(n / 2, 3), k2 = room<int>(n), c = room<int>(1);
    auto x = numbers<float>(n / 2, 1000), y = room<float>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceReduce::ReduceByKey(t, b, raw(*k), raw(*k2), raw(*x), raw(*y), raw(*c), Most(), n / 2); });
  });
  ops.add("cub_scan_by_key", [] {
    auto k = numbers<int>(n / 2, 3);
    auto x = numbers<float>(n / 2, 1000), y = room<float>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceScan::ExclusiveSumByKey(t, b, raw(*k), raw(*x), raw(*y), n / 2); });
  });
}

void rest(Ops& ops) {
  constexpr int n = 1 << 19;
  ops.add("cub_argmax", [] {
    auto x = numbers<float>(n, 1 << 30);
    auto y = room<cub::KeyValuePair<int, float>>(1);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceReduce::ArgMax(t, b, raw(*x), raw(*y), n); });
  });
  ops.add("cub_segmented_reduce", [] {
    auto x = numbers<float>(n, 1000), y = room<float>(1000);
    std::vector<int> at(1001);
    for (int i = 0; i <= 1000; ++i) {
      at[i] = static_cast<int>(static_cast<long long>(i) * n / 1000);
    }
    auto o = share(Vector<int>(at.begin(), at.end()));
    return with_storage([=](void* t, size_t& b) { return cub::DeviceSegmentedReduce::Sum(t, b, raw(*x), raw(*y), 1000, raw(*o), raw(*o) + 1); });
  });
  ops.add("cub_histogram_even", [] {
    auto x = numbers<float>(n, 1000);
    auto h = room<int>(256);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceHistogram::HistogramEven(t, b, raw(*x), raw(*h), 257, 0.f, 1000.f, n); });
  });
  ops.add("cub_histogram_many_bins", [] {
    auto x = numbers<int>(n, 100000), h = room<int>(20000);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceHistogram::HistogramEven(t, b, raw(*x), raw(*h), 20001, 0, 100000, n); });
  });
  ops.add("cub_merge", [] {
    std::vector<int> h(n / 4);
    for (int i = 0; i < n / 4; ++i) {
      h[i] = 3 * i + i % 2;
    }
    auto x = share(Vector<int>(h.begin(), h.end())), y = share(Vector<int>(h.begin(), h.end())), z = room<int>(n / 2);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceMerge::MergeKeys(t, b, raw(*x), n / 4, raw(*y), n / 4, raw(*z), Less()); });
  });
  ops.add("cub_adjacent_difference", [] {
    auto x = numbers<int>(n, 1000), y = room<int>(n);
    return with_storage([=](void* t, size_t& b) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, raw(*x), raw(*y), n); });
  });
  ops.add("cub_memcpy_batched", [] {
    auto x = numbers<int>(n, 1000), y = room<int>(n);
    std::vector<void*> from(200), to(200);
    std::vector<int> bytes(200);
    for (int i = 0; i < 200; ++i) {
      from[i] = raw(*x) + i * 2000;
      to[i] = raw(*y) + i * 2000 + i % 4;
      bytes[i] = 40 * (i + 1);
    }
    auto f = share(Vector<void*>(from.begin(), from.end())), d = share(Vector<void*>(to.begin(), to.end()));
    auto s = share(Vector<int>(bytes.begin(), bytes.end()));
    return with_storage([=](void* t, size_t& b) { (void)x; (void)y; return cub::DeviceMemcpy::Batched(t, b, raw(*f), raw(*d), raw(*s), 200); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  Ops ops(argc, argv);
  by_type<float>(ops, "float", 1 << 19);
  by_type<double>(ops, "double", 1 << 18);
  by_type<unsigned char>(ops, "uchar", 1 << 20);
  by_type<long long>(ops, "int64", 1 << 18);
  sorts(ops);
  selections(ops);
  rest(ops);
}
