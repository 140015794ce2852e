// Decoding of single SASS lines: class, widths, flags and every register read and written.
#include <catch2/catch.hpp>

#include "tests/sass/decode_case.h"

namespace heddle::sass {

TEST_CASE("decode: memory access", "[sass]") {
  check_cases({
      {"LDG.E R2, desc[UR4][R2.64]", "ld_global 4B x1", "R2 <- UR4*2 R2*2"},
      {"LDG.E.64 R6, desc[UR8][R20.64+-0x10]", "ld_global 8B x1", "R6*2 <- UR8*2 R20*2"},
      {"LDG.E.128.CONSTANT R8, [R8.64]", "ld_global 16B x1", "R8*4 <- R8*2"},
      {"LDG.E.U8 R6, [R6.U32+UR4]", "ld_global 1B x1", "R6 <- R6 UR4*2"},
      {"LDG.E.SYS R0, [R2]", "ld_global 4B x1", "R0 <- R2*2"},
      {"LDG.E.128.STRONG.GPU R4, desc[UR6][R4.64]", "ld_global 16B x1 bypass strong", "R4*4 <- UR6*2 R4*2"},
      {"LDG.E.EF.LTC128B.64 R4, desc[UR6][R4.64]", "ld_global 8B x1 first", "R4*2 <- UR6*2 R4*2"},
      {"LDG.E.STRONG.SYS R4, [R2.64+UR6+0x20]", "ld_global 4B x1 bypass sys strong", "R4 <- R2*2 UR6*2"},
      {"STG.E desc[UR6][R2.64], R4", "st_global 4B x1", "<- UR6*2 R2*2 R4"},
      {"STG.E.128 desc[UR8][R22.64], R4", "st_global 16B x1", "<- UR8*2 R22*2 R4*4"},
      {"STG.E.64.SYS [R2], R4", "st_global 8B x1", "<- R2*2 R4*2"},
      {"STG.E desc[UR6][UR8.64], R4", "st_global 4B x1 uniform", "<- UR6*2 UR8*2 R4"},
      {"LD.E.STRONG.GPU R8, desc[UR4][R6.64+0x4]", "ld_generic 4B x1 bypass strong", "R8 <- UR4*2 R6*2"},
      {"ST.E.64 desc[UR4][R6.64], R8", "st_generic 8B x1", "<- UR4*2 R6*2 R8*2"},
      {"LDS R7, [R6]", "ld_shared 4B x1", "R7 <- R6"},
      {"LDS.128 R8, [R3+UR4+0x10]", "ld_shared 16B x1", "R8*4 <- R3 UR4"},
      {"LDS.U.64 R8, [R3.X8+0x10]", "ld_shared 8B x1", "R8*2 <- R3"},
      {"LDS R0, [UR4]", "ld_shared 4B x1 uniform", "R0 <- UR4"},
      {"STS.64 [R3], R14", "st_shared 8B x1", "<- R3 R14*2"},
      {"STS.U16 [R6+-0x2], R2", "st_shared 2B x1", "<- R6 R2"},
      {"STS [UR4+0x10], RZ", "st_shared 4B x1 uniform", "<- UR4"},
      {"LDL.128 R20, [R1]", "ld_local 16B x1", "R20*4 <- R1"},
      {"STL [R20], R11", "st_local 4B x1", "<- R20 R11"},
      {"ATOM.E.ADD.STRONG.GPU PT, R9, desc[UR4][R6.64+0x4], R13", "atom_generic 4B x1 bypass strong",
       "R9 <- UR4*2 R6*2 R13"},
      {"ATOMG.E.CAS.STRONG.GPU PT, R4, [R2], R8, R9", "atom_global 4B x1 bypass strong", "R4 <- R2*2 R8 R9"},
      {"ATOMG.E.CAS.64.STRONG.SYS PT, R4, [R2.64], R8, R10", "atom_global 8B x1 bypass sys strong",
       "R4*2 <- R2*2 R8*2 R10*2"},
      {"ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R4, desc[UR4][R2.64], R8", "atom_global 8B x1 bypass strong",
       "R4*2 <- UR4*2 R2*2 R8*2"},
      {"ATOMG.E.ADD.F16x2.RN.STRONG.GPU PT, R4, desc[UR4][R2.64], R8", "atom_global 4B x1 bypass strong",
       "R4 <- UR4*2 R2*2 R8"},
      {"ATOMS.ADD R5, [R4], R3", "atom_shared 4B x1", "R5 <- R4 R3"},
      {"ATOMS.CAS R3, [R2], R4, R5", "atom_shared 4B x1", "R3 <- R2 R4 R5"},
      {"ATOMS.CAST.SPIN.64 R6, [R2], R8, R10", "atom_shared 8B x1", "R6*2 <- R2 R8*2 R10*2"},
      {"ATOMS.POPC.INC.32 RZ, [R6+URZ]", "atom_shared 4B x1", "<- R6"},
      {"RED.E.ADD.STRONG.GPU [R2.64], R5", "red_global 4B x1 bypass strong", "<- R2*2 R5"},
      {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R2.64], R9", "red_global 4B x1 bypass strong",
       "<- UR6*2 R2*2 R9"},
      {"LDSM.16.M88.4 R16, [R58+0x500]", "ld_matrix 16B x1 matrices=4", "R16*4 <- R58"},
      {"LDSM.16.MT88.2 R2, [R59]", "ld_matrix 16B x1 matrices=2", "R2*2 <- R59"},
      {"LDSM.16.M88 R2, [R59+UR4]", "ld_matrix 16B x1 matrices=1", "R2 <- R59 UR4"},
      {"STSM.16.M88.4 [R3], R8", "st_matrix 16B x1 matrices=4", "<- R3 R8*4"},
      {"LDGSTS.E.BYPASS.128 [R3], desc[UR8][R4.64]", "ldgsts 16B x2 bypass", "<- R3 UR8*2 R4*2"},
      {"LDGSTS.E [R3+0x400], [R4.64], P0", "ldgsts 4B x2", "<- R3 R4*2 P0"},
      {"LDGSTS.E.BYPASS.LTC128B.128.ZFILL [R3+UR4], desc[UR8][R4.64+0x20], !P1", "ldgsts 16B x2 bypass",
       "<- R3 UR4 UR8*2 R4*2 P1"},
      {"LDGDEPBAR", "ldgdepbar", "<-"},
      {"CCTL.IVALL", "cctl", "<-"},
      {"CCTL.E.PF2 [R2.64]", "cctl x1", "<- R2*2"},
      {"MEMBAR.SC.SYS", "membar sys", "<-"},
      {"MEMBAR.ALL.CTA", "membar cta", "<-"},
      {"FENCE.VIEW.ASYNC.S", "membar cta", "<-"},
      {"QSPC.E.S P0, RZ, [R2]", "s2r", "P0 <- R2*2"},
  });
}

