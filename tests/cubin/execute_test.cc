// Instructions that no compiler writes where it can be seen what they do: put into a kernel's code, as they
// were put into one that ran on an H200; and some of Blackwell, as PTX says what they do.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/execute/program.h"
#include "sim/exec/execute.h"

namespace heddle::cubin {
namespace {

// R5 = tid; R2 = p + 4 tid; R0 = tid >> 3; P0 = R0 != 3; then what is tested; R5 = P0 ? 0 : 1; [R2] = R5.
constexpr Word kStart[] = {
    {0x00000a00ff017b82, 0x000fe20000000800},  // LDC R1, c[0x0][0x28]
    {0x0000000000057919, 0x000e2e0000002100},  // S2R R5, SR_TID.X
    {0x00008400ff027b82, 0x000e620000000a00},  // LDC.64 R2, c[0x0][0x210]
    {0x0000820000047ab9, 0x000fe20000000a00},  // ULDC.64 UR4, c[0x0][0x208]
    {0x00000003ff007819, 0x001fe20000011605},  // SHF.R.U32.HI R0, RZ, 0x3, R5
    {0x0000000405027825, 0x002fc600078e0002},  // IMAD.WIDE.U32 R2, R5, 0x4, R2
    {0x000000030000780c, 0x000fc80003f05070},  // ISETP.NE.U32.AND P0, PT, R0, 0x3, PT
};
constexpr Word kEnd[] = {
    {0x00000001ff057807, 0x000fca0000000000},  // SEL R5, RZ, 0x1, P0
    {0x0000000502007986, 0x000fe2000c101904},  // STG.E desc[UR4][R2.64], R5
    {0x000000000000794d, 0x000fea0003800000},  // EXIT
};

// What 32 threads store.
std::array<uint32_t, 32> executed(std::vector<Word> code, uint32_t capability) {
  Object o;
  o.file = "t.cubin";
  o.capability = capability;
  Function f;
  f.name = "k";
  f.kernel = true;
  f.code = std::move(code);
  f.registers = 32;
  f.parameter_offset = capability < 100 ? 0x210 : 0x380;
  f.parameter_bytes = 8;
  f.parameters = {{0, 0, 8}};
  o.functions.push_back(f);
  exec::Memory memory;
  const uint64_t p = memory.allocate(128);
  Program program(o, memory);
  const Function& k = program.kernel("k");
  exec::Launch l = program.launch(k);
  l.grid = {1, 1, 1};
  l.block = {32, 1, 1};
  set_parameter(program.object(), k, 0, p, l);
  exec::execute(l, {});
  std::array<uint8_t, 128> bytes{};
  memory.read(p, bytes);
  std::array<uint32_t, 32> out{};
  std::memcpy(out.data(), bytes.data(), sizeof out);
  return out;
}

std::array<uint32_t, 32> run(const std::vector<Word>& tested) {
  std::vector<Word> code(std::begin(kStart), std::end(kStart));
  code.insert(code.end(), tested.begin(), tested.end());
  code.insert(code.end(), std::begin(kEnd), std::end(kEnd));
  return executed(code, 90);
}

Word mov(uint32_t r, float value) {
  return {uint64_t{std::bit_cast<uint32_t>(value)} << 32 | r << 16 | 0x7802, 0x000fe20000000f00};
}

// Of Blackwell: R2 = p + 4 tid, then what is tested, [R2] = R12.
std::array<uint32_t, 32> run_blackwell(const std::vector<Word>& tested, uint32_t capability = 100) {
  std::vector<Word> code = {
      {0x0000000000057919, 0x000e2e0000002100},  // S2R R5, SR_TID.X
      {0x0000e000ff027b82, 0x000f620000000a00},  // LDC.64 R2, c[0x0][0x380]
      {0x00006b00ff0477ac, 0x000ea20008000a00},  // LDCU.64 UR4, c[0x0][0x358]
      {0x0000000405027825, 0x002fca00078e0002},  // IMAD.WIDE.U32 R2, R5, 0x4, R2
  };
  code.insert(code.end(), tested.begin(), tested.end());
  code.push_back({0x0000000c02007986, 0x000fe2000c101904});  // STG.E desc[UR4][R2.64], R12
  code.push_back(kEnd[2]);
  return executed(code, capability);
}

TEST_CASE("R2UR tells lanes that have another value than the first one's") {
  // R0 is 0 in lanes 0 to 7: P0 is false there. R2UR P0, UR8, R0.
  const auto got = run({{0x00000000000872ca, 0x000fde0000000000}});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(got[lane] == (lane < 8 ? 1 : 0));
  }
}

TEST_CASE("R2UR.OR keeps the predicate where it was true") {
  // P0 was true but in lanes 24 to 31. R2UR.OR P0, UR8, R0.
  const auto got = run({{0x00000000000872ca, 0x000fde0000100000}});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(got[lane] == 0);
  }
}

