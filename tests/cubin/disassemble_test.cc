// Encodings as text: what nvdisasm prints of them, one instruction of every form that was seen.
#include <catch2/catch.hpp>

#include <fstream>

#include "frontends/cubin/record.h"
#include "tests/cubin/encodings.h"

namespace heddle::cubin::test {

// How many lines there are.
size_t check_all(const char* name) {
  std::ifstream file(name);
  size_t all = 0;
  for (std::string line; std::getline(file, line);) {
    const auto e = encoding(line);
    if (!e) {
      continue;
    }
    ++all;
    const std::string got = disassembled(e->word, e->pc, e->capability);
    if (!same(got, e->text)) {
      CAPTURE(line, got);
      CHECK(same(got, e->text));
    }
  }
  return all;
}

TEST_CASE("instructions of libraries and captures, as nvdisasm prints them") {
  CHECK(check_all("tests/cubin/data/encodings.tsv") == 2751);
}

TEST_CASE("instructions of Blackwell, as nvdisasm prints them") {
  CHECK(check_all("tests/cubin/data/encodings_blackwell.tsv") == 2814);
}

TEST_CASE("what Blackwell has not, and what only it has") {
  const Word uldc{0x0000820000047ab9, 0x000fe20000000a00}, ldcu{0x00006b00ff0477ac, 0x000ea20008000a00},
      add64{0x00000006040a7235, 0x0c4fe400078e0200}, credux{0x00000000040672cc, 0x004fda0000000000},
      group{0x01e00000040079f0, 0x000fe20008700800};
  CHECK(disassembled(uldc, 0, 90) == "ULDC.64 UR4, c[0x0][0x208]");
  CHECK(disassembled(uldc, 0, 100).empty());
  CHECK(disassembled(group, 0, 100).empty());
  CHECK(disassembled(ldcu, 0, 90).empty());
  CHECK(disassembled(ldcu, 0, 103) == "LDCU.64 UR4, c[0x0][0x358]");
  CHECK(disassembled(add64, 0, 120) == "IADD.64 R10, R4.reuse, R6.reuse");
  CHECK(disassembled(add64, 0, 100).empty());
  CHECK(disassembled(credux, 0, 100) == "CREDUX.MAX UR6, R4");
  CHECK(disassembled(credux, 0, 121).empty());
  // Of 80 uniform registers the last one; there are no others but URZ.
  CHECK(disassembled({0x00000000004f782f, 0x000fe40003800000}, 0, 100) == "ELECT P0, UR79, PT");
  CHECK(disassembled({0x000000000050782f, 0x000fe40003800000}, 0, 100).empty());
}

TEST_CASE("what ptxas has shown by its PTX or CUDA alone: nvdisasm has not been asked for these texts") {
  const struct {
    Word word;
    uint32_t capability;
    const char* text;
  } cases[] = {
      {{0x00000000000478cb, 0x000fc80000015000}, 120, "CS2UR UR4, SR_CLOCKLO"},
      {{0x00000000000478cb, 0x001fe20000005000}, 120, "CS2UR.32 UR4, SR_CLOCKLO"},
      {{0xfffffffc04d87958, 0x000fea000b83ffff}, 120, "BRXU UR4 -0xa0"},
      {{0x0000000a060a7285, 0x000fe2000bffe400}, 120, "UIMNMX.U64 UPT, UPT, UR10, UR6, UR10, UPT, !UPT"},
      {{0x0000000a0d0e724a, 0x000fe2000bfe0100}, 120, "UVIMNMX.S32 UR14, UR13, UR10, UPT"},
      {{0x3f80000008057454, 0x004fe20008000100}, 120, "UFADD UR5, -UR8, 1"},
      {{0x3f8000000a047455, 0x001fc40008000104}, 120, "UFFMA UR4, -UR10, UR4, 1"},
      {{0x0000000504047256, 0x002fcc0008400000}, 120, "UFMUL UR4, UR4, UR5"},
      {{0x000000040004725a, 0x002fe20008001400}, 120, "UI2F.S8 UR4, UR4"},
      {{0x00000000021002ca, 0x002fe200008e0000}, 100, "@P0 R2UR.BROADCAST UR16, R2"},
      {{0x00000000000079b1, 0x001e240000000000}, 100, "SYNCS.CCTL.IV [R0]"},
      {{0x0001001002077fae, 0x0003e8000b9a1406}, 100, "LDGSTS.E.64 [R7+0x10], desc[UR6][R2.64+0x10]"},
      {{0x0003003002077fae, 0x0003e2000b981a06},
       100,
       "LDGSTS.E.BYPASS.LTC128B.128 [R7+0x30], desc[UR6][R2.64+0x30]"},
      {{0xfffbc00f040809a8, 0x000ee200081ef106},
       100,
       "@P0 ATOMG.E.ADD.STRONG.GPU PT, R8, desc[UR6][R4.64+-0x440], R15"},
      {{0x0000000003ff73aa, 0x000e240000000100}, 90, "QSPC.E.G P0, RZ, [R3]"},
      {{0x0000000003ff73aa, 0x000e240000060300}, 90, "QSPC.E.L P3, RZ, [R3]"},
      {{0x0000000004ff73aa, 0x000e240000020700}, 90, "QSPC.E.D P1, RZ, [R4]"},
      {{0x00000004ffff79aa, 0x000e240008000500}, 90, "QSPC.E.S P0, RZ, [RZ.U32+UR4]"},
      {{0x000000060407738b, 0x000ea400019e0107}, 90, "ATOM.E.CAST.SPIN PT, R7, [R4], R6, R7"},
      {{0x000000080c0a738b, 0x000ea400019e050a}, 90, "ATOM.E.CAST.SPIN.64 PT, R10, [R12], R8, R10"},
      {{0x00000002ff02798a, 0x000164000810e504}, 90, "ATOM.E.ADD.64.STRONG.GPU P0, R2, [RZ.U32+UR4], R2"},
      {{0x00000005ff05798a, 0x002ea8000c1ee104}, 90, "ATOM.E.EXCH.STRONG.GPU PT, R5, [RZ.U32+UR4], R5"},
      {{0x00000005ff0579a2, 0x004362000810f304},
       90,
       "ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R5, [RZ.U32+UR4], R5"},
      {{0x000000040904738c, 0x002ea80004000800}, 90, "ATOMS.EXCH.128 R4, [R9], R4"},
      {{0x000000080508738d, 0x002e28000000080c}, 90, "ATOMS.CAS.128 R8, [R5], R8, R12"},
      {{0x00000004020079a6, 0x000fe2000c10eb84}, 90, "REDG.E.ADD.BF16x8.RN.STRONG.GPU desc[UR4][R2.64], R4"},
      {{0x0000000804087980, 0x000ea40000100b00}, 90, "LD.E.64 R8, [R4+0x8]"},
  };
  for (const auto& c : cases) {
    CHECK(disassembled(c.word, 0, c.capability) == c.text);
  }
  // Only RZ has been seen beside a uniform register that is no descriptor's.
  CHECK(disassembled({0x000000020402798a, 0x000164000810e504}, 0, 90).empty());
}

TEST_CASE("targets of branches are bytes of the function") {
  // @P0 BRA -0x10 from byte 0x100 on, BSSY B3, 0xd0 behind the next instruction.
  CHECK(disassembled({0xfffffffc00fc0947, 0x000fea000383ffff}, 0x100) == "@P0 BRA 0x100");
  CHECK(disassembled({0x000000d000037945, 0x000fe80003800000}, 0x20) == "BSSY B3, 0x100");
}

TEST_CASE("what is not known is not guessed") {
  CHECK(disassembled({0x00000000000071ff, 0x000fc00000000000}, 0).empty());  // no such opcode
  CHECK(disassembled({0x000000000000f992, 0x000fec000000c000}, 0).empty());  // a fence of level 4
  CHECK(disassembled({0x0000000506057223, 0x000fe20000000004}, 0) == "FFMA R5, R6, R5, R4");
  // To another block's shared memory: the data register is elsewhere than in the form with a descriptor.
  CHECK(disassembled({0x0000000808007385, 0x010fe20000100b0a}, 0) == "ST.E.64 [R8+0x8], R10");
  CHECK(disassembled({0x0000100408007385, 0x000fe8000010e90c}, 0) == "ST.E.STRONG.GPU [R8+0x1004], R12");
}

TEST_CASE("what nvdisasm refuses is not known") {
  std::ifstream file("tests/cubin/data/refused.tsv");
  size_t all = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string low, high;
    if (line.starts_with("#") || !(in >> low >> high)) {
      continue;
    }
    ++all;
    const std::string got = disassembled({std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)}, 0);
    CAPTURE(line);
    CHECK(got.empty());
  }
  CHECK(all == 293);
}

