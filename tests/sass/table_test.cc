// The opcode table itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "frontends/sass/mma_shape.h"
#include "frontends/sass/opcode_table.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

TEST_CASE("table: sorted, found by name, classified", "[sass]") {
  const auto rows = opcode_rows();
  CHECK(rows.size() > 200);
  CHECK(std::is_sorted(rows.begin(), rows.end(),
                       [](const OpcodeRow& a, const OpcodeRow& b) { return a.base < b.base; }));
  for (const OpcodeRow& r : rows) {
    INFO(r.base);
    CHECK(find_row(r.base) == &r);
    CHECK(r.op != isa::OpClass::kUnknown);
    CHECK(classify(r.base).known);
    CHECK((classify(r.base).flags & isa::kFlagUnknownOpcode) == 0);
  }
}

TEST_CASE("table: every class has an opcode", "[sass]") {
  std::set<isa::OpClass> seen;
  for (const OpcodeRow& r : opcode_rows()) {
    seen.insert(classify(r.base).op);
  }
  for (const char* opcode :
       {"IMAD.WIDE", "HFMA2.MMA", "F2F.F64.F32", "MUFU.EX2", "WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR.LE"}) {
    seen.insert(classify(opcode).op);
  }
  for (int c = 0; c < isa::kOpClassCount; ++c) {
    INFO(isa::kOpClassNames[static_cast<size_t>(c)]);
    CHECK((seen.contains(static_cast<isa::OpClass>(c)) || c == static_cast<int>(isa::OpClass::kUnknown)));
  }
}

TEST_CASE("table: unknown opcodes take the longest known prefix", "[sass]") {
  CHECK(classify("HGMMA2.64x64x16").op == isa::OpClass::kGmma);
  CHECK(classify("IADD3X").op == isa::OpClass::kAlu);
  CHECK(classify("LDGNEW.E.64").width == 8);
  CHECK(classify("UXYZ").op == isa::OpClass::kUniform);
  CHECK(classify("STX").op == isa::OpClass::kUnknown);  // two letters are no prefix
  CHECK(classify("").op == isa::OpClass::kUnknown);
  CHECK_FALSE(classify("UXYZ").known);
  CHECK((classify("UXYZ").flags & isa::kFlagUnknownOpcode) != 0);
}

TEST_CASE("table: access widths", "[sass]") {
  const struct {
    const char* opcode;
    int bytes;
  } cases[] = {
      {"LDG.E", 4},
      {"LDG.E.U8", 1},
      {"LDG.E.S16", 2},
      {"LDG.E.64.CONSTANT", 8},
      {"LDG.E.LTC128B", 4},
      {"LDG.E.LTC128B.128", 16},
      {"LDS.U.128", 16},
      {"LDC.S8", 1},
      {"ULDC.64", 8},
      {"STL.128", 16},
      {"ATOMS.ADD.F32", 4},
      {"ATOMG.E.ADD.F64.RN", 8},
      {"ATOMS.CAS.64", 8},
      {"RED.E.ADD.F16x2.RN", 4},
      {"REDG.E.ADD.F32x4", 16},
      {"REDG.E.ADD.BF16_V2.RN", 4},
      {"LDSM.16.M88.4", 16},
      {"LDGSTS.E.64", 8},
      {"FADD", 0},
      {"MEMBAR.SC.GPU", 0},
      {"ATOMG.E.EXCH.128", 16},
  };
  for (const auto& c : cases) {
    INFO(c.opcode);
    CHECK(int{classify(c.opcode).width} == c.bytes);
  }
}

TEST_CASE("table: matrix shapes that are none", "[sass]") {
  for (const char* opcode :
       {"HMMA", "HMMA.F32", "HMMA.64x64", "HMMA.0x8x8", "HMMA.64x64x16x2", "HMMA.999x1x1"}) {
    INFO(opcode);
    const MmaShape s = mma_shape(opcode);
    CHECK(s.work() == 0);
    CHECK(int{s.a_regs()} == 1);
    CHECK(int{s.c_regs()} == 1);
  }
}

}  // namespace heddle::sass
