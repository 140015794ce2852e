// Launches that share the machine. Test GPU: a block starts 11 cycles after it is handed out (block_interval
// 1, block_start_latency 10); 40 instructions take it 440 more; 20 later its place is free.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "sim/base/error.h"
#include "sim/device/detailed_engine.h"
#include "sim/sm/sm.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr Cycle kBlock = 440, kStart = 11, kRetire = 20;

// An engine for several launches.
class Session : public device::DetailedEngine {
 public:
  explicit Session(const spec::GpuConfig& gpu, const device::RunOptions& options = {})
      : DetailedEngine(gpu, options) {}
  using DetailedEngine::launch;
  void launch(std::unique_ptr<Kernel> kernel, int32_t priority, Cycle at, uint64_t tag) {
    DetailedEngine::launch({.owned = std::move(kernel), .priority = priority, .at = at, .tag = tag});
  }
};

std::unique_ptr<Kernel> long_blocks(uint32_t n, uint32_t shared_bytes = 0, uint32_t instructions = 40) {
  auto k = std::make_unique<Kernel>();
  k->add(nop().stall(11), static_cast<int>(instructions));
  k->blocks(n);
  k->shape().dynamic_shared_bytes = shared_bytes;
  return k;
}

// Ends by tag.
std::map<uint64_t, device::LaunchEnd> run_all(Session& s) {
  std::map<uint64_t, device::LaunchEnd> out;
  while (const auto e = s.advance(kNever)) {
    out[e->tag] = *e;
  }
  return out;
}

TEST_CASE("AX06: two launches that fit run beside each other, their blocks one distributor interval apart") {
  Session s(test_gpu(1));
  s.launch(long_blocks(1), 0, 0, 7);
  s.launch(long_blocks(1), 0, 0, 8);
  auto ends = run_all(s);
  REQUIRE(ends.size() == 2);
  CHECK(ends[7].start == kStart);
  CHECK(ends[8].start == kStart + 1);
  CHECK(ends[7].end == kStart + kBlock);
  CHECK(ends[8].end == kStart + 1 + kBlock);
  CHECK(ends[7].work.instructions == 40);
  CHECK(ends[7].work.thread_pred_on == 40 * 32);
  CHECK(s.counters()[Counter::kInstExecuted] == 80);
  CHECK(s.launches() == 0);
}

TEST_CASE("a launch alone takes as long as in a run by itself") {
  auto k = long_blocks(300);
  k->add(ldg(2).at(0x10000, 4).writes_barrier(0));
  k->add(nop().waits(1));
  Kernel again = *k;
  const Outcome alone = run(test_gpu(4), again);
  Session s(test_gpu(4));
  s.launch(std::move(k), 0, 1000, 1);  // start_cycles
  CHECK(run_all(s)[1].end == alone.result.cycles - 500);
}

TEST_CASE("two launches side by side end when they do, whatever the quantum and the number of threads") {
  auto ends = [](uint64_t quantum, int threads) {
    spec::GpuConfig g = test_gpu(8);
    g.mutable_tlb()->set_enabled(true);
    g.mutable_noc()->set_merge_entries(16);
    Session s(g, {.threads = threads, .quantum = quantum});
    for (uint64_t tag : {1, 2}) {
      auto k = long_blocks(60 + static_cast<uint32_t>(tag));
      k->add(ldg(2).at(0x10000 * tag, 4).writes_barrier(0));
      k->add(stg(2).at(0x80000, 128).waits(1));
      s.launch(std::move(k), 0, 1000, tag);
    }
    auto all = run_all(s);
    return std::array<uint64_t, 5>{all[1].end, all[2].end, s.counters()[Counter::kL2Sectors],
                                   s.counters()[Counter::kL2SectorHits], s.counters()[Counter::kWarpsActive]};
  };
  const auto expected = ends(0, 1);
  for (uint64_t quantum : {29, 20, 13, 7}) {
    CAPTURE(quantum);
    CHECK(ends(quantum, 1) == expected);
  }
  for (int threads : {2, 3, 16}) {
    CAPTURE(threads);
    CHECK(ends(17, threads) == expected);
  }
}

