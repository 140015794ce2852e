// Kernels of a few lines: the machine code that they are timed as, and what their warps issue.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {

TEST_CASE("lower: a product in a sum is IMAD.WIDE, a sum in an address its offset") {
  const auto c = code(std::string(kAddress) +
                      "add.s64 %rd4, %rd3, 64; ld.global.f32 %f1, [%rd4+4]; st.global.f32 [%rd3], %f1; ret;");
  CHECK(count(c, "IMAD.WIDE") == 1);
  CHECK(has(c, ".64+0x44]"));
  CHECK(!has(c, "IADD3"));
  // The stack pointer, the descriptor, the parameter, the thread, the address, load, store, end.
  CHECK(c.size() == 8);
}

TEST_CASE("lower: nobody reads it, so it is not there") {
  const auto c = code("mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 5; mul.lo.s32 %r3, %r2, %r2; ret;");
  CHECK(c == std::vector<std::string>{"LDC R1, c[0x0][0x28]", "EXIT"});
}

TEST_CASE("lower: short bodies become conditional, bounds checks conditional EXITs") {
  const auto c =
      code(std::string(kAddress) +
           "ld.param.u32 %r2, [n]; setp.ge.u32 %p1, %r1, %r2; @%p1 bra end; ld.global.u32 %r3, [%rd3];\n"
           "setp.eq.s32 %p2, %r3, 0; @%p2 bra skip; add.s32 %r4, %r3, 7; st.global.u32 [%rd3+4], %r4;\n"
           "skip: st.global.u32 [%rd3], %r1;\nend: ret;");
  CHECK(count(c, "BRA") == 0);
  CHECK(count(c, "@P0 EXIT") + count(c, "@P1 EXIT") == 1);
  CHECK(count(c, "@!P") == 2);  // the sum and its store
}

TEST_CASE("lower: words of shared memory that lie behind one another are one load") {
  const std::string loads =
      ".shared .align 4 .b8 s[1024]; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; "
      "mov.u32 %r3, s; add.s32 %r4, %r3, %r2;\n"
      "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4]; ld.shared.f32 %f3, [%r4+8]; ld.shared.f32 %f4, "
      "[%r4+12];\n"
      "add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6; st.global.f32 [%rd1], %f7; ret;";
  CHECK(count(code(loads), "LDS.128") == 1);
  CHECK(count(code(loads), "LDS") == 1);
  // At multiples of 8 bytes there are two.
  std::string narrow = loads;
  narrow.replace(narrow.find("%r1, 4;"), 7, "%r1, 3;");
  CHECK(count(code(narrow), "LDS.64") == 2);
}

TEST_CASE("lower: sums of all lanes for atomics on one word") {
  const auto c = code("ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; red.global.add.u32 [%rd1], %r1; ret;");
  CHECK(has(c, "REDUX.SUM"));
  CHECK(has(c, "@P0 REDG.E.ADD.STRONG.GPU"));
  CHECK(!has(code(std::string(kAddress) + "red.global.add.u32 [%rd3], %r1; ret;"), "REDUX"));
}

TEST_CASE("lower: results that take an unknown time are waited for by counters, others by stall counts") {
  const auto module = parse(
      "k.ptx", module_of(std::string(kAddress) +
                         "ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, 0f3F800000; mul.f32 %f3, %f2, %f2; "
                         "st.global.f32 [%rd3], %f3; ret;"));
  const auto kernel = lower::lower(*module, module->functions[0]);
  const isa::KernelImage& k = kernel->image;
  const isa::Control *load = nullptr, *add = nullptr, *mul = nullptr;
  for (size_t i = 0; i < k.code.size(); ++i) {
    (k.text[i].starts_with("LDG")    ? load
     : k.text[i].starts_with("FADD") ? add
     : k.text[i].starts_with("FMUL") ? mul
                                     : load) =
        k.text[i].starts_with("LDG") || k.text[i].starts_with("FADD") || k.text[i].starts_with("FMUL")
            ? &k.code[i].ctl
            : load;
  }
  REQUIRE((load && add && mul));
  CHECK(load->write_barrier < 6);
  CHECK(add->wait_mask == 1 << load->write_barrier);
  CHECK(int{add->stall} == 4);  // FADD to FMUL
  CHECK(int{mul->stall} == 5);  // FMUL to a store
}

