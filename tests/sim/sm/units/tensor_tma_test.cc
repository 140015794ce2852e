// Tensor copies in the engine alone: rows, descriptors, stores.
#include <catch2/catch.hpp>

#include "sim/sm/tma/descriptors.h"
#include "tests/sim/sm/units/tma_bench.h"
#include "tests/sim/support/tensor_ops.h"

namespace heddle::simtest {
namespace {

using memory::RequestKind;

constexpr uint64_t kMap = 0x2000;
// 100 cycles of a load's start, 200 of its tensor map's first use, and a cycle in the SM's port.
constexpr Cycle kFirst = 100 + 200 + 1;

Kernel kernel(std::initializer_list<Op> code, const isa::TensorMap& map) {
  Kernel k(code);
  add_map(k, map, kMap);
  return k;
}

Cycles times(const std::vector<memory::Request>& sent) {
  Cycles t;
  for (const memory::Request& r : sent) {
    t.push_back(r.time);
  }
  return t;
}

TEST_CASE(
    "a row of 128 bytes takes 3 cycles, one of up to 64 bytes 2, and each line of a longer one its own") {
  struct Case {
    uint32_t elements, rows;
    Cycles after;  // the first
  };
  const Case cases[] = {
      {32, 3, {0, 3, 6}},     // 128 bytes
      {16, 3, {0, 2, 4}},     // 64
      {4, 3, {0, 2, 4}},      // 16
      {24, 3, {0, 2, 4}},     // 96 bytes are 2.25 cycles
      {64, 2, {0, 3, 6, 9}},  // two lines
      {40, 2, {0, 3, 5, 8}},  // 128 and 32 bytes
  };
  for (const Case& c : cases) {
    CAPTURE(c.elements);
    Kernel k = kernel({tensor_load(kMap, 0, 0, 64)}, map_2d(c.elements, c.rows));
    TmaBench b(k);
    b.issue(b.tma, 0, 10);
    b.run(1000);
    Cycles expected;
    for (const Cycle a : c.after) {
      expected.push_back(10 + kFirst + a);
    }
    CHECK(times(b.sent()) == expected);
    CHECK(b.state.counters()[Counter::kBulkBytes] == c.elements * 4 * c.rows);
  }
}

TEST_CASE("requests have the lines and sectors of the rows") {
  Kernel k = kernel({tensor_load(kMap, 8, 2, 64)}, map_2d(16, 2));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  REQUIRE(sent.size() == 2);
  for (uint64_t row = 0; row < 2; ++row) {
    CHECK(sent[row].line == (0x1000000 + (2 + row) * 4096) / 128);
    CHECK(sent[row].sectors == 0b0110);  // bytes 32 to 95
    CHECK(sent[row].kind == RequestKind::kRead);
  }
}

TEST_CASE("a tensor's addresses are moved by the launch's offset") {
  constexpr uint64_t kOffset = uint64_t{1} << 33;
  for (const Op& copy : {tensor_load(kMap, 0, 2, 64), tensor_store(kMap, 0, 2), tensor_reduce(kMap, 0, 2),
                         tensor_prefetch(kMap, 0, 2)}) {
    Kernel k = kernel({copy}, map_2d(32, 1));
    TmaBench b(k, test_gpu(), kOffset);
    b.issue(b.tma, 0, 10);
    b.run(1000);
    const std::vector<memory::Request> sent = b.sent();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].line == (kOffset + 0x1000000 + 2 * 4096) / 128);
  }
}

TEST_CASE("a copy takes 20 cycles at least, until the next one begins") {
  Kernel k = kernel({tensor_load(kMap, 0, 0, 64), tensor_load(kMap, 0, 1, 64), tensor_load(kMap, 0, 2, 64)},
                    map_2d(32, 1));
  TmaBench b(k);
  for (Cycle c = 10; c < 13; ++c) {
    b.issue(b.tma, 0, c);
  }
  b.run(1000);
  CHECK(times(b.sent()) == Cycles{10 + kFirst, 10 + kFirst + 20, 10 + kFirst + 40});
}

TEST_CASE(
    "a copy that is issued when the one before has asked for its rows still waits for that one's interval") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_async_copy()->set_tensor_copy_interval(300);
  Kernel k = kernel({tensor_load(kMap, 0, 0, 64), tensor_load(kMap, 0, 1, 64)}, map_2d(32, 1));
  TmaBench b(k, g);
  b.issue(b.tma, 0, 10);
  b.issue(b.tma, 0, 10 + kFirst + 10);  // could begin 100 cycles later, at 421; its map is at hand
  b.run(2000);
  CHECK(times(b.sent()) == Cycles{10 + kFirst, 10 + kFirst + 300});
}

TEST_CASE("rows outside the tensor ask for nothing, but take 2 cycles each and count their bytes") {
  Kernel k = kernel({tensor_load(kMap, 0, -2, 64)}, map_2d(32, 4));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  const sm::MbarrierState& m = b.state.block(0).mbarriers.at(64);
  CHECK(m.bytes == 512);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  CHECK(times(sent) == Cycles{10 + kFirst + 4, 10 + kFirst + 7});
  CHECK(b.state.counters()[Counter::kBulkBytes] == 512);
  for (const memory::Request& r : sent) {
    CHECK(m.bytes == 512);
    b.tma.answer(r.id, r.sectors, nullptr, 1000);
  }
  CHECK(m.bytes == 0);
}

