#include "frontends/accelsim/address_list.h"

#include <bit>
#include <catch2/catch.hpp>
#include <random>

#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

using Addresses = std::vector<uint64_t>;

std::string hex(uint64_t v) {
  char b[32];
  std::snprintf(b, sizeof b, "0x%llx", static_cast<unsigned long long>(v));
  return b;
}

std::string mode0(const Addresses& a) {
  std::string s = "0";
  for (const uint64_t v : a) {
    s += " " + hex(v);
  }
  return s;
}

std::string mode2(const Addresses& a) {
  std::string s = "2 " + hex(a[0]);
  for (size_t i = 1; i < a.size(); ++i) {
    s += " " + std::to_string(static_cast<int64_t>(a[i] - a[i - 1]));
  }
  return s;
}

// What the list gives back through a MemRef, behind whatever is already in the warp's lists.
Addresses round_trip(const std::string& list, uint32_t mask) {
  isa::WarpTrace w;
  w.deltas = {1, 2, 3};
  w.values = {4, 5};
  isa::MemRef r;
  ListError e;
  const std::string line = list + "\n";
  const char* end = scan_mem_ref(line.data(), mask, w, r, e);
  REQUIRE(end != nullptr);
  CHECK(*end == '\n');
  return addresses(w, r, mask);
}

TEST_CASE("random lists survive every mode", "[addresses]") {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 3000; ++i) {
    uint32_t mask = static_cast<uint32_t>(rng());
    if (i % 3 == 0) {
      mask &= static_cast<uint32_t>(rng());
    } else if (i % 7 == 0) {
      mask = 0xffffffff;
    }
    mask |= mask ? 0 : 0x100;
    const int spread = static_cast<int>(rng() % 64);  // from neighbours to all of memory
    const uint64_t base = rng() >> rng() % 64;
    Addresses a;
    for (int lane = 0; lane < std::popcount(mask); ++lane) {
      a.push_back(base + (rng() >> spread));
    }
    // The tracer prints deltas as signed 64-bit numbers, whose sums wrap as addresses do.
    CHECK(round_trip(mode0(a), mask) == a);
    CHECK(round_trip(mode2(a), mask) == a);
  }
}

TEST_CASE("random strides survive every mode", "[addresses]") {
  std::mt19937_64 rng(4);
  for (int i = 0; i < 1000; ++i) {
    const int lanes = 1 + static_cast<int>(rng() % 32);
    const int first = static_cast<int>(rng() % static_cast<uint64_t>(33 - lanes));
    const auto mask = static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << first);
    const auto stride = static_cast<int32_t>(static_cast<int64_t>(rng()) >> (32 + rng() % 31));
    Addresses a = {rng()};
    while (a.size() < static_cast<size_t>(lanes)) {
      a.push_back(a.back() + static_cast<uint64_t>(int64_t{stride}));
    }
    CHECK(round_trip("1 " + hex(a[0]) + " " + std::to_string(stride), mask) == a);
    CHECK(round_trip(mode0(a), mask) == a);
    CHECK(round_trip(mode2(a), mask) == a);
    isa::WarpTrace w;
    CHECK(compact(a.data(), lanes, w).kind == isa::MemRef::Kind::kStride);
    CHECK((w.deltas.empty() && w.values.empty()));
  }
}

TEST_CASE("the extremes of 64-bit deltas", "[addresses]") {
  CHECK(round_trip("2 0x0 9223372036854775807 -9223372036854775807", 7) ==
        Addresses{0, 0x7fffffffffffffff, 0});
  CHECK(round_trip("2 0x0 -9223372036854775808", 3) == Addresses{0, 0x8000000000000000});
  CHECK(round_trip("0 ffffffffffffffff 0", 3) == Addresses{0xffffffffffffffff, 0});
  CHECK(round_trip("1 0xffffffffffffffff 1", 3) == Addresses{0xffffffffffffffff, 0});
  CHECK(round_trip("1 0x0 -2147483648", 3) == Addresses{0, 0xffffffff80000000});
}

TEST_CASE("a failed scan appends nothing", "[addresses]") {
  isa::WarpTrace w;
  isa::MemRef r;
  ListError e;
  CHECK(scan_mem_ref("2 0x1000 4 8 x\n", 0xf, w, r, e) == nullptr);
  CHECK((w.deltas.empty() && w.values.empty()));
  CHECK(*e.at == 'x');
}

}  // namespace

TEST_CASE("a warp keeps each pattern of deltas once", "[addresses]") {
  isa::WarpTrace w;
  DeltaLists known;
  isa::MemRef r;
  ListError e;
  const auto scan = [&](const char* list) {
    REQUIRE(scan_mem_ref(list, 0xf, w, r, e, &known) != nullptr);
    return r.list;
  };
  CHECK(scan("2 0x1000 4 8 4\n") == 0);
  CHECK(scan("2 0x2000 4 8 8\n") == 3);
  CHECK(scan("2 0x3000 4 8 4\n") == 0);  // the pattern of the first, elsewhere
  CHECK(r.base == 0x3000);
  CHECK(w.deltas == std::vector<int32_t>{4, 12, 16, 4, 12, 20});
  w.clear();
  known.begin_warp();
  CHECK(scan("2 0x3000 4 8 8\n") == 0);
  CHECK(w.deltas == std::vector<int32_t>{4, 12, 20});
}

}  // namespace heddle::accelsim::test
