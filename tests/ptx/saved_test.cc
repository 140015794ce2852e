// PTX that is executed as its machine code issues is saved and resumed: bulk copies, clusters, local memory,
// records that wait for their operands, what is printed and what is on the heap.
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"
#include "tests/sim/support/saved_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kBytes = 16384;

// A launch of a kernel k(p, n) of a module, whose buffer holds its own places at first.
class Launched final : public simtest::SavedCase {
 public:
  Launched(const std::string& text, uint32_t blocks, uint32_t threads, uint32_t n, uint32_t cluster)
      : program_(parse("k.ptx", text), memory_) {
    const Function& kernel = program_.kernel("k");
    exec::Launch launch = program_.launch(kernel);
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.with_cluster = cluster > 1;
    buffer_ = memory_.allocate(kBytes);
    std::vector<uint32_t> words(kBytes / 4);
    for (uint32_t i = 0; i < words.size(); ++i) {
      words[i] = i;
    }
    memory_.write(buffer_, std::span(reinterpret_cast<const uint8_t*>(words.data()), kBytes));
    set_parameter(parameter(program_.module(), kernel, 0), buffer_, launch);
    set_parameter(parameter(program_.module(), kernel, 1), n, launch);
    source_ = std::make_unique<TimedSource>(program_.module(), kernel, program_.placement(), launch, output_);
  }
  isa::BlockSource& source() override { return *source_; }
  std::vector<uint8_t> outcome() const override {
    std::vector<uint8_t> out(kBytes);
    memory_.read(buffer_, out);
    out.insert(out.end(), output_->begin(), output_->end());
    return out;
  }

 private:
  exec::Memory memory_;
  Program program_;
  uint64_t buffer_ = 0;
  const std::shared_ptr<std::string> output_ = std::make_shared<std::string>("before\n");
  std::unique_ptr<TimedSource> source_;
};

void check_text(const std::string& text, uint32_t blocks, uint32_t threads, uint32_t n, uint32_t cluster = 1,
                size_t most = 40) {
  simtest::check_saved([&] { return std::make_unique<Launched>(text, blocks, threads, n, cluster); },
                       simtest::test_gpu(4), most);
}

void check_body(const std::string& body, uint32_t blocks, uint32_t threads, uint32_t n, uint32_t cluster = 1,
                size_t most = 40) {
  check_text(module_of(body), blocks, threads, n, cluster, most);
}

// %r2: the thread of the grid; %rd2: its word; %rd3: its word of the upper half.
const std::string kStart =
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 "
    "%r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; "
    "add.u64 %rd3, %rd2, 8192;\n";

}  // namespace

TEST_CASE("saved: values that others wait for, loops of unequal length, local memory") {
  // What a turn adds is what the turn before has loaded: moves wait for values that are on their way.
  check_body(kStart + R"(
  .local .align 8 .b32 a[4];
  and.b32 %r10, %r2, 3; add.u32 %r10, %r10, %r1;
  mov.u32 %r6, 0; ld.global.u32 %r7, [%rd2]; mov.u32 %r9, 0; mov.u64 %rd4, %rd2; st.local.u32 [a], %r2;
LOOP:
  add.u64 %rd4, %rd4, 4; ld.global.u32 %r8, [%rd4]; mad.lo.u32 %r9, %r9, 5, %r7; mov.u32 %r7, %r8;
  st.local.u32 [a+4], %r9; ld.local.u32 %r11, [a]; add.u32 %r11, %r11, %r9; st.local.u32 [a], %r11;
  setp.lt.u32 %p2, %r6, %r10; add.u32 %r6, %r6, 1; @%p2 bra LOOP;
  add.u32 %r9, %r9, %r7; add.u32 %r9, %r9, %r11; st.global.u32 [%rd3], %r9; ret;)",
             3, 40, 5);
}

