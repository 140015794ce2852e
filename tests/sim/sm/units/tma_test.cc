// Bulk copies in the engine alone.
#include <catch2/catch.hpp>

#include "tests/sim/sm/units/tma_bench.h"

namespace heddle::simtest {
namespace {

Op bulk(uint64_t barrier, uint64_t source, uint64_t bytes) {
  Op o = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  o.addresses.values = {0, barrier, source & 0xffffffff, source >> 32, bytes / 16};
  return o;
}

TEST_CASE("a copy's lines leave every 2 cycles from 100 cycles on, with the sectors that they touch") {
  Kernel k{bulk(64, 0x1040, 256)};
  TmaBench b(k);
  CHECK(b.issue(b.tma, 0, 10) == 0);
  b.run(1000);
  const std::vector<memory::Request> sent = b.sent();
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].time == 10 + 100 + 1);  // a cycle in the SM's port
  CHECK(sent[1].time == sent[0].time + 2);
  CHECK(sent[2].time == sent[1].time + 2);
  CHECK(sent[0].sectors == 0b1100);
  CHECK(sent[1].sectors == 0b1111);
  CHECK(sent[2].sectors == 0b0011);
  CHECK(b.state.counters()[Counter::kBulkBytes] == 256);
}

TEST_CASE("its barrier object expects its bytes, and has them when the lines have come") {
  Kernel k{bulk(64, 0, 256)};
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  const sm::MbarrierState& m = b.state.block(0).mbarriers.at(64);
  CHECK(m.bytes == 256);
  b.run(1000);
  for (const memory::Request& r : b.sent()) {
    CHECK(m.bytes > 0);
    b.tma.answer(r.id, r.sectors, nullptr, 600);
  }
  CHECK(m.bytes == 0);
}

TEST_CASE("no more lines are on their way than there may be; an arrival lets the next one go") {
  Kernel k{bulk(64, 0, 65 * 128)};
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  const std::vector<memory::Request> first = b.sent();
  REQUIRE(first.size() == 64);
  b.tma.answer(first[0].id, first[0].sectors, nullptr, 1000);
  b.run(2000);
  const std::vector<memory::Request> last = b.sent();
  REQUIRE(last.size() == 1);
  CHECK(last[0].line == 64);
  CHECK(last[0].time == 1000 + 1 + 1);
}

TEST_CASE("the copy of a block that has ended delivers to nobody") {
  Kernel k{bulk(64, 0, 128)};
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.run(1000);
  ++b.state.block(0).generation;
  b.state.block(0).mbarriers.clear();
  for (const memory::Request& r : b.sent()) {
    b.tma.answer(r.id, r.sectors, nullptr, 600);
  }
  CHECK(b.state.block(0).mbarriers.empty());
}

}  // namespace
}  // namespace heddle::simtest
