// Side files, cuobjdump and nvdisasm output, well-formed and not.
#include "frontends/sass/side_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "sim/base/error.h"
#include "tests/sass/show.h"

namespace heddle::sass {
namespace {

std::string message(std::string_view text) {
  try {
    read_side_text(text, "F");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

constexpr const char* kNop = "0000 0000000000007918 000fc00000000000 NOP;\n";

}  // namespace

TEST_CASE("side file: a whole kernel", "[sass]") {
  const std::vector<Function> f = read_side_file("tests/sass/data/vecadd.sass");
  REQUIRE(f.size() == 1);
  CHECK(f[0].name == "_Z8k_vecaddPKfS0_Pfi");
  CHECK(f[0].base == 0);
  CHECK(f[0].has_control);
  CHECK(f[0].unknown_opcodes.empty());
  REQUIRE(f[0].code.size() == f[0].text.size());
  CHECK(f[0].text[0] == "LDC R1, c[0x0][0x28]");
  CHECK(f[0].opcodes[f[0].code[0].opcode] == "LDC");
  for (size_t i = 0; i < f[0].code.size(); ++i) {
    CHECK(f[0].code[i].pc == 16 * i);
    CHECK((f[0].code[i].flags & isa::kFlagHasControl) != 0);
  }
}

TEST_CASE("side file: every opcode of the sample kernels is known", "[sass]") {
  for (const char* name : {"vecadd", "atomic_same", "gemm_mma", "bulk_copy"}) {
    INFO(name);
    const std::vector<Function> f = read_side_file(std::string("tests/sass/data/") + name + ".sass");
    REQUIRE(f.size() == 1);
    CHECK(f[0].unknown_opcodes.empty());
    for (const isa::Instr& in : f[0].code) {
      CHECK(in.op != isa::OpClass::kUnknown);
    }
  }
}

TEST_CASE("side file: several functions, comments, bases", "[sass]") {
  const std::vector<Function> f =
      read_side_text(std::string("# made by hand\n\n# function a base 16\n") + kNop +
                         "# function b base 0x1f0\r\n" + kNop + "# function c\n" + kNop,
                     "F");
  REQUIRE(f.size() == 3);
  CHECK(f[0].name == "a");
  CHECK(f[0].base == 16);
  CHECK(f[1].base == 0x1f0);
  CHECK(f[2].base == 0);
  CHECK(f[1].text == std::vector<std::string>{"NOP"});
}

TEST_CASE("side file: cuobjdump output", "[sass]") {
  const std::vector<Function> f = read_side_file("tests/sass/data/loop.cuobjdump");
  REQUIRE(f.size() == 2);
  CHECK(f[0].name == "_Z6k_loopPf");
  CHECK(f[0].compute_capability == 90);
  CHECK(f[0].has_control);
  REQUIRE(f[0].code.size() == 5);
  CHECK(int{f[0].code[2].ctl.stall} == 13);
  CHECK(f[0].code[2].ctl.yield);
  CHECK(int{f[0].code[2].ctl.wait_mask} == 1);
  CHECK(f[0].code[3].target == 0x20);
  CHECK(f[0].text[3] == "@!P0 BRA 0x20");
  CHECK(f[1].name == "_Z7k_emptyv");
  CHECK(f[1].code.size() == 2);
}

TEST_CASE("side file: nvdisasm output with labels", "[sass]") {
  const std::vector<Function> f = read_side_file("tests/sass/data/loop.nvdisasm");
  REQUIRE(f.size() == 1);
  CHECK(f[0].name == "_Z6k_loopPf");
  CHECK(f[0].compute_capability == 90);
  REQUIRE(f[0].code.size() == 6);
  CHECK(f[0].has_control);
  CHECK(f[0].code[3].target == 0x20);
  CHECK(f[0].code[5].target == 0x50);
  CHECK(int{f[0].code[5].ctl.stall} == 0);
}

TEST_CASE("side file: nvdisasm output without encodings", "[sass]") {
  const std::vector<Function> f =
      read_side_text(".text.f:\n /*0000*/ LDG.E R0, desc[UR4][R2.64] ;\n /*0010*/ EXIT ;\n", "F");
  REQUIRE(f.size() == 1);
  CHECK_FALSE(f[0].has_control);
  CHECK(show_operands(f[0].code[0]) == "R0 <- UR4*2 R2*2");
}

TEST_CASE("side file: both halves of an encoding in one comment or on one line", "[sass]") {
  const std::vector<Function> f = read_side_text(
      ".text.f:\n /*0000*/ EXIT ; /* 0x000fea0003800000000000000000794d */\n"
      " /*0010*/ EXIT ; /* 0x000000000000794d */ /* 0x000fea0003800000 */\n",
      "F");
  REQUIRE(f.size() == 1);
  REQUIRE(f[0].code.size() == 2);
  for (const isa::Instr& in : f[0].code) {
    CHECK(int{in.ctl.stall} == 5);
    CHECK_FALSE(in.ctl.yield);
  }
}

TEST_CASE("side file: line information of nvdisasm -g and -gi", "[sass]") {
  const std::vector<Function> f = read_side_text(
      ".text.f:\n"
      " /*0000*/ NOP ;\n"
      "\t//## File \"/home/me/a.h\", line 3 inlined at \"/home/me/a b.cu\", line 7\n"
      "\t//## File \"/home/me/a b.cu\", line 7\n"
      "\t//## File \".nv_debug_ptx_txt\", line 19\n"
      " /*0010*/ NOP ;\n /*0020*/ NOP ;\n"
      "\t//## File \"/home/me/a b.cu\", line 8\n"
      " /*0030*/ EXIT ;\n"
      ".text.g:\n /*0000*/ EXIT ;\n",
      "F");
  REQUIRE(f.size() == 2);
  const isa::SourceMap& s = f[0].source;
  CHECK(s.files == std::vector<std::string>{"", "/home/me/a.h", "/home/me/a b.cu"});
  CHECK(s.lines == std::vector<isa::SourceLine>{{0, 0}, {1, 3}, {1, 3}, {2, 8}});
  CHECK(f[1].source.lines.empty());
  CHECK_THROWS_WITH(read_side_text(".text.f:\n//## File \"a.cu\", line x\n", "F"),
                    "F:2: bad line information (legal: //## File \"PATH\", line N)");
}

TEST_CASE("side file: unknown opcodes are counted by function", "[sass]") {
  const std::vector<Function> f = read_side_text(
      "# function a base 0\n0000 0000000000000000 0000000000000000 UNEWOP.X UR4, UR5 ;\n"
      "0010 0000000000000000 0000000000000000 UNEWOP.X UR4, UR6 ;\n# function b base 0\n" +
          std::string(kNop),
      "F");
  REQUIRE(f.size() == 2);
  CHECK(f[0].unknown_opcodes == std::map<std::string, uint64_t>{{"UNEWOP.X", 2}});
  CHECK(f[1].unknown_opcodes.empty());
}

TEST_CASE("side file: malformed input names its line and what is legal", "[sass]") {
  const struct {
    std::string text;
    const char* expected;  // a part of the message
  } cases[] = {
      {"", "F: no function (legal"},
      {"hello\nworld\n", "F:2: no function (legal"},
      {"# a comment only\n", "F:1: no function (legal"},
      {kNop, "F:1: instruction outside a function (legal"},
      {"# function\n", "F:1: function without a name (legal"},
      {"# function f base x\n", "F:1: bad function line (legal"},
      {"# function f base -1\n", "F:1: bad function line (legal"},
      {"# function f size 0\n", "F:1: bad function line (legal"},
      {"# function f base 0\n", "F:1: function f has no instructions"},
      {"# function f base 0\nzzzz 0000000000007918 000fc00000000000 NOP;\n", "F:2: bad offset 'zzzz' (legal"},
      {"# function f base 0\n0000 7918 000fc00000000000 NOP;\n", "F:2: bad encoding (legal"},
      {"# function f base 0\n0000 0000000000007918 000fc0000000000g NOP;\n", "F:2: bad encoding (legal"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000\n", "F:2: not an instruction"},
      {"# function f base 0\n0008 0000000000007918 000fc00000000000 NOP;\n",
       "F:2: offset is not a multiple of 16"},
      {std::string("# function f base 0\n") + kNop + kNop, "F:3: offsets must rise (legal"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 FADD R1, R300, R2;\n",
       "F:2: no such register 'R300' (legal: R0 to R254)"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 @R1 NOP;\n",
       "F:2: bad guard '@R1' (legal"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 LDS R1, [R2 ;\n",
       "F:2: unbalanced brackets"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 FADD R1,, R2 ;\n", "F:2: empty operand"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 FADD R1, R2, ;\n", "F:2: empty operand"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 DEPBAR {7} ;\n",
       "F:2: no such dependence counter '7' (legal: 0 to 5)"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 FADD R1, %R2 ;\n",
       "F:2: bad operand '%R2'"},
      {"# function f base 0\n0000 0000000000007918 000fc00000000000 MOV R1, c[0x0] ;\n",
       "F:2: constant without an offset"},
      {"\t.text.f:\n/*0000*/ EXIT\n", "F:2: instruction without ';' (legal"},
      {"\tFunction : f\n/*0000*/ EXIT ; /* 0x000000000000794d */\n", "F:2: half an encoding (legal"},
      {"\tFunction : f\n/*0000*/ EXIT ; /* 0x794d */\n", "F:2: bad encoding (legal"},
      {"\tFunction : f\n/* 0x000000000000794d */\n/* 0x000000000000794d */\n",
       "F:3: encoding without an instruction"},
      {"\tFunction : f\n/*0000*/ EXIT ; trailing\n", "F:2: unexpected text after the instruction"},
      {"\tFunction : f\n/*0000 EXIT ;\n", "F:2: unterminated comment"},
      {"\tFunction : f\n/*0000*/ EXIT ; /* 0x000000000000794d */\n/*0008*/ EXIT ;\n",
       "F:2: half an encoding"},
      {"/*0000*/ EXIT ;\n", "F:1: instruction outside a function"},
      {"\tFunction : \n", "F:1: function without a name"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const std::string m = message(c.text);
    CHECK(m.substr(0, std::string_view(c.expected).size()) == c.expected);
    CHECK(m.find('\n') == std::string::npos);
  }
}

TEST_CASE("side file: a missing file is named", "[sass]") {
  CHECK_THROWS_WITH(read_side_file("tests/sass/data/none.sass"),
                    Catch::Contains("tests/sass/data/none.sass"));
}

}  // namespace heddle::sass