TEST_CASE("lower: what cannot be timed is named with its line, of functions, too") {
  const auto module = parse("k.ptx",
                            ".version 8.6 .target sm_100a .address_size 64\n.func f() {\n.reg .b64 %rd<3>;\n"
                            "multimem.red.add.u32 [%rd1], 1;\nret; }\n.entry k() {\n.reg .b64 %rd<3>;\n"
                            "multimem.red.add.u32 [%rd1], 1;\ncall.uni f;\nret; }\n");
  try {
    lower::lower(*module, *module->function("k"));
    FAIL("lowered");
  } catch (const lower::NotLowered& e) {
    CHECK(std::string(e.what()) == "kernel k has 2 instructions that have no time yet");
    REQUIRE(e.lines().size() == 2);
    CHECK(e.lines()[0] == "k.ptx:4:1: 'multimem.red.add.u32': not lowered yet");
    CHECK(e.lines()[1] == "k.ptx:8:1: 'multimem.red.add.u32': not lowered yet");
  }
}

TEST_CASE("timed: lanes beyond the end leave at the EXIT, and who is left goes on") {
  const Issued i(std::string(kAddress) +
                     "ld.param.u32 %r2, [n]; setp.ge.u32 %p1, %r1, %r2; @%p1 bra end; st.global.u32 [%rd3], "
                     "%r1;\nend: ret;",
                 {2, 1, 1}, {64, 1, 1}, 40);
  REQUIRE(i.blocks.size() == 2);
  REQUIRE(i.blocks[1].warps.size() == 2);
  const auto whole = i.warp(0, 0), part = i.warp(1, 1);
  CHECK(whole[whole.size() - 3] == "EXIT 0");
  CHECK(whole[whole.size() - 2] == "STG.E ffffffff");
  CHECK(whole.back() == "EXIT ffffffff");
  CHECK(part[part.size() - 3] == "EXIT ffffff00");
  CHECK(part[part.size() - 2] == "STG.E ff");
  CHECK(part.back() == "EXIT ff");
  // Lane k of the second warp stores at the buffer + 4 * (32 + k).
  const isa::MemRef& r = i.blocks[1].warps[1].refs[0];
  CHECK(r.kind == isa::MemRef::Kind::kStride);
  CHECK(r.stride == 4);
  CHECK(r.base == i.blocks[1].warps[0].refs[0].base + 128);
}

TEST_CASE("timed: four turns of a loop at a time, what is left one at a time") {
  const std::string loop =
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0; mov.u32 %r5, 0;\n"
      "top: ld.global.u32 %r3, [%rd1]; add.s32 %r5, %r5, %r3; add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; "
      "setp.lt.u32 %p1, %r1, %r2; @%p1 bra top;\n"
      "st.global.u32 [%rd1], %r5; ret;";
  const Issued i(loop, {1, 1, 1}, {32, 1, 1}, 11);
  const isa::WarpTrace& w = i.blocks[0].warps[0];
  CHECK(w.refs.size() == 12);  // 11 loads, a store
  size_t loads = 0, branches = 0;
  for (const std::string& s : i.warp(0, 0)) {
    loads += s.starts_with("LDG") ? 1 : 0;
    branches += s.starts_with("BRA") ? 1 : 0;
  }
  CHECK(loads == 11);
  CHECK(branches == 5);  // two of four turns, three of one
  // Addresses in the order of the turns.
  for (size_t k = 1; k < 8; ++k) {
    CHECK(w.refs[k].base == w.refs[0].base + 4 * k);
  }
}

