// Decoding of single SASS lines: class, widths, flags and every register read and written.
#include <catch2/catch.hpp>

#include "frontends/sass/from_fields.h"
#include "tests/sass/decode_case.h"

namespace heddle::sass {

TEST_CASE("decode: tensor cores", "[sass]") {
  check_cases({
      {"HMMA.16816.F32 R28, R16, R2.reuse, R28", "hmma", "R28*4 <- R16*4 R2*2 R28*4"},
      {"HMMA.16816.F16 R28, R16, R2, R28", "hmma", "R28*2 <- R16*4 R2*2 R28*2"},
      {"HMMA.16816.F32.BF16 R28, R16, R2, RZ", "hmma", "R28*4 <- R16*4 R2*2"},
      {"HMMA.1688.F32 R28, R16, R2, R28", "hmma", "R28*4 <- R16*2 R2 R28*4"},
      {"HMMA.1688.F16 R28, R16, R2, R28", "hmma", "R28*2 <- R16*2 R2 R28*2"},
      {"HMMA.1688.F32.TF32 R28, R16, R2, R28", "hmma", "R28*4 <- R16*4 R2*2 R28*4"},
      {"HMMA.1684.F32.TF32 R28, R16, R2, R28", "hmma", "R28*4 <- R16*2 R2 R28*4"},
      {"HMMA.SP.16832.F32 R8, R4, R12, R8, R2, 0x0", "hmma", "R8*4 <- R4*4 R12*4 R8*4 R2"},
      {"HMMA.884.F32.F32.STEP0 R8, R2.reuse.ROW, R4.reuse.COL, R8", "hmma", "R8*2 <- R2*2 R4*2 R8*2"},
      {"HMMA.884.F16.F16.STEP1 R8, R2.ROW, R4.COL, R8", "hmma", "R8*2 <- R2*2 R4*2 R8*2"},
      {"IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", "imma", "R4*4 <- R8*4 R12*2 R4*4"},
      {"IMMA.16816.S8.S8.SAT R4, R8.ROW, R12.COL, R4", "imma", "R4*4 <- R8*2 R12 R4*4"},
      {"IMMA.8816.S8.S8 R4, R8.ROW, R12.COL, R4", "imma", "R4*2 <- R8 R12 R4*2"},
      {"IMMA.16864.S4.S4 R4, R8.ROW, R12.COL, R4", "imma", "R4*4 <- R8*4 R12*2 R4*4"},
      {"BMMA.168256.XOR.POPC R4, R8.ROW, R12.COL, R4", "imma", "R4*4 <- R8*4 R12*2 R4*4"},
      {"DMMA.884 R4, R8, R12, R4", "dmma", "R4*4 <- R8*2 R12*2 R4*4"},
      {"DMMA.8x8x4 R4, R8, R12, R4", "dmma", "R4*4 <- R8*2 R12*2 R4*4"},
      {"DMMA.16x8x16 R4, R24, R16, R4", "dmma", "R4*8 <- R24*16 R16*8 R4*8"},
      {"HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0", "gmma x1", "R24*32 <- UR4*4 R24*32"},
      {"HGMMA.64x256x16.F32.BF16 R24, R164, gdesc[UR28].tnspB, R24, gsb0", "gmma x1",
       "R24*128 <- R164*4 UR28*2 R24*128"},
      {"HGMMA.64x128x16.F16 R24, gdesc[UR4].tnspA.tnspB, RZ, !UPT", "gmma x1", "R24*32 <- UR4*4"},
      {"HGMMA.64x64x8.F32.TF32 R24, gdesc[UR4], R24, UP0, gsb0", "gmma x1", "R24*32 <- UR4*4 R24*32 UP0"},
      {"QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24, gsb0", "gmma x1", "R24*64 <- UR8*4 R24*64"},
      {"IGMMA.64x64x32.U8.U8 R24, gdesc[UR4], RZ, !UPT", "gmma x1", "R24*32 <- UR4*4"},
      {"BGMMA.64x64x256.AND.POPC R24, gdesc[UR6], R24, UPT, gsb0", "gmma x1", "R24*32 <- UR6*4 R24*32"},
      {"MOVM.16.MT88 R16, R17", "movm", "R16 <- R17"},
      {"WARPGROUP.ARRIVE", "warpgroup_arrive", "<-"},
      {"WARPGROUP.DEPBAR.LE gsb0, 0x1", "warpgroup_depbar", "<-"},
  });
}

TEST_CASE("decode: the last warp-group MMA of a group has gsb0", "[sass]") {
  const auto goes_on = [](const char* text) { return (decode_one(text).flags & isa::kFlagGroupGoesOn) != 0; };
  CHECK(goes_on("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24"));
  CHECK_FALSE(goes_on("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0"));
  CHECK_FALSE(goes_on("WARPGROUP.DEPBAR.LE gsb0, 0x1"));
}

TEST_CASE("decode: branches and barriers", "[sass]") {
  check_cases({
      {"BRA 0xc0", "branch", "<-"},
      {"@!P0 BRA P1, 0x120", "branch predicated", "<- P0 P1"},
      {"BRA.DIV UR8, 0x640", "branch", "<- UR8"},
      {"@!UP0 BRA.U UP1, `(.L_x_3)", "branch predicated", "<- UP0 UP1"},
      {R"(BRX R12 -0x370 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*))", "branch", "<- R12*2"},
      {"CALL.REL.NOINC 0xf00", "call", "<-"},
      {"CALL.ABS.NOINC R2 `(printf)", "call", "<- R2*2"},
      {"RET.REL.NODEC R8 0x0", "call", "<- R8*2"},
      {"BSSY B0, 0x120", "converge", "B0 <-"},
      {"BSYNC B0", "converge", "<- B0"},
      {"BREAK P0, B3", "converge", "<- P0 B3"},
      {"BMOV.32.CLEAR R6, B6", "converge", "R6 <- B6"},
      {"BMOV.32 B6, R6", "converge", "B6 <- R6"},
      {"WARPSYNC 0xffffffff", "converge", "<-"},
      {"WARPSYNC.COLLECTIVE.ALL 0x6d0", "converge", "<-"},
      {"WARPSYNC R4", "converge", "<- R4"},
      {"YIELD", "converge", "<-"},
      {"EXIT", "exit", "<-"},
      {"@P3 EXIT", "exit predicated", "<- P3"},
      {"NOP", "nop", "<-"},
      {"BPT.TRAP 0x1", "nop", "<-"},
      {"BAR.SYNC.DEFER_BLOCKING 0x0", "barrier all", "<-"},
      {"BAR.SYNC 0x1, 0x80", "barrier", "<-"},
      {"BAR.ARV 0x2, 0x100", "barrier arrive", "<-"},
      {"BAR.SYNC R5, R6", "barrier", "<- R5 R6"},
      {"BAR.RED.POPC.DEFER_BLOCKING 0x0, P0", "barrier red all", "<- P0"},
      {"DEPBAR.LE SB0, 0x1", "depbar", "<- SB0"},
      {"DEPBAR.LE SB0, 0x0, {2,1}", "depbar", "<- SB0"},
      {"DEPBAR {SB5,SB3}", "depbar", "<-"},
      {"ERRBAR", "nop", "<-"},
      {"CGAERRBAR", "errbar", "<-"},
  });
}

TEST_CASE("decode: guards", "[sass]") {
  check_cases({
      {"@P0 LDG.E R2, desc[UR4][R2.64]", "ld_global 4B x1 predicated", "R2 <- P0 UR4*2 R2*2"},
      {"@!PT LDS RZ, [RZ]", "ld_shared 4B x1 predicated", "<-"},
      {"@PT MOV R1, R2", "alu", "R1 <- R2"},
      {"@UP1 UMOV UR4, UR5", "uniform_move predicated", "UR4 <- UP1 UR5"},
  });
}

TEST_CASE("decode: unknown opcodes", "[sass]") {
  check_cases({
      {"UFOOBAR UR4, UR5", "uniform unknown", "UR4 <- UR5"},
      {"FADD9 R4, R6, R8", "fp32 unknown", "R4 <- R6 R8"},
      {"ZZZ R1, R2", "unknown unknown", "R1 <- R2"},
  });
}

TEST_CASE("decode: matrix work and element sizes", "[sass]") {
  const struct {
    const char* text;
    uint32_t work;
    int bits, acc_bits;
  } cases[] = {
      {"HMMA.16816.F32 R28, R16, R2, R28", 16 * 8 * 16, 16, 32},
      {"HMMA.16816.F16 R28, R16, R2, R28", 16 * 8 * 16, 16, 16},
      {"HMMA.1688.F32.TF32 R28, R16, R2, R28", 16 * 8 * 8, 32, 32},
      {"HMMA.SP.16832.F32 R8, R4, R12, R8, R2, 0x0", 16 * 8 * 32 / 2, 16, 32},
      {"HMMA.884.F32.F32.STEP0 R8, R2.ROW, R4.COL, R8", 4 * 8 * 8 * 4 / 4, 16, 32},
      {"HMMA.884.F16.F16.STEP1 R8, R2.ROW, R4.COL, R8", 4 * 8 * 8 * 4 / 2, 16, 16},
      {"IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", 16 * 8 * 32, 8, 32},
      {"IMMA.16864.U4.S4 R4, R8.ROW, R12.COL, R4", 16 * 8 * 64, 4, 32},
      {"BMMA.168256.XOR.POPC R4, R8.ROW, R12.COL, R4", 16 * 8 * 256, 1, 32},
      {"DMMA.884 R4, R8, R12, R4", 8 * 8 * 4, 64, 64},
      {"DMMA.16x8x16 R4, R24, R16, R4", 16 * 8 * 16, 64, 64},
      {"HGMMA.64x256x16.F32.BF16 R24, gdesc[UR28], R24, gsb0", 64 * 256 * 16, 16, 32},
      {"HGMMA.64x64x8.F32.TF32 R24, gdesc[UR4], R24, gsb0", 64 * 64 * 8, 32, 32},
      {"QGMMA.64x128x32.F16.E4M3.E5M2 R24, gdesc[UR8], R24, gsb0", 64 * 128 * 32, 8, 16},
      {"IGMMA.64x64x32.U8.U8 R24, gdesc[UR4], RZ, !UPT", 64 * 64 * 32, 8, 32},
      {"BGMMA.64x64x256.AND.POPC R24, gdesc[UR6], R24, gsb0", 64 * 64 * 256, 1, 32},
      {"FFMA R1, R2, R3, R4", 0, 0, 0},
      {"HMMA.99.F32 R28, R16, R2, R28", 0, 0, 0},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const isa::Instr in = decode_one(c.text);
    CHECK(in.mma_work == c.work);
    CHECK(int{in.mma_bits} == c.bits);
    CHECK(int{in.mma_acc_bits} == c.acc_bits);
  }
}

TEST_CASE("decode: named barriers", "[sass]") {
  const struct {
    const char* text;
    int id, threads;
  } cases[] = {
      {"BAR.SYNC.DEFER_BLOCKING 0x0", 0, 0}, {"BAR.SYNC 0x1, 0x80", 1, 128},  {"BAR.ARV 0xf, 0x100", 15, 256},
      {"BAR.SYNC R5, R6", 0xff, 0},          {"BAR.SYNC R5, 0x40", 0xff, 64}, {"BAR.RED.POPC 0x2, P0", 2, 0},
      {"BAR.RED.AND 0x2, 0x40, !P0", 2, 64}, {"@P1 BAR.SYNC 0x3", 3, 0},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const isa::Instr in = decode_one(c.text);
    CHECK(int{in.barrier_id} == c.id);
    CHECK(int{in.barrier_threads} == c.threads);
  }
}

TEST_CASE("decode: dependence counters", "[sass]") {
  const isa::Instr le = decode_one("DEPBAR.LE SB0, 0x2");
  CHECK(int{le.depbar_sb} == 0);
  CHECK(int{le.depbar_count} == 2);
  CHECK(int{le.depbar_mask} == 0);
  const isa::Instr set = decode_one("DEPBAR.LE SB5, 0x1, {4,3}");
  CHECK(int{set.depbar_sb} == 5);
  CHECK(int{set.depbar_count} == 1);
  CHECK(int{set.depbar_mask} == 0b11000);
  const isa::Instr only = decode_one("DEPBAR {SB5, SB0}");
  CHECK(int{only.depbar_sb} == 7);
  CHECK(int{only.depbar_mask} == 0b100001);
  CHECK(int{decode_one("WARPGROUP.DEPBAR.LE gsb0, 0x3").depbar_count} == 3);
}

TEST_CASE("decode: branch targets", "[sass]") {
  CHECK(decode_one("BRA 0xc0").target == 0xc0);
  CHECK(decode_one("@!P0 BRA !P1, 0x1230").target == 0x1230);
  CHECK(decode_one("BRA.DIV UR8, 0x640").target == 0x640);
  CHECK(decode_one("BSSY B0, 0x120").target == 0x120);
  CHECK(decode_one("CALL.REL.NOINC 0xf00").target == 0xf00);
  CHECK(decode_one("WARPSYNC.COLLECTIVE.ALL 0x6d0").target == 0x6d0);
  CHECK(decode_one("WARPSYNC 0xffffffff").target == 0);  // a mask
  CHECK(decode_one("RET.REL.NODEC R8 0x10").target == 0);
  CHECK(decode_one("BRX R2 -0x370").target == 0);
  CHECK(decode_one("BRA `(.L_x_3)").target == 0);
  CHECK(target_label("BRA `(.L_x_3)") == ".L_x_3");
  CHECK(target_label("@P0 BSSY B0, `(.L_4)") == ".L_4");
  CHECK(target_label("FADD R1, R2, R3").empty());
}

TEST_CASE("decode: unknown opcodes are counted", "[sass]") {
  OpcodePool pool;
  decode_text(0, "UFOOBAR.X UR4, UR5", pool);
  decode_text(16, "UFOOBAR.X UR4, UR6", pool);
  decode_text(32, "FADD R4, R5, R6", pool);
  CHECK(pool.unknown() == std::map<std::string, uint64_t>{{"UFOOBAR.X", 2}});
  CHECK(pool.opcodes() == std::vector<std::string>{"UFOOBAR.X", "FADD"});
}

TEST_CASE("decode: known opcodes with modifiers that no assembler writes are counted, too", "[sass]") {
  for (const char* text : {"HMMA.9999.F32 R4, R8, R10, R4", "MUFU.XYZ R1, R2", "SYNCS.XYZ.64 URZ, [UR8], UR4",
                           "LDG.E.9999 R2, [R4.64]", "STS.12 [R2], R4", "IMMA.77x1.S8.S8 R4, R8, R10, R4"}) {
    OpcodePool pool;
    const isa::Instr in = decode_text(0, text, pool);
    CAPTURE(text);
    CHECK(pool.unknown().size() == 1);
    CHECK_FALSE(in.flags & isa::kFlagUnknownOpcode);  // what it does is known
    OpcodePool fields;
    decode_fields(0, std::string_view(text).substr(0, std::string_view(text).find(' ')), {}, {}, 0, fields);
    CHECK(fields.unknown().size() == 1);
  }
  for (const char* text :
       {"HMMA.16816.F32 R4, R8, R10, R4", "HMMA R4, R8, R10, R4", "MUFU.EX2.F16 R1, R2", "MUFU R1, R2",
        "FCHK P0, R1, R2", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R2", "ARRIVES.LDGSTSBAR.64 [UR4]",
        "LDG.E.LTC128B.128 R4, [R2.64]", "LDS.U8 R2, [R4]", "ATOMG.E.ADD.F16x2.RN PT, RZ, [R2], R4",
        "DMMA.16x8x16 R4, R8, R10, R4", "HGMMA.64x64x16.F32 R24, gdesc[UR8], R24"}) {
    OpcodePool pool;
    decode_text(0, text, pool);
    CAPTURE(text);
    CHECK(pool.unknown().empty());
  }
}

TEST_CASE("decode: a barrier's thread count in a register is no barrier of the whole block", "[sass]") {
  OpcodePool pool;
  const isa::Instr in = decode_text(0, "BAR.SYNC.DEFER_BLOCKING R1, R2", pool);
  CHECK(in.barrier_id == isa::kBarrierInRegister);
  CHECK(in.barrier_threads == 0);
  CHECK_FALSE(in.flags & isa::kFlagBarrierAllThreads);
  CHECK(decode_text(16, "BAR.SYNC.DEFER_BLOCKING R1", pool).flags & isa::kFlagBarrierAllThreads);
}

TEST_CASE("decode: register counts stay inside the register file", "[sass]") {
  CHECK(show_operands(decode_one("LDG.E.128 R254, [R252.64]")) == "R254 <- R252*2");
  CHECK(show_operands(decode_one("LDCU.64 UR79, c[0x0][0x0]")) == "UR79 <-");
  CHECK(show_operands(decode_one("HGMMA.64x256x16.F32 R200, gdesc[UR79], R200, gsb0")) ==
        "R200*55 <- UR79 R200*55");
}

}  // namespace heddle::sass
