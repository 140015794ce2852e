// What barrier objects of recordings wait for.
#include "sim/isa/recorded_phases.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/tensor_ops.h"

namespace heddle::simtest {
namespace {

using isa::AsyncKind;

constexpr uint64_t kFull = 64, kEmpty = 72;

isa::RecordedPhases phases_of(Kernel& k) {
  isa::BlockTrace block;
  k.rewind();
  REQUIRE(k.next(block));
  const isa::RecordedSyncs syncs(k.image());
  isa::RecordedPhases phases;
  phases.find(syncs, block);
  return phases;
}
uint32_t arrivals_at(Kernel& k, uint64_t barrier = kFull) { return phases_of(k).at(barrier).arrivals; }

Op bulk(uint64_t barrier, uint64_t bytes) {
  Op o = make(OpClass::kBulkCopy, "UBLKCP.S.G").copies(AsyncKind::kBulkLoad);
  o.in.mem_refs = 1;
  o.addresses.values = {0, barrier, 0x1000000, 0, bytes / 16};
  return o;
}

Op arrive_many(uint64_t barrier, uint64_t arrivals) {
  return syncs("SYNCS.ARRIVE.TRANS64.RED.ART0", {Form::Kind::kArrive, Form::Bytes::kNone, 0, true}, barrier)
      .data(arrivals);
}

TEST_CASE("the word that an object is initialised with says how many arrivals a phase has") {
  CHECK(barrier_word(1) == 0x7ffff800001ffffe);  // FINDINGS.md 24
  for (const uint64_t n : {1, 2, 5, 128, 1023}) {
    Kernel k{mbarrier_init(kFull, n), arrive_many(kFull, n), mbarrier_wait(kFull, 0)};
    k.stream(0, one_lane({0, 1, 2}));
    CAPTURE(n);
    CHECK(arrivals_at(k) == n);
    CHECK(phases_of(k).at(kFull).parity == 0);
  }
}

TEST_CASE("the parity of the first phase is in the word, too") {
  Kernel k{mbarrier_init(kFull, 1).data(barrier_word(1) | uint64_t{1} << 63), mbarrier_arrive(kFull),
           mbarrier_wait(kFull, 1)};
  k.stream(0, one_lane({0, 1, 2}));
  CHECK(arrivals_at(k) == 1);
  CHECK(phases_of(k).at(kFull).parity == 1);
}

TEST_CASE(
    "without its word, all arrivals are shared out over the phases of the warp that arrives most often") {
  Kernel k{mbarrier_arrive(kFull), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 1)};
  k.warps(3).stream(0, one_lane({0, 1, 0, 2, 0, 1, 0, 2})).stream(1, one_lane({0, 1, 0, 2, 0, 1, 0, 2}));
  k.stream(2, one_lane({1, 2, 1, 2}));
  CHECK(arrivals_at(k) == 2);
}

TEST_CASE("lanes that arrive together are one step of their warp, and each an arrival") {
  Kernel k{mbarrier_arrive(kFull), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 1)};
  k.warps(2).stream(0, {{0, 0xff}, {1}, {0, 0xff}, {2}}).stream(1, {{0, 0xff}, {1}, {0, 0xff}, {2}});
  CHECK(arrivals_at(k) == 16);
}

TEST_CASE("arrivals with their number in the operand") {
  Kernel k{arrive_many(kFull, 5), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 1)};
  k.stream(0, one_lane({0, 1, 0, 2}));
  CHECK(arrivals_at(k) == 5);
}

TEST_CASE("... or over the phases that a warp waits for, when those are more") {
  // Two warps arrive in turn, one for each phase.
  Kernel k{mbarrier_arrive(kFull), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 1)};
  k.warps(2).stream(0, one_lane({0, 1, 2, 0, 1, 2})).stream(1, one_lane({1, 0, 2, 1, 0, 2}));
  CHECK(arrivals_at(k) == 1);
}

