// Which of the ready warps of a sub-core issues. Warps 0, 4 and 8 share sub-core 0; warp 8 is the youngest.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

std::vector<uint32_t> order(spec::Issue::Policy policy, Kernel& k) {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_issue()->set_policy(policy);
  return run(g, k).sequence(0);
}

Kernel three_warps(const Op& op, int times) {
  Kernel k;
  k.add(op, times);
  k.warps(9);
  return k;
}

using Sequence = std::vector<uint32_t>;

TEST_CASE("greedy then youngest: stays on a warp while it is ready, then takes the youngest") {
  // At the start the warp of the first slot counts as the one that issued last.
  Kernel k = three_warps(nop(), 3);
  CHECK(order(spec::Issue::GREEDY_THEN_YOUNGEST, k) == Sequence{0, 0, 0, 8, 8, 8, 4, 4, 4});
}

TEST_CASE("greedy then oldest") {
  Kernel k = three_warps(nop(), 3);
  CHECK(order(spec::Issue::GREEDY_THEN_OLDEST, k) == Sequence{0, 0, 0, 4, 4, 4, 8, 8, 8});
}

TEST_CASE("greedy then youngest: the older block's warps come first, and of these the youngest") {
  // Two blocks of eight warps on one SM: 0 and 4 of the first, 8 and 12 of the second share sub-core 0. All
  // are there long before warp 0 ends.
  Kernel k;
  k.add(nop(), 400);
  k.warps(8).blocks(2);
  spec::GpuConfig g = test_gpu();
  Outcome o = run(g, k);
  const Sequence s = o.sequence(0);
  REQUIRE(s.size() == 1600);
  // By the order in which the warps end.
  Sequence last;
  for (size_t i = 0; i < s.size(); ++i) {
    if (std::count(s.begin() + static_cast<ptrdiff_t>(i), s.end(), s[i]) == 1) {
      last.push_back(s[i]);
    }
  }
  CHECK(last == Sequence{0, 4, 12, 8});
}

TEST_CASE("loose round robin: the next ready slot after the last") {
  Kernel k = three_warps(nop(), 3);
  CHECK(order(spec::Issue::LOOSE_ROUND_ROBIN, k) == Sequence{4, 8, 0, 4, 8, 0, 4, 8, 0});
}

TEST_CASE("a warp that stalls loses its turn, and is not preferred when it comes back") {
  // Every warp can issue every 2 cycles: 0 at 0; 8 at 1; at 2 warps 0 and 4 are ready.
  Kernel k = three_warps(nop().stall(2), 3);
  CHECK(order(spec::Issue::GREEDY_THEN_YOUNGEST, k) == Sequence{0, 8, 4, 8, 4, 8, 4, 0, 0});
  CHECK(order(spec::Issue::GREEDY_THEN_OLDEST, k) == Sequence{0, 4, 0, 4, 0, 4, 8, 8, 8});
  CHECK(order(spec::Issue::LOOSE_ROUND_ROBIN, k) == Sequence{4, 8, 0, 4, 8, 0, 4, 8, 0});
}

TEST_CASE("a warp whose pipe is busy is passed over") {
  // Warp 0 runs FP64 (a DFMA every 4 cycles), the others NOPs.
  Kernel k;
  k.add(dfma(), 3);
  k.add(nop(), 2);
  k.warps(9).order(0, {0, 1, 2}).order(4, {3, 4}).order(8, {3, 4});
  spec::GpuConfig g = test_gpu();
  Outcome o = run(g, k);
  CHECK(o.cycles(0) == Cycles{0, 5, 9});
  CHECK(o.sequence(0) == Sequence{0, 8, 8, 4, 4, 0, 0});
}

TEST_CASE("one instruction a cycle for each sub-core, four for the SM") {
  Kernel k;
  k.add(nop(), 16);
  k.warps(16);
  Outcome o = run(test_gpu(), k);
  REQUIRE(o.issues.size() == 256);
  for (size_t i = 0; i < o.issues.size(); ++i) {
    REQUIRE(o.issues[i].cycle - o.first == i / 4);
    REQUIRE(o.issues[i].subcore == i % 4);
    REQUIRE(o.issues[i].warp % 4 == i % 4);
  }
}

TEST_CASE("age counts over blocks: the warps of a later block are younger") {
  Kernel k;
  k.add(nop(), 8);
  k.blocks(5);  // blocks 0 and 4 on sub-core 0; block 4 comes when block 0 has issued 4
  spec::GpuConfig g = test_gpu();
  g.mutable_launch()->set_block_interval(0);
  g.mutable_sm()->mutable_issue()->set_policy(spec::Issue::GREEDY_THEN_OLDEST);
  CHECK(run(g, k).sequence(0) == Sequence{0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("greedy until yield: a warp that yields goes behind the others of its block") {
  // Each warp's two instructions, of which the first yields (and takes two cycles): 0, which counts as the
  // last one, then the youngest, then 4; after that by the time of their yields.
  Kernel k;
  k.add(nop().stall(2).yield());
  k.add(nop());
  k.warps(9);
  CHECK(order(spec::Issue::GREEDY_UNTIL_YIELD, k) == Sequence{0, 8, 4, 0, 8, 4});
  // Where nobody yields it is greedy then youngest.
  Kernel plain = three_warps(nop().stall(2), 3);
  CHECK(order(spec::Issue::GREEDY_UNTIL_YIELD, plain) == Sequence{0, 8, 4, 8, 4, 8, 4, 0, 0});
}

TEST_CASE("warps that found a pipe taken get it one after the other") {
  // A DFMA every 4 cycles, two each: without turns the youngest would have both of its first.
  Kernel k;
  k.add(dfma(), 2);
  k.warps(9);
  Outcome o = run(test_gpu(), k);
  CHECK(o.sequence(0) == Sequence{0, 8, 4, 0, 8, 4});
  CHECK(o.cycles(0) == Cycles{0, 12});
  CHECK(o.cycles(8) == Cycles{4, 16});
  CHECK(o.cycles(4) == Cycles{8, 20});
}

TEST_CASE("a taken branch that a warp waits with costs the sub-core the fetches behind it") {
  // Warp 0 waits 3 cycles before its branch, in which 2 instructions behind it are fetched; warp 4, which
  // could issue in every cycle, loses these but for the one that the fetch stage is ahead.
  const auto last = [](uint32_t wasted) {
    spec::GpuConfig g = test_gpu();
    g.mutable_sm()->mutable_issue()->set_wasted_fetches(wasted);
    g.mutable_sm()->mutable_issue()->set_fetch_ahead(1);
    g.mutable_sm()->mutable_issue()->set_policy(spec::Issue::LOOSE_ROUND_ROBIN);
    Kernel k;
    k.add(nop().stall(4));
    k.add(bra());
    k.add(nop(), 60);
    std::vector<Kernel::Step> straight;
    for (uint32_t i = 2; i < 62; ++i) {
      straight.push_back({i});
    }
    k.warps(5).stream(0, {{0}, {1}, {3}}).stream(4, straight);
    return run(g, k).cycles(4).back();
  };
  CHECK(last(2) == last(0) + 1);
  CHECK(last(8) == last(0) + 2);  // no more than the cycles it waited
}

}  // namespace
}  // namespace heddle::simtest
