// Instructions from trace columns. Lines are "destinations | opcode | sources" as NVBit's tracer writes them.
#include "frontends/sass/from_fields.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/sass/show.h"

namespace heddle::sass {
namespace {

using Regs = std::vector<uint8_t>;

isa::Instr fields(const char* opcode, const Regs& dst, const Regs& src, uint32_t width = 0) {
  OpcodePool pool;
  return decode_fields(0x120, opcode, dst, src, width, pool);
}

struct Case {
  const char* opcode;
  Regs dst, src;
  uint32_t width;
  const char* what;
  const char* operands;
};

}  // namespace

TEST_CASE("fields: widths and classes", "[sass]") {
  const Case cases[] = {
      {"FFMA", {4}, {4, 5, 6}, 0, "fp32", "R4 <- R4 R5 R6"},
      {"IMAD.MOV.U32", {4}, {255, 255, 7}, 0, "imad", "R4 <- R7"},
      {"IMAD.WIDE", {2}, {5, 2}, 0, "imad_wide", "R2*2 <- R5 R2*2"},
      {"IMAD.WIDE.U32", {2}, {5, 6, 8}, 0, "imad_wide", "R2*2 <- R5 R6 R8*2"},
      {"IMAD.HI.U32", {6}, {7, 9, 6}, 0, "imad_wide", "R6 <- R7 R9 R6*2"},
      {"DFMA", {24}, {4, 8, 24}, 0, "fp64", "R24*2 <- R4*2 R8*2 R24*2"},
      {"CS2R", {24}, {}, 0, "cs2r", "R24*2 <-"},
      {"LDC.64", {2}, {}, 0, "ldc 8B", "R2*2 <-"},
      {"F2F.F64.F32", {4}, {3}, 0, "convert64", "R4*2 <- R3"},
      {"LDG.E", {2}, {2}, 4, "ld_global 4B x1", "R2 <- R2*2"},
      {"LDG.E.128.STRONG.GPU", {4}, {4}, 16, "ld_global 16B x1 bypass strong", "R4*4 <- R4*2"},
      {"LDG.E.SYS", {4}, {2}, 4, "ld_global 4B x1", "R4 <- R2*2"},
      {"LDS.64", {10}, {3}, 8, "ld_shared 8B x1", "R10*2 <- R3"},
      {"LDS", {10}, {}, 4, "ld_shared 4B x1", "R10 <-"},  // uniform address
      {"LDL.128", {20}, {1}, 16, "ld_local 16B x1", "R20*4 <- R1"},
      {"STG.E.64", {}, {2, 24}, 8, "st_global 8B x1", "<- R2*2 R24*2"},
      {"STG.E", {}, {4}, 4, "st_global 4B x1", "<- R4"},  // uniform address: the data alone
      {"STS.128", {}, {18, 4}, 16, "st_shared 16B x1", "<- R18 R4*4"},
      {"STS", {}, {18, 255}, 4, "st_shared 4B x1", "<- R18"},
      {"LDGSTS.E.BYPASS.128", {}, {3, 4}, 16, "ldgsts 16B x2 bypass", "<- R3 R4*2"},
      {"LDSM.16.M88.4", {16}, {58}, 16, "ld_matrix 16B x1 matrices=4", "R16*4 <- R58"},
      {"HMMA.16816.F32", {28}, {16, 2, 28}, 0, "hmma", "R28*4 <- R16*4 R2*2 R28*4"},
      {"HGMMA.64x64x16.F32", {24}, {24}, 0, "gmma x1", "R24*32 <- R24*32"},
      {"HGMMA.64x64x16.F32", {24}, {4, 24}, 0, "gmma x1", "R24*32 <- R4*4 R24*32"},
      {"REDG.E.ADD.STRONG.GPU", {}, {2, 5}, 4, "red_global 4B x1 bypass strong", "<- R2*2 R5"},
      {"SYNCS.ARRIVE.TRANS64", {255}, {3, 0}, 0, "mbarrier 8B x1", "<- R3 R0"},
      {"EXIT", {}, {}, 0, "exit", "<-"},
      {"BAR.SYNC", {}, {}, 0, "barrier all", "<-"},
  };
  for (const Case& c : cases) {
    INFO(c.opcode);
    const isa::Instr in = fields(c.opcode, c.dst, c.src, c.width);
    CHECK(show_class(in) == c.what);
    CHECK(show_operands(in) == c.operands);
    CHECK(in.pc == 0x120);
    CHECK((in.flags & isa::kFlagHasControl) == 0);
    CHECK(int{in.ctl.write_barrier} == 7);
  }
}

TEST_CASE("fields: the tracer's misplaced destinations", "[sass]") {
  // A predicate destination first: the register destination is listed as the first source.
  CHECK(show_operands(fields("SHFL.BFLY", {}, {13, 12})) == "R13 <- R12");
  CHECK(show_operands(fields("SHFL.IDX", {}, {5, 9, 8})) == "R5 <- R9 R8");
  CHECK(show_operands(fields("ATOM.E.ADD.STRONG.GPU", {}, {9, 6, 13}, 4)) == "R9 <- R6*2 R13");
  CHECK(show_operands(fields("ATOM.E.ADD.STRONG.GPU", {}, {255, 4, 13}, 4)) == "<- R4*2 R13");
  CHECK(show_operands(fields("LOP3.LUT", {}, {255, 7, 255})) == "<- R7");
  // No destination at all, but a vector register first.
  CHECK(show_operands(fields("RET.REL.NODEC", {6}, {})) == "<- R6*2");
  CHECK(show_operands(fields("BAR.SYNC.DEFER_BLOCKING", {5}, {6})) == "<- R5 R6");
  // Other converters put the destination in its place.
  CHECK(show_operands(fields("SHFL.BFLY", {13}, {12})) == "R13 <- R12");
  CHECK(show_operands(fields("ATOMG.E.ADD", {9}, {6, 13}, 4)) == "R9 <- R6*2 R13");
  CHECK(show_operands(fields("R2UR", {}, {0})) == "<- R0");
  CHECK(show_operands(fields("REDUX.SUM", {}, {0})) == "<- R0");
}

TEST_CASE("fields: unknown opcodes", "[sass]") {
  OpcodePool pool;
  const isa::Instr in = decode_fields(0, "QQQ.X", Regs{1}, Regs{2, 3}, 0, pool);
  CHECK(show_class(in) == "unknown unknown");
  CHECK(show_operands(in) == "R1 <- R2 R3");
  CHECK(pool.unknown() == std::map<std::string, uint64_t>{{"QQQ.X", 1}});
  // An unknown memory opcode: the trace says whether it has addresses.
  CHECK(show_class(decode_fields(0, "LDGX.E.64", Regs{1}, Regs{2}, 0, pool)) == "ld_global unknown");
  CHECK(show_class(decode_fields(0, "LDGX.E.64", Regs{1}, Regs{2}, 8, pool)) == "ld_global 8B x1 unknown");
}

TEST_CASE("fields: long lists are cut", "[sass]") {
  const isa::Instr in = fields("FFMA", {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(int{in.n_dst} == isa::kMaxDst);
  CHECK(int{in.n_src} == isa::kMaxSrc);
}

}  // namespace heddle::sass