// A producer that waits for an empty buffer, first with one parity or the other, and two consumers that
// arrive.
Kernel turns(std::initializer_list<uint32_t> producer, std::initializer_list<uint32_t> consumers) {
  Kernel k{mbarrier_wait(kEmpty, 0),    mbarrier_wait(kEmpty, 1), mbarrier_arrive(kEmpty),
           mbarrier_expect(kFull, 256), bulk(kFull, 256),         mbarrier_wait(kFull, 0),
           mbarrier_wait(kFull, 1)};
  k.warps(3).stream(0, one_lane(producer)).stream(1, one_lane(consumers)).stream(2, one_lane(consumers));
  return k;
}

TEST_CASE("a wait for the phase before the first is for none") {
  Kernel k = turns({1, 3, 4, 0, 3, 4, 1, 3, 4, 0}, {5, 2, 6, 2, 5, 2});
  CHECK(arrivals_at(k, kEmpty) == 2);
  CHECK(phases_of(k).at(kEmpty).parity == 0);
  CHECK(arrivals_at(k, kFull) == 1);
  CHECK(phases_of(k).at(kFull).parity == 0);
}

TEST_CASE(
    "a producer's first wait with parity 0, which nobody can end, ended at once: its object began odd") {
  SECTION("as many waits as arrivals: a rehearsal comes to a halt") {
    Kernel k = turns({0, 3, 4, 1, 3, 4, 0, 3, 4}, {5, 2, 6, 2, 5, 2});
    CHECK(arrivals_at(k, kEmpty) == 2);
    CHECK(phases_of(k).at(kEmpty).parity == 1);
    CHECK(phases_of(k).at(kFull).parity == 0);  // it expects bytes, so nobody has filled it before
  }
  SECTION("one wait more than arrivals") {
    Kernel k = turns({0, 3, 4, 1, 3, 4, 0, 3, 4}, {5, 2, 6, 2, 5});
    CHECK(arrivals_at(k, kEmpty) == 2);
    CHECK(phases_of(k).at(kEmpty).parity == 1);
  }
}

TEST_CASE("phases that something else than the object holds back, as __syncthreads, are known") {
  // Three warps wait for each of four copies of the first, and meet before the next one.
  Kernel k{mbarrier_expect(kFull, 256), bulk(kFull, 256), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 1),
           bar()};
  k.warps(3).stream(0, one_lane({0, 1, 2, 4, 0, 1, 3, 4, 0, 1, 2, 4, 0, 1, 3, 4}));
  k.stream(1, one_lane({2, 4, 3, 4, 2, 4, 3, 4})).stream(2, one_lane({2, 4, 3, 4, 2, 4, 3, 4}));
  CHECK(arrivals_at(k) == 1);
  CHECK(phases_of(k).at(kFull).parity == 0);
}

TEST_CASE("waits that no arrival of the recording ends: the object is not known") {
  Kernel k{mbarrier_init(kFull, 1), mbarrier_wait(kFull, 0)};
  CHECK(arrivals_at(k) == 0);
  Kernel late{mbarrier_init(kFull, 2), mbarrier_arrive(kFull), mbarrier_wait(kFull, 0)};
  late.stream(0, one_lane({0, 1, 2}));
  CHECK(arrivals_at(late) == 0);
}

TEST_CASE("... but in a cluster another block may arrive: what the initialisation says is certain") {
  Kernel k{mbarrier_init(kFull, 3).data(barrier_word(3)), mbarrier_wait(kFull, 0)};
  k.blocks(2).cluster(2);
  CHECK(arrivals_at(k) == 3);
}

TEST_CASE("waits for one phase by several instructions are for one phase") {
  Kernel k{mbarrier_arrive(kFull), mbarrier_wait(kFull, 0), mbarrier_wait(kFull, 0)};
  k.warps(3).stream(0, one_lane({0})).stream(1, one_lane({0})).stream(2, one_lane({1, 2}));
  CHECK(arrivals_at(k) == 2);
}

TEST_CASE("arrivals that cannot be shared out: its phases are not known") {
  Kernel k{mbarrier_arrive(kFull), mbarrier_wait(kFull, 0)};
  k.warps(2).stream(0, one_lane({0, 0, 1})).stream(1, one_lane({0}));
  CHECK(arrivals_at(k) == 0);
}

TEST_CASE("an object that nobody arrives at, or that the recording does not name, is not known") {
  Kernel k{mbarrier_wait(kFull, 0)};
  CHECK(arrivals_at(k) == 0);
  CHECK(arrivals_at(k, kEmpty) == 0);
}

