// Every kind of broken trace: one line that names the file, the place and what would be legal.
#include <catch2/catch.hpp>

#include "tests/accelsim/compress.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

const std::string kSide = side({"MOV R1, c[0x0][0x28]", "LDG.E R2, [R4.64]", "STG.E [R6.64], R2", "EXIT"});
const std::string kExit = "0030 ffffffff 0 EXIT 0 0";
const std::string kMov = "0000 ffffffff 1 R1 MOV 0 0";

// The one block of this trace is in lines 13 to 24: #BEGIN_TB 14, thread block 16, warp 18, insts 19,
// #END_TB 24.
std::string good() { return trace({kMov, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x80 4", kExit}); }

std::string two_warps(const std::string& warps) {
  HeaderOptions h;
  h.block = "(64,1,1)";
  return header(h) + block("0,0,0", warps);
}

std::string two_blocks(const std::string& first, const std::string& second) {
  HeaderOptions h;
  h.grid = "(2,1,1)";
  return header(h) + block(first, warp(0, {kExit})) + block(second, warp(0, {kExit}));
}

std::string load(const std::string& rest) { return trace({kMov, "0010 " + rest}); }

// With and without a side file (whose reading of the trace is another code path) unless `side_only`.
void expect(const std::string& text, uint64_t line, const std::string& what, bool side_only = false) {
  CAPTURE(text);
  for (const bool with_side : {true, false}) {
    if (!with_side && side_only) {
      continue;
    }
    const std::string message =
        error_of([&] { read(text, with_side ? std::optional<std::string>(kSide) : std::nullopt); });
    CHECK_THAT(message, Catch::StartsWith("t:" + std::to_string(line) + ": "));
    CHECK_THAT(message, Catch::Contains(what));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("the text these cases start from is good", "[malformed]") {
  CHECK(read(good(), kSide).blocks.size() == 1);
}

TEST_CASE("headers", "[malformed]") {
  const std::string g = good();
  expect("", 1, "file ends inside the header");
  expect("-kernel name = k\n", 2, "file ends inside the header");
  for (const char* v : {"1", "2", "6", "three", "-3", ""}) {
    expect(with(g, "version = 3", std::string("version = ") + v), 11, "(legal: 3, 4, 5)");
  }
  for (const char* key : {"kernel name", "grid dim", "block dim", "shmem", "nregs", "binary version",
                          "accelsim tracer version"}) {
    std::string text = g;
    const size_t at = text.find("-" + std::string(key) + " = ");
    text.erase(at, text.find('\n', at) + 1 - at);
    expect(text, 11, "no '-" + std::string(key) + " = ...' line");
  }
  for (const char* v : {"(0,1,1)", "(1,1)", "(1,1,1,1)", "1,1,1", "(a,1,1)", "(-1,1,1)", "(1,65536,1)",
                        "(2147483648,1,1)", "(99999999999999999999,1,1)", "()", "("}) {
    expect(with(g, "grid dim = (1,1,1)", std::string("grid dim = ") + v), 3,
           "x 1..2147483647, y 1..65535, z 1..65535");
  }
  expect(with(g, "(32,1,1)", "(1025,1,1)"), 4, "x 1..1024");
  expect(with(g, "(32,1,1)", "(1024,2,1)"), 4, "at most 1024 threads");
  expect(with(g, "-shmem = 16384", "-shmem = -4"), 5, "legal: 0..");
  expect(with(g, "-shmem = 16384", "-shmem = 12x"), 5, "'12x'");
  expect(with(g, "-nregs = 32", "-nregs = 257"), 6, "legal: 1..256");
  expect(with(g, "-nregs = 32", "-nregs = 0"), 6, "legal: 1..256");
  expect(with(g, "-nregs = 32\n", "-nregs = 32\n-local bytes per thread = 524289\n"), 7, "legal: 0..524288");
  expect(with(g, "-binary version = 90", "-binary version = sm_90"), 7, "legal: 20..999");
  expect(with(g, "0x7f0400000000", "0xshared"), 9, "a hexadecimal address");
  expect(with(g, "-kernel id = 7", "kernel id = 7"), 2, "not a header line");
  expect(with(g, "-kernel id = 7", "-kernel id 7"), 2, "not a header line");
  expect(with(g, "-kernel id = 7", "-grid dim = (1,1,1)"), 3, "given a second time, first in line 2");
  HeaderOptions h;
  h.more = "-cluster dim = (2,1,1)\n";
  expect(trace({kExit}, h), 12, "the grid a multiple of it");
  h.more = "-enable lineinfo = 2\n";
  expect(trace({kExit}, h), 12, "legal: 0..1");
  h.more = "-shmem static = 0\n-shmem dynamic = 16385\n";
  expect(trace({kExit}, h), 13, "legal: 0..16384");
  h.more = "-shmem static = 4\n-shmem dynamic = 8\n";
  expect(with(trace({kExit}, h), "-shmem = 16384", "-shmem = 16"), 5, "-shmem static plus -shmem dynamic");
  h.more = "-shmem carveout = 101\n";
  expect(trace({kExit}, h), 12, "legal: -1..100");
}

TEST_CASE("blocks", "[malformed]") {
  const std::string g = good();
  const std::string h = header();
  expect(h, 12, "file ends after 0 of the 1 thread blocks");
  expect(with(g, "#BEGIN_TB", "#BEGIN"), 14, "(legal: '#BEGIN_TB')");
  expect(h + "\nrubbish\n", 14, "'rubbish' between thread blocks");
  expect(with(g, "thread block = 0,0,0", "warp = 0"), 16, "(legal: 'thread block = x,y,z')");
  for (const char* v :
       {"1,0,0", "0,1,0", "0,0,1", "0,0", "0,0,0,0", "-1,0,0", "x,0,0", "", "4294967296,0,0"}) {
    expect(with(g, "thread block = 0,0,0", std::string("thread block = ") + v), 16,
           "inside the grid (1,1,1)");
  }
  expect(two_blocks("0,0,0", "0,0,0"), 26, "thread block 0,0,0 a second time");
  expect(two_blocks("1,0,0", "1,0,0"), 26, "thread block 1,0,0 a second time");
  expect(g + block("0,0,0", warp(0, {})), 26, "more thread blocks than the 1");
  expect(g + "rubbish\n", 25, "behind the last thread block");
  std::string two = two_blocks("0,0,0", "1,0,0");
  two.resize(two.rfind("\n#BEGIN_TB"));
  expect(two, 22, "file ends after 1 of the 2 thread blocks");
  expect(with(g, "#END_TB\n", ""), 23, "file ends inside a thread block");
  expect(with(g, "\n#END_TB\n", "\n#BEGIN_TB\n"), 24, "(legal: 'warp = N' or '#END_TB'");
}

TEST_CASE("warps", "[malformed]") {
  const std::string g = good();
  expect(two_warps(warp(0, {kExit})), 22, "#END_TB after 1 of 2 warps: warp 1 is missing");
  expect(two_warps(warp(1, {kExit})), 22, "warp 0 is missing");
  expect(two_warps(warp(0, {kExit}) + warp(0, {kExit})), 21, "warp = 0 a second time");
  expect(two_warps(warp(0, {kExit}) + warp(2, {kExit})), 21, "warp = '2' (legal: 0..1)");
  for (const char* v : {"1", "-1", "x", "", "18446744073709551616"}) {
    expect(with(g, "warp = 0", std::string("warp = ") + v), 18, "(legal: 0..0)");
  }
  for (const char* v : {"-3", "many", "", "4294967296"}) {
    expect(with(g, "insts = 3", std::string("insts = ") + v), 19, "(legal: 0..4294967295)");
  }
  expect(with(g, "insts = 3", "count = 3"), 19, "(legal: 'insts = N')");
  expect(with(g, "insts = 3", "insts = 4"), 23, "insts = 4, but only 3 instruction lines follow");
  expect(with(g, "insts = 3", "insts = 2"), 22, "a line more than insts says?");
  expect(with(g, "insts = 3", "insts = 0"), 20, "a line more than insts says?");
  expect(two_warps(with(warp(0, {kExit}), "insts = 1", "insts = 2") + warp(1, {kExit})), 21,
         "insts = 2, but only 1 instruction lines follow");
  expect(g.substr(0, g.find("0030")), 22, "file ends after 2 of 3 instruction lines");
  expect(g.substr(0, g.find(" EXIT")), 22, "bad opcode ''");
}

TEST_CASE("instruction fields", "[malformed]") {
  const std::string g = good();
  expect(with(g, "0000 ffffffff 1 R1", "00g0 ffffffff 1 R1"), 20, "bad PC '00g0'");
  expect(with(g, "0000 ffffffff 1 R1", "100000000 ffffffff 1 R1"), 20, "bad PC");
  expect(with(g, "0000 ffffffff 1 R1", "0000 fffffffff 1 R1"), 20,
         "bad mask 'fffffffff' (legal: hexadecimal, 32 bits)");
  expect(with(g, "0000 ffffffff 1 R1", "0000 0x 1 R1"), 20, "bad mask");
  expect(with(g, "0000 ffffffff 1 R1", "0000"), 20, "bad mask 'MOV'");
  expect(with(g, "1 R1 MOV", "-1 MOV"), 20, "bad destination registers '-1'");
  expect(with(g, "1 R1 MOV", "1 R256 MOV"), 20, "bad destination registers 'R256' (legal: R0..R255)");
  expect(with(g, "1 R1 MOV", "1 UR1 MOV"), 20, "bad destination registers 'UR1'");
  expect(with(g, "1 R1 MOV", "17 R1 MOV"), 20, "a register count, 0..16");
  expect(with(g, "1 R1 MOV", "2 R1 MOV"), 20, "bad destination registers 'MOV'");
  expect(with(g, "MOV 0 0", "0 0"), 20, "bad opcode '0'");
  expect(with(g, "MOV 0 0", "MOV 1 0"), 20, "bad source registers '0'");
  expect(with(g, "MOV 0 0", "MOV 0"), 20, "bad mem_width ''");
  expect(with(g, "MOV 0 0", "MOV 0 x"), 20, "bad mem_width 'x'");
  expect(with(g, "MOV 0 0", "MOV 0 256"), 20, "legal: 0..255 bytes");
  expect(with(g, "MOV 0 0", "MOV 0 0 0 0"), 20, "unexpected '0' behind mem_width 0");
  expect(with(g, "MOV 0 0", "MOV 0 0 x"), 20, "unexpected 'x'");
  HeaderOptions h;
  h.more = "-enable lineinfo = 1\n";
  expect(trace({"x 0000 ffffffff 1 R1 MOV 0 0"}, h), 21, "bad source line 'x'");
  expect(with(g, "MOV 0 0", "MOV\x01\xff 0 0"), 20, "bad opcode 'MOV\\x01\\xff'");
}

TEST_CASE("address lists", "[malformed]") {
  expect(load("00000003 1 R2 LDG.E 1 R4 4"), 21, "the address mode is missing (legal: 0, 1, 2)");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 3 0x80"), 21, "bad address mode (legal: 0, 1, 2): '3'");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 0"), 21, "fewer addresses than lanes");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 0 0x80"), 21, "fewer addresses than lanes");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 0 0x80 0x90 0xa0"), 21, "more addresses than lanes");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 0 0x80 0x9g"), 21, "not a hexadecimal address: '0x9g'");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 0 0x80 0x11112222333344445"), 21, "not a hexadecimal address");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 1"), 21, "the base address is missing");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 1 0x80"), 21, "the stride is missing");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 1 0x80 four"), 21, "not a stride");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 1 0x80 2147483648"), 21,
         "not a stride (legal: a decimal 32-bit number)");
  expect(load("00000003 1 R2 LDG.E 1 R4 4 1 0x80 4 0 0"), 21, "unexpected '0'");
  expect(load("00000005 1 R2 LDG.E 1 R4 4 1 0x80 4"), 21, "needs contiguous lanes");
  expect(load("0000000f 1 R2 LDG.E 1 R4 4 2 0x80 4 8"), 21, "fewer address deltas than lanes");
  expect(load("0000000f 1 R2 LDG.E 1 R4 4 2 0x80 4 8 12 0 0"), 21, "more addresses than lanes");
  expect(load("0000000f 1 R2 LDG.E 1 R4 4 2 0x80 4 0x8 12"), 21, "not a decimal address delta: '0x8'");
  expect(load("0000000f 1 R2 LDG.E 1 R4 4 2 0x80 4 99999999999999999999 12"), 21,
         "not a decimal address delta");
}

