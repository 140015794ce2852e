// Decoding of what came with Blackwell, capabilities 10.x and 12.x.
#include <catch2/catch.hpp>

#include "tests/sass/decode_case.h"

namespace heddle::sass {

TEST_CASE("decode: Blackwell's opcodes", "[sass]") {
  check_cases({
      {"CREDUX.MIN.S32 UR6, R4", "r2ur", "UR6 <- R4"},
      {"CS2UR UR4, SR_CLOCKLO", "cs2r", "UR4*2 <-"},
      {"CS2UR.32 UR4, SR_CLOCKLO", "cs2r", "UR4 <-"},
      {"FMNMX3 R2, R74, R75, R2, !PT", "alu", "R2 <- R74 R75 R2"},
      {"FADD2 R4, R6.F32x2.HI_LO, R8.F32x2.HI_LO", "fp32x2", "R4*2 <- R6*2 R8*2"},
      {"FMUL2 R4, R6.F32x2.HI_LO, R8.F32x2.HI_LO", "fp32x2", "R4*2 <- R6*2 R8*2"},
      {"FFMA2 R4, R6.F32x2.HI_LO, R8.F32x2.HI_LO, R10.F32x2.HI_LO", "fp32x2", "R4*2 <- R6*2 R8*2 R10*2"},
      {"LDCU UR11, c[0x0][UR11+0x258]", "ldc 4B", "UR11 <- UR11"},
      {"LDCU.128 UR8, c[0x0][0x380]", "ldc 16B", "UR8*4 <-"},
      {"UFADD UR5, UR4, UR5", "uniform", "UR5 <- UR4 UR5"},
      {"UFMUL UR5, UR4, UR5", "uniform", "UR5 <- UR4 UR5"},
      {"UFFMA UR4, UR4, UR5, 0.5", "uniform", "UR4 <- UR4 UR5"},
      {"UI2F.U32.RP UR4, UR10", "uniform", "UR4 <- UR10"},
      {"UI2FP.F32.U32 UR4, UR10", "uniform", "UR4 <- UR10"},
      {"UVIMNMX.U32 UR8, UR4, 0x80, UPT", "uniform", "UR8 <- UR4"},
      {"R2UR.OR P0, UR8, R0", "r2ur", "P0 UR8 <- R0"},
      {"QMMA.16832.F32.E4M3.E5M2 R8, R8, R12, R16", "hmma", "R8*4 <- R8*4 R12*2 R16*4"},
  });
}

TEST_CASE("decode: whole numbers of 64 bits, of 12.x", "[sass]") {
  check_cases({
      {"IADD.64 R10, -R4, R6", "alu", "R10*2 <- R4*2 R6*2"},
      {"IADD.64 RZ, P0, R4, R6", "alu", "P0 <- R4*2 R6*2"},
      {"IADD.64.X R10, ~R6, R10, P0", "alu", "R10*2 <- R6*2 R10*2 P0"},
      {"MOV.64 R6, 0xfff8000000000000", "alu", "R6*2 <-"},
      {"SEL.64 R10, R10, R6, !P2", "alu", "R10*2 <- R10*2 R6*2 P2"},
      {"ISETP.GE.U64.AND P0, PT, R4, UR6, !P0", "alu_predicate", "P0 <- R4*2 UR6*2 P0"},
      {"IMNMX.S64 PT, PT, R4, R4, R6, !PT, !PT", "alu", "R4*2 <- R4*2 R6*2"},
      {"UIADD3.64 UR8, UPT, UPT, UR10, UR6, URZ", "uniform", "UR8*2 <- UR10*2 UR6*2"},
      {"SHF.L.U64.HI R5, R4, 0x2, R5", "alu", "R5 <- R4 R5"},
  });
}

TEST_CASE("decode: uniform registers up to UR79", "[sass]") {
  check_cases({{"ELECT P0, UR79, PT", "elect", "P0 UR79 <-"}, {"UMOV UR63, URZ", "uniform_move", "UR63 <-"}});
  CHECK_THROWS_WITH(decode_one("UMOV UR80, URZ"),
                    Catch::Contains("no such register 'UR80' (legal: UR0 to UR79)"));
}

}  // namespace heddle::sass
