// A launch that is saved between two quanta and resumed on another machine ends as if nothing had happened:
// the same cycles, counters and profile.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/base/error.h"
#include "sim/device/detailed_engine.h"
#include "sim/device/gpu.h"
#include "sim/device/launch_watcher.h"
#include "sim/memory/image.h"
#include "tests/sim/stats/kernels.h"
#include "tests/sim/support/live_program.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using device::Gpu;
using device::RunOptions;
using State = std::vector<uint8_t>;

// ---- kernels that keep all parts of the machine busy over many quanta ----

spec::GpuConfig busy_gpu() {
  spec::GpuConfig g = two_partition_gpu();
  g.mutable_tlb()->set_enabled(true);
  g.mutable_noc()->set_merge_entries(16);
  g.mutable_sm()->mutable_registers()->set_model(spec::RegisterFile::PORTS);
  g.mutable_sm()->mutable_fetch()->set_model(spec::InstructionFetch::CACHED);
  g.mutable_sm()->mutable_constants()->set_model(spec::ConstantCache::CACHED);
  g.mutable_l2()->set_total_bytes(1 << 18);
  g.mutable_launch()->set_slice_membars(2);
  return g;
}

Op scattered(Op op, uint32_t seed) {
  return op.each(
      [seed](int lane) { return uint64_t{128} * ((static_cast<uint32_t>(lane) * 37 + seed) % 512); });
}

Kernel memory_bound() {
  Kernel k;
  for (uint32_t i = 0; i < 6; ++i) {
    k.add(ldg(1).at(0x100000 + 4096 * i, 4).per_warp(1 << 14).per_block(1 << 17).writes_barrier(0));
    k.add(scattered(ldg(2, 8), 11 * i).writes_barrier(1));
    k.add(imad(3, {1, 2}).constant(3, static_cast<int>(64 * i)).waits(0b11));
    k.add(scattered(stg(), i).per_warp(4096).reads_barrier(2));
  }
  k.add(membar());
  k.add(exit_op());
  return k.warps(8).blocks(24);
}

Kernel atomics() {
  Kernel k;
  for (uint32_t i = 0; i < 4; ++i) {
    k.add(scattered(atom(1), i).writes_barrier(0));
    k.add(red().at(4096, 4).waits(0b1));
    k.add(red().at(8192 * i, 0));
    k.add(atoms(2).at(0, 0));
  }
  return k.warps(4).blocks(20);
}

Kernel barriers() {
  Kernel k;
  for (uint32_t i = 0; i < 5; ++i) {
    k.add(sts(4).at(0, 4 + 4 * static_cast<int>(i)));
    k.add(mufu(1).writes_barrier(0));
    k.add(bar(static_cast<int>(i) % 3).waits(0b1));
    k.add(lds(1, 4).at(0, 8).writes_barrier(1));
    k.add(dfma(2, {1}).waits(0b10));
    k.add(stl(8));
  }
  k.warps(6).blocks(30);
  k.shape().static_shared_bytes = 4096;
  return k;
}

Kernel copies() {
  Kernel k;
  for (uint32_t i = 0; i < 4; ++i) {
    k.add(ldgsts(16).at(0x40000 * (i + 1), 16).per_block(1 << 13).per_warp(1 << 10));
    k.add(ldgsts(4).at(0x10000 * i, 128));
    k.add(ldgdepbar(0));
  }
  k.add(depbar(0, 1));
  k.add(ldsm(4, 4).writes_barrier(1));
  k.add(hmma(16 * 8 * 16, 16).waits(0b10));
  return k.warps(4).blocks(16);
}

Kernel clusters() {
  Op arrive = make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive);
  Op wait = make(OpClass::kClusterWait, "UCGABAR_WAIT");
  Kernel k;
  const auto remote = [](Op op, uint64_t base, int stride) {
    op.in.op = op.in.op == OpClass::kLdGlobal ? OpClass::kLdGeneric : OpClass::kStGeneric;
    op.in.space = isa::MemSpace::kGeneric;
    return op.at(base, stride);
  };
  for (uint32_t i = 0; i < 3; ++i) {
    k.add(nop().stall(11));
    k.add(arrive);
    k.add(wait);
    k.add(remote(ldg(1), 0x7f0001000000, 4).writes_barrier(0));
    k.add(remote(stg(), 0x7f0000000000, 64).waits(0b1));
  }
  k.warps(3).blocks(16).cluster(2);
  k.shape().shared_base = 0x7f0000000000;
  return k;
}

