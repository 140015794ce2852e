// Spaces, widths, vectors, atomics, bounds.
#include <catch2/catch.hpp>

#include <bit>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

constexpr const char* kData =
    ".const .align 8 .b8 table[8] = {1, 2, 3, 4, 0x85, 6, 7, 8};\n"
    ".global .align 16 .u32 g[4] = {10, 20, 30, 40};\n"
    ".global .u64 where[2] = {g + 8, generic(table)};\n"
    ".shared .align 16 .b8 sh[64];\n";

uint32_t first(std::string_view statements) { return stored(statements, {1}, {1}, kData)[0]; }

TEST_CASE("loads of each width, with and without sign") {
  CHECK(first("ld.const.u8 %r0, [table+4];") == 0x85);
  CHECK(first("ld.const.s8 %r0, [table+4];") == 0xffffff85);
  CHECK(first("ld.const.s8 %rs0, [table+4]; mov.b32 %r0, {%rs0, %rs0};") == 0xff85ff85);
  CHECK(first("ld.const.u16 %r0, [table+2];") == 0x0403);
  CHECK(first("ld.const.b64 %rd0, [table]; mov.b64 {%r1, %r0}, %rd0;") == 0x08070685);
  CHECK(first("ld.const.s32 %rd0, [table+4]; mov.b64 {%r1, %r0}, %rd0;") == 0);
}

TEST_CASE("variables and their addresses") {
  CHECK(first("ld.global.u32 %r0, [g+4];") == 20);
  CHECK(first("ld.u32 %r0, [g+12];") == 40);  // generic
  CHECK(first("ld.global.u64 %rd0, [where]; ld.global.u32 %r0, [%rd0];") == 30);
  CHECK(first("ld.global.u64 %rd0, [where+8]; ld.u8 %r0, [%rd0+6];") == 7);
  CHECK(first("mov.u64 %rd0, table; cvta.const.u64 %rd0, %rd0; ld.u8 %r0, [%rd0+1];") == 2);
  CHECK(first("mov.u64 %rd0, g; cvta.global.u64 %rd0, %rd0; cvta.to.global.u64 %rd0, %rd0; ld.global.u32 "
              "%r0, [%rd0];") == 10);
  CHECK(first("ld.param.u64 %rd0, [out]; mov.u64 %rd1, out; ld.param.u64 %rd2, [%rd1]; sub.u64 %rd0, %rd0, "
              "%rd2;\n"
              "mov.b64 {%r0, %r1}, %rd0; add.u32 %r0, %r0, 3;") == 3);
}

TEST_CASE("shared and local memory, also through generic addresses") {
  CHECK(first("st.shared.v4.u32 [sh+16], {1, 2, 3, 4}; ld.shared.v2.u32 {%r1, %r0}, [sh+24];") == 4);
  CHECK(
      first(
          "mov.u64 %rd0, sh; cvta.shared.u64 %rd0, %rd0; st.u16 [%rd0+2], 513; ld.shared.u8 %r0, [sh+3];") ==
      2);
  CHECK(
      first(
          "isspacep.shared %p1, %rd0; mov.u64 %rd0, sh; cvta.shared.u64 %rd0, %rd0; isspacep.shared %p2, "
          "%rd0;\n"
          "isspacep.global %p3, %rd0; mov.u64 %rd1, g; isspacep.global %p4, %rd1; isspacep.local %p5, %rd1;\n"
          "selp.u32 %r0, 1, 0, %p2; @%p3 add.u32 %r0, %r0, 2; @%p4 add.u32 %r0, %r0, 4; @%p5 add.u32 %r0, "
          "%r0, 8;\n"
          "@%p1 add.u32 %r0, %r0, 16;") == 5);
  // Each thread has its own local memory.
  const auto own = stored(
      ".local .align 8 .b8 stack[16]; mov.u64 %rd0, stack; cvta.local.u64 %rd0, %rd0; st.u32 [%rd0+4], "
      "%r31;\n"
      "bar.sync 0; ld.local.u32 %r0, [stack+4];",
      {2}, {64});
  CHECK(own[17] == 17);
  CHECK(own[64 + 63] == 63);
}

