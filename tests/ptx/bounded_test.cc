// Blocks of which too much would be kept are executed in pieces: the same cycles, a bound for what is kept.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "frontends/executed/bounded_grid.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"
#include "tests/ptx/lower_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kAll = uint64_t{1} << 40;

// A launch of a kernel k(p, n), of whose blocks `most` bytes may be kept.
struct Ran {
  std::vector<uint32_t> words;  // of p
  stats::KernelResult result;
  uint64_t kept = 0, pieces = 0, handed_out = 0;

  Ran(const std::string& body, isa::Dim3 grid, uint32_t block, uint32_t n, uint64_t most,
      isa::Dim3 cluster = {1, 1, 1}, int threads = 1) {
    constexpr uint64_t kBytes = 65536;
    exec::Memory memory;
    Program program(parse("k.ptx", module_of(body)), memory);
    const Function& kernel = program.kernel("k");
    exec::Launch launch = program.launch(kernel);
    launch.grid = grid;
    launch.block = {block, 1, 1};
    launch.cluster = cluster;
    launch.with_cluster = cluster.count() > 1;
    const uint64_t buffer = memory.allocate(kBytes);
    words.resize(kBytes / sizeof(uint32_t));
    for (uint32_t i = 0; i < words.size(); ++i) {
      words[i] = i * 2654435761U;
    }
    memory.write(buffer, std::span(reinterpret_cast<const uint8_t*>(words.data()), kBytes));
    set_parameter(parameter(program.module(), kernel, 0), buffer, launch);
    set_parameter(parameter(program.module(), kernel, 1), n, launch);
    TimedSource source(program.module(), kernel, program.placement(), launch, program.origins(kernel));
    source.keep_at_most(most);
    executed::BoundedGrid bounded(source, source.most_kept());
    device::Gpu gpu(simtest::test_gpu(4));
    device::RunOptions options;
    options.threads = threads;
    result = gpu.run(bounded, options);
    kept = bounded.most_kept_bytes();
    pieces = bounded.pieces();
    handed_out = bounded.most_handed_out();
    memory.read(buffer, std::span(reinterpret_cast<uint8_t*>(words.data()), kBytes));
  }
};

// The same in pieces as whole.
void check_same(const std::string& body, isa::Dim3 grid, uint32_t block, uint32_t n, uint64_t most,
                isa::Dim3 cluster = {1, 1, 1}) {
  const Ran whole(body, grid, block, n, kAll, cluster), some(body, grid, block, n, most, cluster);
  CHECK(whole.pieces == 0);
  CHECK(some.pieces > 0);
  CHECK(some.words == whole.words);
  CHECK(some.result.cycles == whole.result.cycles);
  CHECK(some.result.totals.count == whole.result.totals.count);
  CHECK(some.result.totals.stall == whole.result.totals.stall);
  CHECK(some.kept < whole.kept);
  const Ran threads(body, grid, block, n, most, cluster, 3);
  CHECK(threads.result.cycles == whole.result.cycles);
  CHECK(threads.words == whole.words);
}

const char* const kStart =
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
    "mad.lo.u32 %r4, %r3, 64, %r2; and.b32 %r4, %r4, 255; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, "
    "%rd2; mov.u32 %r5, 0; mov.u32 %r6, %r4; mov.u32 %r7, 0;\n";

// Lanes that do not agree, loads that depend on data.
const std::string kDiverges = std::string(kStart) + R"(
LOOP:
  mad.lo.u32 %r6, %r6, 1664525, 1013904223;
  setp.lt.s32 %p1, %r6, 0;
  @%p1 bra ODD;
  shr.u32 %r8, %r6, 21;
  mul.wide.u32 %rd3, %r8, 4;
  add.u64 %rd3, %rd1, %rd3;
  ld.global.u32 %r9, [%rd3+8192];
  add.u32 %r7, %r7, %r9;
  bra MEET;
ODD:
  mad.lo.u32 %r7, %r7, 3, 1;
MEET:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra LOOP;
  st.global.u32 [%rd2], %r7;
  ret;)";

// Warps that wait for each other's words, unevenly long.
const std::string kMeets = std::string(".shared .align 4 .b32 words[64];\n") + kStart + R"(
  mov.u32 %r12, words;
  shl.b32 %r10, %r2, 2;
  add.u32 %r10, %r12, %r10;
  xor.b32 %r11, %r2, 32;
  shl.b32 %r11, %r11, 2;
  add.u32 %r11, %r12, %r11;
  shr.u32 %r13, %r2, 5;
LOOP:
  mul.lo.u32 %r14, %r13, 200;
WORK:
  mad.lo.u32 %r6, %r6, 1664525, 1013904223;
  setp.gt.u32 %p3, %r14, 0;
  sub.u32 %r14, %r14, 1;
  @%p3 bra WORK;
  st.shared.u32 [%r10], %r6;
  bar.sync 0;
  ld.shared.u32 %r9, [%r11];
  add.u32 %r7, %r7, %r9;
  bar.sync 0;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra LOOP;
  st.global.u32 [%rd2], %r7;
  ret;)";