Kernel bulk_copies() {
  Op copy = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  copy.in.space = isa::MemSpace::kGlobal;
  copy.in.mem_refs = 1;
  copy.addresses.values = {0, 64, 0x100000, 0, 256};
  Op wait = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
  wait.in.space = isa::MemSpace::kShared;
  wait.in.mem_refs = 1;
  Kernel k{copy,
           wait.at(64, 0).writes_barrier(0),
           make(OpClass::kWarpgroupArrive, "WARPGROUP.ARRIVE").waits(0b1),
           hgmma(),
           make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR"),
           copy,
           make(OpClass::kNanosleep, "NANOSLEEP")};
  return k.warps(4).blocks(12);
}

std::map<std::string, Sample> busy_samples() {
  std::map<std::string, Sample> s;
  s.emplace("memory bound", Sample{busy_gpu(), memory_bound()});
  s.emplace("atomics", Sample{busy_gpu(), atomics()});
  s.emplace("barriers", Sample{busy_gpu(), barriers()});
  s.emplace("copies", Sample{busy_gpu(), copies()});
  s.emplace("clusters", Sample{busy_gpu(), clusters()});
  s.emplace("bulk copies", Sample{busy_gpu(), bulk_copies()});
  s.emplace("register scoreboard", Sample{busy_gpu(), memory_bound().without_control()});
  return s;
}

// ---- saving and resuming ----

RunOptions options(uint64_t quantum, int threads = 1, bool profile = true) {
  RunOptions o;
  o.quantum = quantum;
  o.watchdog_cycles = 50000;
  o.threads = threads;
  if (profile) {
    o.profile.instructions = true;
    o.profile.series_interval = 64;
    o.profile.blocks = true;
    o.profile.warps_of_sms = {0, 1};
  }
  return o;
}

struct Saved {
  stats::KernelResult result;
  std::vector<State> states;  // before the first quantum, and behind each
};

Saved run_saving(Sample& s, const RunOptions& o) {
  Saved out;
  Gpu gpu(s.gpu);
  s.kernel.rewind();
  gpu.begin(s.kernel, o);
  out.states.push_back(gpu.save());
  while (gpu.advance(gpu.now() + 1)) {
    out.states.push_back(gpu.save());
  }
  out.result = gpu.finish();
  return out;
}

stats::KernelResult resumed(Sample& s, const RunOptions& o, const State& state) {
  Gpu gpu(s.gpu, o.threads);
  s.kernel.rewind();
  gpu.resume(s.kernel, o, state);
  CHECK(gpu.save() == state);
  gpu.advance(kNever);
  return gpu.finish();
}

void check_same(const stats::KernelResult& a, const stats::KernelResult& b) {
  CHECK(a.cycles == b.cycles);
  CHECK(a.totals.count == b.totals.count);
  CHECK(a.totals.stall == b.totals.stall);
  CHECK(a.sm_active_cycles_max == b.sm_active_cycles_max);
  CHECK(a.sm_active_cycles_sum == b.sm_active_cycles_sum);
  CHECK(a.unknown_opcodes == b.unknown_opcodes);
}

void check_same_profile(const stats::Profile& a, const stats::Profile& b) {
  REQUIRE(a.instructions.size() == b.instructions.size());
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    CHECK(a.instructions[i].counts.executed == b.instructions[i].counts.executed);
    CHECK(a.instructions[i].counts.sectors == b.instructions[i].counts.sectors);
    CHECK(a.instructions[i].counts.stall == b.instructions[i].counts.stall);
  }
  REQUIRE(a.series.size() == b.series.size());
  for (size_t i = 0; i < a.series.size(); ++i) {
    CHECK(a.series[i].cycle == b.series[i].cycle);
    CHECK(a.series[i].growth == b.series[i].growth);
  }
  REQUIRE(a.spans.size() == b.spans.size());
  for (size_t i = 0; i < a.spans.size(); ++i) {
    CHECK(a.spans[i].track + a.spans[i].name + a.spans[i].args ==
          b.spans[i].track + b.spans[i].name + b.spans[i].args);
    CHECK(a.spans[i].start_ps == b.spans[i].start_ps);
    CHECK(a.spans[i].end_ps == b.spans[i].end_ps);
  }
}