TEST_CASE("generic windows end where they end: what is refused behind them is global") {
  const std::string own = ".local .align 8 .b8 stack[16]; mov.u64 %rd0, stack; cvta.local.u64 %rd0, %rd0;\n";
  const std::string shared = "mov.u64 %rd0, sh; cvta.shared.u64 %rd0, %rd0;\n";
  const std::string constant = "mov.u64 %rd0, table; cvta.const.u64 %rd0, %rd0;\n";
  // From a variable's address to its window's first: windows of 2^24 bytes lie at multiples of that.
  const std::string window = "and.b64 %rd1, %rd0, 0xffffffffff000000;\n";
  const auto refused = [&](const std::string& base, uint64_t offset) {
    Case c(storing(base + window + "add.u64 %rd1, %rd1, " + std::to_string(offset) + "; ld.u32 %r0, [%rd1];",
                   kData));
    const std::string why = c.error("k", {1}, {1}, {c.buffer(std::vector<uint32_t>(1))});
    const size_t begin = why.find(" in ") + 4;
    return why.substr(begin, why.find(" memory is out of bounds") - begin);
  };
  constexpr uint64_t kWindow = 1 << 24;
  CHECK(refused(own, kWindow - 4) == "local");
  CHECK(refused(own, kWindow) == "global");
  CHECK(refused(constant, kWindow - 4) == "constant");
  CHECK(refused(constant, kWindow) == "global");
  CHECK(refused(shared, 16 * kWindow - 4) == "shared");  // of the blocks that a cluster may have
  CHECK(refused(shared, 16 * kWindow) == "global");
}

TEST_CASE("dynamic shared memory begins behind the static") {
  Case c(".extern .shared .align 8 .b8 dyn[]; .shared .b8 st[4];\n" +
         storing("mov.u32 %r1, dyn; mov.u32 %r2, st; sub.u32 %r0, %r1, %r2; st.shared.u32 [%r1+60], 1;\n"
                 "mov.u32 %r3, %dynamic_smem_size; add.u32 %r0, %r0, %r3; mov.u32 %r3, %total_smem_size;\n"
                 "sub.u32 %r0, %r3, %r0;"));
  const uint64_t out = c.buffer(std::vector<uint32_t>(1));
  c.run("k", {1}, {1}, {out}, 64);
  // 4 bytes, dynamic ones from 16 on; 80 in all are 128, without what is reserved (PTX ISA,
  // %total_smem_size).
  CHECK(c.get<uint32_t>(out, 1)[0] == 128 - (16 + 64));
  CHECK(
      c.error("k", {1}, {1}, {out}, 32).find("store of 4 bytes at 0x44c in shared memory is out of bounds") !=
      std::string::npos);
}

TEST_CASE("moves that pack and unpack") {
  CHECK(first("mov.b32 %r1, 0x12345678; mov.b32 {%rs0, %rs1}, %r1; mov.b32 %r0, {%rs1, %rs0};") ==
        0x56781234);
  CHECK(first("mov.b64 %rd0, {1, 7}; mov.b64 {_, %r0}, %rd0;") == 7);
  CHECK(first("mov.b64 %rd0, 5; mov.b64 %rd1, 6; mov.b128 %rq0, {%rd0, %rd1}; mov.b128 %rq1, %rq0;\n"
              "mov.b128 {%rd2, %rd3}, %rq1; mov.b64 {%r0, %r1}, %rd3;") == 6);
}

TEST_CASE("arithmetic in kernels") {
  // A carry from one instruction to another, d|p with a complement, a control word, signs.
  CHECK(first("mov.u32 %r1, -1; add.cc.u32 %r2, %r1, 5; addc.u32 %r0, %r1, 3;") == 3);
  CHECK(first("mov.u32 %r1, 7; setp.lt.s32 %p0|%p1, %r1, 5; selp.u32 %r0, 1, 2, %p1;") == 1);
  CHECK(first("setp.ne.u32 %p0, 1, 1; mov.u32 %r1, 3; setp.eq.and.u32 %p1, %r1, 3, !%p0;\n"
              "selp.u32 %r0, 1, 2, %p1;") == 1);
  CHECK(first("mov.f32 %f0, 0f3f800000; add.rp.f32 %f1, %f0, 0f00000001; mov.b32 %r0, %f1;") == 0x3f800001);
  CHECK(first("mov.u32 %r1, 0x1ff; cvt.s8.s32 %r0, %r1;") == 0xffffffff);
  CHECK(first("mov.u32 %r1, 6; lop3.or.b32 %r0|%p0, %r1, 3, 0, 0xc0, 0;") == 2);
}

