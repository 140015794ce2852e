// cp.async, bulk copies, reductions of them.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "sim/exec/async/reach.h"
#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

constexpr const char* kData =
    ".global .align 16 .u32 g[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};\n"
    ".global .align 16 .u32 t[16] = {100, 200, 300, 400};\n"
    ".global .align 16 .f32 f[4] = {1.5, 2.5, 1e-40, 0.0};\n"
    ".shared .align 16 .u32 sh[32]; .shared .align 8 .b64 bar;\n";

uint32_t one(std::string_view statements) { return stored(statements, {1}, {1}, kData)[0]; }

std::string wrong(std::string_view statements) {
  return Case(storing(statements, kData)).error("k", {1}, {1}, {0});
}

TEST_CASE("bytes are copied from any place to any place, and none beside them") {
  alignas(8) std::array<uint8_t, 48> from{}, to{}, expected{};
  std::iota(from.begin(), from.end(), uint8_t{1});
  bool right = true;
  for (size_t at = 0; at <= 8; ++at) {
    for (size_t source = 0; source <= 8; ++source) {
      for (size_t bytes = 0; bytes <= 24; ++bytes) {
        to.fill(0xee);
        expected.fill(0xee);
        std::copy_n(from.begin() + source, bytes, expected.begin() + at);
        copy_bytes(to.data() + at, from.data() + source, bytes);
        right &= to == expected;
      }
    }
  }
  CHECK(right);
}

TEST_CASE("copies of 4, 8 and 16 bytes, with zeros behind what is read") {
  CHECK(one("cp.async.ca.shared.global [sh], [g+8], 4; cp.async.wait_all; ld.shared.u32 %r0, [sh];") == 3);
  CHECK(one("cp.async.ca.shared.global [sh+8], [g+8], 8; cp.async.commit_group; cp.async.wait_group 0;\n"
            "ld.shared.u32 %r0, [sh+12];") == 4);
  CHECK(one("st.shared.v4.u32 [sh], {9, 9, 9, 9}; mov.u32 %r5, 8; cp.async.cg.shared.global [sh], [g], 16, "
            "%r5;\n"
            "cp.async.wait_all; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [sh]; mad.lo.u32 %r0, %r2, 10, %r1;\n"
            "add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, %r4;") == 21);
  CHECK(one("st.shared.u32 [sh], 9; setp.eq.u32 %p1, %r31, 0; cp.async.ca.shared.global [sh], [g], 4, %p1;\n"
            "ld.shared.u32 %r0, [sh];") == 0);
  // Nothing is read where nothing is to be read.
  CHECK(one("mov.u64 %rd0, 64; cp.async.cg.shared.global [sh], [%rd0], 16, 0; ld.shared.u32 %r0, [sh];") ==
        0);
}

TEST_CASE("copies that cannot be") {
  CHECK(wrong("cp.async.cg.shared.global [sh], [g+4], 16;").find("is misaligned (legal: multiples of 16)") !=
        std::string::npos);
  CHECK(wrong("cp.async.ca.shared.global [sh], [g+64], 4;")
            .find("out of bounds (nearest allocation: 64 bytes") != std::string::npos);
  CHECK(wrong("mov.u32 %r5, 17; cp.async.cg.shared.global [sh], [g], 16, %r5;")
            .find("reads 17 bytes (legal: up to 16)") != std::string::npos);
}

TEST_CASE("barrier objects that copies arrive at") {
  // With .noinc the thread's own arrival is among the expected ones.
  CHECK(one("mbarrier.init.shared.b64 [bar], 2; cp.async.ca.shared.global [sh], [g], 4;\n"
            "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; mbarrier.arrive.shared.b64 %rd0, [bar];\n"
            "mbarrier.test_wait.shared.b64 %p0, [bar], %rd0; selp.u32 %r0, 1, 0, %p0;") == 1);
  CHECK(one("mbarrier.init.shared.b64 [bar], 1; cp.async.mbarrier.arrive.shared.b64 [bar];\n"
            "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0; selp.u32 %r0, 1, 0, %p0;\n"
            "mbarrier.arrive.shared.b64 %rd0, [bar];\n"
            "mbarrier.test_wait.shared.b64 %p0, [bar], %rd0; @%p0 add.u32 %r0, %r0, 2;") == 2);
}

TEST_CASE("bulk copies there and back") {
  CHECK(one("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd0, [bar], 32;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [g], 32, [bar];\n"
            "w: mbarrier.try_wait.shared.b64 %p0, [bar], %rd0; @!%p0 bra w; ld.shared.u32 %r1, [sh+28];\n"
            "st.shared.u32 [sh+20], 77; fence.proxy.async.shared::cta;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [t], [sh+16], 16; cp.async.bulk.commit_group;\n"
            "cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; ld.global.u32 %r0, [t+4];\n"
            "add.u32 %r0, %r0, %r1;") == 85);
  CHECK(one("cp.async.bulk.prefetch.L2.global [g], 64; mov.u32 %r0, 3;") == 3);
}

TEST_CASE("bulk copies that reduce") {
  const std::string setup = "st.shared.v4.u32 [sh], {1, 500, 3, -4};\n";
  CHECK(one(setup + "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [t], [sh], 16;\n"
                    "ld.global.u32 %r0, [t+12];") == 396);
  CHECK(one(setup + "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [t], [sh], 16;\n"
                    "ld.global.u32 %r0, [t+12];") == 0xfffffffc);
  CHECK(one(setup + "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [t], [sh], 16;\n"
                    "ld.global.u32 %r0, [t+4];") == 500);
  CHECK(one(setup + "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [t], [sh], 16;\n"
                    "ld.global.u32 %r0, [t+4]; ld.global.u32 %r1, [t]; mad.lo.u32 %r0, %r1, 1000, %r0;") ==
        201);
  // Sums of f32 in global memory: 1.5 + 0.5, and subnormal numbers count as 0.
  CHECK(one("st.shared.v4.f32 [sh], {0f3f000000, 0f00000000, 0f00000001, 0f00000001};\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [f], [sh], 16; ld.global.u32 %r0, "
            "[f];\n"
            "ld.global.u32 %r1, [f+8]; add.u32 %r0, %r0, %r1;") == 0x40000000);
  // 16-bit halves: 1.0 + 2.0 = 3.0.
  CHECK(one("mov.b32 %r1, 0x3c003c00; st.shared.v4.u32 [sh], {%r1, %r1, %r1, %r1}; st.global.u32 [t], "
            "0x40004000;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [t], [sh], 16;\n"
            "ld.global.u32 %r0, [t];") == 0x42004200);
}

TEST_CASE("bulk copies that cannot be") {
  const std::string init = "mbarrier.init.shared.b64 [bar], 1;\n";
  CHECK(
      wrong(init + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [g], 20, [bar];")
          .find("bulk copy of 20 bytes (legal: multiples of 16)") != std::string::npos);
  CHECK(wrong(init +
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+8], [g], 16, [bar];")
            .find("misaligned (legal: multiples of 16)") != std::string::npos);
  CHECK(
      wrong(init + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [g], 80, [bar];")
          .find("t.ptx:12: bulk copy of 80 bytes at 0x") == 0);
}

}  // namespace heddle::exec::test
