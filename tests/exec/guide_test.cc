// Worked examples of the CUDA programming guide that are about what a kernel computes, by their ids in the
// project's specification (sim/host/COVERAGE.md).
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "sim/isa/tensor_map.h"
#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

// As an H200 does it (2026-11-28): F2F.F16.F32.RM without .FTZ.
TEST_CASE("a denormal to f16 is rounded although .ftz is written") {
  const auto half = [](const char* how, const char* bits) {
    return stored(std::string("{ .reg .f32 %a; .reg .b16 %h; mov.b32 %a, ") + bits + "; cvt." + how +
                      ".ftz.f16.f32 %h, %a; cvt.u32.u16 %r0, %h; }",
                  {1}, {1})[0];
  };
  CHECK(half("rm", "0x80000001") == 0x8001);
  CHECK(half("rp", "0x00000001") == 1);
  CHECK(half("rn", "0x80000001") == 0x8000);
}

// Not where a product is rounded to the least normal number: that is flushed before (H200, the same day).
TEST_CASE("what is denormal before it is rounded is flushed") {
  const auto product = [](const char* op, const char* third) {
    return stored(std::string("{ .reg .f32 %a, %b; mov.b32 %a, 0x3f7fffff; mov.b32 %b, 0x00800000; ") + op +
                      ".ftz.f32 %a, %a, %b" + third + "; mov.b32 %r0, %a; }",
                  {1}, {1})[0];
  };
  CHECK(product("mul.rn", "") == 0);
  CHECK(product("mul.rp", "") == 0);
  CHECK(product("fma.rn", ", 0f00000000") == 0);
  CHECK(product("fma.rp", ", 0f00000000") == 0);
}

TEST_CASE("C10: a block of 16 x 16 threads is 8 warps of two rows each") {
  const auto out = stored(
      "mov.u32 %r1, %tid.y; mad.lo.u32 %r30, %r1, 16, %r31; mov.u32 %r2, %warpid; mov.u32 %r3, %laneid;\n"
      "mad.lo.u32 %r0, %r2, 100, %r3;",
      {1}, {16, 16});
  for (uint32_t y = 0; y < 16; ++y) {
    for (uint32_t x = 0; x < 16; ++x) {
      CHECK(out[y * 16 + x] == y / 2 * 100 + y % 2 * 16 + x);
    }
  }
}

TEST_CASE("C11: vectors of N elements in blocks of 256, threads beyond N do nothing") {
  Case c(
      ".entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p;\n"
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
      "ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p ret;\n"
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mul.wide.u32 %rd4, %r1, 4;\n"
      "add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;\n"
      "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd3], "
      "%f3;\n"
      "ret; }");
  constexpr uint32_t kCount = 1000;  // four blocks; buffers end with the last element
  std::vector<float> a(kCount), b(kCount, 0.5F);
  std::iota(a.begin(), a.end(), 0.0F);
  const uint64_t out = c.buffer(std::vector<float>(kCount));
  c.run("add", {(kCount + 255) / 256}, {256}, {c.buffer(a), c.buffer(b), out, kCount});
  CHECK(c.get<float>(out, kCount)[999] == 999.5F);
}

TEST_CASE("C34: lane 0's value for all lanes") {
  const auto out = stored(
      "mov.u32 %r1, %r31; setp.eq.u32 %p1, %r31, 0; @%p1 mov.u32 %r1, 1234;\n"
      "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;",
      {1}, {32});
  CHECK(std::count(out.begin(), out.end(), 1234U) == 32);
}

TEST_CASE("C35: sums over groups of eight lanes by shuffles up") {
  const auto out = stored(
      "sub.u32 %r1, 31, %r31; and.b32 %r2, %r31, 7; mov.u32 %r3, 1;\n"
      "l: shfl.sync.up.b32 %r4, %r1, %r3, 0x1800, -1; setp.ge.u32 %p1, %r2, %r3; @%p1 add.u32 %r1, %r1, "
      "%r4;\n"
      "shl.b32 %r3, %r3, 1; setp.le.u32 %p2, %r3, 4; @%p2 bra l; mov.u32 %r0, %r1;",
      {1}, {32});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t sum = 0;
    for (uint32_t j = lane / 8 * 8; j <= lane; ++j) {
      sum += 31 - j;
    }
    CHECK(out[lane] == sum);
  }
  CHECK(out[7] == 220);
  CHECK(out[31] == 28);
}

