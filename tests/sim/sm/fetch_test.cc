// Instruction caches: L0 4 lines, L1 8 lines (20 cycles), GCC 16 lines (100 more), then 300 from L2 or 500
// from memory. A line is 8 instructions. "Cold" is 500 + 100 + 20 = 620.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/sm/code/code_lines.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr Cycle kWarpStart = 1000 + 1 + 10;  // start_cycles, block_interval, block_start_latency

spec::GpuConfig cached_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_fetch()->set_model(spec::InstructionFetch::CACHED);
  return g;
}

// Straight code of `lines` lines, executed `times` times by one warp.
Outcome walk(const spec::GpuConfig& g, uint32_t lines, int times = 1) {
  Kernel k;
  k.add(nop(), static_cast<int>(8 * lines) - 1);
  k.add(bra());
  std::vector<Kernel::Step> steps;
  for (int t = 0; t < times; ++t) {
    for (uint32_t i = 0; i < 8 * lines; ++i) {
      steps.push_back({i});
    }
  }
  k.stream(0, steps);
  return run(g, k);
}

// Cycle at which each line's first instruction issues, relative to the last instruction of the line before
// it.
Cycles line_gaps(const Outcome& o) {
  Cycles c = o.cycles(0), out;
  for (size_t i = 8; i < c.size(); i += 8) {
    out.push_back(c[i] - c[i - 1]);
  }
  return out;
}

TEST_CASE("a perfect front end delivers at once") {
  Outcome o = walk(test_gpu(), 3);
  CHECK(o.first == kWarpStart);
  CHECK(line_gaps(o) == Cycles{1, 1});
  CHECK(o[Counter::kFetchL0Misses] == 0);
}

TEST_CASE("the first fetch of a launch on an SM takes launch_latency more, the others do not") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_launch_latency(150);
  const Outcome o = walk(g, 3);
  CHECK(o.first == kWarpStart + 150 + 620);
  CHECK(line_gaps(o) == Cycles{621, 621});
}

TEST_CASE("a cold line comes from memory through GCC, L1 and L0") {
  Outcome o = walk(cached_gpu(), 3);
  CHECK(o.first == kWarpStart + 620);
  CHECK(line_gaps(o) == Cycles{621, 621});
  CHECK(o[Counter::kFetchL0Misses] == 3);
  CHECK(o[Counter::kFetchL1Misses] == 3);
  CHECK(o[Counter::kFetchGccMisses] == 3);
  CHECK(o[Stall::kNoInstruction] == uint64_t{3} * 620);
}

TEST_CASE("code that fits the L0 is fetched once") {
  Outcome o = walk(cached_gpu(), 4, 3);
  CHECK(o[Counter::kFetchL0Misses] == 4);
  CHECK(line_gaps(o) == Cycles{621, 621, 621, 10, 1, 1, 1, 10, 1, 1, 1});  // 10: the branch back
}

TEST_CASE("code beyond the L0 comes from the L1: 20 cycles a line") {
  Outcome o = walk(cached_gpu(), 8, 2);
  CHECK(line_gaps(o) == Cycles{621, 621, 621, 621, 621, 621, 621, 30, 21, 21, 21, 21, 21, 21, 21});
  CHECK(o[Counter::kFetchL0Misses] == 16);
  CHECK(o[Counter::kFetchL1Misses] == 8);
  CHECK(o[Counter::kFetchGccMisses] == 8);
}

TEST_CASE("code beyond the L1 comes from the GCC: 120 cycles a line") {
  Outcome o = walk(cached_gpu(), 12, 2);
  Cycles gaps = line_gaps(o);
  CHECK(gaps[11] == 130);
  for (size_t i = 12; i < gaps.size(); ++i) {
    CHECK(gaps[i] == 121);
  }
  CHECK(o[Counter::kFetchL1Misses] == 24);
  CHECK(o[Counter::kFetchGccMisses] == 12);
}

TEST_CASE("code beyond the GCC comes from L2: 420 cycles a line") {
  Outcome o = walk(cached_gpu(), 20, 2);
  Cycles gaps = line_gaps(o);
  for (size_t i = 20; i < gaps.size(); ++i) {
    CHECK(gaps[i] == 421);
  }
  CHECK(o[Counter::kFetchGccMisses] == 40);
}

