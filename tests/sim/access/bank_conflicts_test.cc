// Passes over the 32 banks of shared memory (cuda-model SH01-SH08).
#include "sim/access/bank_conflicts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

namespace heddle::memory {
namespace {

struct Lanes {
  uint64_t addr[32] = {};
  explicit Lanes(const std::function<uint64_t(int)>& address) {
    for (int lane = 0; lane < 32; ++lane) {
      addr[lane] = address(lane);
    }
  }
};

Wavefronts load(uint32_t width, const std::function<uint64_t(int)>& a, uint32_t mask = ~0u) {
  return shared_wavefronts(Lanes(a).addr, mask, width, 32, true);
}
Wavefronts store(uint32_t width, const std::function<uint64_t(int)>& a, uint32_t mask = ~0u) {
  return shared_wavefronts(Lanes(a).addr, mask, width, 32, false);
}
void check(Wavefronts w, uint32_t total, uint32_t conflicts) {
  CHECK(w.total == total);
  CHECK(w.conflicts == conflicts);
}

TEST_CASE("SH04: a stride of s words takes gcd(s, 32) passes") {
  for (uint32_t s = 0; s <= 64; ++s) {
    uint32_t n = s == 0 ? 1 : std::gcd(s, 32u);
    CAPTURE(s);
    check(load(4, [&](int i) { return uint64_t{4 * s * i}; }), n, n - 1);
    check(store(4, [&](int i) { return uint64_t{4 * s * i}; }), n, n - 1);
  }
}

TEST_CASE("SH05: lanes of one word never conflict, and several words can be broadcast in one pass") {
  check(load(4, [](int) { return 64; }), 1, 0);
  check(load(4, [](int i) { return 4u * (i / 4); }), 1, 0);  // 8 words of 8 banks
  check(load(4, [](int i) { return 4u * (i % 2); }), 1, 0);
  check(load(4, [](int i) { return 128u * (i % 2); }), 2, 1);  // two words of one bank
  check(load(4, [](int i) { return 128u * (i / 8); }), 4, 3);  // four words of one bank, 8 lanes each
  check(load(1, [](int i) { return 4u * i + i % 4; }), 1, 0);  // a byte of every bank
  check(load(1, [](int i) { return uint64_t(i); }), 1, 0);     // four lanes a word
  check(load(2, [](int i) { return 2u * i; }), 1, 0);
}

TEST_CASE("SH06: stores to one word take one pass") {
  check(store(4, [](int) { return 64; }), 1, 0);
}

TEST_CASE("SH02: the passes are the largest number of different words of one bank") {
  // Bank 0 gets 3 different words (lanes 0, 1, 2), every other lane a bank of its own.
  check(load(4, [](int i) { return i < 3 ? 128u * i : 4u * i; }), 3, 2);
  // A permutation of the banks does not matter.
  check(load(4, [](int i) { return 4u * ((i * 7 + 5) % 32); }), 1, 0);
  check(load(4, [](int i) { return 4u * (31 - i) + 128u * i; }), 1, 0);
}

TEST_CASE("SH07: 64-bit accesses go by half-warps, at least two passes and no conflict") {
  check(load(8, [](int i) { return 8u * i; }), 2, 0);
  check(store(8, [](int i) { return 8u * i; }), 2, 0);
  // 16 lanes of stride 16 bytes use 8 bank pairs twice: 2 passes each half.
  check(load(8, [](int i) { return 16u * i; }), 4, 2);
  check(load(
            8, [](int i) { return 8u * i; }, 0xffff),
        1, 0);
  check(load(
            8, [](int i) { return 8u * i; }, 0xffff0000),
        1, 0);
  check(load(
            8, [](int i) { return 8u * i; }, 0x00010001),
        2, 0);
  check(load(8, [](int i) { return 128u * i; }), 32, 30);
}

TEST_CASE("SH08: 128-bit accesses go by quarter-warps of 8 lanes") {
  check(load(16, [](int i) { return 16u * i; }), 4, 0);
  check(store(16, [](int i) { return 16u * i; }), 4, 0);
  // The column store of an 8 x 8 tile of int4: 8 lanes at a stride of 128 bytes meet in 4 banks, 8 ways.
  check(store(16, [](int i) { return 128u * i; }), 32, 28);
  check(store(
            16, [](int i) { return 128u * (i % 8); }, 0xff),
        8, 7);
  // Padded by 16 bytes a row it is free of conflicts.
  check(store(16, [](int i) { return 144u * i; }), 4, 0);
  check(load(
            16, [](int i) { return 16u * i; }, 0x000000ff),
        1, 0);
  check(load(
            16, [](int i) { return 16u * i; }, 0x01010101),
        4, 0);
}

TEST_CASE(
    "two neighbouring groups of a wide load share a pass when lanes read the same as lane ^ 1 or lane ^ 2") {
  // Values of results/h200_smem_lanes.csv.
  check(load(16, [](int i) { return 16u * (i / 2); }), 2, 0);
  check(load(16, [](int i) { return 16u * (i % 2 + i / 4 * 2); }), 2, 0);
  check(load(16, [](int i) { return 16u * (i % 4); }), 4, 0);  // neither for all lanes
  check(load(16, [](int i) { return i < 8 ? 16u * (i / 2) : 16u * (i % 2); }), 3, 0);
  check(load(8, [](int i) { return 8u * (i / 2); }), 1, 0);
  check(load(8, [](int i) { return 8u * (i % 2 + i / 4 * 2); }), 1, 0);
  check(load(8, [](int i) { return 8u * (i / 4); }), 1, 0);
  check(load(8, [](int i) { return 8u * (i % 8); }), 2, 0);
  check(load(
            8, [](int i) { return 8u * (i / 2); }, 0x55555555),
        2, 0);  // without the other lanes: not measured

  check(load(8, [](int) { return 256; }), 1, 0);
  check(load(16, [](int) { return 256; }), 2, 0);
  check(load(16, [](int i) { return i < 16 ? 0 : 512; }), 2, 0);  // one address per half-warp
  check(load(16, [](int i) { return 16u * (i % 16); }), 4, 0);    // 16 addresses in both halves
  check(load(8, [](int i) { return 8u * (i % 16); }), 2, 0);
  check(load(8, [](int i) { return i < 16 ? 0 : 512; }), 2, 0);  // not one address
  // Stores do not merge.
  check(store(8, [](int) { return 256; }), 2, 0);
  check(store(16, [](int) { return 256; }), 4, 0);
}

TEST_CASE("no lanes, no passes; one lane, one pass") {
  for (uint32_t width : {1u, 2u, 4u, 8u, 16u}) {
    check(load(
              width, [](int i) { return 16u * i; }, 0),
          0, 0);
    check(load(
              width, [](int i) { return 16u * i; }, 1u << 17),
          1, 0);
    check(store(
              width, [](int i) { return 16u * i; }, 1u << 17),
          1, 0);
  }
}

TEST_CASE("the passes do not depend on which lane has which address within a group") {
  for (uint32_t s : {1u, 2u, 3u, 8u, 12u, 32u}) {
    auto plain = load(4, [&](int i) { return uint64_t{4 * s * i}; });
    auto turned = load(4, [&](int i) { return uint64_t{4 * s * ((i + 11) % 32)}; });
    auto mirrored = load(4, [&](int i) { return uint64_t{4 * s * (31 - i)}; });
    CHECK(plain.total == turned.total);
    CHECK(plain.total == mirrored.total);
  }
}

TEST_CASE("atomics: every lane of a bank is a pass of its own, the same word included") {
  auto atomics = [](const std::function<uint64_t(int)>& a, uint32_t mask = ~0u) {
    return shared_atomic_wavefronts(Lanes(a).addr, mask, 4, 32);
  };
  check(atomics([](int i) { return 4u * i; }), 1, 0);
  check(atomics([](int) { return 0; }), 32, 31);
  check(atomics([](int i) { return 4u * (i / 4); }), 4, 3);
  check(atomics([](int i) { return 128u * i; }), 32, 31);
  check(atomics([](int i) { return 8u * i; }), 2, 1);
  check(atomics([](int) { return 0; }, 0x7), 3, 2);
  check(atomics([](int) { return 0; }, 0), 0, 0);
}

TEST_CASE("LDSM: a pass per matrix when its eight rows lie in different banks") {
  auto matrices = [](uint32_t n, uint32_t row_stride) {
    return matrix_wavefronts(Lanes([&](int i) { return uint64_t{row_stride * i}; }).addr, ~0u, n, 32);
  };
  for (uint32_t n : {1u, 2u, 4u}) {
    CAPTURE(n);
    check(matrices(n, 16), n, 0);
    check(matrices(n, 32), 2 * n, n);  // rows i and i + 4 share banks
    check(matrices(n, 64), 4 * n, 3 * n);
    check(matrices(n, 128), 8 * n, 7 * n);  // all rows in the same banks
    check(matrices(n, 144), n, 0);          // padded
  }
  // Only the row addresses that are there count: lanes 8m..8m+7 give matrix m.
  check(matrix_wavefronts(Lanes([](int i) { return 128u * i; }).addr, 0x00ff, 4, 32), 8, 7);
  check(matrix_wavefronts(Lanes([](int i) { return 128u * i; }).addr, 0xff00, 1, 32), 0, 0);
}

TEST_CASE("another number of banks") {
  check(shared_wavefronts(Lanes([](int i) { return 4u * i; }).addr, ~0u, 4, 16, true), 2, 1);
  check(shared_wavefronts(Lanes([](int i) { return 64u * i; }).addr, ~0u, 4, 64, true), 8, 7);
}

TEST_CASE("64-bit atomics go by half-warps") {
  auto atomics = [](const std::function<uint64_t(int)>& a, uint32_t mask = ~0u) {
    return shared_atomic_wavefronts(Lanes(a).addr, mask, 8, 32);
  };
  check(atomics([](int i) { return 8u * i; }), 2, 0);   // 16 bank pairs, twice
  check(atomics([](int i) { return 16u * i; }), 4, 2);  // 8 bank pairs, two lanes of a half-warp on each
  check(atomics([](int) { return 0; }), 32, 30);        // 16 lanes on a word, twice
  check(atomics([](int i) { return 8u * (i / 2); }), 4, 2);
  check(atomics([](int i) { return 128u * i; }), 32, 30);
  check(atomics([](int i) { return 8u * i; }, 0x0000ffff), 1, 0);
  check(atomics([](int i) { return 8u * i; }, 0xffff0000), 1, 0);
  check(atomics([](int i) { return 8u * i; }, 0x00010001), 2, 0);  // a lane of each half
  check(atomics([](int i) { return 8u * i; }, 0), 0, 0);
}

// The figures of tools/microbench/counts.cu, section copies (FINDINGS.md 18).
TEST_CASE("LDGSTS.ACCESS writes each line of its source by itself") {
  auto copy = [](uint32_t width, const std::function<uint64_t(int)>& from,
                 const std::function<uint64_t(int)>& to, uint32_t mask = ~0u) {
    return copy_wavefronts(Lanes(from).addr, Lanes(to).addr, mask, width, 32);
  };
  auto stride = [](uint64_t n) { return [n](int i) { return n * i; }; };
  CHECK(copy(4, stride(4), stride(4)) == 1);
  CHECK(copy(4, stride(4), stride(8)) == 2);
  CHECK(copy(4, stride(4), stride(128)) == 32);
  CHECK(copy(4, stride(32), stride(4)) == 8);  // eight lines
  CHECK(copy(8, stride(8), stride(8)) == 2);
  CHECK(copy(8, stride(8), stride(16)) == 4);
  CHECK(copy(16, stride(16), stride(16)) == 4);
  CHECK(copy(16, stride(16), stride(16), 0xff) == 1);
  CHECK(copy(16, stride(16), stride(16), 0) == 0);
}

TEST_CASE("LDGSTS.BYPASS counts the sectors it writes, for each line of its source") {
  auto sectors = [](const std::function<uint64_t(int)>& from, const std::function<uint64_t(int)>& to,
                    uint32_t mask = ~0u) {
    return bypass_sectors(Lanes(from).addr, Lanes(to).addr, mask, 16);
  };
  auto rows = [](uint64_t lanes, uint64_t stride, uint64_t base = 0) {
    return [=](int i) { return base + i / lanes * stride + i % lanes * 16; };
  };
  CHECK(sectors(rows(32, 0), rows(32, 0)) == 16);
  CHECK(sectors(rows(32, 0), rows(32, 0, 32)) == 16);
  CHECK(sectors(rows(32, 0), rows(32, 0, 16)) == 20);
  CHECK(sectors(rows(32, 0, 16), rows(32, 0)) == 20);
  CHECK(sectors(rows(4, 2048), rows(4, 80)) == 20);  // gemm_mma
  CHECK(sectors(rows(4, 2048), rows(4, 96)) == 16);
  CHECK(sectors(rows(8, 2048), rows(8, 144)) == 18);
  CHECK(sectors(rows(32, 0), rows(1, 48)) == 32);
  CHECK(sectors(rows(1, 32), rows(32, 0)) == 16);
  CHECK(sectors(rows(32, 0), rows(32, 0), 0x3) == 1);
}

}  // namespace
}  // namespace heddle::memory
