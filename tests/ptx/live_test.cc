// Kernels whose values depend on time are executed while they are simulated (sim/exec/issue/README.md).
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "sim/base/error.h"
#include "sim/device/gpu.h"
#include "tests/ptx/lower_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::ptx {
namespace {

// A launch of a kernel k(p, n), simulated on the tests' GPU.
struct Ran {
  std::vector<uint64_t> words;  // of p
  stats::KernelResult result;

  Ran(const std::string& body, uint32_t grid, uint32_t block, uint32_t n,
      const device::RunOptions& options = {}) {
    constexpr uint64_t kBytes = 8192;
    exec::Memory memory;
    Program program(parse("k.ptx", module_of(body)), memory);
    const Function& kernel = program.kernel("k");
    exec::Launch launch = program.launch(kernel);
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
    const uint64_t buffer = memory.allocate(kBytes);
    words.resize(kBytes / sizeof(uint64_t));
    memory.write(buffer, std::span(reinterpret_cast<const uint8_t*>(words.data()), kBytes));
    set_parameter(parameter(program.module(), kernel, 0), buffer, launch);
    set_parameter(parameter(program.module(), kernel, 1), n, launch);
    TimedSource source(program.module(), kernel, program.placement(), launch);
    device::Gpu gpu(simtest::test_gpu(4));
    result = gpu.run(source, options);
    memory.read(buffer, std::span(reinterpret_cast<uint8_t*>(words.data()), kBytes));
  }
};

const char* const kPointer =
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
    "mul.wide.u32 %rd2, %r3, 8; add.u64 %rd2, %rd1, %rd2;\n";

std::string clocks(int additions) {
  std::string body =
      std::string(kPointer) + "cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, %f1; mov.u64 %rd3, %clock64;\n";
  for (int i = 0; i < additions; ++i) {
    body += "add.rn.f32 %f2, %f2, %f1;\n";
  }
  return body +
         "mov.u64 %rd4, %clock64; sub.u64 %rd5, %rd4, %rd3; st.global.u64 [%rd2], %rd5; st.global.f32 "
         "[%rd2+1024], %f2; ret;";
}

// Blocks take tickets until there are n; what each had is behind the counter.
const std::string kTickets = std::string(kPointer) + R"(
  mov.u32 %r4, 0;
NEXT:
  atom.global.add.u32 %r5, [%rd1], 1;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  add.u32 %r4, %r4, 1;
  mov.u32 %r6, 0;
  cvt.rn.f32.u32 %f1, %r5;
WORK:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 100;
  @%p2 bra WORK;
  bra NEXT;
DONE:
  cvt.u64.u32 %rd5, %r4;
  st.global.u64 [%rd2+8], %rd5;
  ret;)";

// Block 0 sets a flag when its clock has gone on by n; all note when they know.
const std::string kFlag = std::string(kPointer) + R"(
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra POLL;
  cvt.u64.u32 %rd6, %r1;
  mov.u64 %rd3, %clock64;
WAIT:
  mov.u64 %rd4, %clock64;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p2, %rd5, %rd6;
  @%p2 bra WAIT;
  st.release.gpu.global.u32 [%rd1], 1;
  bra DONE;
POLL:
  ld.acquire.gpu.global.u32 %r5, [%rd1];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra POLL;
DONE:
  mov.u64 %rd4, %clock64;
  st.global.u64 [%rd2+8], %rd4;
  ret;)";

}  // namespace

TEST_CASE("clocks around a chain of additions differ by its cycles") {
  // An addition can be used after 4 cycles, so 10 more of them take 40.
  const Ran ten(clocks(10), 1, 32, 0), twenty(clocks(20), 1, 32, 0);
  CHECK(twenty.words[0] - ten.words[0] == 40);
  CHECK(ten.words[0] >= 40);
  CHECK(ten.words[0] < 60);
}

TEST_CASE("tickets go to the blocks that are free") {
  const Ran r(kTickets, 4, 1, 80);
  const auto first = r.words.begin() + 1;
  CHECK(std::accumulate(first, first + 4, uint64_t{0}) == 80);
  CHECK(*std::min_element(first, first + 4) >= 18);
  CHECK(*std::max_element(first, first + 4) <= 22);
}

TEST_CASE("a flag is seen when it has been set, not before, and polls stop then") {
  constexpr uint32_t kWait = 20000;
  const Ran r(kFlag, 4, 32, kWait);
  for (size_t block = 1; block < 4; ++block) {
    CHECK(r.words[1 + block] + 32 >= r.words[1]);  // the step in which SMs meet
    CHECK(r.words[1 + block] < r.words[1] + 2000);
  }
  CHECK(r.result.cycles > kWait);
  CHECK(r.result.cycles < kWait + 5000);
  CHECK(r.result.totals[stats::Counter::kSpinsLeftOut] == 0);
}