TEST_CASE("decode: texture", "[sass]") {
  check_cases({
      {"TEX.SCR.LL R4, R2, R6, R2, 0x0, 0x58, 2D", "texture 16B x1", "R4*2 R2*2 <- R6*2 R2"},
      {"TEX.SCR.B.LL RZ, R9, R4, R2, 2D", "texture 16B x1", "R9*2 <- R4*2 R2"},
      {"TLD.SCR.LZ RZ, R8, R18, 0x0, 0x64, 1D, 0x3", "texture 8B x1", "R8*2 <- R18"},
      {"SULD.D.BA.2D.128.STRONG.CTA.TRAP R4, [R4], 0x0, 0x5b", "texture 16B x1 cta strong", "R4*4 <- R4"},
      {"SUST.D.BA.1D.STRONG.CTA [R1], R0, 0x0, 0x5a", "texture 4B x1 cta strong", "<- R1 R0"},
  });
}

TEST_CASE("decode: asynchronous copies and barriers", "[sass]") {
  check_cases({
      {"UCGABAR_ARV", "cluster_barrier arrive", "<-"},
      {"UCGABAR_WAIT", "cluster_wait", "<-"},
      {"SYNCS.EXCH.64 URZ, [UR6+0x8], UR4", "mbarrier 8B x1 uniform", "<- UR6 UR4*2"},
      {"SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R2+URZ], RZ", "mbarrier 8B x1", "<- R2"},
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R3+UR9], R0", "mbarrier 8B x1", "P1 <- R3 UR9 R0"},
      {"UBLKCP.S.G [UR8], [UR6], UR4", "bulk_copy x1 uniform", "<- UR8*2 UR6*2 UR4"},
      {"UBLKRED.G.S.ADD.S32 [UR8], [UR6], UR4", "bulk_copy x1 uniform", "<- UR8*2 UR6*2 UR4"},
      {"UTMALDG.2D [UR8], [UR4], desc[UR6]", "bulk_copy x1 uniform", "<- UR8*4 UR4*2 UR6*2"},
      {"UTMALDG.3D.MULTICAST [UR8], [UR4], UR14, desc[UR16]", "bulk_copy x1 uniform",
       "<- UR8*5 UR4*2 UR14 UR16*2"},
      {"UTMASTG.2D [UR8], [UR4]", "bulk_copy x1 uniform", "<- UR8*4 UR4*2"},
      {"UTCHMMA gdesc[UR10], gdesc[UR12], tmem[UR6], tmem[UR4], idesc[UR5], UP0", "tensor_mma x1",
       "<- UR10*2 UR12*2 UR6 UR4 UR5 UP0"},
      {"UTCQMMA.2CTA tmem[UR7], gdesc[UR20], tmem[UR6], tmem[UR4], idesc[UR5], UPT", "tensor_mma x1 pair",
       "<- UR7 UR20*2 UR6 UR4 UR5"},
      {"UTCCP.T.S.4x32dp128bit tmem[UR6], gdesc[UR10]", "tensor_copy x1", "<- UR6 UR10*2"},
      {"UTCBAR [UR4], URZ", "tensor_commit 8B x1 uniform", "<- UR4"},
      {"UTCATOMSWS.FIND_AND_SET.ALIGN UP0, UR4, UR4", "tensor_alloc x1", "UP0 UR4 <- UR4"},
      {"UTCATOMSWS.2CTA.AND URZ, UR4", "tensor_alloc x1 free pair", "<- UR4"},
      {"LDTM.x8 R4, tmem[UR6]", "tensor_ld matrices=8", "R4*8 <- UR6"},
      {"LDTM.16dp256bit.x2 R12, tmem[UR6+0x4]", "tensor_ld matrices=8", "R12*8 <- UR6"},
      {"STTM.x2 tmem[UR6], R4", "tensor_st matrices=2", "<- UR6 R4*2"},
      {"UTMACMDFLUSH", "bulk_copy", "<-"},
      {"UTMACCTL.PF [UR4]", "bulk_copy x1 uniform", "<- UR4*2"},
      {"ARRIVES.LDGSTSBAR.64.TRANSCNT [UR4]", "mbarrier 8B x1 uniform", "<- UR4"},
      {"ACQBULK", "nop", "<-"},
      {"PREEXIT", "nop", "<-"},
      {"STAS.64 [R2.64], R4", "st_shared 8B x1", "<- R2*2 R4*2"},
  });
}

}  // namespace heddle::sass
