// Launches that are executed whole before they are simulated, and as they issue: the same cycles, and no more
// memory the longer they are.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "sim/device/gpu.h"
#include "tests/ptx/lower_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::ptx {
namespace {

// A launch of a kernel k(p, n).
struct Made {
  static constexpr uint64_t kBytes = 65536;
  exec::Memory memory;
  Program program;
  uint64_t buffer = 0;
  std::unique_ptr<TimedSource> source;

  Made(const std::string& body, isa::Dim3 grid, uint32_t block, uint32_t n, isa::Dim3 cluster)
      : program(parse("k.ptx", module_of(body)), memory) {
    const Function& kernel = program.kernel("k");
    exec::Launch launch = program.launch(kernel);
    launch.grid = grid;
    launch.block = {block, 1, 1};
    launch.cluster = cluster;
    launch.with_cluster = cluster.count() > 1;
    buffer = memory.allocate(kBytes);
    std::vector<uint32_t> words(kBytes / sizeof(uint32_t));
    for (uint32_t i = 0; i < words.size(); ++i) {
      words[i] = i * 2654435761U;
    }
    memory.write(buffer, std::span(reinterpret_cast<const uint8_t*>(words.data()), kBytes));
    set_parameter(parameter(program.module(), kernel, 0), buffer, launch);
    set_parameter(parameter(program.module(), kernel, 1), n, launch);
    source = std::make_unique<TimedSource>(program.module(), kernel, program.placement(), launch);
  }
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> out(kBytes);
    memory.read(buffer, out);
    return out;
  }
};

// Its blocks as a recording.
class Recorded final : public isa::BlockSource {
 public:
  explicit Recorded(isa::BlockSource& source) : source_(source) {}
  const isa::KernelImage& image() const override { return source_.image(); }
  bool next(isa::BlockTrace& out) override { return source_.next(out); }

 private:
  isa::BlockSource& source_;
};

void check_same(const std::string& body, isa::Dim3 grid, uint32_t block, uint32_t n,
                isa::Dim3 cluster = {1, 1, 1}) {
  Made issued(body, grid, block, n, cluster), whole(body, grid, block, n, cluster);
  const stats::KernelResult a = device::Gpu(simtest::test_gpu(4)).run(*issued.source, {});
  Recorded recorded(*whole.source);
  const stats::KernelResult b = device::Gpu(simtest::test_gpu(4)).run(recorded, {});
  CHECK(issued.bytes() == whole.bytes());
  CHECK(a.cycles == b.cycles);
  CHECK(a.totals.count == b.totals.count);
  CHECK(a.totals.stall == b.totals.stall);
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

TEST_CASE("a launch takes the cycles that it takes if it is executed before, block after block") {
  SECTION("lanes that part") { check_same(kDiverges, {6, 1, 1}, 64, 400); }
  SECTION("warps of a block that wait for each other") { check_same(kMeets, {5, 1, 1}, 64, 60); }
  SECTION("the last one is no full warp") { check_same(kMeets, {5, 1, 1}, 48, 20); }
  SECTION("clusters") { check_same(kClusters, {8, 1, 1}, 96, 700, {2, 1, 1}); }
}

TEST_CASE("a kernel that never ends is simulated as far as one likes, in the same memory") {
  Made k(std::string(kStart) + R"(
LOOP:
  mad.lo.u32 %r6, %r6, 1664525, 1013904223;
  st.global.u32 [%rd2], %r6;
  bra LOOP;)",
         {8, 1, 1}, 32, 0, {1, 1, 1});
  const auto in_use = [] {
    const struct mallinfo2 m = mallinfo2();  // of a sanitizer: nothing
    return m.uordblks + m.hblkhd;
  };
  const auto grid = k.source->program({});
  device::Gpu gpu(simtest::test_gpu(4));
  gpu.begin(*grid);
  CHECK(gpu.advance(200'000));
  const size_t before = in_use();
  CHECK(gpu.advance(2'000'000));
  CHECK(in_use() < before + (1 << 16));
}

}  // namespace heddle::ptx