TEST_CASE("traces and side files that do not belong together", "[malformed]") {
  expect(trace({"0040 ffffffff 0 NOP 0 0"}), 20, "PC 0x0040 is not in the side file t.sass", true);
  expect(trace({kMov, "0008 ffffffff 0 NOP 0 0"}), 21, "PC 0x0008 is not in the side file t.sass", true);
  expect(trace({"0000 ffffffff 1 R1 FADD 0 0"}), 20,
         "PC 0x0000 is 'FADD' here but 'MOV' in the side file t.sass", true);
  CHECK_THAT(error_of([] {
               read(trace({kMov, with(kMov, "MOV", "FADD")}));
             }),
             Catch::StartsWith("t:21: PC 0x0000 is 'FADD' here but 'MOV' in an earlier line"));
  // Modifiers are the disassembler's choice.
  CHECK(read(trace({"0000 ffffffff 1 R1 MOV.X 0 0"}), kSide).blocks.size() == 1);

  const std::string nop = " 0000000000007918 000fc00000000000 NOP ;\n";
  CHECK_THAT(error_of([] { read(good(), ""); }), Catch::StartsWith("t.sass:"));
  CHECK_THAT(
      error_of([&] { read(good(), "# function a base 0\n0000" + nop + "# function b base 0\n0000" + nop); }),
      Catch::StartsWith("t.sass: no function for kernel 'k'"));
  CHECK(
      error_of([&] { read(good(), "# function other base 0\n0000" + nop); }) ==
      "t.sass: no function for kernel 'k', the first is for 'other' (legal: one function of that name, with "
      "base 0)");
  CHECK_THAT(error_of([&] { read(good(), kSide + "# function b base 0x20\n0000" + nop); }),
             Catch::StartsWith("t.sass: function 'b' at base 0x20 overlaps"));
  CHECK_THAT(error_of([] { read(good(), "# function k base 0\nxyz\n"); }), Catch::StartsWith("t.sass:2: "));
}