TEST_CASE("busy kernels, saved at several quanta, with other threads and quanta") {
  for (auto& [name, sample] : busy_samples()) {
    CAPTURE(name);
    const Saved whole = run_saving(sample, options(0));
    const size_t n = whole.states.size();
    CHECK(n > 8);
    for (const size_t at : {size_t{0}, size_t{1}, size_t{7}, n / 3, n / 2, n - 1}) {
      CAPTURE(at);
      const int threads = at == n / 3 ? 2 : 1;
      const stats::KernelResult same = resumed(sample, options(0, threads), whole.states[at]);
      check_same(same, whole.result);
      check_same_profile(same.profile, whole.result.profile);
      // Without aligned quanta the samples of a profile lie elsewhere, but nothing else.
      check_same(resumed(sample, options(37), whole.states[at]), whole.result);
    }
  }
}

TEST_CASE("a short kernel of everything, saved at every quantum") {
  std::map<std::string, Sample> all = busy_samples();
  for (const std::string name : {"memory bound", "clusters", "bulk copies"}) {
    Sample& sample = all.at(name);
    sample.kernel.blocks(8);
    const Saved whole = run_saving(sample, options(61));
    CHECK(whole.states.size() > 20);
    for (size_t at = 0; at < whole.states.size(); ++at) {
      CAPTURE(name, at);
      const stats::KernelResult same = resumed(sample, options(61), whole.states[at]);
      check_same(same, whole.result);
      check_same_profile(same.profile, whole.result.profile);
    }
  }
}

TEST_CASE("every sample of the counters' tests, saved in its middle") {
  for (const auto& [name, make_sample] : samples()) {
    CAPTURE(name);
    Sample sample = make_sample();
    const Saved whole = run_saving(sample, options(20, 1, false));
    for (const size_t at : {whole.states.size() / 4, whole.states.size() / 2}) {
      check_same(resumed(sample, options(0, 1, false), whole.states[at]), whole.result);
    }
  }
}

TEST_CASE("what a warm launch finds is saved between launches") {
  Sample s{busy_gpu(), memory_bound()};
  RunOptions warm = options(0, 1, false);
  warm.warm = true;
  Gpu gpu(s.gpu), other(s.gpu), cold(s.gpu);
  s.kernel.rewind();
  gpu.run(s.kernel, warm);
  const State between = gpu.save();
  other.restore(between);
  CHECK(other.save() == between);
  std::vector<stats::KernelResult> results;
  for (Gpu* g : {&gpu, &other, &cold}) {
    s.kernel.rewind();
    results.push_back(g->run(s.kernel, warm));
  }
  check_same(results[0], results[1]);
  CHECK(results[0].totals[Counter::kL2SectorHits] != results[2].totals[Counter::kL2SectorHits]);
  // The state of a launch is none between launches, and the other way round.
  s.kernel.rewind();
  CHECK_THROWS_WITH(other.resume(s.kernel, warm, between), Catch::Contains("launches under way"));
  s.kernel.rewind();
  gpu.begin(s.kernel, warm);
  CHECK_THROWS_WITH(other.restore(gpu.save()), Catch::Contains("launches under way"));
}

TEST_CASE("a machine that refused a state can be used again") {
  Sample s{busy_gpu(), atomics()};
  const Saved whole = run_saving(s, options(0));
  State damaged = whole.states[3];
  for (const size_t n : {size_t{0}, size_t{9}, damaged.size() / 3, damaged.size() - 1}) {
    CAPTURE(n);
    Gpu gpu(s.gpu);
    s.kernel.rewind();
    CHECK_THROWS_WITH(gpu.resume(s.kernel, options(0), {damaged.data(), n}),
                      Catch::StartsWith("saved state, byte"));
    s.kernel.rewind();
    check_same(gpu.run(s.kernel, options(0)), whole.result);
  }
  damaged.push_back(0);
  Gpu gpu(s.gpu);
  s.kernel.rewind();
  CHECK_THROWS_WITH(gpu.resume(s.kernel, options(0), damaged), Catch::Contains("more than the machine has"));
}