TEST_CASE("without it the predicate is the comparison's") {
  const auto got = run({});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(got[lane] == (lane < 24 ? 0 : 1));
  }
}

// HGMMA.64x128x16.F32 Rd, gdesc[UR4], Rd has 64 registers from Rd on.
Word group_product(uint64_t d) { return {0x01e00000040079f0 | d << 16, 0x000fe20008700800 | d}; }

TEST_CASE("the operands of a warp group's product may lie behind the registers that a kernel says it has") {
  // R191 to R254, of a kernel that says 16; its descriptors are zeros, and the block has no shared memory.
  CHECK_THROWS_WITH(run({group_product(191)}), Catch::Contains("wgmma reaches shared address 0x0"));
}

TEST_CASE("operands that reach beyond R254 make an instruction that cannot be executed") {
  try {
    run({group_product(200)});
    FAIL("it was executed");
  } catch (const NotCovered& e) {
    REQUIRE(e.lines().size() == 1);
    CHECK_THAT(e.lines()[0], Catch::EndsWith(": R255 (legal: up to R254)"));
  }
}

TEST_CASE("asynchronous copies that cannot be executed say why") {
  const struct {
    Word word;
    const char* line;
  } cases[] = {
      {{0x0000000002077dae, 0x004fe8000b921a40},
       "LDGSTS.E.64 [R7+UR0], desc[UR0][R2.64]: a policy beside a register (ptxas 13.0 names another uniform "
       "register than it has filled)"},
      {{0x00000008040073bb, 0x0023d800080c0406}, "UBLKRED.G.S.ADD.F32.FTZ.RN [UR8], [UR4], UR6: .FTZ"},
      {{0x00000008040073bb, 0x0023d800098e0406},
       "UBLKRED.G.S.INC.F64.RN [UR8], [UR4], UR6: such a reduction"},
      {{0x00000008090875b2, 0x000ea40008000100}, "SYNCS.EXCH.64 UR8, [UR9], UR8: the object before"},
      {{0x00000000ff0079b0, 0x000fe20008000a04}, "ARRIVES.LDGSTSBAR.64 [UR4]: objects of before 9.0"},
  };
  for (const auto& c : cases) {
    try {
      run({c.word});
      FAIL(c.line);
    } catch (const NotCovered& e) {
      REQUIRE(e.lines().size() == 1);
      CHECK_THAT(e.lines()[0], Catch::EndsWith(c.line));
    }
  }
}

TEST_CASE("a tensor's prefetch asks for its map") {
  // UTMAPF.L2.2D [UR8], [UR12]: UR12 and UR13 are zeros.
  CHECK_THROWS_WITH(run({{0x000000080c0075b8, 0x0005f00008008000}}), Catch::Contains("tensor map"));
}

TEST_CASE("the two registers that RPCMOV keeps are two") {
  // Rpc.LO = 2, Rpc.HI = 4; R12 = Rpc.LO, R13 = Rpc.HI; [R2] = R12 or R13.
  const std::vector<Word> code = {mov(4, 2), mov(5, 4), {0x0000000400007352, 0}, {0x0000000580007352, 0}};
  for (const auto& [from, want] :
       {std::pair{uint64_t{0x00000000000c7353}, 2.0F}, {0x00000000800c7353, 4.0F}}) {
    auto c = code;
    c.push_back({from, 0});
    CHECK(std::bit_cast<float>(run_blackwell(c)[7]) == want);
  }
}