TEST_CASE("C36: a sum over the warp by butterflies") {
  const auto out = stored(
      "sub.u32 %r1, 31, %r31; mov.u32 %r3, 16;\n"
      "l: shfl.sync.bfly.b32 %r4, %r1, %r3, 31, -1; add.u32 %r1, %r1, %r4; shr.u32 %r3, %r3, 1;\n"
      "setp.ne.u32 %p2, %r3, 0; @%p2 bra l; mov.u32 %r0, %r1;",
      {1}, {32});
  CHECK(std::count(out.begin(), out.end(), 496U) == 32);
}

TEST_CASE("C40: 1024 numbers by a bulk copy, all threads arrive, each number one more, and back") {
  Case c(
      ".shared .align 16 .b8 data[4096]; .shared .align 8 .b64 bar;\n"
      ".entry k(.param .u64 p) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; setp.ne.u32 %p1, %r1, 0;\n"
      "@%p1 bra ready; mbarrier.init.shared.b64 [bar], %r2; fence.proxy.async.shared::cta;\n"
      "ready: bar.sync 0; @%p1 bra others;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%rd1], 4096, [bar];\n"
      "mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 4096; bra.uni wait;\n"
      "others: mbarrier.arrive.shared.b64 %rd2, [bar];\n"
      "wait: mbarrier.try_wait.shared.b64 %p2, [bar], %rd2; @!%p2 bra wait;\n"
      "mov.u32 %r3, data; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; mov.u32 %r4, %r1;\n"
      "l: ld.shared.u32 %r5, [%r3]; add.u32 %r5, %r5, 1; st.shared.u32 [%r3], %r5; shl.b32 %r6, %r2, 2;\n"
      "add.u32 %r3, %r3, %r6; add.u32 %r4, %r4, %r2; setp.lt.u32 %p3, %r4, 1024; @%p3 bra l;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; @%p1 ret;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [data], 4096; cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group.read 0; ret; }");
  std::vector<uint32_t> values(1024);
  std::iota(values.begin(), values.end(), 7U);
  const uint64_t p = c.buffer(values);
  c.run("k", {1}, {128}, {p});
  const auto out = c.get<uint32_t>(p, 1024);
  for (uint32_t i = 0; i < 1024; ++i) {
    CHECK(out[i] == i + 8);
  }
}

TEST_CASE("C41 C43: a tile of 128 x 4 bytes by a map that the kernel writes; rows that are padded") {
  // The map comes as one of 4 x 3 numbers of 32 bits, rows padded to 16 bytes; the kernel makes one of 256 x
  // 8 bytes of it.
  const std::string fields =
      "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd4;\n"
      "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 0;\n"
      "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 0, 256;\n"
      "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 1, 8;\n"
      "tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 0, 256;\n"
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, 128;\n"
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 4;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
  const auto text = [&](const std::string& change, const std::string& bytes) {
    return ".shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar;\n"
           ".entry k(.param .u64 out, .param .u64 map, .param .u64 data, .param .u32 x, .param .u32 y) {\n"
           ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
           "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [map]; ld.param.u64 %rd4, [data];\n"
           "ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];\n" +
           change + "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], " +
           bytes +
           ";\n"
           "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r1, "
           "%r2}], "
           "[bar];\n"
           "w: mbarrier.try_wait.shared.b64 %p0, [bar], %rd2; @!%p0 bra w;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], " +
           bytes + "; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }";
  };
  isa::TensorMap m;
  m.rank = 2;
  m.element_bytes = 4;
  m.type = isa::kS32;
  m.size = {3, 4};
  m.stride = {4, 16};
  m.box = {4, 4};
  m.step = {1, 1};
  SECTION("C41") {
    Case c(text(fields, "512"));
    std::vector<uint8_t> data(256 * 8);
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<uint8_t>(i / 256 * 16 + i % 13);
    }
    const isa::TensorMapBytes b = isa::encode(m);
    const uint64_t out = c.buffer(std::vector<uint8_t>(512));
    c.run("k", {1}, {1}, {out, c.buffer(std::vector<uint8_t>(b.begin(), b.end())), c.buffer(data), 128, 4});
    const auto tile = c.get<uint8_t>(out, 512);
    for (uint32_t i = 0; i < 512; ++i) {
      CHECK(tile[i] == data[(4 + i / 128) * 256 + 128 + i % 128]);
    }
  }
  SECTION("C43") {
    Case c(text("", "64"));
    std::vector<uint32_t> data(16, 99);  // the padding must not be seen
    for (uint32_t i = 0; i < 12; ++i) {
      data[i / 3 * 4 + i % 3] = i;
    }
    m.address = c.buffer(data);
    const isa::TensorMapBytes b = isa::encode(m);
    const uint64_t out = c.buffer(std::vector<uint32_t>(16));
    c.run("k", {1}, {1}, {out, c.buffer(std::vector<uint8_t>(b.begin(), b.end())), 0, 0, 0});
    CHECK(c.get<uint32_t>(out, 16) ==
          std::vector<uint32_t>{0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0});
  }
}

