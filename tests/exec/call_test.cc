// Calls, recursion, function pointers, functions of the system.
#include <catch2/catch.hpp>

#include "sim/exec/printf.h"
#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

// f(n) = 1 for n < 2, else f(n - 1) + f(n - 2); by .param, as compilers write it.
constexpr const char* kFibonacci =
    ".func (.param .b32 r) f(.param .b32 n) {\n"
    ".reg .b32 %r<8>; .reg .pred %p;\n"
    "ld.param.u32 %r0, [n]; mov.u32 %r4, 1; setp.lt.u32 %p, %r0, 2; @%p bra done;\n"
    "sub.u32 %r1, %r0, 1; sub.u32 %r2, %r0, 2;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); ld.param.b32 %r3, [b]; }\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
    "add.u32 %r4, %r3, %r4;\n"
    "done: st.param.b32 [r], %r4; ret; }\n";

TEST_CASE("recursion, to another depth in each lane") {
  const auto out = stored(
      "{ .param .b32 a; .param .b32 b; and.b32 %r1, %r31, 15; st.param.b32 [a], %r1; call (b), f, (a);\n"
      "ld.param.b32 %r0, [b]; } activemask.b32 %r2; setp.ne.u32 %p1, %r2, -1; @%p1 mov.u32 %r0, 0;",
      {1}, {32}, kFibonacci);
  const std::vector<uint32_t> expected = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987};
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(out[i] == expected[i % 16]);  // and all lanes are together again
  }
}

TEST_CASE("predicates of a frame see nothing of what other lanes keep in the same place") {
  // Lanes 0 to 15 leave ones in all registers of a frame, the others have predicates there, none of which
  // holds.
  const auto out = stored(
      "setp.ge.u32 %p1, %r31, 16; @%p1 bra upper; call (%r0), full, (%r31); bra.uni end;\n"
      "upper: call (%r0), picks, (%r31);",
      {1}, {32},
      ".func (.reg .b32 d) full(.reg .b32 a) { .reg .b64 %x<8>; mov.u64 %x0, -1; mov.u64 %x1, -1; mov.u64 "
      "%x2, -1;\n"
      "mov.u64 %x3, -1; mov.u64 %x4, -1; mov.u64 %x5, -1; mov.u64 %x6, -1; mov.u64 %x7, -1; mov.u32 d, 5; "
      "ret; }\n"
      ".func (.reg .b32 d) picks(.reg .b32 a) { .reg .pred %q<8>; mov.u32 d, 6; setp.eq.u32 %q0, a, 99;\n"
      "setp.eq.u32 %q1, a, 99; setp.eq.u32 %q2, a, 99; setp.eq.u32 %q3, a, 99; setp.eq.u32 %q4, a, 99;\n"
      "setp.eq.u32 %q5, a, 99; @%q0 add.u32 d, d, 10; @%q1 add.u32 d, d, 10; @%q2 add.u32 d, d, 10;\n"
      "@%q3 add.u32 d, d, 10; @%q4 add.u32 d, d, 10; @%q5 add.u32 d, d, 10; ret; }\n");
  for (uint32_t t = 0; t < 32; ++t) {
    CHECK(out[t] == (t < 16 ? 5 : 6));
  }
}

TEST_CASE("arguments in registers, two results by reference, a struct") {
  const auto out = stored(
      "{ .param .align 8 .b8 s[16]; .param .b32 x; st.param.b64 [s], 5; st.param.b32 [s+8], %r31;\n"
      "call (x), sum, (s); ld.param.b32 %r1, [x]; }\n"
      "call (%r0), twice, (%r1);",
      {1}, {32},
      ".func (.reg .b32 d) twice(.reg .b32 a) { add.u32 d, a, a; ret; }\n"
      ".func (.param .b32 d) sum(.param .align 8 .b8 s[16]) { .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
      "mov.u64 %rd0, s; ld.param.u32 %r0, [%rd0]; ld.param.u32 %r1, [s+8]; add.u32 %r0, %r0, %r1;\n"
      "st.param.b32 [d], %r0; ret; }\n");
  CHECK(out[0] == 10);
  CHECK(out[7] == 24);
}