TEST_CASE("pairs of f32") {
  const auto result = [](Word tested, bool high) {
    std::vector<Word> code = {mov(4, 1), mov(5, 2), mov(6, 10), mov(7, 20), mov(8, 100), mov(9, 200), tested};
    if (high) {
      code.push_back({0x0000000d000c7202, 0x000fe20000000f00});  // MOV R12, R13
    }
    return std::bit_cast<float>(run_blackwell(code)[0]);
  };
  const struct {
    Word word;
    const char* text;
    float low, high;
  } cases[] = {
      {{0x00000006040c724b, 0x000fe20000100000}, "FADD2 R12, R4.F32x2.HI_LO, R6.F32x2.LO_HI", 21, 12},
      {{0x00000007040c724b, 0x000fe20000200000}, "FADD2 R12, R4.F32x2.HI_LO, R7.F32", 21, 22},
      {{0x40000000080c744b, 0x000fe20000200000}, "FADD2 R12, R8.F32x2.HI_LO, 2", 102, 202},
      {{0x80000006040c724a, 0x000fe20000000000}, "FMUL2 R12, R4.F32x2.HI_LO, -R6.F32x2.HI_LO", -10, -40},
      {{0x00000006040c7249, 0x000fe20000200009},
       "FFMA2 R12, R4.F32x2.HI_LO, R6.F32x2.HI_LO, R9.F32",
       210,
       240},
      {{0x00000006040c7249, 0x000fe20000000808},
       "FFMA2 R12, R4.F32x2.HI_LO, R6.F32x2.HI_LO, -R8.F32x2.HI_LO",
       -90,
       -160},
      {{0x40000000040c7849, 0x000fe20001000108}, "FFMA2 R12, -R4.F32x2.HI_LO, 2, R8.F32x2.HI_LO", 98, 196},
  };
  for (const auto& c : cases) {
    CHECK(disassembled(c.word, 0, 100) == c.text);
    CAPTURE(c.text);
    CHECK(result(c.word, false) == c.low);
    CHECK(result(c.word, true) == c.high);
  }
}

TEST_CASE("what lies at an offset by SR_CgaSize is where this is 0") {
  // CS2R.32 R9, SR_CgaSize; [IADD3 R9, PT, PT, R9, 0x1, RZ]; LDC R12, c[0x0][R9+0x2cc]: blocks of the
  // cluster.
  const Word size{0x0000000000097805, 0x001fca0000008a00}, more{0x0000000109097810, 0x000fe20007ffe0ff},
      load{0x0000b300090c7b82, 0x000e620000000800};
  CHECK(disassembled(load, 0, 100) == "LDC R12, c[0x0][R9+0x2cc]");
  CHECK(run_blackwell({size, load})[5] == 1);
  CHECK_THROWS_WITH(run_blackwell({size, more, load}), Catch::Contains("trap"));
}

TEST_CASE("RPCMOV keeps a register") {
  const auto got = run_blackwell(
      {mov(6, 3), {0x0000000600007352, 0x000fcc0000000000}, {0x00000000000c7353, 0x000fd80000000000}});
  CHECK(std::bit_cast<float>(got[31]) == 3);
}

TEST_CASE("carries of IADD.64") {
  // R4 = -1, R5 = 0, R6 = 1, R7 = 0: IADD.64 RZ, P0, R4, R6 carries nothing; IADD.64 R12, R4, R6 is 1 << 32.
  const auto number = [](uint32_t r, uint32_t v) { return mov(r, std::bit_cast<float>(v)); };
  const std::vector<Word> start = {number(4, UINT32_MAX), number(5, 0), number(6, 1), number(7, 0)};
  auto code = start;
  code.push_back({0x00000006040c7235, 0x000fe400078e0200});
  code.push_back({0x0000000d000c7202, 0x000fe20000000f00});  // MOV R12, R13
  CHECK(run_blackwell(code, 120)[0] == 1);
  code = start;
  code[1] = number(5, UINT32_MAX);                           // -1
  code.push_back({0x0000000604ff7235, 0x000fc40007800200});  // IADD.64 RZ, P0, R4, R6
  code.push_back({0x000000ffff0c7235, 0x000fe400000e0600});  // IADD.64.X R12, RZ, RZ, P0
  CHECK(run_blackwell(code, 120)[0] == 1);
}

TEST_CASE("P2R and R2P mean all predicates, whichever else the code names") {
  const auto tested = [](const std::vector<Word>& words) {
    std::vector<Word> code(std::begin(kStart), std::end(kStart));
    code.insert(code.end(), words.begin(), words.end());
    code.insert(code.end(), std::begin(kEnd) + 1, std::end(kEnd));
    return executed(code, 90);
  };
  const Word all = {0x0000007fff057803, 0x000fca0000000000};                      // P2R R5, PR, RZ, 0x7f
  const auto gathered = tested({{0x000000010000780c, 0x000fc80003f65070}, all});  // ISETP.NE.U32 P3, R0, 0x1
  const auto through = tested({{0x0000007f05007804, 0x000fca0000000000}, all});   // R2P PR, R5, 0x7f
  for (uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(gathered[lane] == ((lane / 8 != 3 ? 1U : 0) | (lane / 8 != 1 ? 8 : 0)));
    CHECK(through[lane] == lane);
  }
}

}  // namespace
}  // namespace heddle::cubin