TEST_CASE("in a kernel without waits no object is looked at") {
  Kernel k{mbarrier_init(kFull, 1), mbarrier_arrive(kFull)};
  CHECK(arrivals_at(k) == 0);
}

TEST_CASE("bytes that are expected have to come from a copy that is followed") {
  const Op expect = mbarrier_expect(kFull, 256), wait = mbarrier_wait(kFull, 0);
  const auto known = [](Kernel k) {
    std::vector<Kernel::Step> steps;
    for (uint32_t i = 0; i < k.image().code.size(); ++i) {
      steps.push_back({i, 1});
    }
    k.stream(0, steps);
    return arrivals_at(k) == 1;
  };
  CHECK_FALSE(known(Kernel{expect, wait}));
  CHECK(known(Kernel{expect, bulk(kFull, 256), wait}));
  CHECK_FALSE(known(Kernel{expect, bulk(kEmpty, 256), wait}));
  // A tensor copy with a map counts, one without makes its object unknown.
  Kernel with_map{expect, tensor_load(0x2000, 0, 0, kFull), wait};
  CHECK_FALSE(known(with_map));
  add_map(with_map, map_2d(32, 2), 0x2000);
  CHECK(known(with_map));
  Kernel both{expect, bulk(kFull, 256), tensor_load(0x3000, 0, 0, kFull), wait};
  CHECK_FALSE(known(both));
  // A store with its barrier object's address; one for another block's; a multicast for others.
  const Op async_store = make(OpClass::kStShared, "STAS").flags(isa::kFlagAsyncStore);
  Op here = async_store;
  here.in.mem_refs = 1;
  here.at(0x100, 4).data(kFull);
  CHECK(known(Kernel{expect, here, wait}));
  CHECK(known(Kernel{expect, Op(here).data(uint64_t{1} << 24 | kEmpty), wait}));
  Op multicast = bulk(kEmpty, 256);
  multicast.in.async.multicast = true;
  CHECK(known(Kernel{expect, multicast, wait}));
  // Stores to shared memory by LDGSTS arrive when they are complete, which is not followed.
  CHECK_FALSE(known(Kernel{expect, bulk(kFull, 256),
                           syncs("ARRIVES.LDGSTSBAR.64", {Form::Kind::kArriveCopies}, kFull), wait}));
}

TEST_CASE("operands that were not recorded: the object is not known") {
  const Op wait = mbarrier_wait(kFull, 0);
  Op blind = wait;
  blind.addresses.data.clear();
  Kernel no_parity{mbarrier_init(kFull, 1), mbarrier_arrive(kFull), blind};
  no_parity.stream(0, one_lane({0, 1, 2}));
  CHECK(arrivals_at(no_parity) == 0);
  Op expect = mbarrier_expect(kFull, 256);
  expect.addresses.data.clear();
  Kernel no_bytes{mbarrier_init(kFull, 1), expect, bulk(kFull, 256), wait};
  no_bytes.stream(0, one_lane({0, 1, 2, 3}));
  CHECK(arrivals_at(no_bytes) == 0);
  // An arrival alone has none.
  Kernel arrival{mbarrier_init(kFull, 1), mbarrier_arrive(kFull), wait};
  arrival.stream(0, one_lane({0, 1, 2}));
  CHECK(arrivals_at(arrival) == 1);
}

TEST_CASE(
    "an address in the window of the cluster is the object at that offset: arrivals at others stand for "
    "theirs") {
  Kernel k{mbarrier_arrive(uint64_t{1} << 24 | kFull), mbarrier_wait(kFull, 0)};
  k.stream(0, one_lane({0, 1}));
  CHECK(arrivals_at(k) == 1);
}

TEST_CASE("objects of one instruction's lanes are each their own") {
  Kernel k{mbarrier_arrive(0).at(kFull, 8), mbarrier_wait(kFull, 0), mbarrier_wait(kEmpty, 0)};
  k.stream(0, {{0, 0b11}, {1}, {2}});
  CHECK(arrivals_at(k, kFull) == 1);
  CHECK(arrivals_at(k, kEmpty) == 1);
}

}  // namespace
}  // namespace heddle::simtest