TEST_CASE("saved: tickets, and additions of one lane for all") {
  check_body(kStart + R"(
  atom.global.add.u32 %r5, [%rd1], 3; st.global.u32 [%rd3], 1; and.b32 %r6, %r2, 5; setp.eq.u32 %p1, %r6, 4;
  @%p1 red.global.add.u32 [%rd1+4], %r2; atom.global.max.s32 %r7, [%rd1+8], %r5; add.u32 %r7, %r7, %r5;
  st.global.u32 [%rd3], %r7; ret;)",
             5, 64, 0);
}

TEST_CASE("saved: copies in groups, and arrivals of copies at a barrier object") {
  check_body(kStart + R"(
  .shared .align 16 .b8 s[2048]; .shared .align 8 .b8 bar[8];
  mov.u32 %r5, bar; mov.u32 %r6, s; shl.b32 %r7, %r4, 2; add.u32 %r7, %r6, %r7; add.u32 %r8, %r7, 1024;
  setp.ne.u32 %p1, %r4, 0; @%p1 bra ON; mbarrier.init.shared.b64 [%r5], 64;
ON:
  bar.sync 0;
  cp.async.ca.shared.global [%r7], [%rd2], 4; cp.async.commit_group;
  cp.async.ca.shared.global [%r8], [%rd2+256], 4; cp.async.commit_group;
  cp.async.wait_group 1; ld.shared.u32 %r9, [%r7]; cp.async.wait_group 0; ld.shared.u32 %r10, [%r8];
  add.u32 %r9, %r9, %r10; cp.async.ca.shared.global [%r7], [%rd2+512], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];
AGAIN:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra AGAIN;
  xor.b32 %r11, %r7, 4; ld.shared.u32 %r10, [%r11]; add.u32 %r9, %r9, %r10; st.global.u32 [%rd3], %r9; ret;)",
             4, 64, 0);
}

TEST_CASE("saved: bulk copies and their barrier object") {
  check_body(kStart + R"(
  .shared .align 128 .b8 s[2048]; .shared .align 8 .b8 bar[8];
  mov.u32 %r5, bar; mov.u32 %r6, s; setp.ne.u32 %p1, %r4, 0; @%p1 bra WAIT;
  mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 1536;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd1+256], 1024, [%r5];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6+1024], [%rd1+4096], 512, [%r5];
WAIT:
  bar.sync 0;
AGAIN:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra AGAIN;
  mad.lo.u32 %r7, %r4, 24, %r6; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;)",
             6, 64, 0);
}

TEST_CASE("saved: bulk copies to memory beside stores, which are executed in one order") {
  check_body(kStart + R"(
  .shared .align 128 .b8 s[1024]; mov.u32 %r6, s; mad.lo.u32 %r7, %r4, 4, %r6; st.shared.u32 [%r7], %r2;
  st.global.u32 [%rd2], %r4; bar.sync 0; fence.proxy.async; setp.ne.u32 %p1, %r4, 0; @%p1 ret;
  cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r6], 256; cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0; ret;)",
             4, 64, 0);
}

TEST_CASE("saved: a flag that one block waits for") {
  check_body(kStart + R"(
  setp.ne.u32 %p1, %r4, 0; @%p1 ret; mov.u32 %r5, %ctaid.x; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT;
  mov.u32 %r6, 0;
WORK:
  add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, %r1; @%p3 bra WORK;
  st.global.u32 [%rd1+8], %r6; st.release.gpu.global.u32 [%rd1+4], 0; ret;
WAIT:
  ld.acquire.gpu.global.u32 %r7, [%rd1+4]; setp.ne.u32 %p3, %r7, 0; @%p3 bra WAIT;
  ld.global.u32 %r8, [%rd1+8]; st.global.u32 [%rd3], %r8; ret;)",
             2, 32, 100, 1, 16);
}