TEST_CASE("line information that the header promises and a line lacks", "[malformed]") {
  HeaderOptions lineinfo;
  lineinfo.more = "-enable lineinfo = 1\n";
  const std::string said = "no source line in front of PC 0x0010 (legal: 'LINE PC MASK ...'";
  for (const char* line : {"0010 ffffffff 1 R1 MOV 0 0", "0010 00000000 0 BRA 0 0"}) {
    expect(trace({"7 0000 ffffffff 1 R1 MOV 0 0", line}, lineinfo), 22, said, true);
    expect(trace({"7 0000 ffffffff 1 R1 MOV 0 0", line}, lineinfo), 22, said);
  }
}

TEST_CASE("names that are empty or could act on a terminal", "[malformed]") {
  expect(with(good(), "-kernel name = k", "-kernel name = "), 1, "-kernel name = '' (legal: a mangled name");
  const std::string other = with(good(), "-kernel name = k", std::string("-kernel name = a\x1b[2J\0b", 22));
  CHECK_THAT(error_of([&] {
               read(other, kSide + "# function b base 0\n0000 0000000000007918 000fc00000000000 NOP ;\n");
             }),
             Catch::Contains("no function for kernel 'a\\x1b[2J\\x00b', the first is for 'k' (legal:"));
}

TEST_CASE("an empty side file has no line", "[malformed]") {
  CHECK_THAT(error_of([] { read(good(), ""); }), Catch::StartsWith("t.sass: no function (legal:"));
}

