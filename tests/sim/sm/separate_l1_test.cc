// The L1 of Maxwell and Pascal: an array apart from shared memory, several of them, and only for what is
// read-only. From issue to reader: an L1 hit 41 cycles, an L2 hit 287 (global_memory_test).
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig apart_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_l1()->set_apart_from_shared(true);
  return g;
}

spec::GpuConfig read_only_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_l1()->set_read_only(true);
  return g;
}

Op read_only(Op op) { return op.flags(isa::kFlagReadOnly); }

// `first` runs to its end, then `second`; from the issue of `second` to its reader's.
Cycle second_to_reader(const spec::GpuConfig& g, Op first, Op second) {
  Kernel k{first.writes_barrier(0), second.waits(0b1).writes_barrier(1), nop().waits(0b10)};
  const Cycles c = run(g, k).cycles(0);
  return c.at(2) - c.at(1);
}

TEST_CASE("conflicts in shared memory do not hold up the L1") {
  // The LDS has the array of both from 10 to 74 and lets the next one come at 66. The load leaves the queue 4
  // cycles behind it, 3 late.
  Kernel k{ldg(1).at(0).writes_barrier(0), lds(2).at(0, 128).waits(0b1), ldg(3).at(0).writes_barrier(1),
           nop().waits(0b10)};
  const Cycles together = run(test_gpu(), k).cycles(0), apart = run(apart_gpu(), k).cycles(0);
  CHECK(apart[3] - apart[2] == 41 + 3);
  CHECK(together[3] - together[2] == 41 + 63);
}

TEST_CASE("an L1 that is apart has no banks") {
  // 32 lines: 8 cycles of tags, and 8 of data at 128 bytes a cycle, beside them.
  CHECK(second_to_reader(apart_gpu(), ldg(1).at(0, 128), ldg(2).at(0, 128)) == 41 + 7);
  CHECK(second_to_reader(test_gpu(), ldg(1).at(0, 128), ldg(2).at(0, 128)) == 41 + 7 + 62);
}

TEST_CASE("two L1s: what one sub-core has loaded hits for its neighbour, not for the others") {
  spec::GpuConfig g = apart_gpu();
  g.mutable_sm()->mutable_l1()->set_subcores_per_unit(2);
  const auto sectors_of_l2 = [&](uint32_t other) {
    Kernel k{ldg(1).at(0), nop()};
    k.warps(4);
    for (uint32_t w = 0; w < 4; ++w) {
      k.stream(w, {});
    }
    k.order(0, {0});
    std::vector<Kernel::Step> later(500, {1});
    later.push_back({0});
    k.stream(other, later);
    return run(g, k)[Counter::kL2FromSm];
  };
  CHECK(sectors_of_l2(1) == 1);  // all lanes at one address
  CHECK(sectors_of_l2(2) == 2);
  CHECK(sectors_of_l2(3) == 2);
}

TEST_CASE("two L1s work at once") {
  // The four sub-cores load 32 lines each that are there, in one cycle: 8 cycles of tags for each, an
  // instruction in 2 cycles. One L1 takes them at 10, 12, 18 and 26 and looks them up until 18, 26, 34 and
  // 42: the last is ready at 71 (40, 16 late, 15 behind others). Two take theirs at 10 and 12, 14 and 16, and
  // are done at 18 and 26, 22 and 30: 59.
  const auto last = [](const spec::GpuConfig& g) {
    Kernel k{ldg(1).at(0, 128).writes_barrier(0), bar().waits(0b1), ldg(2).at(0, 128).writes_barrier(1),
             nop().waits(0b10)};
    k.warps(4);
    const Outcome o = run(g, k);
    return o.cycles_of(3).back() - o.cycles_of(2).front();
  };
  spec::GpuConfig two = apart_gpu();
  two.mutable_sm()->mutable_l1()->set_subcores_per_unit(2);
  CHECK(last(apart_gpu()) == 72);
  CHECK(last(two) == 60);
}

TEST_CASE("an L1 for read-only data keeps nothing else") {
  const spec::GpuConfig g = read_only_gpu();
  CHECK(second_to_reader(g, read_only(ldg(1).at(0, 0)), read_only(ldg(2).at(0, 0))) == 41);
  CHECK(second_to_reader(g, ldg(1).at(0, 0), ldg(2).at(0, 0)) == 287);
  CHECK(second_to_reader(g, ldg(1).at(0, 0), read_only(ldg(2).at(0, 0))) == 287);
  CHECK(second_to_reader(g, read_only(ldg(1).at(0, 0)), ldg(2).at(0, 0)) == 287);
  CHECK(second_to_reader(g, ldl(1), ldl(2)) >= 287);
  CHECK(second_to_reader(test_gpu(), ldl(1), ldl(2)) == 41);
  const auto tex = [](int dst) {
    Op o = ldg(dst).at(0, 0);
    o.in.op = OpClass::kTexture;
    return o;
  };
  CHECK(second_to_reader(g, tex(1), tex(2)) == 41);
}

TEST_CASE("a store leaves nothing in an L1 for read-only data") {
  Kernel k{stg().at(0, 4).stall(15), read_only(ldg(1).at(0, 4))};
  CHECK(run(test_gpu(), k)[Counter::kGlobalLdHits] == 4);
  const Outcome o = run(read_only_gpu(), k);
  CHECK(o[Counter::kGlobalLdHits] == 0);
  CHECK(o[Counter::kGlobalStHits] == 0);
}

}  // namespace
}  // namespace heddle::simtest
