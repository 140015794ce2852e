// Rules and worked examples of the programming guide about cooperative groups, DPX, the heap, WMMA and
// pipelines, by their ids in the project's specification: data/guide.cu as nvcc compiles it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

class Guide : public Case {
 public:
  Guide() : Case(ptx::load("tests/exec/data/guide.ptx")) {}
  uint64_t ints(size_t n) { return buffer(std::vector<int>(n)); }
};

std::vector<int> counting(size_t n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// IEEE binary16 of 0, 1, 2 and 3.
constexpr uint16_t kHalves[] = {0, 0x3c00, 0x4000, 0x4200};

}  // namespace

TEST_CASE("CG01: ranks of a block, a grid, and of the block in its grid") {
  Guide c;
  const uint64_t out = c.ints(4 * 96);
  c.run("ranks", {3}, {32}, {out});
  const auto got = c.get<int>(out, 4 * 96);
  for (int i = 0; i < 96; ++i) {
    CHECK(std::vector(got.begin() + 4 * i, got.begin() + 4 * i + 4) ==
          std::vector{i % 32, i / 32, i / 32, 32 * 10000 + 96});
  }
}

TEST_CASE("CG03 CG08: sums of tiles of 4, 32 and 128 threads, of whole numbers and of others") {
  Guide c;
  const uint64_t out = c.ints(4 * 256);
  c.run("tiles", {1}, {256}, {out});
  const auto got = c.get<int>(out, 4 * 256);
  const auto sum = [](int size, int i) {
    const int first = i / size * size;
    return size * first + size * (size - 1) / 2;
  };
  for (int i = 0; i < 256; ++i) {
    CHECK(std::vector(got.begin() + 4 * i, got.begin() + 4 * i + 4) ==
          std::vector{sum(4, i) * 100 + i / 4, sum(32, i) * 100 + i / 32, sum(128, i), sum(32, i) / 2});
  }
}

TEST_CASE("CG04 CG05 CG11: lanes that are together, of one label, of one side; one of them") {
  Guide c;
  const uint64_t out = c.ints(4 * 64), one = c.ints(1);
  c.run("lanes", {1}, {64}, {out, one});
  const auto got = c.get<int>(out, 4 * 64);
  CHECK(c.get<int>(one, 1)[0] == 2);  // of each warp
  for (int i = 0; i < 64; ++i) {
    int together = 0, together_before = 0, label = 0, label_before = 0, most = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      together += j % 3 == 0 ? 1 : 0;
      together_before += j % 3 == 0 && j < i ? 1 : 0;
      label += j % 5 == i % 5 ? 1 : 0;
      label_before += j % 5 == i % 5 && j < i ? 1 : 0;
      most = j % 5 == i % 5 ? j : most;
    }
    const int lane = i % 32;
    CHECK(got[4 * i] == (i % 3 == 0 ? together * 100 + together_before : 0));
    CHECK(got[4 * i + 1] == label * 100 + label_before);
    CHECK(got[4 * i + 2] == (lane < 10 ? 1000 + lane : 2200 + lane - 10));
    CHECK(got[4 * i + 3] == most);
  }
}

TEST_CASE("CG02 CG06: work between arriving at a barrier and waiting") {
  Guide c;
  const uint64_t out = c.ints(128);
  c.run("split_barrier", {1}, {128}, {out});
  const auto got = c.get<int>(out, 128);
  for (int i = 0; i < 128; ++i) {
    CHECK(got[i] == 7 * i + (127 - i) * (127 - i));
  }
}

TEST_CASE("CG07: the grid's barrier, and that it is there in a cooperative launch") {
  Guide c;
  const uint64_t cells = c.ints(20), out = c.ints(20 * 64);
  c.run("whole_grid", {20}, {64}, {cells, out});
  CHECK(c.get<int>(out, 20 * 64) == std::vector<int>(20 * 64, 210 * 10 + 1));
}

TEST_CASE("CG09 CG10: scans of tiles, and a sum that one thread stores") {
  Guide c;
  const uint64_t out = c.ints(2 * 64), total = c.ints(4);
  c.run("scans", {1}, {64}, {out, total});
  const auto got = c.get<int>(out, 2 * 64);
  for (int i = 0; i < 64; ++i) {
    const int first = i / 16 * 16, n = i - first + 1;
    const int inclusive = n * first + n * (n - 1) / 2;
    CHECK(got[2 * i] == inclusive);
    CHECK(got[2 * i + 1] == inclusive - i);
  }
  CHECK(c.get<int>(total, 4) == std::vector{120, 376, 632, 888});
}

TEST_CASE("C39 CG12: 16 * 1024 + 64 numbers through 128 of shared memory, by one stage and by two") {
  constexpr uint32_t kCount = 16 * 1024 + 64;
  for (const uint64_t stages : {1, 2}) {
    Guide c;
    const uint64_t in = c.buffer(counting(kCount)), out = c.ints(kCount);
    c.run("staged", {1}, {128}, {in, out, kCount, stages});
    const auto got = c.get<int>(out, kCount);
    CHECK(std::ranges::equal(got, counting(kCount), {}, {}, [](int x) { return 2 * x; }));
  }
}

TEST_CASE("C58: values of DPX instructions") {
  Guide c;
  const uint64_t out = c.ints(6);
  c.run("dpx", {1}, {1}, {out});
  CHECK(c.get<int>(out, 6) == std::vector{8, 0, 6, 1, 0x00070006, 0x00070006});
}

TEST_CASE("C72 ER04: the heap of a device, from kernel to kernel, and what is printed") {
  Guide c;
  c.run("heap_alloc", {20}, {10}, {});
  for (int i = 0; i < 3; ++i) {
    c.run("heap_use", {20}, {10}, {});
  }
  const std::string text = c.run("heap_free", {20}, {10}, {}).output;
  CHECK(std::ranges::count(text, '\n') == 200);
  CHECK(text.find("Block 19, Thread 9: final value = 27\n") != std::string::npos);
  CHECK(text.find("Block 0, Thread 0: final value = 0\n") != std::string::npos);
}

TEST_CASE("C73: a product of 16 x 16 x 16 in one warp") {
  Guide c;
  std::vector<uint16_t> a(256), b(256);  // by columns, by rows
  std::vector<float> expected(256);
  const auto x = [](int m, int k) { return (m + 2 * k) % 4; };
  const auto y = [](int k, int n) { return (3 * k + n) % 4; };
  for (int i = 0; i < 256; ++i) {
    a[i] = kHalves[x(i % 16, i / 16)];
    b[i] = kHalves[y(i / 16, i % 16)];
    for (int k = 0; k < 16; ++k) {
      expected[i] += static_cast<float>(x(i / 16, k) * y(k, i % 16));
    }
  }
  const uint64_t from_a = c.buffer(a), from_b = c.buffer(b), out = c.buffer(std::vector<float>(256));
  c.run("wmma", {1}, {32}, {from_a, from_b, out});
  CHECK(c.get<float>(out, 256) == expected);
}

TEST_CASE("C38: batches in two stages of a pipeline") {
  Guide c;
  const uint64_t in = c.buffer(counting(8 * 256)), out = c.ints(8 * 256);
  c.run("pipeline", {1}, {256}, {in, out, 8});
  const auto got = c.get<int>(out, 8 * 256);
  for (int i = 0; i < 8 * 256; ++i) {
    CHECK(got[i] == i / 256 * 256 + 255 - i % 256);
  }
}

}  // namespace heddle::exec::test