TEST_CASE("lanes, addresses and registers that the launch does not have", "[malformed]") {
  HeaderOptions h;
  h.block = "(40,1,1)";
  const std::string nop = "0000 000000ff 0 NOP 0 0";
  const auto two_warps = [&](const std::string& second) {
    return header(h) + block("0,0,0", warp(0, {with(nop, "000000ff", "ffffffff")}) + warp(1, {nop, second}));
  };
  CHECK(read(two_warps(nop)).blocks.size() == 1);
  CHECK(error_of([&] { read(two_warps(with(nop, "000000ff", "00000100"))); }) ==
        "t:24: mask 0x100 names threads beyond the 40 of the block (legal for warp 1: lanes of 0xff)");

  const auto shared = [](const std::string& op, const std::string& addresses) {
    return trace({"0000 00000003 1 R2 " + op + " 1 R4 4 " + addresses});
  };
  // 16,384 bytes behind the system's 1,024.
  CHECK(read(shared("LDS", "1 0x43f8 4")).blocks.size() == 1);
  // By the window of the fourth block of a cluster.
  CHECK(read(shared("LDS", "1 0x30043f8 4")).blocks.size() == 1);
  CHECK_THAT(error_of([&] { read(shared("LDS", "1 0x30043fc 4")); }),
             Catch::Contains("address 0x3004400, but"));
  CHECK_THAT(error_of([&] { read(shared("LDS", "1 0x10000400 4")); }),
             Catch::Contains("address 0x10000400, but"));
  CHECK(error_of([&] { read(shared("LDS", "1 0x43fc 4")); }) ==
        "t:20: LDS of 4 bytes at shared-memory address 0x4400, but the block has 16384 bytes (legal: below "
        "0x4400, "
        "with what the system and the allocation add)");
  CHECK_THAT(error_of([&] { read(shared("STS", "0 0xffffffffffff 0x0")); }),
             Catch::Contains("at shared-memory address 0xffffffffffff"));
  CHECK_THAT(error_of([&] { read(shared("LDS", "2 0x400 -2000")); }),
             Catch::Contains("at shared-memory address 0xfffffffffffffc30"));
  CHECK_THAT(error_of([&] { read(shared("ATOMS.ADD", "1 0xfffffffffffffffc 4")); }),
             Catch::Contains("at shared-memory address 0xfffffffffffffffc"));

  CHECK(read(trace({"0000 ffffffff 1 R31 MOV 0 0"})).blocks.size() == 1);
  CHECK(error_of([] { read(trace({"0000 ffffffff 1 R32 MOV 0 0"})); }) ==
        "t: the MOV at 0x0 names R32, but a thread has nregs = 32 registers (legal: R0..R31)");
  CHECK(read(trace({"0000 ffffffff 1 R232 MOV 0 0", "0010 ffffffff 0 USETMAXREG.ALLOC 0 0"})).blocks.size() ==
        1);
}

