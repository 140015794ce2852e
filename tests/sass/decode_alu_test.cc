// Decoding of single SASS lines: class, widths, flags and every register read and written.
#include <catch2/catch.hpp>

#include "tests/sass/decode_case.h"

namespace heddle::sass {

TEST_CASE("decode: integer and logic", "[sass]") {
  check_cases({
      {"IADD3 R4, R2, R3, RZ", "alu", "R4 <- R2 R3"},
      {"IADD3 R4, P0, R2, R3, RZ", "alu", "R4 P0 <- R2 R3"},
      {"IADD3 R4, P0, P1, R2, UR4, R6", "alu", "R4 P0 P1 <- R2 UR4 R6"},
      {"IADD3.X R5, R5, ~UR6, RZ, P0, !PT", "alu", "R5 <- R5 UR6 P0"},
      {"IADD3.X R5, RZ, RZ, R7, P0, P1", "alu", "R5 <- R7 P0 P1"},
      {"IMAD R0, R3, c[0x0][0x0], R0", "imad const", "R0 <- R3 R0"},
      {"IMAD.WIDE R2, R0, R3, c[0x0][0x160]", "imad_wide const", "R2*2 <- R0 R3"},
      {"IMAD.WIDE.U32 R6, P1, R8, R9, R6", "imad_wide", "R6*2 P1 <- R8 R9 R6*2"},
      {"IMAD.WIDE.U32.X R6, R8, R9, R10, P1", "imad_wide", "R6*2 <- R8 R9 R10*2 P1"},
      {"IMAD.HI.U32 R6, R7, R9, R6", "imad_wide", "R6 <- R7 R9 R6*2"},
      {"IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x28]", "imad const", "R4 <-"},
      {"IMAD.SHL.U32 R8, R5, 0x4, RZ", "imad", "R8 <- R5"},
      {"IMAD.X R5, RZ, RZ, ~R5, P1", "imad", "R5 <- R5 P1"},
      {"LEA R4, P0, R2, c[0x0][0x168], 0x2", "alu const", "R4 P0 <- R2"},
      {"LEA.HI.X R5, R2, c[0x0][0x16c], R3, 0x2, P0", "alu const", "R5 <- R2 R3 P0"},
      {"LEA.HI.X.SX32 R7, R9, UR9, 0x1, P1", "alu", "R7 <- R9 UR9 P1"},
      {"LOP3.LUT R2, R7, 0x3, RZ, 0xc0, !PT", "alu", "R2 <- R7"},
      {"LOP3.LUT P0, R4, R7, R8, R9, 0xfe, !PT", "alu", "P0 R4 <- R7 R8 R9"},
      {"LOP3.LUT P0, RZ, R7, 0x1f, RZ, 0xc0, !PT", "alu", "P0 <- R7"},
      {"SHF.R.S32.HI R3, RZ, 0x1f, R0", "alu", "R3 <- R0"},
      {"SHF.L.U64.HI R5, R4, 0x2, R5", "alu", "R5 <- R4 R5"},
      {"SEL R10, R13, RZ, P2", "alu", "R10 <- R13 P2"},
      {"PRMT R4, R5, 0x654, R2", "alu", "R4 <- R5 R2"},
      {"MOV R5, 0x400", "alu", "R5 <-"},
      {"MOV R1, c[0x0][0x28]", "alu const", "R1 <-"},
      {"MOV R5, R6", "alu", "R5 <- R6"},
      {"IABS R3, R0", "alu", "R3 <- R0"},
      {"IMNMX.U32 R3, R4, R5, !PT", "alu", "R3 <- R4 R5"},
      {"VIADD R2, R7.reuse, 0xffffffff", "imad", "R2 <- R7"},
      {"VIADDMNMX R4, R11, 0x1, R2, !PT", "alu", "R4 <- R11 R2"},
      {"VIMNMX.S16x2 R7, R5, UR4, !PT", "alu", "R7 <- R5 UR4"},
      {"VIMNMX3 R3, R4, R5, R6, !PT", "alu", "R3 <- R4 R5 R6"},
      {"VABSDIFF4.U8.ACC R4, R5, R6, R4", "alu", "R4 <- R5 R6 R4"},
      {"SGXT.U32 R4, R5, 0x10", "alu", "R4 <- R5"},
      {"BMSK R3, R4, R5", "alu", "R3 <- R4 R5"},
      {"ISETP.GE.AND P0, PT, R3, 0x420, PT", "alu_predicate", "P0 <- R3"},
      {"ISETP.GE.U32.AND.EX P0, P3, R7, UR5, PT, P0", "alu_predicate", "P0 P3 <- R7 UR5 P0"},
      {"ISETP.NE.OR P0, PT, R3, RZ, !P0", "alu_predicate", "P0 <- R3 P0"},
      {"PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0", "alu_predicate", "P0 <- P1 P2"},
      {"PSETP.AND P0, PT, P1, P2, PT", "alu_predicate", "P0 <- P1 P2"},
      {"R2P PR, R4, 0x6", "alu", "P1*2 <- R4"},
      {"R2P PR, R4.B1, 0x7f", "alu", "P0*7 <- R4"},
      {"P2R R0, PR, RZ, 0x7f", "alu", "R0 <- P0*7"},
      {"IDP.4A.S8.S8 R7, R7, R12, R2", "idp", "R7 <- R7 R12 R2"},
      {"POPC R7, R5", "bit_count", "R7 <- R5"},
      {"FLO.U32 R8, UR8", "bit_count", "R8 <- UR8"},
      {"BREV R4, R0", "bit_count", "R4 <- R0"},
      {"LEPC R20", "alu", "R20*2 <-"},
  });
}

TEST_CASE("decode: floating point", "[sass]") {
  check_cases({
      {"FADD R7, |R7|, -R4", "fp32", "R7 <- R7 R4"},
      {"FADD.FTZ R8, R3, 1", "fp32", "R8 <- R3"},
      {"FMUL R4, RZ, R7", "fp32", "R4 <- R7"},
      {"FFMA R5, R5, R4, 1", "fp32", "R5 <- R5 R4"},
      {"FFMA R1, -|R2|, R3.reuse, c[0x3][0x10]", "fp32 const", "R1 <- R2 R3"},
      {"FMNMX R6, R5, R6, !PT", "alu", "R6 <- R5 R6"},
      {"FSEL R2, R3, -INF , P0", "alu", "R2 <- R3 P0"},
      {"FSETP.NEU.FTZ.AND P2, PT, |R2|.reuse, +INF , PT", "alu_predicate", "P2 <- R2"},
      {"FSET.BF.GT.AND R2, R3, R4, PT", "alu", "R2 <- R3 R4"},
      {"FCHK P0, R0, R7", "mufu", "P0 <- R0 R7"},
      {"MUFU.RCP R12, R7", "mufu", "R12 <- R7"},
      {"MUFU.RSQ R8, -QNAN", "mufu", "R8 <-"},
      {"MUFU.RCP64H R5, R3", "mufu", "R5 <- R3"},
      {"MUFU.EX2 R5, R3", "mufu_exp", "R5 <- R3"},
      {"FSWZADD R0, R0, R1, PPPPPPPP", "fp32", "R0 <- R0 R1"},
      {"HADD2 R0, R1.H0_H0, R2.H1_H1", "half", "R0 <- R1 R2"},
      {"HADD2.F32 R3, -RZ, R2.H0_H0", "fp32", "R3 <- R2"},
      {"HSET2.BF.EQ.AND R3, R2, R4, PT", "alu", "R3 <- R2 R4"},
      {"HFMA2.MMA R4, -RZ, RZ, 1.875, 0", "half_mma", "R4 <-"},
      {"HFMA2.BF16_V2 R4, R5, R6, R7", "half", "R4 <- R5 R6 R7"},
      {"HMUL2 R4, R5, 0.5, 0.5", "half", "R4 <- R5"},
      {"HSETP2.GT.AND P0, PT, R3, R4, PT", "alu_predicate", "P0 <- R3 R4"},
      {"HMNMX2 R3, R4, R5, PT", "alu", "R3 <- R4 R5"},
      {"DADD R4, R2, -R6", "fp64", "R4*2 <- R2*2 R6*2"},
      {"DFMA R24, R4, R8, R24", "fp64", "R24*2 <- R4*2 R8*2 R24*2"},
      {"DMUL R4, R2, c[0x0][0x168]", "fp64 const", "R4*2 <- R2*2"},
      {"DSETP.GT.AND P0, PT, |R2|, R4, PT", "fp64", "P0 <- R2*2 R4*2"},
  });
}

TEST_CASE("decode: conversion", "[sass]") {
  check_cases({
      {"I2F.RP R0, R3", "convert", "R0 <- R3"},
      {"I2F.F64 R4, R3", "convert64", "R4*2 <- R3"},
      {"I2F.F64.S64 R4, R6", "convert64", "R4*2 <- R6*2"},
      {"I2F.U64.RP R10, UR4", "convert64", "R10 <- UR4*2"},
      {"I2F.S64 R4, R6", "convert64", "R4 <- R6*2"},
      {"F2I.TRUNC.NTZ R4, R4", "convert", "R4 <- R4"},
      {"F2I.S64.F64.TRUNC R4, R6", "convert64", "R4*2 <- R6*2"},
      {"F2I.F64.TRUNC R4, R6", "convert64", "R4 <- R6*2"},
      {"F2I.U64.TRUNC R6, R5", "convert64", "R6*2 <- R5"},
      {"F2F.F64.F32 R4, R3", "convert64", "R4*2 <- R3"},
      {"F2F.F32.F64 R3, R4", "convert64", "R3 <- R4*2"},
      {"F2F.F16.F32 R3, R4", "convert", "R3 <- R4"},
      {"FRND.F64.TRUNC R4, R6", "convert64", "R4*2 <- R6*2"},
      {"FRND.FLOOR R15, R15", "convert", "R15 <- R15"},
      {"F2FP.F16.F32.PACK_AB R8, RZ, R8", "alu", "R8 <- R8"},
      {"I2FP.F32.U32 R5, R3", "alu", "R5 <- R3"},
  });
}

TEST_CASE("decode: warp-wide operations", "[sass]") {
  check_cases({
      {"VOTE.ANY R6, PT, P1", "vote", "R6 <- P1"},
      {"VOTE.ALL P0, P1", "vote", "P0 <- P1"},
      {"VOTEU.ANY UR4, UPT, PT", "vote_uniform", "UR4 <-"},
      {"VOTEU.ALL UP0, P0", "vote_uniform", "UP0 <- P0"},
      {"MATCH.ANY R8, R7", "match", "R8 <- R7"},
      {"MATCH.ALL PT, R8, R7", "match", "R8 <- R7"},
      {"REDUX.SUM UR5, R0", "redux", "UR5 <- R0"},
      {"SHFL.BFLY PT, R13, R12, 0x10, 0x1f", "shuffle", "R13 <- R12"},
      {"SHFL.IDX P1, R5, R9, R8, R7", "shuffle", "P1 R5 <- R9 R8 R7"},
      {"ELECT P1, URZ, PT", "elect", "P1 <-"},
  });
}

TEST_CASE("decode: special registers", "[sass]") {
  check_cases({
      {"S2R R0, SR_TID.X", "s2r_thread", "R0 <-"},
      {"S2R R0, SR_TID.Z", "s2r_thread", "R0 <-"},
      {"S2R R3, SR_LANEID", "s2r_thread", "R3 <-"},
      {"S2R R0, SR_CTAID.X", "s2r", "R0 <-"},
      {"S2R R4, SR_LTMASK", "s2r_thread", "R4 <-"},
      {"S2R R4, SR_VIRTID", "s2r_thread", "R4 <-"},
      {"S2R R4, SR_SWINHI", "s2r", "R4 <-"},
      {"CS2R R24, SRZ", "cs2r", "R24*2 <-"},
      {"CS2R.32 R2, SR_CLOCKLO", "cs2r", "R2 <-"},
      {"S2UR UR5, SR_CgaCtaId", "s2ur", "UR5 <-"},
      {"R2UR UR6, R2", "r2ur", "UR6 <- R2"},
      {"R2UR P0, UR6, R2", "r2ur", "P0 UR6 <- R2"},
      {"B2R.RESULT RZ, P0", "s2r", "P0 <-"},
      {"NANOSLEEP 0x64", "nanosleep", "<-"},
      {"GETLMEMBASE R4", "s2r", "R4*2 <-"},
  });
}

TEST_CASE("decode: uniform datapath", "[sass]") {
  check_cases({
      {"UIADD3 UR4, UP0, UR6, -0x10, URZ", "uniform", "UR4 UP0 <- UR6"},
      {"UIADD3.X UR21, URZ, ~UR12, URZ, UP0, !UPT", "uniform", "UR21 <- UR12 UP0"},
      {"UIADD3.64 UR4, UR6, UR8, URZ", "uniform", "UR4*2 <- UR6*2 UR8*2"},
      {"UIMAD.WIDE.U32 UR4, UR6, UR4, UR8", "uniform", "UR4*2 <- UR6 UR4 UR8*2"},
      {"ULEA.HI.X UR7, UR4, UR11, UR7, 0xd, UP0", "uniform", "UR7 <- UR4 UR11 UR7 UP0"},
      {"ULOP3.LUT UR5, UR5, 0x8, URZ, 0xc0, !UPT", "uniform", "UR5 <- UR5"},
      {"USEL UR4, UR4, UR10, !UP0", "uniform", "UR4 <- UR4 UR10 UP0"},
      {"UISETP.GE.AND UP0, UPT, UR4, 0x3, UPT", "uniform", "UP0 <- UR4"},
      {"UMOV UR4, 0x400", "uniform_move", "UR4 <-"},
      {"ULDC UR4, c[0x0][0x0]", "uldc 4B", "UR4 <-"},
      {"ULDC.64 UR4, c[0x0][0x208]", "uldc 8B", "UR4*2 <-"},
      {"ULDC.64 UR4, c[0x0][UR6+0x10]", "uldc 8B", "UR4*2 <- UR6"},
      {"UP2UR UR4, UPR, URZ, 0x7f", "uniform", "UR4 <- UP0*7"},
      {"USETMAXREG.DEALLOC.CTAPOOL 0x28", "uniform", "<-"},
      {"USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8", "uniform", "UP0 <-"},
  });
}

TEST_CASE("decode: constant operands", "[sass]") {
  check_cases({
      {"LDC R1, c[0x0][0x28]", "ldc 4B", "R1 <-"},
      {"LDC.64 R2, c[0x0][0x210]", "ldc 8B", "R2*2 <-"},
      {"LDC.U8 R3, c[0x3][R4+0x8]", "ldc 1B", "R3 <- R4"},
      {"FADD R0, R1, cx[UR4][0x10]", "fp32 const", "R0 <- R1 UR4"},
  });
}

}  // namespace heddle::sass