TEST_CASE("arithmetic that is not there is reported, not guessed") {
  CHECK(Case(storing("fma.rn.oob.f16x2 %r0, %r1, %r2, %r3;")).error("k", {1}, {1}, {0}) ==
        "t.ptx: kernel k has 1 instructions that cannot be executed yet");
}

// What the atomic leaves in the word that was `before`, and what it returned, above it.
uint64_t atomic(const std::string& op, uint64_t before, const std::string& operands, bool shared = false) {
  Case c(
      ".shared .u64 word; .entry k(.param .u64 p, .param .u64 out) { .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg "
      ".b16 %h<4>;\n"
      "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [%rd0]; st.shared.u64 [word], "
      "%rd2;\n" +
      (shared ? "atom.shared." + op + " %r0, [word], " + operands +
                    "; ld.shared.u64 %rd2, [word]; st.global.u64 [%rd0], %rd2;"
              : "atom.global." + op + " %r0, [%rd0], " + operands + ";") +
      " st.global.u32 [%rd1], %r0; ret; }");
  const uint64_t p = c.buffer<uint64_t>({before}), out = c.buffer<uint32_t>({0});
  c.run("k", {1}, {1}, {p, out});
  return c.get<uint32_t>(p, 1)[0] | uint64_t{c.get<uint32_t>(out, 1)[0]} << 32;
}

constexpr uint64_t pair(uint32_t after, uint32_t old) { return after | uint64_t{old} << 32; }

TEST_CASE("atomics") {
  CHECK(atomic("add.u32", 7, "5") == pair(12, 7));
  CHECK(atomic("min.s32", 3, "-1") == pair(0xffffffff, 3));
  CHECK(atomic("min.u32", 3, "-1") == pair(3, 3));
  CHECK(atomic("max.s32", 3, "-1", true) == pair(3, 3));
  CHECK(atomic("inc.u32", 9, "9") == pair(0, 9));
  CHECK(atomic("inc.u32", 8, "9") == pair(9, 8));
  CHECK(atomic("dec.u32", 0, "9") == pair(9, 0));
  CHECK(atomic("dec.u32", 12, "9") == pair(9, 12));
  CHECK(atomic("and.b32", 12, "10") == pair(8, 12));
  CHECK(atomic("xor.b32", 12, "10") == pair(6, 12));
  CHECK(atomic("exch.b32", 12, "10") == pair(10, 12));
  CHECK(atomic("cas.b32", 12, "12, 99") == pair(99, 12));
  CHECK(atomic("cas.b32", 12, "13, 99") == pair(12, 12));
  CHECK(atomic("add.f32", 0x3f800000, "0f40000000") == pair(0x40400000, 0x3f800000));
  // Sums flush subnormal numbers in global memory, not in shared.
  CHECK(atomic("add.f32", 1, "0f00000001") == pair(0, 1));
  CHECK(atomic("add.f32", 1, "0f00000001", true) == pair(2, 1));
  // Sums of f64 keep a signalling NaN in global memory; its upper word.
  const auto nan_plus_one = [](const std::string& space, const std::string& place) {
    return first("{ .reg .b64 %n; mov.b64 %n, 0x7ff0000000000001; st." + space + ".b64 [" + place +
                 "], %n; red." + space + ".add.f64 [" + place + "], 0d3ff0000000000000; ld." + space +
                 ".b32 %r0, [" + place + "+4]; }");
  };
  CHECK(nan_plus_one("global", "g") == 0x7ff00000);
  CHECK(nan_plus_one("shared", "sh") == 0x7ff80000);
  CHECK(atomic("add.noftz.f16x2", 0x3c004000, "0x3c003800") == pair(0x40004100, 0x3c004000));  // 1+1, 2+0.5
  CHECK(atomic("add.noftz.bf16x2", 0x3f803f80, "0x3f800000") == pair(0x40003f80, 0x3f803f80));
  // To nearest, ties to even: 1.0078125 and 1 have 2^-8 added, half a unit of bf16; f16's is 2^-11.
  CHECK(atomic("add.noftz.bf16x2", 0x3f813f80, "0x3b803b80") == pair(0x3f823f80, 0x3f813f80));
  CHECK(atomic("add.noftz.bf16x2", 0x3f813f80, "0x3b813b81") == pair(0x3f823f81, 0x3f813f80));
  CHECK(atomic("add.noftz.bf16x2", 0x3f813f80, "0x3b7f3b7f") == pair(0x3f813f80, 0x3f813f80));
  CHECK(atomic("add.noftz.f16x2", 0x3c013c00, "0x10001000") == pair(0x3c023c00, 0x3c013c00));
}

