// Stores between L1's tags and the NoC (FINDINGS.md 45). In the tests' GPU: 16 lines take what other stores
// add to them, until 10 cycles after the last line of their store had its turn, 34 packets wait for the port,
// 24 stores for the tags.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// Halves of a sector of `lines` lines, `of` 0 or 1: 8 lanes' words, so each is written in part.
Op half(int of, int lines) {
  return stg().each([=](int lane) {
    return uint64_t(lane % lines) * 128 + uint64_t(lane / lines) * 4 % 16 + uint64_t(of) * 16;
  });
}

uint64_t written(Kernel& k, const spec::GpuConfig& g = test_gpu()) { return run(g, k)[Counter::kL2Writes]; }

uint64_t written_with_gap(int lines, int cycles) {
  Kernel k{half(0, lines).stall(1), nop().stall(1)};
  k.add(nop().stall(1), cycles - 2);
  k.add(half(1, lines));
  return written(k);
}

TEST_CASE(
    "halves of sectors by two stores, one behind the other, go together: as many lines as are kept open") {
  for (const int lines : {1, 2, 4, 8, 16}) {
    Kernel k{half(0, lines), half(1, lines)};
    Outcome o = run(test_gpu(), k);
    CHECK(o[Counter::kGlobalStSectors] == uint64_t(2 * lines));
    CHECK(o[Counter::kL2Writes] == uint64_t(lines));
  }
  Kernel k{half(0, 32), half(1, 32)};
  CHECK(written(k) == 2 * 32);
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_l1()->set_merge_lines(0);
  Kernel apart{half(0, 4), half(1, 4)};
  CHECK(written(apart, g) == 2 * 4);
}

TEST_CASE("a line is open until its store has had the tags, two cycles a line, and ten cycles more") {
  // One line closes 2 + 10 cycles after its store had the tags, whose turn the second one's look-up comes N
  // cycles later.
  CHECK(written_with_gap(1, 11) == 1);
  CHECK(written_with_gap(1, 12) == 2);
  // Line i of eight closes after 16 + 10 + 1.5 i cycles (up to whole ones) and is looked up again after N + 2
  // i: for N = 23 lines 6 and 7 are late, 35 and 37.
  CHECK(written_with_gap(8, 22) == 8);
  CHECK(written_with_gap(8, 23) == 8 + 2);
  CHECK(written_with_gap(8, 60) == 16);
}

TEST_CASE("a store that joins a line keeps it open for as long again") {
  const auto three = [](int first, int second) {
    Kernel k{half(0, 1).stall(1)};
    k.add(nop().stall(1), first - 1);
    k.add(half(1, 1).stall(1));
    k.add(nop().stall(1), second - 1);
    k.add(half(0, 1));
    return written(k);
  };
  CHECK(three(11, 11) == 1);
  CHECK(three(11, 12) == 2);
}

TEST_CASE("a store takes the tags for each word of its lanes, whoever of them stores") {
  // Of four sub-cores' warps, with a load behind them that L1 has.
  const auto last = [](int width) {
    Kernel k{ldg(1).at(1 << 20, 0).writes_barrier(0), bar().waits(0b1)};
    const uint32_t store = k.add(stg().at(0, 128).width(width));
    const uint32_t load = k.add(ldg(2).at(1 << 20, 0).writes_barrier(1));
    const uint32_t user = k.add(nop().waits(0b10));
    k.warps(5);
    k.stream(0, {{0}, {1}, {load}, {user}});
    for (uint32_t w = 1; w < 5; ++w) {
      std::vector<Kernel::Step> steps{{1}};
      for (uint32_t i = 0; i < 6; ++i) {
        steps.push_back({store, 1u, (uint64_t{w} * 8 + i) * 4096});
      }
      k.stream(w, steps);
    }
    Outcome o = run(test_gpu(), k);
    return o.cycles_of(user).at(0) - o.cycles_of(load).at(0);
  };
  // Three of them are in front of it, a lane's line in part takes two cycles, 16 bytes of it four.
  CHECK(last(16) == last(4) + 3 * 2);
}

TEST_CASE("what follows a store in its line is not overtaken") {
  Kernel load{half(0, 4), ldg(1).at(64, 0).flags(isa::kFlagBypassL1), half(1, 4)};
  CHECK(written(load) == 4 + 1);
  Kernel reduction{half(0, 4), red().at(0, 0), half(1, 4)};
  CHECK(written(reduction) == 4 + 1);
}