TEST_CASE("bits that nobody asks for make an instruction unknown") {
  CHECK(disassembled({0x0000000500007236, 0x004fe20000000200}, 0) == "VIADD.16x2 R0, R0, R5");
  CHECK(disassembled({0x0000000500007236, 0x004fe20000000600}, 0).empty());  // bit 74
  CHECK(disassembled({0x0000010500007236, 0x004fe20000000200}, 0).empty());  // bit 40, behind a register
  CHECK(
      disassembled({0x0000000500007236, 0x004fe20008000200}, 0).empty());  // bit 91: of the warp's registers
  CHECK(disassembled({0x80000000ff057213, 0x000fe20000000000}, 0).empty());  // a sign that IABS has not
  CHECK(leftover_bits({0x0000000500007236, 0x004fe20000000600}).high == 0x400);
}

TEST_CASE("where RET and calls go") {
  CHECK(disassembled({0xffffffd418f47950, 0x000fec0003c3ffff}, 0x2820) == "RET.REL.NODEC R24 0x0");
}

TEST_CASE("encodings before 9.0") {
  CHECK(disassembled({0x0000000007007388, 0x004fe80000004800}, 0, 80) == "STS [R7.X4], R0");
  CHECK(disassembled({0x0000000007007388, 0x004fe80000004800}, 0).empty());
  CHECK(disassembled({0xfffffff000007947, 0x000fc0000383ffff}, 0x100, 80) == "BRA 0x100");
  CHECK(disassembled({0xfffffffc00fc7947, 0x000fc0000383ffff}, 0x100) == "BRA 0x100");
  CHECK(disassembled({0x0000000500007236, 0x004fe20000000200}, 0, 80).empty());  // VIADD came with 9.0
  CHECK(disassembled({0x0000000400027308, 0x004e280000000900}, 0) == "MUFU.EX2.F16 R2, R4");
  CHECK(disassembled({0x0000000400027308, 0x004e280000000a00}, 0, 75) == "MUFU.EX2.F16 R2, R4");
}

TEST_CASE("plain accesses before 8.0 name the system's scope and are plain all the same") {
  const Word load{0x0000000002298381, 0x000ea800001ee900}, store{0x0000000b06007386, 0x0005e2000010e900};
  CHECK(disassembled(load, 0, 75) == "@!P0 LDG.E.SYS R41, [R2]");
  CHECK(disassembled(store, 0, 75) == "STG.E.SYS [R6], R11");
  CHECK(disassembled(load, 0, 80) == "@!P0 LDG.E.STRONG.GPU R41, [R2]");  // the same bits, from 8.0 on
}

TEST_CASE("numbers as the disassembler writes them") {
  CHECK(sass::float_text(1) == "1");
  CHECK(sass::float_text(-0.0) == "-0.0 ");
  CHECK(sass::float_text(1e9) == "1.00000000000000000000e+09");
  CHECK(sass::float_text(16777216) == "16777216");
}

}  // namespace heddle::cubin::test