// They go around the loop of four turns, which waits for the load before it; so the other loop does, too.
TEST_CASE("timed: lanes with few turns before them wait for what the loop of four turns waits for") {
  const std::string body = module_of(
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0; mov.f32 %f2, 0f00000000;\n"
      "ld.global.f32 %f1, [%rd1];\n"
      "top: add.f32 %f2, %f2, %f1; add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra top;\n"
      "st.global.f32 [%rd1+4], %f2; ret;");
  const auto module = parse("k.ptx", body);
  const auto kernel = lower::lower(*module, module->functions[0]);
  uint8_t counter = 7;
  size_t adds = 0;
  for (size_t i = 0; i < kernel->image.code.size(); ++i) {
    const std::string& text = kernel->image.text[i];
    const isa::Control& c = kernel->image.code[i].ctl;
    counter = text.starts_with("LDG") ? c.write_barrier : counter;
    if (text.starts_with("FADD") && adds++ % 4 == 0) {  // the first of four turns, and that of one
      REQUIRE(counter < 6);
      CHECK((c.wait_mask >> counter & 1) == 1);
    }
  }
  CHECK(adds == 5);
}

TEST_CASE("timed: lanes that part are told apart, and the values are the executor's") {
  const Issued i(std::string(kAddress) +
                     "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even;\n"
                     "div.u32 %r4, %r1, %r2; st.global.u32 [%rd3], %r4; bra end;\n"
                     "even: st.global.u32 [%rd3], %r1;\nend: bar.sync 0; ret;",
                 {1, 1, 1}, {32, 1, 1}, 0);
  bool odd = false, even = false;
  for (const std::string& s : i.warp(0, 0)) {
    odd = odd || s == "STG.E aaaaaaaa";
    even = even || s == "STG.E 55555555";
  }
  CHECK(odd);
  CHECK(even);
  CHECK(i.warp(0, 0).back() == "EXIT ffffffff");
}

// Registers whose only writer reads what follows from it alone: legal, of a value that is not defined.
TEST_CASE("lower: values that have no beginning come to an end") {
  const char* const bodies[] = {
      "cvta.to.global.u64 %rd4, %rd4;",
      "mov.u64 %rd4, %rd4;",
      "mov.u64 %rd5, %rd4; mov.u64 %rd4, %rd5;",
      "cvta.to.global.u64 %rd5, %rd4; mov.u64 %rd6, %rd5; mov.u64 %rd4, %rd6;",
      "add.s64 %rd4, %rd4, 8;",
      "add.s64 %rd5, %rd4, 8; add.s64 %rd4, %rd5, 8;",
      "sub.s64 %rd4, %rd4, 8; ",
      "mad.lo.s64 %rd4, %rd4, 8, %rd4;",
      "mul.lo.s64 %rd4, %rd4, 8;",
      "shl.b64 %rd4, %rd4, 3;",
      "ld.global.u64 %rd4, [%rd4];",
      "ld.global.v2.u64 {%rd4, %rd5}, [%rd5+16];",
      "cvt.u64.u32 %rd4, %r5; cvt.u32.u64 %r5, %rd4;",
      "mul.wide.u32 %rd4, %r5, 4; cvt.u32.u64 %r5, %rd4;",
      "and.b64 %rd4, %rd4, 255; ",
      "and.b32 %r5, %r6, 255; or.b32 %r6, %r5, 1; cvt.u64.u32 %rd4, %r6;",
      "neg.f32 %f2, %f3; abs.f32 %f3, %f2; cvt.rzi.u64.f32 %rd4, %f3;",
      "not.pred %p1, %p2; not.pred %p2, %p1; selp.u64 %rd4, 1, 2, %p1;",
      "setp.eq.and.s32 %p1, %r1, 3, %p2; and.pred %p2, %p1, %p2; selp.u64 %rd4, 1, 2, %p2;",
      "selp.u64 %rd4, %rd4, 2, %p1; setp.eq.u64 %p1, %rd4, 7;",
      "div.u64 %rd4, %rd4, %rd5; add.s64 %rd5, %rd5, 1;",
      "@%p1 mov.u64 %rd4, %rd4;",
  };
  for (const char* const body : bodies) {
    CAPTURE(body);
    const auto c =
        code("mov.u32 %r1, %tid.x;\n" + std::string(body) +
             "ld.global.u32 %r2, [%rd4+4]; add.s64 %rd7, %rd4, 32; st.global.u32 [%rd7], %r2; ret;");
    CHECK(count(c, "LDG") >= 1);
    CHECK(count(c, "STG") == 1);
  }
}

}  // namespace heddle::ptx