TEST_CASE("a lock holds whoever comes second until it is given back") {
  const std::string body = std::string(kPointer) + R"(
TAKE:
  atom.acquire.gpu.global.cas.b32 %r4, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra TAKE;
  ld.global.u32 %r5, [%rd1+8];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd1+8], %r5;
  membar.gl;
  atom.release.gpu.global.exch.b32 %r6, [%rd1], 0;
  ret;)";
  const Ran r(body, 6, 32, 0);
  CHECK(r.words[1] == 6 * 32);
}

TEST_CASE("the number of threads changes nothing of what depends on time") {
  device::RunOptions four;
  four.threads = 4;
  for (const std::string& body : {kTickets, kFlag}) {
    const Ran one(body, 8, 64, 200), more(body, 8, 64, 200, four);
    CHECK(one.words == more.words);
    CHECK(one.result.cycles == more.result.cycles);
    for (int c = 0; c < stats::kCounterCount; ++c) {
      const auto counter = static_cast<stats::Counter>(c);
      CHECK(one.result.totals[counter] == more.result.totals[counter]);
    }
  }
}

TEST_CASE("blocks know the SM that they are on") {
  const Ran r(std::string(kPointer) +
                  "mov.u32 %r4, %smid; mov.u32 %r5, %nsmid; mad.lo.u32 %r6, %r5, 100, %r4; "
                  "cvt.u64.u32 %rd5, %r6; st.global.u64 [%rd2], %rd5; ret;",
              4, 32, 0);
  std::vector<uint64_t> seen(r.words.begin(), r.words.begin() + 4);
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<uint64_t>{400, 401, 402, 403});
}

TEST_CASE("warps that change a word of shared memory by turns disturb each other") {
  // old = s; while (cas(s, old, old + 1) != old): two warps on two sub-cores, one lane each.
  const std::string body = std::string(kPointer) + R"(
  .shared .u32 s;
  mov.u32 %r4, 0;
  mov.u32 %r9, 0;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra READY;
  st.shared.u32 [s], 0;
READY:
  bar.sync 0;
NEXT:
  ld.shared.u32 %r5, [s];
AGAIN:
  add.u32 %r9, %r9, 1;
  add.u32 %r6, %r5, 1;
  atom.shared.cas.b32 %r7, [s], %r5, %r6;
  setp.eq.u32 %p2, %r7, %r5;
  mov.u32 %r5, %r7;
  @!%p2 bra AGAIN;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, 50;
  @%p3 bra NEXT;
  bar.sync 0;
  ld.shared.u32 %r8, [s];
  shr.u32 %r10, %r2, 5;
  mul.wide.u32 %rd3, %r10, 16;
  add.u64 %rd3, %rd1, %rd3;
  cvt.u64.u32 %rd5, %r8;
  cvt.u64.u32 %rd6, %r9;
  st.global.u64 [%rd3], %rd5;
  st.global.u64 [%rd3+8], %rd6;
  ret;)";
  const Ran r(body, 1, 33, 0);  // the second warp has one lane
  CHECK(r.words[0] == 33 * 50);
  CHECK(r.words[3] > 55);  // tries of the second warp's lane, of which 50 succeed
}

TEST_CASE("warps at a barrier wait for one that looks for something") {
  const std::string body = std::string(kPointer) + R"(
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra OTHERS;
  st.release.gpu.global.u32 [%rd1], 1;
  bra DONE;
OTHERS:
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra MEET;
POLL:
  ld.acquire.gpu.global.u32 %r5, [%rd1];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra POLL;
MEET:
  bar.sync 0;
  atom.global.add.u32 %r6, [%rd1+8], 1;
DONE:
  ret;)";
  const Ran r(body, 3, 128, 0);
  CHECK(r.words[1] == 2 * 128);
  CHECK(r.result.totals[stats::Counter::kBlocksLaunched] == 3);
}

TEST_CASE("waiting for what does not come is an error") {
  const std::string body = std::string(kPointer) + R"(
POLL:
  ld.acquire.gpu.global.u32 %r5, [%rd1];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra POLL;
  ret;)";
  try {
    const Ran r(body, 1, 32, 0);
    FAIL("it ended");
  } catch (const device::LivelockError& e) {
    CHECK(std::string(e.what()).find("live lock in kernel k at cycle ") != std::string::npos);
    REQUIRE(e.report.size() == 1);
    CHECK(e.report[0].find("SM 0 block 0 warp 0: at 0x") == 0);
    CHECK(e.report[0].find("; lanes 0xffffffff at k.ptx:") != std::string::npos);
  }
}

}  // namespace heddle::ptx
