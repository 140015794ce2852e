// A launch as a whole: the same result every time and for any number of threads; deadlock, cancel, errors.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "sim/base/cancelled.h"
#include "sim/device/detailed_engine.h"
#include "sim/sm/sm.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// A bit of everything on four SMs: caches, conflicts, atomics, barriers, several waves.
Kernel mixed() {
  Kernel k;
  k.add(ldg(1).at(0, 4).per_block(512).per_warp(128).writes_barrier(0));
  k.add(alu(2, {1}).waits(0b1).stall(5));
  k.add(ldg(3).at(0x80000, 36).per_block(64).writes_barrier(1));
  k.add(sts().at(0, 8));
  k.add(bar());
  k.add(lds(4).at(0, 132).writes_barrier(2));
  k.add(red().at(0x200000, 0).waits(0b110));
  k.add(hmma(2048, 16).stall(2));
  k.add(mufu(5).writes_barrier(3));
  k.add(stg().at(0x100000, 4).per_block(512).per_warp(128).waits(0b1000));
  k.add(exit_op());
  k.blocks(64).warps(4).shape().dynamic_shared_bytes = 40000;
  return k;
}

spec::GpuConfig everything() {
  spec::GpuConfig g = two_partition_gpu();
  g.mutable_sm()->mutable_fetch()->set_model(spec::InstructionFetch::CACHED);
  g.mutable_sm()->mutable_registers()->set_model(spec::RegisterFile::PORTS);
  g.mutable_sm()->mutable_constants()->set_model(spec::ConstantCache::CACHED);
  g.mutable_tlb()->set_enabled(true);
  return g;
}

void check_equal(const Outcome& a, const Outcome& b) {
  CHECK(a.result.cycles == b.result.cycles);
  CHECK(a.result.sm_active_cycles_sum == b.result.sm_active_cycles_sum);
  CHECK(a.result.sm_active_cycles_max == b.result.sm_active_cycles_max);
  CHECK(a.result.totals.count == b.result.totals.count);
  CHECK(a.result.totals.stall == b.result.totals.stall);
  REQUIRE(a.issues.size() == b.issues.size());
  for (size_t i = 0; i < a.issues.size(); ++i) {
    REQUIRE(a.issues[i].cycle == b.issues[i].cycle);
    REQUIRE(a.issues[i].sm == b.issues[i].sm);
    REQUIRE(a.issues[i].warp == b.issues[i].warp);
    REQUIRE(a.issues[i].index == b.issues[i].index);
  }
}

TEST_CASE("a launch that starts 1,000 cycles later ends 1,000 cycles later") {
  Kernel k;
  k.add(ldg(2).at(0x10000, 4).per_block(0x400).writes_barrier(0));
  k.add(alu(3, {2}).waits(1));
  k.add(stg(3).at(0x80000, 4).per_block(0x400));
  k.blocks(400);
  spec::GpuConfig g = test_gpu(4);
  g.mutable_tlb()->set_enabled(true);
  const Outcome now = run(g, k);
  for (uint64_t later : {1, 16, 1000, 12345}) {
    g.mutable_launch()->set_start_cycles(1000 + later);
    CAPTURE(later);
    CHECK(run(g, k).result.cycles == now.result.cycles + later);
  }
}

TEST_CASE("a launch in pieces has the result of the whole, and says in between how far it is") {
  Kernel k = mixed();
  const Outcome whole = run(everything(), k);
  const uint64_t instructions = whole[Counter::kInstExecuted];
  device::Gpu gpu(everything());
  k.rewind();
  gpu.begin(k);
  uint64_t before = 0;
  int pieces = 0;
  for (Cycle until = 1000; gpu.advance(until); until += 1000, ++pieces) {
    const stats::KernelResult r = gpu.so_far();
    CHECK(r.cycles >= until);
    CHECK(r.cycles < until + 1000);
    CHECK(r.totals[Counter::kInstExecuted] >= before);
    CHECK(r.totals[Counter::kInstExecuted] <= instructions);
    CHECK(r.sm_active_cycles_max <= r.cycles);
    before = r.totals[Counter::kInstExecuted];
  }
  CHECK(pieces > 3);
  CHECK(before > 0);
  const stats::KernelResult r = gpu.finish();
  CHECK(r.cycles == whole.result.cycles);
  CHECK(r.sm_active_cycles_sum == whole.result.sm_active_cycles_sum);
  CHECK(r.totals.count == whole.result.totals.count);
  CHECK(r.totals.stall == whole.result.totals.stall);
}

