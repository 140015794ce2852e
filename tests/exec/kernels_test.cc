// Kernels of the measured suite (traces/h200/suite.cu) as nvcc compiles them, against what they are to
// compute. Numbers are small and whole where sums are made in another order than here.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

std::unique_ptr<const ptx::Module> suite() { return ptx::load("tests/exec/data/suite.ptx"); }

template <class T>
std::vector<T> pattern(size_t count, uint32_t most) {
  std::vector<T> out(count);
  uint32_t state = 12345;
  for (T& x : out) {
    state = state * 1664525 + 1013904223;
    x = static_cast<T>((state >> 16) % most);
  }
  return out;
}

}  // namespace

TEST_CASE("transposition through shared memory") {
  for (const char* name : {"_Z16k_transpose_smemILi0EEvPKfPfi", "_Z16k_transpose_smemILi1EEvPKfPfi",
                           "_Z17k_transpose_naivePKfPfi"}) {
    Case c(suite());
    c.options.threads = 2;
    const auto a = pattern<float>(128 * 128, 1000);
    const uint64_t from = c.buffer(a), to = c.buffer(std::vector<float>(a.size()));
    c.run(name, {4, 4}, {32, 8}, {from, to, 128});
    const auto b = c.get<float>(to, a.size());
    bool same = true;
    for (size_t y = 0; y < 128; ++y) {
      for (size_t x = 0; x < 128; ++x) {
        same &= b[x * 128 + y] == a[y * 128 + x];
      }
    }
    CHECK(same);
  }
}

TEST_CASE("sums by shuffles, shared memory and atomics") {
  Case c(suite());
  const auto a = pattern<float>(5000, 100);
  const uint64_t in = c.buffer(a), out = c.buffer<float>({0});
  c.run("_Z13k_reduce_shflPKfPfi", {7}, {256}, {in, out, 5000});
  CHECK(c.get<float>(out, 1)[0] == std::accumulate(a.begin(), a.end(), 0.0F));
  const uint64_t sums = c.buffer(std::vector<float>(4));
  c.run("_Z20k_reduce_interleavedPKfPf", {4}, {256}, {in, sums});
  for (size_t b = 0; b < 4; ++b) {
    const auto first = a.begin() + static_cast<std::ptrdiff_t>(256 * b);
    CHECK(c.get<float>(sums, 4)[b] == std::accumulate(first, first + 256, 0.0F));
  }
}

TEST_CASE("prefix sums, histogram, sorting") {
  Case c(suite());
  c.options.threads = 3;
  const auto a = pattern<int>(4 * 512, 1000);
  const uint64_t in = c.buffer(a), out = c.buffer(std::vector<int>(a.size()));
  c.run("_Z12k_scan_blockPKiPi", {4}, {512}, {in, out});
  std::vector<int> expected(a.size());
  for (size_t b = 0; b < 4; ++b) {
    const auto first = a.begin() + static_cast<std::ptrdiff_t>(512 * b);
    std::partial_sum(first, first + 512, expected.begin() + static_cast<std::ptrdiff_t>(512 * b));
  }
  CHECK(c.get<int>(out, a.size()) == expected);

  const auto bytes = pattern<uint8_t>(10000, 256);
  std::vector<uint32_t> counts(256);
  std::for_each(bytes.begin(), bytes.end(), [&](uint8_t b) { ++counts[b]; });
  const uint64_t data = c.buffer(bytes), histogram = c.buffer(std::vector<uint32_t>(256));
  c.run("_Z11k_hist_gmemPKhPji", {40}, {256}, {data, histogram, 10000});
  CHECK(c.get<uint32_t>(histogram, 256) == counts);

  auto values = pattern<int>(2048, 60000);
  const uint64_t sorted = c.buffer(values);
  c.run("_Z9k_bitonicPi", {2}, {512}, {sorted});
  std::sort(values.begin(), values.begin() + 1024);
  std::sort(values.begin() + 1024, values.end());
  CHECK(c.get<int>(sorted, 2048) == values);
}

TEST_CASE("products of matrices") {
  constexpr size_t kN = 64;
  const auto a = pattern<float>(kN * kN, 10), b = pattern<float>(kN * kN + 7, 10);
  std::vector<float> expected(kN * kN);
  for (size_t y = 0; y < kN; ++y) {
    for (size_t x = 0; x < kN; ++x) {
      for (size_t k = 0; k < kN; ++k) {
        expected[y * kN + x] += a[y * kN + k] * b[k * kN + x];
      }
    }
  }
  struct Kernel {
    const char* name;
    uint32_t tile;
  };
  for (const Kernel& k :
       {Kernel{"_Z12k_gemm_naivePKfS0_Pfi", 16}, Kernel{"_Z12k_gemm_tiledILi16EEvPKfS1_Pfi", 16},
        Kernel{"_Z12k_gemm_tiledILi32EEvPKfS1_Pfi", 32}}) {
    Case c(suite());
    const uint64_t pa = c.buffer(a), pb = c.buffer(b), pc = c.buffer(std::vector<float>(kN * kN));
    const auto blocks = static_cast<uint32_t>(kN / k.tile);
    c.run(k.name, {blocks, blocks}, {k.tile, k.tile}, {pa, pb, pc, kN});
    CHECK(c.get<float>(pc, kN * kN) == expected);
  }
}

TEST_CASE("a level of a search, where lanes part in every loop") {
  // A ring of 1000 with a chord from each vertex to its double.
  std::vector<int> rows(1001), columns, distance(1000, -1);
  for (int v = 0; v < 1000; ++v) {
    rows[static_cast<size_t>(v)] = static_cast<int>(columns.size());
    columns.push_back((v + 1) % 1000);
    for (int i = 0; i < v % 5; ++i) {
      columns.push_back((2 * v + i) % 1000);
    }
  }
  rows[1000] = static_cast<int>(columns.size());
  std::vector<int> expected = distance;
  expected[0] = distance[0] = 0;
  Case c(suite());
  const uint64_t pr = c.buffer(rows), pc = c.buffer(columns), pd = c.buffer(distance),
                 flag = c.buffer<int>({0});
  for (int level = 0; level < 20; ++level) {
    c.run("_Z11k_bfs_levelPKiS0_PiS1_ii", {8}, {128}, {pr, pc, pd, flag, static_cast<uint64_t>(level), 1000});
    const std::vector<int> before = expected;
    for (size_t v = 0; v < 1000; ++v) {
      if (before[v] == level) {
        for (int i = rows[v]; i < rows[v + 1]; ++i) {
          int& d = expected[static_cast<size_t>(columns[static_cast<size_t>(i)])];
          d = d < 0 ? level + 1 : d;
        }
      }
    }
    CHECK(c.get<int>(pd, 1000) == expected);
  }
  CHECK(c.get<int>(flag, 1)[0] == 1);
}

TEST_CASE("random numbers in registers") {
  Case c(suite());
  const uint64_t out = c.buffer(std::vector<uint32_t>(256));
  c.run("_Z12k_montecarloPji", {2}, {128}, {out, 100});
  std::vector<uint32_t> expected(256);
  for (uint32_t t = 0; t < 256; ++t) {
    uint32_t s = t + 1;
    for (int i = 0; i < 100; ++i) {
      s ^= s << 13;
      s ^= s >> 17;
      s ^= s << 5;
      const uint32_t a = s & 0xffff;
      s = s * 1664525 + 1013904223;
      const uint32_t b = s >> 16;
      expected[t] += a * a + b * b < 0xfffe0001U ? 1 : 0;
    }
  }
  CHECK(c.get<uint32_t>(out, 256) == expected);
}

}  // namespace heddle::exec::test