TEST_CASE("of a state that ends early, the part is named in which it does") {
  Sample s{busy_gpu(), atomics()};
  s.kernel.blocks(8);
  const State state = run_saving(s, options(0)).states.at(3);
  Gpu gpu(s.gpu);
  for (const std::string part : {"machine", "blocks", "blocks of an SM", "warps of an SM", "state of an SM",
                                 "issue", "units", "LSU", "L1", "memory", "slices", "time", "profile"}) {
    CAPTURE(part);
    const std::string mark = static_cast<char>(part.size()) + part;  // as it is written
    const auto at = std::search(state.begin(), state.end(), mark.begin(), mark.end());
    REQUIRE(at != state.end());
    const auto n = static_cast<size_t>(at - state.begin()) + mark.size();
    s.kernel.rewind();
    CHECK_THROWS_WITH(gpu.resume(s.kernel, options(0), {state.data(), n}),
                      Catch::Contains(", in '" + part + "': "));
  }
}

// Registers belong to a sub-core: of 192 a thread, two warps fit in each quarter, eight blocks on an SM,
// while what is left of all four together would be enough for two more.
TEST_CASE("places that an SM has for more blocks are saved: none is given twice") {
  Sample s{test_gpu(2), {}};
  s.kernel.add(nop().stall(11), 200);
  s.kernel.blocks(40).shape().registers_per_thread = 192;
  for (uint32_t block = 0; block < 40; ++block) {  // on the second SM they take longer
    s.kernel.stream_of_block(block, 0, std::vector<Kernel::Step>(block % 2 ? 200 : 20, Kernel::Step{0}));
  }
  const Saved whole = run_saving(s, options(61));
  REQUIRE(whole.result.occupancy.blocks_per_sm == 8);
  for (size_t at = 0; at < whole.states.size(); at += 5) {
    check_same(resumed(s, options(61), whole.states[at]), whole.result);
  }
}

TEST_CASE("the state of another machine or of another kernel is refused") {
  Sample s{busy_gpu(), atomics()};
  const Saved whole = run_saving(s, options(0));
  const State& state = whole.states.at(5);
  Sample larger = s;
  larger.gpu.mutable_limits()->set_max_warps_per_sm(32);
  Gpu other(larger.gpu);
  larger.kernel.rewind();
  CHECK_THROWS_AS(other.resume(larger.kernel, options(0), state), Error);
  Kernel fewer = atomics();
  fewer.blocks(1);
  Gpu gpu(s.gpu);
  CHECK_THROWS_WITH(gpu.resume(fewer, options(0), state), Catch::Contains("the trace does not have"));
}

// ---- what cannot be saved ----

struct Onlooker : device::LaunchWatcher {
  void placed(uint64_t, Cycle) override {}
  void block_done(uint64_t) override {}
  void quantum(Cycle, uint64_t, const std::function<stats::CounterSet()>&) override {}
  uint64_t left_out() const override { return 0; }
  void complete(stats::KernelResult&) const override {}
};

TEST_CASE("launches that are sampled, and launches side by side, cannot be saved") {
  Sample s{busy_gpu(), atomics()};
  Onlooker onlooker;
  RunOptions o = options(0, 1, false);
  o.watcher = &onlooker;
  Gpu gpu(s.gpu);
  gpu.begin(s.kernel, o);
  CHECK_THROWS_WITH(gpu.save(), Catch::Contains("sampled"));
  device::DetailedEngine several(s.gpu, options(0, 1, false));
  s.kernel.rewind();
  several.launch({.recording = &s.kernel});
  CHECK_THROWS_WITH(several.save(), Catch::Contains("side by side"));
}

LiveTask computes(LiveWarp& w) { co_await w.load(0x1000); }

TEST_CASE("programs that compute in a way of their own cannot be saved") {
  LiveKernel k(computes);
  memory::Image image;
  image.map(0x1000, 4096);
  RunOptions o;
  o.image = &image;
  Gpu gpu(test_gpu());
  gpu.begin(k, o);
  CHECK_THROWS_WITH(gpu.save(), Catch::Contains("a program that computes before its instructions issue"));
}

}  // namespace
}  // namespace heddle::simtest
