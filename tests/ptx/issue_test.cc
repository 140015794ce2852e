// PTX that is executed as its machine code issues computes what PTX says (frontends/ptx/lower/issue.h).
#include "frontends/ptx/lower/issue.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <map>

#include "sim/device/gpu.h"
#include "sim/exec/execute.h"
#include "tests/ptx/lower_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kBytes = 16384;

// A launch of a kernel k(p, n), whose buffer holds its own places at first.
struct Launched {
  exec::Memory memory;
  Program program;
  const Function& kernel;
  exec::Launch launch;
  uint64_t buffer;

  Launched(const std::string& body, uint32_t grid, uint32_t block, uint32_t n)
      : program(parse("k.ptx", module_of(body)), memory),
        kernel(program.kernel("k")),
        launch(program.launch(kernel)),
        buffer(memory.allocate(kBytes)) {
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
    std::vector<uint32_t> words(kBytes / 4);
    for (uint32_t i = 0; i < words.size(); ++i) {
      words[i] = i;
    }
    memory.write(buffer, std::span(reinterpret_cast<const uint8_t*>(words.data()), kBytes));
    set_parameter(parameter(program.module(), kernel, 0), buffer, launch);
    set_parameter(parameter(program.module(), kernel, 1), n, launch);
  }
  std::vector<uint32_t> words() {
    std::vector<uint32_t> out(kBytes / 4);
    memory.read(buffer, std::span(reinterpret_cast<uint8_t*>(out.data()), kBytes));
    return out;
  }
};

std::vector<uint32_t> as_written(const std::string& body, uint32_t grid, uint32_t block, uint32_t n) {
  Launched l(body, grid, block, n);
  exec::execute(l.launch, {});
  return l.words();
}

std::vector<uint32_t> as_issued(const std::string& body, uint32_t grid, uint32_t block, uint32_t n,
                                uint32_t threads = 1, lower::Blocks blocks = lower::Blocks::kWhole) {
  Launched l(body, grid, block, n);
  const auto ordered = std::make_shared<lower::Ordered>();
  ordered->kernel = lower::lower(l.program.module(), l.kernel, blocks);
  ordered->issued = lower::issued(l.program.module(), *ordered->kernel, l.program.placement());
  TimedSource source(ordered, l.launch, nullptr);
  device::Gpu gpu(simtest::test_gpu(4));
  device::RunOptions options;
  options.threads = threads;
  gpu.run(source, options);
  return l.words();
}

lower::Issued issued_of(const std::string& body, std::unique_ptr<const lower::Kernel>& kernel) {
  exec::Memory memory;
  const auto module = parse("k.ptx", module_of(body));
  const Placement placement = place(*module, memory);
  kernel = lower::lower(*module, *module->function("k"));
  return lower::issued(*module, *kernel, placement);
}

// %r2: the thread of the grid; %rd2: its word; %rd3: its word of the upper half.
const std::string kStart =
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 "
    "%r4, "
    "%tid.x; mad.lo.u32 %r2, %r2, %r3, %r4; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; add.u64 "
    "%rd3, "
    "%rd2, 8192;\n";

// As many turns as n says, and for some lanes more.
const std::string kTurns = kStart + R"(
  and.b32 %r5, %r2, 3; add.u32 %r5, %r5, %r1; mov.u32 %r6, 0; mov.u32 %r7, 1;
  setp.eq.u32 %p1, %r5, 0; @%p1 bra DONE;
LOOP:
  mad.lo.u32 %r7, %r7, 3, %r6; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r5; @%p2 bra LOOP;
DONE:
  st.global.u32 [%rd3], %r7; ret;)";

// The test comes before the step; the value of one turn is what the turn before has loaded.
const std::string kAhead = kStart + R"(
  mov.u32 %r6, 0; ld.global.u32 %r7, [%rd2]; mov.u32 %r9, 0; mov.u64 %rd4, %rd2;
LOOP:
  add.u64 %rd4, %rd4, 4; ld.global.u32 %r8, [%rd4]; mad.lo.u32 %r9, %r9, 5, %r7; mov.u32 %r7, %r8;
  setp.lt.u32 %p2, %r6, %r1; add.u32 %r6, %r6, 1; @%p2 bra LOOP;
  add.u32 %r9, %r9, %r7; st.global.u32 [%rd3], %r9; ret;)";