TEST_CASE("the stream buffer runs ahead: straight code waits once") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_prefetch_lines(4);
  g.mutable_sm()->mutable_fetch()->set_l0_bytes(2048);
  Outcome o = walk(g, 5);
  CHECK(o.first == kWarpStart + 620);
  CHECK(line_gaps(o) == Cycles{1, 1, 1, 1});
  CHECK(o[Counter::kFetchL0Misses] == 1);
  CHECK(o[Counter::kFetchL1Misses] == 5);
}

TEST_CASE("the stream goes on when its lines are used: 20 lines wait for memory 4 times, not 20") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_prefetch_lines(4);
  g.mutable_sm()->mutable_fetch()->set_l0_bytes(2048);
  // Line n + 4 is asked for when line n is wanted, so lines 5, 10 and 15 are asked for when lines 1, 6 and 11
  // are.
  Cycles gaps = line_gaps(walk(g, 20));
  int waits = 0;
  for (Cycle gap : gaps) {
    waits += gap > 100;
  }
  CHECK(waits == 3);
}

// The L0 runs three lines ahead; the launch brings `lines` of them, of which the first `far` only as far as
// the GCC.
spec::GpuConfig three_ahead(uint32_t lines, uint32_t far) {
  spec::GpuConfig g = cached_gpu();
  spec::InstructionFetch& f = *g.mutable_sm()->mutable_fetch();
  f.set_prefetch_lines(3);
  f.set_l0_bytes(4096);
  f.set_l1_bytes(4096);
  f.set_gcc_bytes(4096);
  f.set_l1_latency(40);
  f.set_launch_prefetch_bytes(lines * 128);
  f.set_first_fetch_bytes(far * 128);
  return g;
}

TEST_CASE("a line is asked for when a warp comes to the third one before it") {
  // Lines 0 to 3 come together. Line 4 is asked for at 8, so it is there at 48, 16 cycles after line 3 has
  // ended; 5 to 7 behind it, since they have been asked for at 16, 24 and 32; line 8 at 56.
  CHECK(line_gaps(walk(three_ahead(9, 0), 9)) == Cycles{1, 1, 1, 17, 1, 1, 1, 17});
}

TEST_CASE("the L1 runs ahead of what it is asked for") {
  spec::GpuConfig g = three_ahead(16, 16);
  auto far = [&g] {
    const Cycles gaps = line_gaps(walk(g, 16));
    return std::count_if(gaps.begin(), gaps.end(), [](Cycle gap) { return gap > 50; });
  };
  CHECK(far() == 3);  // 4, 8 and 12
  g.mutable_sm()->mutable_fetch()->set_l1_prefetch_lines(8);
  CHECK(far() == 0);
}

TEST_CASE("a branch out of the stream starts a new one") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_prefetch_lines(2);
  Kernel k;
  k.add(nop(), 20 * 8);
  k.order(0, {0, 80, 88, 96, 104});
  Outcome o = run(g, k);
  Cycles c = o.cycles(0);
  CHECK(c[1] == 1 + 620 + 14);  // the branch cost of 15, then the demand miss at cycle 15
  CHECK(c[2] - c[1] == 12);     // prefetched: only the branch
  CHECK(c[3] - c[2] == 12);
  CHECK(o[Counter::kFetchL0Misses] == 2);
}

TEST_CASE(
    "four sub-cores that wait for one line get it when it comes, from the L1 one cycle after the other") {
  Kernel k;
  k.add(nop(), 8);
  k.warps(4);
  Outcome o = run(cached_gpu(), k);
  CHECK(o.cycles_of(0) == Cycles{0, 0, 0, 0});
  CHECK(o.first == kWarpStart + 620);
  CHECK(o[Counter::kFetchL0Misses] == 4);
  CHECK(o[Counter::kFetchL1Misses] == 1);
  // Brought by the launch, it is in the L1 already: 20 cycles, and a cycle between two sub-cores.
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(128);
  o = run(g, k);
  CHECK(o.first == kWarpStart + 20);
  CHECK(o.cycles_of(0) == Cycles{0, 1, 2, 3});
}