TEST_CASE("a tile that lies wholly outside is there when its rows have passed") {
  Kernel k = kernel({tensor_load(kMap, 0, 5000, 64)}, map_2d(32, 4));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  const sm::MbarrierState& m = b.state.block(0).mbarriers.at(64);
  const Cycle last = 10 + kFirst - 1 + 3 * 2;
  b.run(last);
  CHECK(m.bytes == 512);
  b.run(last + 1);
  CHECK(m.bytes == 0);
  CHECK(b.sent().empty());
}

TEST_CASE("two tensor maps are at hand; an older one takes 40 cycles, the first use 200, of a parameter 80") {
  sm::Descriptors d(test_gpu().sm().async_copy());
  CHECK(d.use(1, false) == 200);
  CHECK(d.use(1, false) == 0);
  CHECK(d.use(2, false) == 200);
  CHECK(d.use(1, false) == 0);
  CHECK(d.use(2, false) == 0);
  CHECK(d.use(3, true) == 80);
  CHECK(d.use(3, true) == 0);
  CHECK(d.use(1, false) == 40);  // 3 and 2 have been used since
  CHECK(d.use(3, true) == 0);
  CHECK(d.use(2, false) == 40);
  d.reset();
  CHECK(d.use(1, false) == 200);
}

TEST_CASE("a copy's first row waits for its tensor map") {
  Kernel k;
  for (const uint64_t map : {kMap, kMap + 64, kMap + 128, kMap, kMap}) {
    k.add(tensor_load(map, 0, 0, 64));
  }
  for (const uint64_t map : {kMap, kMap + 64, kMap + 128}) {
    add_map(k, map_2d(32, 1), map);
  }
  TmaBench b(k);
  for (Cycle i = 0; i < 5; ++i) {
    b.issue(b.tma, 0, 10 + 1000 * i);
  }
  b.run(10000);
  CHECK(times(b.sent()) == Cycles{10 + 301, 1010 + 301, 2010 + 301, 3010 + 100 + 40 + 1, 4010 + 100 + 1});
}

TEST_CASE("stores begin after 30 cycles and leave at the port's 32 bytes a cycle") {
  Kernel k = kernel({tensor_store(kMap, 0, 0)}, map_2d(32, 3));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  CHECK(times(sent) == Cycles{240 + 4, 240 + 8, 240 + 12});
  for (const memory::Request& r : sent) {
    CHECK(r.kind == RequestKind::kWrite);
    CHECK(r.sectors == 0b1111);
  }
  CHECK(b.state.block(0).mbarriers.empty());
}

TEST_CASE("a row of a reduction takes 6 cycles") {
  Kernel k = kernel({tensor_reduce(kMap, 0, 0)}, map_2d(32, 3));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  CHECK(times(sent) == Cycles{240 + 4, 240 + 6 + 4, 240 + 12 + 4});
  for (const memory::Request& r : sent) {
    CHECK(r.kind == RequestKind::kReduction);
  }
}

TEST_CASE("UTMACMDFLUSH's sources count as read when all stores before it have read shared memory") {
  Op flush = make(OpClass::kBulkCopy, "UTMACMDFLUSH").copies(isa::AsyncKind::kFlush).reads_barrier(0);
  SECTION("two stores of two lines") {
    Kernel k = kernel({tensor_store(kMap, 0, 0), tensor_store(kMap, 0, 2), flush, flush}, map_2d(32, 2));
    TmaBench b(k);
    b.issue(b.tma, 0, 10);
    b.issue(b.tma, 0, 11);
    b.issue(b.tma, 0, 12);
    b.run(240 + 16);
    CHECK(b.reads.empty());
    b.run(1000);
    // Answers are not waited for.
    CHECK(b.reads == Ats{{0, 240 + 16 + sm::kOperandReadCycles}});
    b.issue(b.tma, 0, 1000);
    b.run(2000);
    REQUIRE(b.reads.size() == 2);
    CHECK(b.reads[1] == At{0, 1000 + sm::kOperandReadCycles});
  }
  SECTION("loads are none of it") {
    Kernel k = kernel({tensor_load(kMap, 0, 0, 64), flush}, map_2d(32, 2));
    TmaBench b(k);
    b.issue(b.tma, 0, 10);
    b.issue(b.tma, 0, 11);
    b.run(1000);
    CHECK(b.reads == Ats{{0, 11 + sm::kOperandReadCycles}});
  }
}

TEST_CASE("loads and stores do not wait for each other") {
  Kernel k = kernel({tensor_load(kMap, 0, 0, 64), tensor_store(kMap, 0, 0)}, map_2d(32, 30));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.issue(b.tma, 0, 11);
  b.run(50);
  // The store finds the map on its way, and leaves long before the load's first row.
  const std::vector<memory::Request> sent = b.sent(50);
  REQUIRE(!sent.empty());
  CHECK(sent[0].kind == RequestKind::kWrite);
  CHECK(sent[0].time == 11 + 30 + 4);
}

TEST_CASE("a prefetch asks for its lines and delivers nothing") {
  Kernel k = kernel({tensor_prefetch(kMap, 0, 0)}, map_2d(32, 2));
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  CHECK(times(sent) == Cycles{10 + kFirst, 10 + kFirst + 3});
  for (const memory::Request& r : sent) {
    CHECK(r.kind == RequestKind::kPrefetch);
    b.tma.answer(r.id, r.sectors, nullptr, 1000);
  }
  CHECK(b.state.block(0).mbarriers.empty());
}

TEST_CASE("a copy whose map is not known moves nothing") {
  Kernel k{tensor_load(0x5000, 0, 0, 64)};
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  CHECK(b.sent().empty());
  CHECK(b.state.block(0).mbarriers.empty());
  CHECK(b.state.counters()[Counter::kTensorCopiesUnknown] == 1);
}

}  // namespace
}  // namespace heddle::simtest