// Its bound changes while it runs.
const std::string kMoving = kStart + R"(
  mov.u32 %r6, 0; mov.u32 %r7, %r1; mov.u32 %r8, 0;
LOOP:
  add.u32 %r6, %r6, 1; shr.u32 %r9, %r6, 1; add.u32 %r7, %r1, %r9; mad.lo.u32 %r8, %r8, 7, %r7;
  setp.lt.u32 %p2, %r6, %r7; @%p2 bra LOOP;
  st.global.u32 [%rd3], %r8; ret;)";

// Stretches that become conditional, of which one changes its own condition; an EXIT in between.
const std::string kConditions = kStart + R"(
  and.b32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, 0; mov.u32 %r6, 7; @%p1 bra ONE;
  ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 100;
ONE:
  and.b32 %r7, %r2, 2; setp.eq.u32 %p2, %r7, 0; @%p2 bra TWO;
  setp.gt.u32 %p2, %r6, 3; mul.lo.u32 %r6, %r6, 3; add.u32 %r6, %r6, 1;
TWO:
  st.global.u32 [%rd3], %r6; setp.gt.u32 %p3, %r6, 300; @%p3 ret;
  add.u32 %r6, %r6, 5; st.global.u32 [%rd3], %r6; ret;)";

// Registers that are written again while loads, stores and shuffles before still want what they held.
const std::string kAgain = kStart + R"(
  ld.global.u32 %r5, [%rd2]; add.u64 %rd2, %rd2, 128; ld.global.u32 %r6, [%rd2]; add.u64 %rd2, %rd2, 128;
  ld.global.u32 %r7, [%rd2]; mov.u32 %r8, %r5; add.u32 %r5, %r6, %r7; st.global.u32 [%rd3], %r8;
  add.u64 %rd3, %rd3, 4096; shfl.sync.bfly.b32 %r9, %r5, 1, 31, -1; mov.u32 %r5, 3; add.u32 %r9, %r9, %r5;
  st.global.u32 [%rd3], %r9; ret;)";

// Words of shared memory that are read in one access, written before and behind.
const std::string kWide = kStart + R"(
  .shared .align 16 .b32 s[4];
  setp.ne.u32 %p1, %r4, 0; @%p1 bra READ;
  st.shared.u32 [s], 1; st.shared.u32 [s+4], 2; st.shared.u32 [s+8], 3; st.shared.u32 [s+12], 4;
READ:
  bar.sync 0;
  ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [s+4]; ld.shared.u32 %r7, [s+8]; ld.shared.u32 %r8, [s+12];
  bar.sync 0;
  st.shared.u32 [s+4], 9;
  mad.lo.u32 %r9, %r5, 10, %r6; mad.lo.u32 %r9, %r9, 10, %r7; mad.lo.u32 %r9, %r9, 10, %r8;
  st.global.u32 [%rd3], %r9; ret;)";

// Local memory that has no place in the machine's.
const std::string kLocal = kStart + R"(
  .local .align 8 .b32 a[4];
  ld.global.u32 %r5, [%rd2]; st.local.u32 [a+4], %r5; st.local.u32 [a], %r2; ld.local.u32 %r6, [a+4];
  st.local.u32 [a+4], 1; ld.local.u32 %r7, [a]; ld.local.u32 %r8, [a+4]; mad.lo.u32 %r9, %r6, %r7, %r8;
  st.global.u32 [%rd3], %r9; ret;)";

// Sums with carries, in three words.
const std::string kCarry = kStart + R"(
  ld.global.u32 %r5, [%rd2]; mad.lo.cc.u32 %r6, %r5, 0x7fffffff, 0x80000001; addc.cc.u32 %r7, %r5, 0xffffffff;
  addc.u32 %r8, 0, 0; add.u32 %r9, %r6, %r7; add.u32 %r9, %r9, %r8; st.global.u32 [%rd3], %r9; ret;)";

// All threads, and some, add to one word.
const std::string kTickets = kStart + R"(
  atom.global.add.u32 %r5, [%rd1], 3; st.global.u32 [%rd3], 1; and.b32 %r6, %r2, 5; setp.eq.u32 %p1, %r6, 4;
  @%p1 red.global.add.u32 [%rd1+4], %r2; setp.lt.u32 %p2, %r5, 0; @%p2 st.global.u32 [%rd3], %r5; ret;)";

}  // namespace

