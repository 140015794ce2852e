// Barrier objects, bulk copies, clusters, products of warps and warp groups, division: their machine code,
// and what is told of them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/recorded_copy.h"
#include "sim/isa/recorded_phases.h"
#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

// The references of instructions whose opcode begins so, of a warp.
std::vector<isa::MemRef> references(const Issued& i, size_t warp, const std::string& opcode) {
  std::vector<isa::MemRef> out;
  const isa::WarpTrace& w = i.blocks[0].warps[warp];
  size_t at = 0;
  for (const isa::Run& r : w.runs) {
    for (uint32_t k = 0; k < r.count; ++k) {
      const isa::Instr& in = i.image.code[r.first + k];
      const size_t refs = r.mask != 0 ? in.mem_refs : 0;
      if (refs != 0 && i.image.opcodes[in.opcode].starts_with(opcode)) {
        out.push_back(w.refs[at]);
      }
      at += refs;
    }
  }
  CHECK(at == w.refs.size());
  return out;
}

const char* const kBulk =
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b8 bar[8];\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; setp.ne.u32 %p1, %r1, "
    "0;\n"
    "@%p1 bra wait;\n"
    "mbarrier.init.shared.b64 [%r2], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+128], [%rd1+256], 512, [%r2];\n"
    "wait: bar.sync 0;\n"
    "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra again; ret;";

std::string tiles(const std::string& layout) {
  return ".reg .f32 %d<8>; .reg .b32 %a<8>; .reg .b32 %b<8>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, 40;\n"
         "wmma.load.a.sync.aligned." +
         layout +
         ".m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%rd1], %r1;\n"
         "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%rd1], %r1;\n"
         "mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;\n"
         "mov.f32 %d4, %d0; mov.f32 %d5, %d0; mov.f32 %d6, %d0; mov.f32 %d7, %d0;\n"
         "wmma.mma.sync.aligned." +
         layout +
         ".row.m16n16k16.f32.f32 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, "
         "{%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7};\n"
         "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, %r1; "
         "ret;";
}

}  // namespace

TEST_CASE("timed: a bulk copy and its barrier object as a recording has them") {
  const Issued i(kBulk, {1, 1, 1}, {64, 1, 1}, 0);
  const isa::WarpTrace& w = i.blocks[0].warps[0];
  const auto init = references(i, 0, "SYNCS.EXCH.64");
  REQUIRE(init.size() == 1);
  const uint64_t object = init[0].base;
  CHECK(w.values[init[0].list] == 0x7ffff800001ffffe);  // one arrival (tools/tracer/OPERANDS.md)
  CHECK(isa::initial_word(1) == 0x7ffff800001ffffe);
  const auto expect = references(i, 0, "SYNCS.ARRIVE.TRANS64");
  REQUIRE(expect.size() == 1);
  CHECK(expect[0].base == object);
  CHECK(w.values[expect[0].list] == 512);
  const auto copy = references(i, 0, "UBLKCP.S.G");
  REQUIRE(copy.size() == 1);
  isa::RecordedCopy read;
  const std::span<const uint64_t> values = std::span(w.values).subspan(copy[0].list, copy[0].count);
  for (const isa::Instr& in : i.image.code) {
    if (in.async.kind == isa::AsyncKind::kBulkLoad) {
      CHECK(isa::read_copy(i.image, in, values, UINT64_MAX, read).empty());
    }
  }
  REQUIRE(read.known);
  CHECK(read.op.source == i.buffer + 256);
  CHECK(read.op.bytes == 512);
  CHECK(read.op.barrier == object);
  // Each of the 32 lanes waits for phase 0, of each warp.
  for (const size_t warp : {0, 1}) {
    const auto wait = references(i, warp, "SYNCS.PHASECHK");
    REQUIRE(!wait.empty());
    CHECK(wait[0].count == 32);
    CHECK(isa::parity_of(i.blocks[0].warps[warp].values[wait[0].list]) == 0);
  }
}

TEST_CASE("timed: a fragment is loaded in tiles of 8x8, turned over where its pairs lie across the rows") {
  const auto row = code(tiles("row")), col = code(tiles("col"));
  CHECK(count(row, "LDG.E") == 8);
  CHECK(count(row, "MOVM") == 4);  // of B
  CHECK(count(col, "MOVM") == 8);
  CHECK(count(row, "HMMA.16816.F32") == 2);
  CHECK(count(row, "STG.E.64") == 4);
  const Issued i(tiles("row"), {1, 1, 1}, {32, 1, 1}, 0);
  // Rows of 40 halves: lane 4g + t has columns 2t and 2t + 1 of row g.
  std::vector<uint64_t> bases;
  const auto loads = references(i, 0, "LDG.E");
  for (const isa::MemRef& r : loads) {
    uint64_t address[32];
    REQUIRE(isa::expand(i.blocks[0].warps[0], r, ~0U, address));
    bases.push_back(address[0] - i.buffer);
    CHECK(address[5] - address[0] == 80 + 4);
    CHECK(address[31] - address[0] == 7 * 80 + 12);
  }
  std::sort(bases.begin(), bases.end());
  CHECK(bases == std::vector<uint64_t>{0, 0, 16, 16, 640, 640, 656, 656});
  const auto stores = references(i, 0, "STG.E.64");
  uint64_t address[32];
  REQUIRE(isa::expand(i.blocks[0].warps[0], stores[0], ~0U, address));
  CHECK(address[4] - address[0] == 160);  // rows of 40 words
}