TEST_CASE("warp states account for every resident warp-cycle of a launch with everything in it") {
  Kernel k = mixed();
  for (bool control : {true, false}) {
    k.mutable_image().has_control = control;
    Outcome o = run(everything(), k);
    CAPTURE(control);
    CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
  }
}

TEST_CASE("two runs on one machine, and one on a new machine, are equal in every issue") {
  Kernel k = mixed();
  device::Gpu gpu(everything());
  Outcome first = run(gpu, k);
  CHECK(first[Counter::kInstExecuted] == 64 * 4 * 11);
  check_equal(first, run(gpu, k));
  check_equal(first, run(everything(), k));
}

TEST_CASE("a run leaves nothing behind for another kernel") {
  Kernel k = mixed();
  device::Gpu gpu(everything());
  Kernel other;
  other.add(ldg(1).at(0, 128), 20);
  other.warps(8).blocks(30).without_control();
  run(gpu, other);
  check_equal(run(gpu, k), run(everything(), k));
}

// begin() leaves SMs as they are to which nothing has come.
TEST_CASE("small launches between large ones, on one machine and on new ones") {
  device::Gpu gpu(everything());
  for (const uint32_t blocks : {1, 64, 2, 1, 3, 64, 1}) {
    Kernel k = mixed();
    k.blocks(blocks);
    CAPTURE(blocks);
    check_equal(run(gpu, k), run(everything(), k));
    Kernel other;
    other.add(ldg(1).at(0, 128), 20);
    other.warps(2).blocks(blocks + 1).without_control();
    check_equal(run(gpu, other), run(everything(), other));
  }
}

TEST_CASE("of a launch the next one sets up the SMs anew that it has used, no others") {
  device::DetailedEngine engine(everything());
  const auto begin_all = [&] {
    const device::Machine& m = engine.machine();
    return std::count_if(m.sms.begin(), m.sms.end(),
                         [&](const auto& s) { return s->begin(m.config.launch().start_cycles()); });
  };
  for (const uint32_t blocks : {64, 1, 2, 3, 1}) {
    CAPTURE(blocks);
    Kernel k = mixed();
    k.blocks(blocks);
    engine.begin({}, device::DetailedEngine::Launches::kOne, "test");
    engine.launch({.recording = &k});
    while (!engine.blocks_done()) {
      engine.quantum();
    }
    engine.finish();
    CHECK(begin_all() == std::min<uint32_t>(blocks, 4));
    CHECK(begin_all() == 0);
  }
}

// The L2 goes only through what has been used since the launch before.
TEST_CASE("warm launches find the same on a machine that was read from what it had saved") {
  device::Gpu gpu(everything()), read(everything());
  device::RunOptions options;
  options.warm = true;
  for (const uint32_t blocks : {64, 1, 1, 16, 2, 64}) {
    Kernel k = mixed();
    k.blocks(blocks);
    CAPTURE(blocks);
    check_equal(run(gpu, k, options), run(read, k, options));
    read.restore(read.save());
  }
}

TEST_CASE("the number of host threads does not change anything") {
  Kernel k = mixed();
  device::RunOptions options;
  Outcome one = run(everything(), k, options);
  for (int threads : {2, 3, 4, 8}) {
    options.threads = threads;
    CAPTURE(threads);
    check_equal(one, run(everything(), k, options));
  }
}

TEST_CASE("an observer does not change the result") {
  Kernel k = mixed();
  device::Gpu gpu(everything());
  Outcome watched = run(gpu, k);
  k.rewind();
  stats::KernelResult plain = gpu.run(k);
  CHECK(plain.cycles == watched.result.cycles);
  CHECK(plain.totals.count == watched.result.totals.count);
}

TEST_CASE("a barrier that can never open is a deadlock, with a line for every stuck warp") {
  Kernel k{bar(3, 128), mufu(), exit_op()};
  k.warps(2).blocks(2);
  device::Gpu gpu(test_gpu(2));
  try {
    run(gpu, k);
    FAIL("no deadlock was reported");
  } catch (const device::DeadlockError& e) {
    CHECK(std::string(e.what()).find("test_kernel") != std::string::npos);
    REQUIRE(e.report.size() == 4);
    for (const std::string& line : e.report) {
      CAPTURE(line);
      CHECK(line.find("SM ") == 0);
      CHECK(line.find("warp ") != std::string::npos);
      CHECK(line.find("barrier") != std::string::npos);
      CHECK(line.find("barrier 3 has 2 of") != std::string::npos);
    }
  }
  // The machine is usable afterwards.
  Kernel good{nop()};
  CHECK(run(gpu, good).issues.size() == 1);
}

