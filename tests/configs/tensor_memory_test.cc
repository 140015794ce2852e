// Products in tensor memory on a B200, executed from PTX while they are simulated, against what was measured
// there: github lookup1980/microbench-blackwell, 2026-05, umma_latency and umma_throughput, BF16 (medians of
// cycles from before the product to behind the wait for it; cycles a product, of 256).
#include <catch2/catch.hpp>
#include <string>

#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "frontends/ptx/lower/timed_source.h"
#include "sim/device/gpu.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

struct Shape {
  uint32_t m, n;
  bool a_in_tensor_memory;
};

// Reads the clock, starts `count` products, commits and waits; the third time counts.
std::string text(const Shape& s, int count) {
  const uint64_t a = uint64_t{1} << 46 | uint64_t{8} << 32 | uint64_t{s.m} << 16;
  const uint64_t b = uint64_t{1} << 46 | uint64_t{8} << 32 | uint64_t{s.n} << 16;
  const uint32_t instruction = 1 << 4 | 1 << 7 | 1 << 10 | s.n / 8 << 17 | s.m / 16 << 24;
  std::string products;
  for (int i = 0; i < count; ++i) {
    products += std::string("tcgen05.mma.cta_group::1.kind::f16 [%r2], ") +
                (s.a_in_tensor_memory ? "[%r3]" : "%d1") + ", %d2, %r4, %p2;\n";
  }
  return ".version 8.6 .target sm_100a .address_size 64\n"
         ".entry k(.param .u64 out) {\n"
         ".reg .pred %p<6>; .reg .b32 %r<20>; .reg .b64 %d<8>;\n"
         ".shared .align 1024 .b8 operands[12288]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;\n"
         "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;\n"
         "@%p1 bra end;\n"
         "mbarrier.init.shared::cta.b64 [bar], 1; fence.proxy.async;\n"
         "ld.shared.u32 %r2, [slot]; add.u32 %r3, %r2, 256;\n"
         "mov.u32 %r5, operands; shr.u32 %r5, %r5, 4; cvt.u64.u32 %d3, %r5;\n"
         "add.u64 %d1, %d3, " +
         std::to_string(a) + "; add.u64 %d2, %d3, " + std::to_string(b) +
         ";\n"
         "mov.u32 %r4, " +
         std::to_string(instruction) +
         "; setp.ne.u32 %p2, %r2, 77;\n"
         "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
         "again: mov.u32 %r8, %clock;\n" +
         products +
         "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
         "wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], %r6; @!%p3 bra wait;\n"
         "mov.u32 %r9, %clock; sub.u32 %r10, %r9, %r8;\n"
         "xor.b32 %r6, %r6, 1; add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, 3; @%p4 bra again;\n"
         "ld.param.u64 %d4, [out]; st.global.u32 [%d4], %r10;\n"
         "end: bar.sync 0;\n"
         "ld.shared.u32 %r2, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 512; ret; }\n";
}

uint32_t cycles(const Shape& s, int count) {
  exec::Memory memory;
  ptx::Program program(ptx::parse("k.ptx", text(s, count)), memory);
  const ptx::Function& kernel = program.kernel("k");
  exec::Launch launch = program.launch(kernel);
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  const uint64_t out = memory.allocate(sizeof(uint32_t));
  ptx::set_parameter(ptx::parameter(program.module(), kernel, 0), out, launch);
  ptx::lower::TimedSource source(program.module(), kernel, program.placement(), launch);
  device::Gpu gpu(load("b200", {}));
  gpu.run(source, {});
  uint32_t found = 0;
  memory.read(out, {reinterpret_cast<uint8_t*>(&found), sizeof found});
  return found;
}

}  // namespace

TEST_CASE("Products on a B200 take as long as they were measured to, within 3 cycles") {
  struct Row {
    Shape shape;
    int latency;
    double interval;
  };
  constexpr Row kRows[] = {
      {{64, 64, false}, 152, 32.6},    {{64, 96, false}, 168, 48.6},   {{64, 128, false}, 184, 64.6},
      {{64, 256, false}, 248, 128.6},  {{128, 64, false}, 168, 48.6},  {{128, 80, false}, 176, 52.6},
      {{128, 96, false}, 184, 56.6},   {{128, 112, false}, 192, 60.6}, {{128, 128, false}, 200, 64.6},
      {{128, 256, false}, 264, 128.6}, {{64, 64, true}, 136, 32.0},    {{64, 128, true}, 168, 64.0},
      {{128, 64, true}, 136, 32.0},    {{128, 128, true}, 168, 64.0},  {{128, 256, true}, 232, 128.0},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.shape.m, row.shape.n, row.shape.a_in_tensor_memory);
    const uint32_t one = cycles(row.shape, 1), many = cycles(row.shape, 17);
    CHECK(static_cast<int>(one) == Approx(row.latency).margin(3));
    CHECK((many - one) / 16.0 == Approx(row.interval).margin(1));
  }
}

}  // namespace heddle::config