TEST_CASE("lower: products of warp groups, their groups and waits") {
  std::string list;
  for (int k = 0; k < 4; ++k) {
    list += (k == 0 ? "%d" : ",%d") + std::to_string(k);
  }
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" + list + "}, %rd2, %rd3, %p1, 1, 1, 0, 0;\n";
  const auto module = parse(
      "k.ptx",
      ".version 8.0 .target sm_90a .address_size 64\n.entry k(.param .u64 p) { .reg .b64 %rd<5>; .reg .f32 "
      "%d<4>; .reg .pred %p<2>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd2, 8;\n"
      "setp.ne.u64 %p1, %rd1, 0; mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, "
      "%d0;\nwgmma.fence.sync.aligned;\n" +
          product + product +
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd1], %d3; "
          "ret; "
          "}\n");
  const auto kernel = lower::lower(*module, module->functions[0]);
  std::vector<std::string> order;
  for (const std::string& line : kernel->image.text) {
    for (const char* what :
         {"WARPGROUP.ARRIVE", "HGMMA.64x8x16.F32", "WARPGROUP.DEPBAR.LE gsb0, 0x0", "STG.E"}) {
      if (line.starts_with(what)) {
        order.push_back(line.ends_with("gsb0") ? "last of its group" : what);
      }
    }
  }
  CHECK(order == std::vector<std::string>{"WARPGROUP.ARRIVE", "HGMMA.64x8x16.F32", "last of its group",
                                          "WARPGROUP.DEPBAR.LE gsb0, 0x0", "STG.E"});
}

TEST_CASE("timed: a kernel's own clusters, and atomics on other blocks") {
  const std::string body =
      ".shared .align 4 .b8 s[16]; mov.u32 %r1, s; cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd2, %rd1; "
      "mov.u32 %r2, "
      "%cluster_ctarank; xor.b32 %r3, %r2, 1; mapa.u64 %rd3, %rd2, %r3; barrier.cluster.arrive; "
      "barrier.cluster.wait; atom.add.u32 %r4, [%rd3+4], 1; barrier.cluster.arrive; barrier.cluster.wait; "
      "ret;";
  const Issued i(body, {4, 1, 1}, {32, 1, 1}, 0, ".reqnctapercluster 2, 1, 1 ");
  CHECK(i.image.shape.cluster == isa::Dim3{2, 1, 1});
  REQUIRE(i.blocks.size() == 4);
  const std::vector<std::string> c = i.warp(0, 0);
  CHECK(count(c, "UCGABAR_ARV") == 2);
  CHECK(count(c, "UCGABAR_WAIT") == 2);
  CHECK(count(c, "ATOM.E.ADD.STRONG.GPU") == 1);
  const auto atomic = references(i, 0, "ATOM.E");
  REQUIRE(atomic.size() == 1);
  CHECK((atomic[0].base - i.image.shape.shared_base) >> 24 == 1);  // of the block of rank 1
}

TEST_CASE("timed: a launch that the kernel cannot have is refused") {
  CHECK_THROWS_AS(Issued("ret;", {1, 1, 1}, {2048, 1, 1}, 0), Error);
  CHECK_THROWS_AS(Issued("ret;", {3, 1, 1}, {32, 1, 1}, 0, ".reqnctapercluster 2, 1, 1 "), Error);
}

TEST_CASE("lower: a remainder by the divisor's reciprocal, which is there once") {
  const auto c = code(
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; rem.u32 %r3, %r1, %r2;\n"
      "rem.u32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4; ret;");
  CHECK(count(c, "MUFU.RCP") == 1);
  CHECK(count(c, "ISETP.GE.U32") == 4);  // two corrections each
  CHECK(count(c, "SEL") == 2);           // by 0
  CHECK(count(c, "IABS") == 0);
  // Of signed ones the absolute values, and the sign again.
  const auto s = code(
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; div.s32 %r3, %r1, %r2;\n"
      "st.global.u32 [%rd1], %r3; ret;");
  CHECK(count(s, "IABS") == 2);
  CHECK(count(s, "ISETP.GE.AND") == 1);
}

TEST_CASE("lower: a loop whose loads could all be under way has no more than 32 registers") {
  const auto module = parse(
      "k.ptx",
      module_of(
          "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0; mov.f32 %f9, 0f00000000;\n"
          "top: ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];\n"
          "ld.global.f32 %f4, [%rd1+12]; ld.global.f32 %f5, [%rd1+16]; ld.global.f32 %f6, [%rd1+20];\n"
          "ld.global.f32 %f7, [%rd1+24]; ld.global.f32 %f8, [%rd1+28]; fma.rn.f32 %f9, %f1, %f2, %f9;\n"
          "fma.rn.f32 %f9, %f3, %f4, %f9; fma.rn.f32 %f9, %f5, %f6, %f9; fma.rn.f32 %f9, %f7, %f8, %f9;\n"
          "add.s64 %rd1, %rd1, 32; add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra top;\n"
          "st.global.f32 [%rd1], %f9; ret;"));
  const auto kernel = lower::lower(*module, module->functions[0]);
  CHECK(kernel->image.shape.registers_per_thread > 16);
  CHECK(kernel->image.shape.registers_per_thread <= 32);
  CHECK(count(kernel->image.text, "IADD3 ") == 4);  // the steps of four turns are one, and those of one turn
  CHECK(count(kernel->image.text, ".64+0x7c]") == 1);
}

}  // namespace heddle::ptx