TEST_CASE("a deadlock names the first 16 stuck warps and counts the others") {
  auto report = [](uint32_t warps) {
    Kernel k{bar(3, 1024), exit_op()};
    k.warps(warps);
    try {
      run(test_gpu(1), k);
    } catch (const device::DeadlockError& e) {
      CHECK(std::string(e.what()).find(std::to_string(warps) + " warps cannot go on") != std::string::npos);
      return e.report;
    }
    FAIL("no deadlock was reported");
    return std::vector<std::string>();
  };
  const std::vector<std::string> all = report(16);
  REQUIRE(all.size() == 16);
  CHECK(all.back().find("SM 0 block 0 warp 15: ") == 0);
  const std::vector<std::string> some = report(20);
  REQUIRE(some.size() == 17);
  CHECK(some[15].find("SM 0 block 0 warp 15: ") == 0);
  CHECK(some.back() == "... and 4 more");
}

TEST_CASE("a counter that nobody releases is a deadlock") {
  // LDGDEPBAR of another warp's barrier: SB1 is never set, SB0 is waited for by DEPBAR while an MMA group is
  // missing.
  Op wait = make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR.LE");
  Kernel k{bar(1, 64), wait, mufu()};
  CHECK_THROWS_AS(run(test_gpu(), k), device::DeadlockError);
}

TEST_CASE("the watchdog ends a run in which nothing issues for too long") {
  Kernel k{make(OpClass::kNanosleep, "NANOSLEEP"), nop()};
  spec::GpuConfig g = test_gpu();
  g.mutable_launch()->set_nanosleep_ns(100000);
  device::RunOptions options;
  options.watchdog_cycles = 200000;
  CHECK_NOTHROW(run(g, k, options));
}

TEST_CASE("a run can be cancelled, and the machine used again") {
  device::Gpu gpu(test_gpu(2));
  Kernel k = mixed();
  std::atomic<bool> cancel{true};
  device::RunOptions options;
  options.cancel = &cancel;
  CHECK_THROWS_AS(run(gpu, k, options), Cancelled);
  cancel = false;
  check_equal(run(gpu, k, options), run(test_gpu(2), k));
}

TEST_CASE("progress is reported with growing figures") {
  Kernel k;
  k.add(nop().stall(11), 200);
  k.warps(32).blocks(400);
  device::RunOptions options;
  std::vector<device::Progress> seen;
  options.progress = [&](const device::Progress& p) { seen.push_back(p); };
  Outcome o = run(test_gpu(1), k, options);
  for (size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].blocks_total == 400);
    CHECK(seen[i].blocks_done <= 400);
    CHECK(seen[i].warp_instructions <= o[Counter::kInstExecuted]);
    if (i) {
      CHECK(seen[i].cycle >= seen[i - 1].cycle);
      CHECK(seen[i].blocks_done >= seen[i - 1].blocks_done);
    }
  }
}

TEST_CASE("the result describes the launch and the machine") {
  Kernel k{nop()};
  k.blocks(3).warps(2);
  k.mutable_image().id = 17;
  Outcome o = run(test_gpu(2), k);
  CHECK(o.result.kernel == "test_kernel");
  CHECK(o.result.kernel_id == 17);
  CHECK(o.result.shape.grid.x == 3);
  CHECK(o.result.sms == 2);
  CHECK(o.result.subcores_per_sm == 4);
  CHECK(o.result.max_warps_per_sm == 64);
  CHECK(o.result.core_mhz == 1000);
  CHECK(o.result.seconds() == Approx(o.result.cycles * 1e-9));
}

TEST_CASE("a launch that cannot run is refused before anything happens") {
  device::Gpu gpu(test_gpu());
  Kernel big{nop()};
  big.warps(33);
  CHECK_THROWS_WITH(run(gpu, big), Catch::Contains("threads per block") && Catch::Contains("1056") &&
                                       Catch::Contains("1024"));
  Kernel shared{nop()};
  shared.shape().dynamic_shared_bytes = 232449;
  CHECK_THROWS_WITH(run(gpu, shared), Catch::Contains("shared memory"));
  Kernel ok{nop()};
  CHECK_NOTHROW(run(gpu, ok));
}

}  // namespace
}  // namespace heddle::simtest
