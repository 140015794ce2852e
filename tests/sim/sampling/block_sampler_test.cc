// Blocks left out of long grids: what is added for them, and when none are.
#include "sim/sampling/block_sampler.h"

#include <catch2/catch.hpp>

#include "sim/device/gpu.h"
#include "sim/sampling/simulate.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Outcome run_sampled(const spec::GpuConfig& config, Kernel& k, int threads = 1) {
  device::Gpu gpu(config, threads);
  device::RunOptions o;
  o.threads = threads;
  k.rewind();
  Outcome out;
  out.result = sampling::sample_blocks(gpu, config, k, o);
  return out;
}

// Blocks of one warp, 40 instructions of 11 cycles.
Kernel uniform(uint32_t blocks) {
  Kernel k;
  k.add(alu(1).stall(11), 39);
  k.add(exit_op());
  k.blocks(blocks).shape().dynamic_shared_bytes = 100000;  // two blocks on an SM
  return k;
}

double relative(uint64_t estimate, uint64_t full) {
  return static_cast<double>(estimate) / static_cast<double>(full) - 1;
}

TEST_CASE("equal blocks: counts are exact, the cycles near") {
  Kernel k = uniform(402);  // 100 waves and a half on two SMs
  Outcome full = run(test_gpu(2), k);
  Outcome some = run_sampled(test_gpu(2), k);
  const stats::Sampling& s = some.result.sampling;
  CHECK(s.requested);
  CHECK(s.total_blocks == 402);
  CHECK(s.detailed_blocks < 40);
  CHECK((402 - s.detailed_blocks) % 4 == 0);  // whole waves
  CHECK(s.reason.empty());
  CHECK(some[Counter::kInstExecuted] == 402 * 40);
  for (Counter c : {Counter::kInstExecuted, Counter::kThreadInstExecuted, Counter::kThreadInstPredOn,
                    Counter::kIssueActive, Counter::kBlocksLaunched, Counter::kPipeAlu, Counter::kPipeCbu}) {
    CHECK(some[c] == full[c]);
  }
  CHECK(std::abs(relative(some.result.cycles, full.result.cycles)) < 0.02);
  CHECK(s.cycles_low <= full.result.cycles);
  CHECK(s.cycles_high >= full.result.cycles);
  CHECK_FALSE(full.result.sampling.requested);
}

TEST_CASE("the bounds: 7 % of what is added, and a fifth of a wave for the end of the grid") {
  // Of four blocks, two on each SM: 40 instructions of 11 cycles (the last one of 1), 31 between two blocks.
  constexpr double kWave = 39 * 11 + 1 + 31;
  Kernel k = uniform(102);
  const stats::KernelResult r = run_sampled(test_gpu(2), k).result;
  REQUIRE(r.sampling.sampled());
  const auto waves = static_cast<double>(102 - r.sampling.detailed_blocks) / 4;
  REQUIRE(waves > 10);
  const double bound = (0.07 * waves + 0.2) * kWave;
  CHECK(static_cast<double>(r.sampling.cycles_high - r.cycles) == Approx(bound).epsilon(0.02));
  CHECK(static_cast<double>(r.cycles - r.sampling.cycles_low) == Approx(bound).epsilon(0.02));
}

TEST_CASE("any number of threads gives the same estimate") {
  Kernel k = uniform(200);
  const stats::KernelResult one = run_sampled(test_gpu(4), k).result;
  CHECK(one.sampling.sampled());
  for (int threads : {2, 4}) {
    const stats::KernelResult r = run_sampled(test_gpu(4), k, threads).result;
    CHECK(r.cycles == one.cycles);
    CHECK(r.totals.count == one.totals.count);
    CHECK(r.totals.stall == one.totals.stall);
    CHECK(r.sampling.cycles_high == one.sampling.cycles_high);
  }
}