TEST_CASE("C44: with fences nobody sees the second store without the first") {
  Case c(
      ".global .u32 x = 1; .global .u32 y = 2;\n"
      ".entry k(.param .u64 out) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra read;\n"
      "st.volatile.global.u32 [x], 10; membar.gl; st.volatile.global.u32 [y], 20; ret;\n"
      "read: mov.u32 %r4, 0; wait: add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r2, [y]; membar.gl;\n"
      "ld.volatile.global.u32 %r3, [x]; setp.ne.u32 %p2, %r2, 20; @%p2 bra wait;\n"
      "st.global.u32 [%rd1], %r3; ret; }");
  c.options.threads = 2;
  const uint64_t out = c.buffer(std::vector<uint32_t>(1));
  c.run("k", {2}, {1}, {out});
  CHECK(c.get<uint32_t>(out, 1)[0] == 10);
}

TEST_CASE("C45: scans of a tile of eight, and where each thread's share of a buffer begins") {
  const std::string scan =
      "mov.u32 %r3, 1; and.b32 %r2, %r31, 7; l: shfl.sync.up.b32 %r4, %r1, %r3, 0x1800, -1;\n"
      "setp.ge.u32 %p1, %r2, %r3; @%p1 add.u32 %r1, %r1, %r4; shl.b32 %r3, %r3, 1; setp.le.u32 %p2, %r3, 4; "
      "@%p2 "
      "bra l;\n";
  const auto sums = stored("and.b32 %r1, %r31, 7;\n" + scan + "mov.u32 %r0, %r1;", {1}, {32});
  CHECK(std::vector<uint32_t>(sums.begin(), sums.begin() + 8) ==
        std::vector<uint32_t>{0, 1, 3, 6, 10, 15, 21, 28});
  // Thread r needs r % 2 + 1 places; the tile's last lane reserves for all.
  Case c(".global .u32 used = 0; .global .u32 buffer[96];\n" +
         storing("and.b32 %r5, %r31, 1; add.u32 %r5, %r5, 1; mov.u32 %r1, %r5;\n" + scan +
                 "mov.u32 %r8, 0; setp.eq.u32 %p3, %r2, 7; @%p3 atom.global.add.u32 %r8, [used], %r1;\n"
                 "shfl.sync.idx.b32 %r8, %r8, 7, 0x181f, -1; sub.u32 %r9, %r1, %r5; add.u32 %r9, %r9, %r8;\n"
                 "mov.u32 %r0, %r9; bar.sync 0; setp.eq.u32 %p4, %r31, 31; @%p4 ld.global.u32 %r0, [used];"));
  const uint64_t out = c.buffer(std::vector<uint32_t>(32));
  c.run("k", {1}, {32}, {out});
  const auto begins = c.get<uint32_t>(out, 32);
  CHECK(begins[1] - begins[0] == 1);
  CHECK(begins[2] - begins[0] == 3);
  CHECK(begins[7] - begins[0] == 10);
  CHECK(begins[31] == 48);
}