TEST_CASE("all bits of arguments and results of every width, in registers and in memory") {
  // id() has its argument in a register; at() takes its address, so that it lies in memory, and so does the
  // result of put().
  const struct {
    const char* bits;
    const char* reg;
    uint64_t value, expected;
  } widths[] = {{"16", "%rs1", 0x8765, 0x8765},
                {"32", "%r1", 0x87654321, 0x87654321},
                {"64", "%rd1", 0x8765432112345678, 0x8765432112345678}};
  for (const auto& w : widths) {
    CAPTURE(w.bits);
    const std::string b = std::string(".b") + w.bits, u = std::string(".u") + w.bits;
    const std::string functions =
        ".func (.reg " + b + " d) id(.reg " + b + " a) { mov" + b + " d, a; ret; }\n" +  //
        ".func (.param " + b + " d) at(.param " + b + " a) { .reg .b64 %x; .reg " + b + " %y;\n" +
        "mov.u64 %x, a; ld.param" + b + " %y, [%x]; st.param" + b + " [d], %y; ret; }\n" + ".func (.param " +
        b + " d) put(.param " + b + " a) { .reg .b64 %x; .reg " + b + " %y;\n" + "ld.param" + b +
        " %y, [a]; mov.u64 %x, d; st.param" + b + " [%x], %y; ret; }\n";
    const auto by_param = [&](const std::string& name) {
      return "{ .param " + b + " a; .param " + b + " d; st.param" + b + " [a], " + w.reg + "; call (d), " +
             name + ", (a); ld.param" + b + " " + w.reg + ", [d]; }\n";
    };
    const auto by_register = [&](const std::string& name) {
      return std::string("call (") + w.reg + "), " + name + ", (" + w.reg + ");\n";
    };
    for (const std::string& call :
         {by_register("id"), by_param("at"), by_param("put"), by_register("at"), by_register("put"),
          by_param("at") + by_register("id") + by_param("put")}) {
      CAPTURE(call);
      const auto out =
          stored("cvt.u64.u32 %rd3, %r31; mov.b64 %rd1, " + std::to_string(w.value) +
                     "; add.u64 %rd1, %rd1, %rd3; cvt.u32.u64 %r1, %rd1; cvt.u16.u64 %rs1, %rd1;\n" + call +
                     "cvt.u64" + u + " %rd2, " + w.reg +
                     "; shr.u64 %rd4, %rd2, 32; xor.b64 %rd2, %rd2, %rd4; "
                     "cvt.u32.u64 %r0, %rd2;",
                 {1}, {32}, functions);
      for (uint32_t t = 0; t < 32; ++t) {
        const uint64_t x = w.expected + t;
        CHECK(out[t] == static_cast<uint32_t>(x ^ x >> 32));
      }
    }
  }
}

TEST_CASE("a constant for an argument that lies in memory") {
  const auto out = stored(
      "call (%rd1), at, (0x8765432112345678); shr.u64 %rd2, %rd1, 32; xor.b64 %rd1, %rd1, %rd2; "
      "cvt.u32.u64 %r0, %rd1;",
      {1}, {32},
      ".func (.param .b64 d) at(.param .b64 a) { .reg .b64 %y; ld.param.b64 %y, [a]; st.param.b64 [d], %y; "
      "ret; }\n");
  CHECK(out == std::vector<uint32_t>(32, 0x87654321 ^ 0x12345678));
}

TEST_CASE("pointers to functions, another in each lane") {
  const auto out = stored(
      "p: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
      "mov.u64 %rd0, one; and.b32 %r1, %r31, 1; setp.eq.u32 %p1, %r1, 1; @%p1 ld.global.u64 %rd0, [table];\n"
      "call (%r0), %rd0, (%r31), p;",
      {1}, {32},
      ".func (.reg .b32 d) one(.reg .b32 a) { add.u32 d, a, 100; ret; }\n"
      ".func (.reg .b32 d) two(.reg .b32 a) { add.u32 d, a, 200; ret; }\n"
      ".global .u64 table[1] = {two};\n");
  CHECK(out[0] == 100);
  CHECK(out[1] == 201);
  CHECK(out[30] == 130);
  Case c(storing("p: .callprototype _ (); mov.u64 %rd0, 5; call %rd0, p;"));
  CHECK(c.error("k", {1}, {1}, {0}).find("call of 0x5, which is no function") != std::string::npos);
}

TEST_CASE("lanes that return early, and a call that some lanes pass by") {
  const auto out = stored(
      "mov.u32 %r0, 1; setp.gt.u32 %p1, %r31, 3; @%p1 call (%r0), g, (%r31); activemask.b32 %r1;\n"
      "setp.ne.u32 %p2, %r1, -1; @%p2 mov.u32 %r0, 99;",
      {1}, {32},
      ".func (.reg .b32 d) g(.reg .b32 a) { .reg .pred %p; mov.u32 d, 50; setp.lt.u32 %p, a, 10; @%p ret;\n"
      "add.u32 d, d, a; ret; }\n");
  CHECK(out[0] == 1);
  CHECK(out[4] == 50);
  CHECK(out[10] == 60);
}

TEST_CASE("endless recursion ends") {
  Case c(
      ".func f() { .local .align 8 .b8 x[64]; st.local.u32 [x], 1; call f, (); ret; }\n.entry k() { call f, "
      "(); ret; }");
  CHECK(c.error("k", {1}, {32}, {}).find("t.ptx:2: stack overflow in the call of f") != std::string::npos);
}