TEST_CASE("issued: kernels compute what they say") {
  for (const auto* body :
       {&kTurns, &kAhead, &kMoving, &kConditions, &kAgain, &kWide, &kLocal, &kCarry, &kTickets}) {
    for (const uint32_t n : {0U, 1U, 2U, 3U, 4U, 5U, 8U, 11U}) {
      CAPTURE(*body, n);
      const auto expected = as_written(*body, 3, 40, n);
      CHECK(as_issued(*body, 3, 40, n) == expected);
      CHECK(as_issued(*body, 3, 40, n, 2) == expected);
      CHECK(as_issued(*body, 3, 40, n, 1, lower::Blocks::kOfOne) == expected);
    }
  }
}

TEST_CASE("issued: one lane's addition for all gives each what those before it have left") {
  const std::string body =
      kStart +
      "and.b32 %r6, %r2, 1; setp.eq.u32 %p1, %r6, 1; mov.u32 %r5, 0; @%p1 atom.global.add.u32 %r5, "
      "[%rd1], %r4; st.global.u32 [%rd3], %r5; ret;";
  const auto words = as_issued(body, 1, 32, 0);
  // Threads 1, 3, 5 ... add 1, 3, 5 ...: before thread 2k + 1 there are k squared.
  for (uint32_t t = 0; t < 32; ++t) {
    CHECK(words[2048 + t] == (t % 2 == 0 ? 0 : t / 2 * (t / 2)));
  }
  CHECK(words[0] == 256);
}

TEST_CASE("issued: each instruction of the machine has one record that counts, in its order") {
  for (const auto* body : {&kTurns, &kConditions, &kWide}) {
    std::unique_ptr<const lower::Kernel> kernel;
    const lower::Issued i = issued_of(*body, kernel);
    REQUIRE(i.origins.size() == i.code.insts.size());
    std::map<uint32_t, uint32_t> counts;
    uint32_t last = 0;
    for (size_t pc = 0; pc < i.origins.size(); ++pc) {
      if (i.code.insts[pc].counted) {
        ++counts[i.origins[pc]];
        CHECK(i.origins[pc] >= last);
        last = i.origins[pc];
      }
    }
    uint32_t all = 0;
    for (const auto& b : kernel->parts.front()->code.blocks) {
      all += static_cast<uint32_t>(b.code.size());
    }
    CHECK(counts.size() == all);
    CHECK(std::all_of(counts.begin(), counts.end(), [](const auto& c) { return c.second == 1; }));
  }
}

TEST_CASE("issued: values of a block that follow each other lie in one register") {
  std::string body = kStart + "mov.u32 %r5, %r2;\n";
  for (int i = 0; i < 3; ++i) {
    body += "add.u32 %r6, %r5, 1; mul.lo.u32 %r7, %r6, 3; xor.b32 %r8, %r7, 5; add.u32 %r5, %r8, 1;\n";
  }
  std::unique_ptr<const lower::Kernel> kernel;
  const lower::Issued i = issued_of(body + "st.global.u32 [%rd3], %r5; ret;", kernel);
  // Behind three for calls, at most five of the twelve that are named are needed at a time.
  CHECK(i.code.functions[i.code.entry].registers == 3 + 5);
}

TEST_CASE("issued: all kernels that can be lowered can be put in order") {
  size_t kernels = 0;
  for (const char* file : {"guide", "suite", "second"}) {
    const std::string path = std::string("tests/exec/data/") + file + ".ptx";
    std::ifstream in(path);
    REQUIRE(in);
    exec::Memory memory;
    const auto module = parse(path, {std::istreambuf_iterator<char>(in), {}});
    const Placement placement = place(*module, memory);
    for (const Function& f : module->functions) {
      if (!f.entry || !f.defined) {
        continue;
      }
      std::unique_ptr<const lower::Kernel> kernel;
      try {
        kernel = lower::lower(*module, f);
      } catch (const lower::NotLowered&) {
        continue;
      }
      CAPTURE(f.name);
      REQUIRE_NOTHROW(lower::issued(*module, *kernel, placement));
      kernel = lower::lower(*module, f, lower::Blocks::kOfOne);
      REQUIRE_NOTHROW(lower::issued(*module, *kernel, placement));
      ++kernels;
    }
  }
  CHECK(kernels >= 95);
}

}  // namespace heddle::ptx
