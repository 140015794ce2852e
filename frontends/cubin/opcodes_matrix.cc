// Products of matrices, of a warp and of a warp group.
#include <fmt/format.h>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

// A predicate of the warp, written only where it is not UPT, of which all bits are 0.
void uniform_condition(Line& l) {
  if (l.bits(87, 4) != 0) {
    const uint64_t p = 7 - l.bits(87, 3);
    l.text(fmt::format("{}UP{}", l.bit(90) ? "!" : "", p == 7 ? "T" : std::to_string(p)));
  }
}

void hmma(Line& l) {
  const bool sparse = l.bit(73);
  l.op("HMMA").suffix(sparse ? ".SP" : "");
  const uint64_t depth = l.bits(75, 1) | l.bits(78, 1) << 1;
  constexpr std::string_view kDense[] = {".1688", ".16816", ".1684", ""},
                             kSparse[] = {".1688", ".16816", "", ".16832"};
  const std::string_view shape = (sparse ? kSparse : kDense)[depth];
  if (shape.empty()) {
    l.unknown();
  }
  l.suffix(shape).suffix(l.bit(76) ? ".F32" : ".F16").pick(82, 2, {"", ".BF16", ".TF32"});
  l.reg(16).a(72).b(Number::kUnsigned, 63).c(Number::kUnsigned);
  uniform_condition(l);
  if (sparse) {
    l.reg(40).number(l.bits(48, 2));
  }
}
void dmma(Line& l) {
  l.op("DMMA").pick(76, 2, {".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"}).rounding(78).reg(16);
  l.a(72, 73).b(Number::kUnsigned, 63, 62).c(Number::kUnsigned, 75, 74);
  uniform_condition(l);
}
void factors(Line& l) {
  l.fixed(73, 2, 2).reg(16).a(0, 0, ".ROW").b(Number::kUnsigned, 0, 0, ".COL").c(Number::kUnsigned);
  uniform_condition(l);
}
void imma(Line& l) {
  const bool sparse = l.bit(72);
  l.op("IMMA").suffix(sparse ? ".SP" : "");
  constexpr std::string_view kDense[] = {".8816", "", "", "", ".16816", ".16832", "", ""},
                             kSparse[] = {"", "", ".8832", "", "", ".16832", ".16864", ""};
  const std::string_view shape = (sparse ? kSparse : kDense)[l.bits(75, 1) | l.bits(85, 2) << 1];
  if (shape.empty()) {
    l.unknown();
  }
  l.suffix(shape).pick(76, 2, {".U8", ".S8"}).pick(78, 2, {".U8", ".S8"}).flag(82, ".SAT");
  factors(l.fixed(83, 2, 0));
  if (sparse) {
    l.reg(40).number(l.bits(48, 2));
  }
}
void bmma(Line& l) {
  l.op("BMMA").pick(75, 2, {".88128", ".168128", ".168256"}).pick(77, 2, {"?", "?", ".AND"}).suffix(".POPC");
  factors(l.fixed(80, 1, 1));
}
void movm(Line& l) {
  if (l.blackwell() && l.bits(75, 5) == 9) {
    l.op("MOVM.U4TO8.M832").reg(16).reg(24);
    return;
  }
  l.op("MOVM.16").pick(78, 2, {".MT88"}).fixed(75, 3, 0).reg(16).reg(24);
}

// Of a warp group: the first factor from registers or from shared memory, the second one always from there.
// Columns of most types: 8, 16 and so on; of whole numbers and bits: 8 to 32, from there on in steps of 16.
uint64_t wide_columns(uint64_t step) { return step < 4 ? 8 * (step + 1) : 16 * (step - 1); }

void group(Line& l, bool numbers, bool transposes) {
  l.reg(16);
  const bool in_registers = l.form() != 4;
  std::string described = "gdesc[";
  if (in_registers) {
    l.text((numbers && l.bit(72) ? "-" : "") + l.reg_name(24));
    described += l.ureg_name(32) + "]";
  } else {
    described += l.ureg_name(24) + "]";
  }
  if (numbers) {
    described += !in_registers && l.bit(72) ? ".negA" : "";
    described += l.bit(63) ? ".negB" : "";
  }
  if (transposes) {
    described += !in_registers && l.bit(61) ? ".tnspA" : "";
    described += l.bit(62) ? ".tnspB" : "";
  }
  l.text(described).reg(64);
  uniform_condition(l);
}
void counter(Line& l) {
  l.pick(84, 3, {"", "?", "?", "?", "?", "?", "?", ""});
  if (l.bits(84, 3) == 0) {
    l.text("gsb0");
  }
}
void hgmma(Line& l) {
  const bool sparse = l.bit(73);
  l.op("HGMMA").suffix(sparse ? ".SP" : "").suffix(fmt::format(".64x{}", (l.bits(53, 5) + 1) * 8));
  l.pick(58, 3, {"x16", "x8", "x32"}).suffix(l.bit(75) ? ".F32" : ".F16").pick(76, 2, {"", ".BF16", ".TF32"});
  group(l, true, true);
  const uint64_t depth = l.bits(58, 2);  // of tf32 half as deep, of a sparse factor twice
  if (depth != (l.bits(76, 2) == 2 ? (sparse ? 0U : 1U) : sparse ? 2U : 0U)) {
    l.unknown();
  }
  if (sparse) {
    l.reg(40).number(l.bits(48, 2));
  }
  counter(l);
}
void qgmma(Line& l) {
  const bool sparse = l.bit(73);
  l.op("QGMMA").suffix(sparse ? ".SP" : "").suffix(fmt::format(".64x{}", (l.bits(53, 5) + 1) * 8));
  l.fixed(58, 1, sparse ? 1 : 0).pick(58, 3, {"x32", "x64"}).suffix(l.bit(75) ? ".F32" : ".F16");
  l.pick(76, 1, {".E4M3", ".E5M2"}).pick(77, 1, {".E4M3", ".E5M2"});
  group(l, true, false);
  if (sparse) {
    l.reg(40);
  }
  counter(l);
}
void igmma(Line& l) {
  const bool sparse = l.bit(73);
  const uint64_t shape = l.bits(53, 6);  // three depths for each number of columns
  if (shape % 3 != (sparse ? 1 : 0)) {
    l.unknown();
  }
  l.op("IGMMA").suffix(sparse ? ".SP" : "");
  l.suffix(fmt::format(".64x{}x{}", wide_columns(shape / 3), sparse ? 64 : 32));
  l.pick(76, 2, {".U8", ".S8"}).pick(82, 2, {".U8", ".S8"}).flag(75, ".SAT");
  group(l, false, false);
  if (sparse) {
    l.reg(40);
  }
  counter(l);
}
void bgmma(Line& l) {
  l.op("BGMMA").suffix(fmt::format(".64x{}x256", wide_columns(l.bits(53, 5))));
  l.pick(77, 2, {"?", "?", ".AND"}).suffix(".POPC").fixed(80, 1, 1);
  group(l, false, false);
  counter(l);
}

constexpr Opcode kOpcodes[] = {{0x037, imma},  {0x03a, movm},  {0x03c, hmma},  {0x03d, bmma}, {0x03f, dmma},
                               {0x1f0, hgmma}, {0x1f1, igmma}, {0x1f2, bgmma}, {0x1f3, qgmma}};

}  // namespace

std::span<const Opcode> matrix_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