TEST_CASE("C59: the last block adds up what all have stored") {
  Case c(
      ".global .u32 count = 0; .global .u32 sums[64];\n" +
      storing(
          "mov.u64 %rd0, sums; mul.wide.u32 %rd1, %r29, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r1, %r29, 1;\n"
          "st.volatile.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;\n"
          "atom.global.inc.u32 %r3, [count], %r2; mov.u32 %r0, 0; setp.ne.u32 %p1, %r3, %r2; @%p1 bra end;\n"
          "mov.u32 %r4, 0; l: ld.volatile.global.u32 %r5, [%rd0]; add.u32 %r0, %r0, %r5; add.u64 %rd0, %rd0, "
          "4;\n"
          "add.u32 %r4, %r4, 1; setp.le.u32 %p2, %r4, %r2; @%p2 bra l;"));
  c.options.threads = 2;
  for (int launch = 0; launch < 2; ++launch) {  // inc has set the counter back to 0
    const uint64_t out = c.buffer(std::vector<uint32_t>(50));
    c.run("k", {50}, {1}, {out});
    const auto all = c.get<uint32_t>(out, 50);
    CHECK(std::accumulate(all.begin(), all.end(), 0U) == 1275);
    CHECK(std::count(all.begin(), all.end(), 0U) == 49);
  }
}

TEST_CASE("C60: a reduction of a warp in shared memory, with barriers of the warp between its steps") {
  const auto out = stored(
      "mov.u32 %r1, v; shl.b32 %r2, %r31, 2; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r31; mov.u32 %r3, "
      "16;\n"
      "l: bar.warp.sync -1; shl.b32 %r4, %r3, 2; add.u32 %r4, %r1, %r4; ld.shared.u32 %r5, [%r4];\n"
      "bar.warp.sync -1; ld.shared.u32 %r6, [%r1]; add.u32 %r6, %r6, %r5; st.shared.u32 [%r1], %r6;\n"
      "shr.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra l; bar.warp.sync -1; ld.shared.u32 %r0, [v];",
      {1}, {32}, ".shared .u32 v[64];\n");
  CHECK(out[0] == 496);
}

TEST_CASE("C61: a shuffle of all lanes in both sides of a branch") {
  const auto out = stored(
      "and.b32 %r1, %r31, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra odd;\n"
      "shfl.sync.bfly.b32 %r0, %r31, 1, 31, -1; bra.uni end;\n"
      "odd: shfl.sync.bfly.b32 %r0, %r31, 1, 31, -1;",
      {1}, {32});
  CHECK(out[6] == 7);
  CHECK(out[7] == 6);
}

TEST_CASE("C62: a barrier that some lanes of a warp do not reach hangs") {
  // Half of the warp waits at barrier 0, half for these.
  Case c(
      storing("setp.lt.u32 %p1, %r31, 16; @%p1 bra wait; bar.warp.sync -1; bra.uni end;\n"
              "wait: bar.sync 0;"));
  CHECK(c.error("k", {1}, {32}, {0}).find("no thread of block (0, 0, 0) of kernel k can go on") !=
        std::string::npos);
}

TEST_CASE("C63: a lock whose waiters sleep 8, 16, up to 256 ns") {
  Case c(".global .u32 lock = 0; .global .u32 count = 0; .global .u32 longest = 0;\n" +
         storing("mov.u32 %r1, 8;\n"
                 "try: atom.global.cas.b32 %r2, [lock], 0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra have;\n"
                 "nanosleep.u32 %r1; red.global.max.u32 [longest], %r1; setp.lt.u32 %p2, %r1, 256;\n"
                 "@%p2 shl.b32 %r1, %r1, 1; bra.uni try;\n"
                 "have: ld.volatile.global.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.volatile.global.u32 "
                 "[count], %r3;\n"
                 "membar.gl; atom.global.exch.b32 %r4, [lock], 0; mov.u32 %r0, 0;\n"
                 "ld.volatile.global.u32 %r0, [count]; ld.volatile.global.u32 %r5, [longest];\n"
                 "shl.b32 %r5, %r5, 16; or.b32 %r0, %r0, %r5;"));
  c.options.threads = 2;
  const uint64_t out = c.buffer(std::vector<uint32_t>(8 * 64));
  c.run("k", {8}, {64}, {out});
  const auto all = c.get<uint32_t>(out, 8 * 64);
  const uint32_t last = *std::max_element(all.begin(), all.end());
  CHECK((last & 0xffff) == 512);
  CHECK(last >> 16 == 256);
}

}  // namespace heddle::exec::test