TEST_CASE("compressed traces that end early or are corrupt", "[malformed]") {
  for (const auto& [suffix, packed] : {std::pair<std::string, std::string>{".zst", zstd(good())},
                                       {".xz", xz(good())},
                                       {".gz", gzip(good())}}) {
    const TempDir dir;
    const std::string name = "kernel-1.traceg" + suffix;
    for (const size_t n : {size_t{0}, size_t{3}, packed.size() / 2, packed.size() - 1}) {
      const auto file = dir.write(name, std::string_view(packed).substr(0, n));
      const std::string message = error_of([&] { read_all(*open_trace(file)); });
      CHECK_THAT(message,
                 Catch::StartsWith(file.string() + ": byte ") && Catch::Contains("file ends inside"));
      CHECK(message.find('\n') == std::string::npos);
    }
    std::string bad = packed;
    bad[bad.size() / 2] ^= 0x55;
    CHECK_THAT(error_of([&] { read_all(*open_trace(dir.write(name, bad))); }),
               Catch::StartsWith((dir.path() / name).string() + ":"));
  }
}

TEST_CASE("a good trace cut anywhere is an error", "[malformed]") {
  const std::string g = good();
  const size_t end = g.rfind("#END_TB") + 7;
  for (size_t n = 0; n < end; ++n) {
    const std::string message = error_of([&] { read(std::string_view(g).substr(0, n), kSide); });
    REQUIRE_THAT(message, Catch::StartsWith("t:"));
    REQUIRE(message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::accelsim::test