TEST_CASE("saved: clusters, whose blocks write each other's memory, meet and end one by one") {
  check_body(kStart + R"(
  .shared .align 16 .b8 s[1024]; mov.u32 %r5, %cluster_ctarank; add.u32 %r6, %r5, 1; and.b32 %r6, %r6, 1;
  mov.u32 %r7, s; mad.lo.u32 %r8, %r4, 4, %r7; mapa.shared::cluster.u32 %r9, %r8, %r6; mov.u32 %r10, 0;
TURN:
  st.shared::cluster.u32 [%r9], %r2; atom.shared::cluster.add.u32 %r11, [%r9+512], 5;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.u32 %r12, [%r8]; ld.shared.u32 %r13, [%r8+512]; add.u32 %r12, %r12, %r13; add.u32 %r12, %r12, %r11;
  barrier.cluster.arrive; barrier.cluster.wait;
  add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1; @%p1 bra TURN;
  st.global.u32 [%rd3], %r12; setp.eq.u32 %p2, %r5, 0; @%p2 ret;
  ld.global.u32 %r14, [%rd2]; add.u32 %r14, %r14, %r12; st.global.u32 [%rd3+4096], %r14; ret;)",
             12, 64, 3, 2);
}

TEST_CASE("saved: tensor memory") {
  const std::string text = R"(.version 8.6 .target sm_100a .address_size 64
.entry k(.param .u64 p, .param .u32 n) {
.reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .pred %p<8>; .shared .align 4 .b32 slot[1];
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r4, %tid.x;
mad.lo.u32 %r2, %r2, 32, %r4; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r3, slot;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32; ld.shared.u32 %r5, [%r3];
mov.u32 %r6, 0; mov.u32 %r7, %r2;
LOOP:
tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%r7}; tcgen05.wait::st.sync.aligned;
ld.global.u32 %r8, [%rd2]; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r5]; tcgen05.wait::ld.sync.aligned;
mad.lo.u32 %r7, %r9, 3, %r8; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra LOOP;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 32; st.global.u32 [%rd2+8192], %r7; ret; })";
  check_text(text, 3, 32, 4);
}

TEST_CASE("a kernel that calls the CUDA runtime cannot be saved yet") {
  const std::string text = R"(.version 8.6 .target sm_90 .address_size 64
.extern .func (.param .b32 r) cudaGetDevice(.param .b64 d);
.entry k(.param .u64 p, .param .u32 n) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p];
{ .param .b64 d; .param .b32 r; st.param.b64 [d], %rd1; call (r), cudaGetDevice, (d); } ret; })";
  Launched k(text, 1, 32, 0, 1);
  device::Gpu gpu(simtest::test_gpu(1));
  gpu.begin(k.source());
  CHECK_THROWS_WITH(gpu.save(), Catch::Contains("kernel k calls the CUDA runtime") &&
                                    Catch::Contains("cannot be saved yet (legal: kernels that do not)"));
}

TEST_CASE("saved: what was printed, and memory of the heap") {
  const std::string text =
      ".version 8.6 .target sm_90 .address_size 64\n"
      ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 fmt[7] = {37, 100, 32, 37, 100, 10, 0};\n"  // "%d %d\n"
      ".entry k(.param .u64 p, .param .u32 n) { .local .align 8 .b8 a[8]; .reg .b64 %rd<8>; .reg .b32 "
      "%r<8>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 32, %r2;\n"
      "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 100; call (r), malloc, (n); ld.param.b64 %rd3, [r]; "
      "}\n"
      "mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r4, [%rd4]; st.u32 [%rd3+96], "
      "%r4;\n"
      "mov.u64 %rd0, fmt; cvta.global.u64 %rd0, %rd0; st.local.u32 [a], %r1; st.local.u32 [a+4], %r2;\n"
      "mov.u64 %rd2, a; cvta.local.u64 %rd2, %rd2;\n"
      "{ .param .b64 f; .param .b64 g; .param .b32 r; st.param.b64 [f], %rd0; st.param.b64 [g], %rd2;\n"
      "call (r), vprintf, (f, g); }\n"
      "ld.u32 %r5, [%rd3+96]; add.u32 %r5, %r5, 7; st.global.u32 [%rd4+8192], %r5;\n"
      "{ .param .b64 p; st.param.b64 [p], %rd3; call free, (p); } ret; }";
  check_text(text, 5, 32, 0);
}

}  // namespace heddle::ptx