TEST_CASE("a fence waits for a store that went along with another warp's") {
  Kernel k{half(0, 1), half(1, 1), membar(), nop()};
  k.warps(2).order(0, {0}).order(1, {1, 2, 3});
  Kernel alone{half(1, 1), membar(), nop()};
  Outcome o = run(test_gpu(), k), a = run(test_gpu(), alone);
  CHECK(o[Counter::kL2Writes] == 1);
  const Cycles both = o.cycles(1), one = a.cycles(0);
  CHECK(both.at(2) - both.at(1) + 4 > one.at(2) - one.at(1));
}

TEST_CASE(
    "stores wait for the tags in a queue of their own: loads that L1 has wait for them, shared loads do "
    "not") {
  const auto latency = [](const Op& probe, int stores) {
    Kernel k{ldg(1).at(1 << 20, 0).writes_barrier(0), bar().waits(0b1)};
    const uint32_t first = k.add(stg().at(0, 128));
    const uint32_t load = k.add(Op(probe).writes_barrier(1));
    const uint32_t user = k.add(nop().waits(0b10));
    k.warps(2);
    std::vector<Kernel::Step> one{{0}, {1}, {load}, {user}}, other{{1}};
    for (int i = 0; i < stores; ++i) {
      other.push_back({first, ~0u, uint64_t(i) * 4096});
    }
    k.stream(0, one).stream(1, other);
    Outcome o = run(test_gpu(), k);
    return o.cycles_of(user).at(0) - o.cycles_of(load).at(0);
  };
  // But for their way to the stages, which takes an instruction each two cycles.
  CHECK(latency(lds(2), 8) <= latency(lds(2), 0) + 2);
  // 32 lines each, two cycles a line: of eight stores one or more are in front of it.
  const Cycle hit = latency(ldg(2).at(1 << 20, 0), 0);
  CHECK(latency(ldg(2).at(1 << 20, 0), 8) >= hit + 64);
}

TEST_CASE("what the network has no room for stays in the SM and takes more; all of it is written") {
  const auto sectors = [](uint32_t entries) {
    spec::GpuConfig g = test_gpu();
    g.mutable_sm()->mutable_l1()->set_posted_entries(entries);
    Kernel k;
    for (int i = 0; i < 40; ++i) {
      k.add(stg().at(uint64_t(i) * 128, 0));
    }
    // The newest lines again, late.
    for (int i = 0; i < 60; ++i) {
      k.add(nop().stall(1));
    }
    for (int i = 30; i < 40; ++i) {
      k.add(stg().at(uint64_t(i) * 128 + 4, 0));
    }
    return written(k, g);
  };
  CHECK(sectors(65536) == 40 + 10);
  CHECK(sectors(2) == 40);
}

TEST_CASE("the L2 learns which words of a sector are written") {
  // Lines of one set of one slice, of which one may be there in part.
  const auto read = [](Kernel k, uint64_t bytes) {
    spec::GpuConfig g = test_gpu();
    g.mutable_l2()->set_max_partial_bytes(bytes);
    return run(g, k)[Counter::kDramReadBytes];
  };
  // `pieces` pieces of each of the `lines` lines, at multiples of `step` bytes.
  const auto part = [](int lines, int pieces, int step, int width) {
    return stg()
        .each([=](int lane) {
          const int i = lane % (lines * pieces);
          return uint64_t(i / pieces) * 512 * 128 + uint64_t(i % pieces) * uint64_t(step);
        })
        .width(width);
  };
  const auto more = [&](const Kernel& k) { return read(k, 4 * 128) - read(k, 0); };
  CHECK(more(Kernel{part(8, 4, 4, 4)}) == 7 * 32);
  CHECK(more(Kernel{part(4, 8, 4, 4)}) == 0);
  CHECK(more(Kernel{part(8, 2, 8, 8)}) == 7 * 32);
  CHECK(more(Kernel{part(8, 4, 8, 8)}) == 0);
  CHECK(more(Kernel{part(4, 8, 4, 1)}) == 3 * 32);  // a byte of each word: no word
  const auto halves = [](int of) {
    return stg().each(
        [=](int lane) { return uint64_t(lane / 4) * 512 * 128 + uint64_t(lane % 4 + 4 * of) * 4; });
  };
  CHECK(more(Kernel{halves(0), halves(1)}) == 0);  // they leave together
}

TEST_CASE("a warp that ends stays until its store is at the port") {
  const auto active = [](Kernel k) { return run(test_gpu(), k)[Counter::kWarpsActive]; };
  // The queue, the tags (two cycles for a line in part), 20 cycles to the port.
  CHECK(active(Kernel{stg().at(0, 0), exit_op()}) > active(Kernel{nop(), exit_op()}) + 20);
}

}  // namespace
}  // namespace heddle::simtest