// The blocks of a cluster meet, too.
const std::string kClusters = std::string(kStart) + R"(
LOOP:
  mad.lo.u32 %r6, %r6, 1664525, 1013904223;
  xor.b32 %r7, %r7, %r6;
  and.b32 %r8, %r5, 63;
  setp.ne.u32 %p1, %r8, 0;
  @%p1 bra ON;
  barrier.cluster.arrive;
  barrier.cluster.wait;
ON:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra LOOP;
  st.global.u32 [%rd2], %r7;
  ret;)";

}  // namespace

TEST_CASE("blocks in pieces take the cycles that they take whole") {
  SECTION("from the start") { check_same(kDiverges, {6, 1, 1}, 64, 400, 1); }
  SECTION("some whole, some from the middle on") { check_same(kDiverges, {6, 1, 1}, 32, 20000, 8 << 20); }
  SECTION("warps of a block that wait for each other") { check_same(kMeets, {5, 1, 1}, 64, 60, 1); }
  SECTION("the last one is no full warp") { check_same(kMeets, {5, 1, 1}, 64, 20, 200000); }
  SECTION("clusters") { check_same(kClusters, {8, 1, 1}, 96, 700, 1, {2, 1, 1}); }
}

TEST_CASE("what is kept does not grow with the length of a run") {
  constexpr uint64_t kMost = 2 << 20, kRound = 4 << 20;  // what a block may be beyond: one round of its warps
  const Ran shorter(kDiverges, {4, 1, 1}, 32, 20000, kMost), longer(kDiverges, {4, 1, 1}, 32, 60000, kMost);
  CHECK(shorter.kept < kMost + kRound);
  CHECK(longer.kept == shorter.kept);
  CHECK(longer.handed_out < 2048);
  CHECK(longer.result.cycles > 2 * shorter.result.cycles);
  CHECK(Ran(kDiverges, {4, 1, 1}, 32, 20000, kAll).kept > 3 * shorter.kept);
}

// Blocks of one thread of a kernel that never ends.
struct Endless {
  exec::Memory memory;
  Program program;
  std::unique_ptr<TimedSource> source;

  explicit Endless(uint32_t blocks, const std::string& body = R"(
LOOP:
  mad.lo.u32 %r6, %r6, 1664525, 1013904223;
  st.global.u32 [%rd2], %r6;
  bra LOOP;)")
      : program(parse("k.ptx", module_of(kStart + body)), memory) {
    const Function& kernel = program.kernel("k");
    exec::Launch launch = program.launch(kernel);
    launch.grid = {blocks, 1, 1};
    launch.block = {1, 1, 1};
    set_parameter(parameter(program.module(), kernel, 0), memory.allocate(4096), launch);
    source = std::make_unique<TimedSource>(program.module(), kernel, program.placement(), launch,
                                           program.origins(kernel));
  }
};

TEST_CASE("without being asked, all blocks together keep no more than a bound") {
  constexpr uint64_t kMost = 64 << 20;
  Endless k(8);
  REQUIRE(k.source->most_kept() == kMost);
  const auto in_use = [] {
    const struct mallinfo2 m = mallinfo2();  // of a sanitizer: nothing
    return m.uordblks + m.hblkhd;
  };
  const uint64_t before = in_use();
  executed::BoundedGrid bounded(*k.source, k.source->most_kept());
  std::vector<std::unique_ptr<isa::BlockProgram>> blocks;
  while (auto block = bounded.next()) {
    blocks.push_back(std::move(block));
  }
  CHECK(bounded.pieces() == 8);
  CHECK(bounded.kept_bytes() > kMost);
  CHECK(bounded.kept_bytes() < 2 * kMost);  // storage grows by doubling
  CHECK(in_use() < before + 2 * kMost);
  for (auto& block : blocks) {
    bounded.recycle(std::move(block));
  }
  CHECK(bounded.kept_bytes() == 0);
  // Waits for barrier objects, whose turns in vain are left out of what is whole.
  const Endless waits(1, "LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0; @!%p1 bra LOOP; ret;");
  CHECK(waits.source->most_kept() == 512 << 20);
}

TEST_CASE("a kernel that never ends is simulated as far as one likes") {
  Endless k(1);
  k.source->keep_at_most(1 << 20);
  executed::BoundedGrid bounded(*k.source, k.source->most_kept());
  device::Gpu gpu(simtest::test_gpu(4));
  gpu.begin(bounded);
  CHECK(gpu.advance(2'000'000));
  const uint64_t kept = bounded.most_kept_bytes();
  CHECK(gpu.advance(4'000'000));
  CHECK(bounded.most_kept_bytes() == kept);
  CHECK(kept < 6 << 20);
  CHECK(bounded.most_handed_out() < 2048);
}

}  // namespace heddle::ptx