TEST_CASE("a short grid is simulated") {
  Kernel k = uniform(15);
  Outcome full = run(test_gpu(2), k);
  Outcome some = run_sampled(test_gpu(2), k);
  CHECK(some.result.sampling.detailed_blocks == 15);
  CHECK(some.result.sampling.reason == "fewer than 4 waves of blocks");
  CHECK(some.result.cycles == full.result.cycles);
  CHECK(some.result.totals.count == full.result.totals.count);
  CHECK(some.result.sampling.cycles_low == full.result.cycles);
  CHECK(some.result.sampling.cycles_high == full.result.cycles);
}

// The second half of the grid executes other code, which is three times as slow.
Kernel two_kinds(bool mixed) {
  Kernel k;
  const uint32_t quick = k.add(alu(1).stall(5));
  const uint32_t slow = k.add(alu(1).stall(15));
  const uint32_t end = k.add(exit_op());
  k.blocks(400).shape().dynamic_shared_bytes = 100000;
  for (uint32_t b = 0; b < 400; ++b) {
    std::vector<Kernel::Step> steps(40, {mixed ? (b % 2 ? slow : quick) : (b < 200 ? quick : slow)});
    steps.push_back({end});
    k.stream_of_block(b, 0, steps);
  }
  return k;
}

TEST_CASE("another kind of block is measured by itself") {
  Kernel k = two_kinds(false);
  Outcome full = run(test_gpu(2), k);
  Outcome some = run_sampled(test_gpu(2), k);
  CHECK(some.result.sampling.detailed_blocks < 100);
  CHECK(std::abs(relative(some.result.cycles, full.result.cycles)) < 0.05);
  CHECK(some[Counter::kInstExecuted] == full[Counter::kInstExecuted]);
  CHECK(some.result.sampling.cycles_low <= full.result.cycles);
  CHECK(some.result.sampling.cycles_high >= full.result.cycles);
}

TEST_CASE("kinds that alternate are one steady state") {
  Kernel k = two_kinds(true);
  Outcome full = run(test_gpu(2), k);
  Outcome some = run_sampled(test_gpu(2), k);
  CHECK(some.result.sampling.detailed_blocks < 100);
  CHECK(std::abs(relative(some.result.cycles, full.result.cycles)) < 0.05);
  CHECK(some.result.sampling.cycles_low <= full.result.cycles);
  CHECK(some.result.sampling.cycles_high >= full.result.cycles);
}

TEST_CASE("blocks of clusters are left out cluster by cluster") {
  Kernel k = uniform(400);
  k.cluster(2);
  Outcome full = run(test_gpu(2), k);
  Outcome some = run_sampled(test_gpu(2), k);
  CHECK(some.result.sampling.sampled());
  CHECK(some.result.sampling.detailed_blocks % 2 == 0);
  CHECK(std::abs(relative(some.result.cycles, full.result.cycles)) < 0.03);
}

TEST_CASE("the kind of a block is what its warps execute, not how often") {
  Kernel k;
  k.add(nop(), 3);
  k.blocks(4).warps(2);
  k.stream_of_block(1, 0, {{0}, {1}, {2}, {1}, {2}});  // a loop
  k.stream_of_block(2, 0, {{0}, {1}});                 // left early by one warp, but not by the other
  k.stream_of_block(3, 0, {{0}, {1}});
  k.stream_of_block(3, 1, {{0}, {1}, {2, 0}});  // predicated off
  sampling::BlockSummarizer summarize(k.image());
  std::vector<sampling::BlockSummary> s;
  for (isa::BlockTrace b; k.next(b);) {
    s.push_back(summarize(b));
  }
  REQUIRE(s.size() == 4);
  CHECK(s[0].kind == s[1].kind);
  CHECK(s[0].kind == s[2].kind);
  CHECK(s[0].kind != s[3].kind);
  CHECK(s[0].instructions == 6);
  CHECK(s[1].instructions == 8);
  CHECK(s[3].instructions == 5);
  CHECK(s[3].thread_pred_on == 4 * 32);
}

}  // namespace
}  // namespace heddle::simtest
