// Bulk copies in the engine alone.
#include <catch2/catch.hpp>
#include <utility>

#include "tests/sim/sm/units/tma_bench.h"

namespace heddle::simtest {
namespace {

using isa::AsyncKind;
using memory::RequestKind;

Op bulk(uint64_t barrier, uint64_t source, uint64_t bytes) {
  Op o = make(OpClass::kBulkCopy, "UBLKCP").copies(AsyncKind::kBulkLoad);
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

TEST_CASE("its operands have been read, and what it writes itself is there, 6 cycles behind its issue") {
  Kernel k{bulk(64, 0, 256).reads_barrier(0).writes_barrier(1), bulk(64, 0, 0).reads_barrier(0)};
  TmaBench b(k);
  b.issue(b.tma, 0, 10);
  b.issue(b.tma, 0, 500);  // of no bytes
  b.run(1000);
  CHECK(b.reads == Ats{{0, 16}, {0, 506}});
  CHECK(b.results == Ats{{0, 16}});
}

TEST_CASE("the addresses of every kind of copy are moved by its launch's offset") {
  constexpr uint64_t kOffset = uint64_t{1} << 33;
  const std::pair<AsyncKind, RequestKind> kinds[] = {{AsyncKind::kBulkLoad, RequestKind::kRead},
                                                     {AsyncKind::kBulkStore, RequestKind::kWrite},
                                                     {AsyncKind::kBulkReduce, RequestKind::kReduction},
                                                     {AsyncKind::kBulkPrefetch, RequestKind::kPrefetch}};
  for (const auto& [kind, request] : kinds) {
    CAPTURE(static_cast<int>(kind));
    Op copy = bulk(64, 0x1000, 256).copies(kind);
    // Its registers' values as recordings have them: the address first, without a barrier object.
    if (isa::is_store(kind)) {
      copy.addresses.values = {0x1000, 0, 0, 0, 256 / 16};
    } else if (kind == AsyncKind::kBulkPrefetch) {
      copy.addresses.values = {0x1000, 0, 256 / 16};
    }
    Kernel k{copy};
    TmaBench b(k, test_gpu(), kOffset);
    b.issue(b.tma, 0, 10);
    b.run(1000);
    const std::vector<memory::Request> sent = b.sent();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].kind == request);
    CHECK(sent[0].line == (kOffset + 0x1000) / 128);
    CHECK(sent[1].line == (kOffset + 0x1080) / 128);
  }
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