TEST_CASE("malloc, free, printf, assertions") {
  constexpr const char* kSystem =
      ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
      "s);\n"
      // "%5.2f|%s|%x|%lld%%" and "ab"
      ".global .align 1 .b8 fmt[19] = {37, 53, 46, 50, 102, 124, 37, 115, 124, 37, 120, 124, 37, 108, 108, "
      "100, 37, 37, "
      "0};\n.global .align 1 .b8 ab[3] = {97, 98, 0};\n";
  SECTION("memory") {
    const auto out = stored(
        "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 100; call (r), malloc, (n); ld.param.b64 %rd0, "
        "[r]; }\n"
        "st.u32 [%rd0+96], %r31; ld.u32 %r0, [%rd0+96]; setp.eq.u64 %p1, %rd0, 0; @%p1 mov.u32 %r0, 1000;\n"
        "{ .param .b64 p; st.param.b64 [p], %rd0; call free, (p); }",
        {100}, {32}, kSystem, 2);
    CHECK(out[31] == 31);
    CHECK(out[3199] == 31);
  }
  SECTION("printf") {
    Case c(std::string(kSystem) +
           ".entry k() { .local .align 8 .b8 a[32]; .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
           "mov.u64 %rd0, fmt; cvta.global.u64 %rd0, %rd0; mov.u64 %rd1, ab; cvta.global.u64 %rd1, %rd1;\n"
           "st.local.f64 [a], 0d4009000000000000; st.local.u64 [a+8], %rd1; st.local.u32 [a+16], 255; "
           "st.local.s64 "
           "[a+24], -7;\n"
           "mov.u64 %rd2, a; cvta.local.u64 %rd2, %rd2;\n"
           "{ .param .b64 f; .param .b64 g; .param .b32 r; st.param.b64 [f], %rd0; st.param.b64 [g], %rd2;\n"
           "call (r), vprintf, (f, g); } ret; }");
    CHECK(c.run("k", {1}, {1}, {}).output == " 3.12|ab|ff|-7%");  // 3.125, to even
  }
  SECTION("assertion") {
    Case c(std::string(kSystem) +
           ".entry k() { .reg .b64 %rd<4>; mov.u64 %rd0, ab; cvta.global.u64 %rd0, %rd0;\n"
           "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; st.param.b64 [m], "
           "%rd0;\n"
           "st.param.b64 [f], %rd0; st.param.b32 [l], 12; st.param.b64 [n], %rd0; st.param.b64 [s], 1;\n"
           "call __assertfail, (m, f, l, n, s); } ret; }");
    CHECK(c.error("k", {1}, {1}, {}).find("assertion failed: ab (ab:12); kernel k") != std::string::npos);
  }
}

TEST_CASE("what a launch prints ends where its buffer does, whoever printed") {
  // A string of 4000 bytes, 150 times: of two blocks 1,200,000 bytes, of which 2^20 are kept.
  Case c(
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 fmt[3] = {37, 115, 0}; .global .align 4 .b8 text[4004];\n"
      ".entry k(.param .u32 times) { .local .align 8 .b8 a[8]; .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred "
      "%p;\n"
      "mov.u32 %r0, %ctaid.x; mul.lo.u32 %r0, %r0, 0x01010101; add.u32 %r0, %r0, 0x61616161; mov.u32 %r1, "
      "0;\n"
      "mov.u64 %rd0, text;\n"
      "fill: st.global.u32 [%rd0], %r0; add.u64 %rd0, %rd0, 4; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, "
      "1000; "
      "@%p bra fill;\n"
      "ld.param.u32 %r1, [times]; mov.u64 %rd0, fmt; cvta.global.u64 %rd0, %rd0; mov.u64 %rd1, text;\n"
      "cvta.global.u64 %rd1, %rd1; st.local.u64 [a], %rd1; mov.u64 %rd2, a; cvta.local.u64 %rd2, %rd2;\n"
      "more: { .param .b64 f; .param .b64 g; .param .b32 r; st.param.b64 [f], %rd0; st.param.b64 [g], %rd2;\n"
      "call (r), vprintf, (f, g); }\n"
      "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra more; ret; }");
  c.options.resident = 1;  // the second block begins when the first has ended: they share the text
  const std::string two = c.run("k", {2}, {1}, {150}).output;
  CHECK(two == std::string(600000, 'a') + std::string((1 << 20) - 600000, 'b'));
  const std::string one = c.run("k", {1}, {1}, {300}).output;
  CHECK(one == std::string(1 << 20, 'a'));
}

TEST_CASE("printf takes a width from an argument, no precision: as an H200 shows it") {
  const std::vector<uint64_t> given = {8, 42};
  size_t next = 0;
  const auto take = [&](uint32_t) { return given.at(next++); };
  const auto text = [](uint64_t) { return std::string(); };
  CHECK(formatted("%*d|", take, text) == "      42|");
  CHECK(formatted("[%.*f]", take, text) == "[%.*f]");
}

}  // namespace heddle::exec::test