TEST_CASE("a launch that does not fit beside the one before starts when that has left") {
  Session s(test_gpu(1));
  s.launch(long_blocks(1, 150000), 0, 0, 1);
  s.launch(long_blocks(1, 150000), 0, 0, 2);
  auto ends = run_all(s);
  CHECK(ends[2].start == kStart + kBlock + kRetire + kStart);
}

TEST_CASE("a launch that is to begin later holds up no block of those before it") {
  Session s(test_gpu(1));
  s.launch(long_blocks(2, 150000), 0, 0, 1);  // one after the other
  s.launch(long_blocks(1, 150000), 0, 5000, 2);
  auto ends = run_all(s);
  CHECK(ends[1].end == kStart + kBlock + kRetire + kStart + kBlock);
  CHECK(ends[2].start == 5000 + kStart);
}

TEST_CASE("ST12, ST13: the higher priority goes first when places become free, and nobody is taken off") {
  Session s(test_gpu(1));
  s.launch(long_blocks(2, 150000), 0, 0, 1);  // one after the other
  s.launch(long_blocks(1, 150000), 0, 0, 2);
  s.launch(long_blocks(1, 150000), -1, 0, 3);  // before the second block of 1
  auto ends = run_all(s);
  const Cycle turn = kBlock + kRetire + kStart;
  CHECK(ends[3].start == kStart + turn);
  CHECK(ends[1].end == kStart + 2 * turn + kBlock);
  CHECK(ends[2].start == kStart + 3 * turn);
}

TEST_CASE("a small launch does not overtake one that has blocks left") {
  Session s(test_gpu(1));
  s.launch(long_blocks(2, 150000), 0, 0, 1);
  s.launch(long_blocks(1, 1000), 0, 0, 2);  // would fit beside the first block
  auto ends = run_all(s);
  CHECK(ends[2].start == kStart + kBlock + kRetire + kStart + 1);  // behind the second block
}

TEST_CASE("blocks find room in registers, warps and block places that others have left") {
  auto with = [](uint32_t registers, uint32_t warps, uint32_t blocks) {
    auto k = long_blocks(blocks);
    k->shape().registers_per_thread = registers;
    k->warps(warps);
    return k;
  };
  const Cycle later = kStart + kBlock;
  auto second = [&](std::unique_ptr<Kernel> a, std::unique_ptr<Kernel> b) {
    Session s(test_gpu(1));
    s.launch(std::move(a), 0, 0, 1);
    s.launch(std::move(b), 0, 0, 2);
    return run_all(s)[2].start;
  };
  CHECK(second(with(128, 8, 1), with(128, 8, 1)) < later);  // 2 x 32 K registers
  CHECK(second(with(136, 8, 1), with(128, 8, 1)) > later);  // 34 K + 32 K
  CHECK(second(with(16, 32, 1), with(16, 32, 1)) < later);  // 64 warps
  CHECK(second(with(16, 32, 1), with(16, 32, 2)) < later);  // its first block
  CHECK(second(with(16, 32, 2), with(16, 1, 1)) > later);   // no warp left
  CHECK(second(with(16, 1, 31), with(16, 1, 1)) < later);   // the 32nd block
  CHECK(second(with(16, 1, 32), with(16, 1, 1)) > later);
}

TEST_CASE("a block that wants more shared memory than the SM is split for waits until the SM is empty") {
  // 0: 32 KiB (default); 8 KiB and the reserved one, 32 blocks of one warp: 233,472 bytes.
  Session s(test_gpu(1));
  s.launch(long_blocks(1), 0, 0, 1);
  s.launch(long_blocks(1, 8192), 0, 0, 2);
  s.launch(long_blocks(1), 0, 0, 3);
  auto ends = run_all(s);
  CHECK(ends[2].start == kStart + kBlock + kRetire + kStart);
  CHECK(ends[3].start == ends[2].start + 1);  // goes beside it: the split is large enough
}