TEST_CASE("warps of one sub-core share its L0") {
  Kernel k;
  k.add(nop(), 8);
  k.warps(5).order(1, {}).order(2, {}).order(3, {});
  Outcome o = run(cached_gpu(), k);
  CHECK(o[Counter::kFetchL0Misses] == 1);
  CHECK(o.cycles(0).front() == 0);
  CHECK(o.cycles(4).front() == 8);  // after warp 0, which the sub-core stays with
}

TEST_CASE("what the launch has prefetched is in the L1, and its first part in the GCC") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(1024);
  g.mutable_sm()->mutable_fetch()->set_first_fetch_bytes(128);
  Outcome o = walk(g, 4);
  CHECK(o.first == kWarpStart + 120);  // the GCC's latency and the L1's
  CHECK(line_gaps(o) == Cycles{21, 21, 21});
  CHECK(o[Counter::kFetchL1Misses] == 1);
  CHECK(o[Counter::kFetchGccMisses] == 0);
}

TEST_CASE("every launch starts cold") {
  device::Gpu gpu(cached_gpu());
  Kernel k;
  k.add(nop(), 8);
  CHECK(run(gpu, k).first == kWarpStart + 620);
  CHECK(run(gpu, k).first == kWarpStart + 620);
}

TEST_CASE(
    "a line that has been fetched for a warp is not lost when the L0 evicts it before the warp issues") {
  // Two warps of one sub-core in an L0 of one line: each fetch throws out the other's line. Warp 0's line
  // comes after 620 cycles, warp 4's 2 later (the GCC's port).
  spec::GpuConfig g = cached_gpu();
  g.mutable_sm()->mutable_fetch()->set_l0_bytes(128);
  Kernel k;
  k.add(nop(), 16);
  k.warps(5).order(0, {0, 1}).order(1, {}).order(2, {}).order(3, {}).order(4, {8, 9});
  Outcome o = run(g, k);
  CHECK(o.first == kWarpStart + 620);
  CHECK(o.cycles(0) == Cycles{0, 1});
  CHECK(o.cycles(4) == Cycles{2, 3});
  CHECK(o[Counter::kFetchL0Misses] == 2);
  CHECK(o[Stall::kNoInstruction] == 620 + 622);
}

// A line of code at 0 and one at `pc`, both executed twice.
Kernel two_functions(uint32_t pc) {
  Kernel k;
  k.add(nop(), 16);
  for (uint32_t i = 8; i < 16; ++i) {
    k.mutable_image().code[i].pc = pc + 16 * (i - 8);
  }
  std::vector<Kernel::Step> steps;
  for (uint32_t i = 0; i < 32; ++i) {
    steps.push_back({i % 16});
  }
  return k.stream(0, steps);
}

TEST_CASE("functions that are far apart need no lines for what lies between") {
  spec::GpuConfig g = cached_gpu();
  for (const uint32_t prefetch : {0u, 8192u}) {
    g.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(prefetch);
    Kernel near = two_functions(96 * 128), far = two_functions(0xffffff80);
    CHECK(sm::bind(near.image(), g.sm()).lines == 97);
    CHECK(sm::bind(far.image(), g.sm()).lines < 300);
    const Outcome a = run(g, near), b = run(g, far);
    CHECK(a.result.totals.count == b.result.totals.count);
    CHECK(a.cycles(0) == b.cycles(0));
  }
}

TEST_CASE("gaps are shortened only behind what a launch prefetches and a stream reaches") {
  spec::InstructionFetch fetch = cached_gpu().sm().fetch();
  fetch.set_prefetch_lines(100);
  fetch.set_launch_prefetch_bytes(1000 * 128);
  sm::CodeLines lines(fetch);
  CHECK(lines.number(0) == 0);
  CHECK(lines.number(1255 * 128) == 1255);
  CHECK(lines.number(1256 * 128) == 1256);
  CHECK(lines.number((1257 + 256) * 128) == 1257 + 128);
  const uint32_t last = lines.number(~0u);
  CHECK(last >= 1257 + 128 + 128);
  CHECK(last < 1257 + 128 + 128 + sm::CodeLines::kKept);
  CHECK((~0u / 128 - last) % sm::CodeLines::kKept == 0);  // aligned as before
  CHECK(lines.count() == last + 1);
}

}  // namespace
}  // namespace heddle::simtest
