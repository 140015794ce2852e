// Instructions that no compiler writes where it can be seen what they do: put into a kernel's code, as they
// were put into one that ran on an H200.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

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
std::array<uint32_t, 32> run(const std::vector<Word>& tested) {
  Object o;
  o.file = "t.cubin";
  o.capability = 90;
  Function f;
  f.name = "k";
  f.kernel = true;
  f.code.assign(std::begin(kStart), std::end(kStart));
  f.code.insert(f.code.end(), tested.begin(), tested.end());
  f.code.insert(f.code.end(), std::begin(kEnd), std::end(kEnd));
  f.registers = 16;
  f.parameter_offset = 0x210;
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

}  // namespace
}  // namespace heddle::cubin