TEST_CASE("OC15: a preferred carve-out is not exceeded, the default is content with a larger one") {
  auto preferring = [](int32_t percent) {
    auto k = long_blocks(1);
    k->warps(4);
    k->shape().carveout_percent = percent;
    return k;
  };
  auto beside = [&](int32_t first, int32_t then) {
    Session s(test_gpu(1));
    s.launch(preferring(first), 0, 0, 1);
    s.launch(preferring(then), 0, 0, 2);
    return run_all(s)[2].start == kStart + 1;
  };
  CHECK(beside(50, 50));
  CHECK(beside(50, 100));  // needs 16 KiB, takes 132 or less than 228
  CHECK(!beside(50, 25));  // 64 KiB, no more
  CHECK(beside(50, -1));
}

TEST_CASE(
    "the second launch finds in the L2 what the first has read; the L1 is empty when it has the SM to "
    "itself") {
  auto reader = [] {
    auto k = std::make_unique<Kernel>();
    k->add(ldg(2).at(0x10000, 4).writes_barrier(0));
    k->add(nop().waits(1));
    return k;
  };
  Session s(test_gpu(1));
  s.launch(reader(), 0, 0, 1);
  const auto first = s.advance(kNever);
  REQUIRE(first);
  CHECK(s.counters()[Counter::kL2SectorHits] == 0);
  s.launch(reader(), 0, first->end, 2);
  const auto second = s.advance(kNever);
  REQUIRE(second);
  CHECK(s.counters()[Counter::kL1SectorHits] == 0);
  CHECK(s.counters()[Counter::kL2SectorHits] == 4);
  CHECK(second->end - second->start < first->end - first->start);
}

TEST_CASE("clusters of one launch beside blocks of another") {
  auto clusters = long_blocks(4);
  clusters->cluster(2);
  Session s(test_gpu(4));
  s.launch(long_blocks(4), 0, 0, 1);
  s.launch(std::move(clusters), 0, 0, 2);
  auto ends = run_all(s);
  CHECK(ends[2].start == kStart + 4);
  CHECK(ends[2].work.instructions == 160);
}

TEST_CASE("advance() stops at the cycle asked for, and goes on as if it had not") {
  auto ends = [](Cycle step) {
    Session s(test_gpu(2));
    s.launch(long_blocks(10), 0, 0, 1);
    s.launch(long_blocks(3, 1000), 0, 100, 2);
    std::vector<Cycle> out;
    for (Cycle until = step; s.launches() > 0; until += step) {
      while (const auto e = s.advance(until)) {
        out.push_back(e->end);
      }
      CHECK((s.launches() == 0 || s.now() == until));
    }
    return out;
  };
  CHECK(ends(100) == ends(1'000'000));
}

TEST_CASE("as many launches as the device holds, one more is an error") {
  spec::GpuConfig g = test_gpu(1);
  g.mutable_limits()->set_max_resident_grids(2);
  Session s(g);
  CHECK(s.most_launches() == 2);
  s.launch(long_blocks(1), 0, 0, 1);
  s.launch(long_blocks(1), 0, 0, 2);
  CHECK_THROWS_AS(s.launch(long_blocks(1), 0, 0, 3), Error);
  run_all(s);
  s.launch(long_blocks(1), 0, s.now(), 3);  // numbers are used again
  CHECK(run_all(s).size() == 1);
}

TEST_CASE("results do not depend on the number of host threads") {
  auto run_with = [](int threads) {
    Session s(test_gpu(4), {.threads = threads});
    s.launch(long_blocks(40), 0, 0, 1);
    s.launch(long_blocks(20, 1000), -1, 700, 2);
    auto ends = run_all(s);
    return std::vector<Cycle>{ends[1].start, ends[1].end, ends[2].start, ends[2].end};
  };
  CHECK(run_with(1) == run_with(4));
}

}  // namespace
}  // namespace heddle::simtest