TEST_CASE("all threads of a grid add to one word") {
  for (const int threads : {1, 3}) {
    Case c(
        ".entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd0, [p]; mov.u32 %r0, "
        "%tid.x;\n"
        "red.global.add.u32 [%rd0], %r0; red.global.add.u64 [%rd0+8], 1; ret; }");
    c.options.threads = threads;
    const uint64_t p = c.buffer<uint64_t>({0, 0});
    c.run("k", {50, 2}, {96}, {p});
    CHECK(c.get<uint64_t>(p, 2) == std::vector<uint64_t>{100 * (95 * 96 / 2), 9600});
  }
}

TEST_CASE("wide and vector atomics") {
  Case c(
      ".entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b128 %q<4>; ld.param.u64 %rd0, "
      "[p];\n"
      "atom.global.add.v2.f32 {%f0, %f1}, [%rd0], {0f3F800000, 0f40000000}; st.global.v2.f32 [%rd0+8], {%f1, "
      "%f0};\n"
      "mov.b64 %rd1, 3; mov.b64 %rd2, 4; mov.b128 %q0, {%rd1, %rd2}; atom.global.exch.b128 %q1, [%rd0+16], "
      "%q0;\n"
      "mov.b128 %q2, {%rd2, %rd1}; atom.global.cas.b128 %q3, [%rd0+16], %q0, %q2; ret; }");
  const uint64_t p = c.buffer<uint64_t>({0x4000000040400000, 0, 8, 9});
  c.run("k", {1}, {1}, {p});
  CHECK(c.get<uint32_t>(p, 4) == std::vector<uint32_t>{0x40800000, 0x40800000, 0x40000000, 0x40400000});
  CHECK(c.get<uint64_t>(p + 16, 2) == std::vector<uint64_t>{4, 3});
}

TEST_CASE("accesses that cannot be are errors with their place") {
  Case c(
      storing("ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r30, 4, %rd0;\n"
              "setp.eq.u32 %p1, %r30, 35; @%p1 ld.global.u32 %r0, [%rd0+4000];") +
      ".entry m(.param .u64 out) { .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u16 [%rd+1], 5; ret; }\n"
      ".const .u32 c; .entry w() { .reg .b64 %rd; mov.u64 %rd, c; cvta.const.u64 %rd, %rd; st.u32 [%rd], 5; "
      "ret; }\n"
      ".entry s() { .reg .b32 %r; ld.shared.u32 %r, [16]; ret; }\n.entry t() { trap; }");
  const uint64_t out = c.buffer(std::vector<uint32_t>(40));
  CHECK(c.error("k", {2}, {20}, {out}) ==
        "t.ptx:8: load of 4 bytes at 0x7f100000102c in global memory is out of bounds (nearest allocation: "
        "160 bytes at "
        "0x7f1000000000); kernel k, thread (15, 0, 0) of block (1, 0, 0)");
  CHECK(c.error("m", {1}, {1}, {out}).find("is misaligned (legal: multiples of 2)") != std::string::npos);
  CHECK(c.error("w", {1}, {1}, {}).find("in constant memory, which cannot be written") != std::string::npos);
  CHECK(c.error("s", {1}, {1}, {})
            .find("in shared memory is out of bounds (the block's: 0 bytes from 0x400 on)") !=
        std::string::npos);
  CHECK(c.error("t", {1}, {1}, {}).find("trap; kernel t, thread (0, 0, 0)") != std::string::npos);
}

}  // namespace heddle::exec::test
