// Products of matrices, of a warp and of a warp group.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

// A predicate of the warp, written only where it is not UPT, of which all bits are 0.
void uniform_condition(Fields& f) {
  if (f.bits(87, 4) != 0) {
    Operand p = Fields::of(Operand::Kind::kUniformPredicate, 7 - static_cast<uint32_t>(f.bits(87, 3)));
    p.negate = f.bit(90);
    f.add(p);
  }
}

void hmma(Fields& f) {
  const bool sparse = f.bit(73);
  f.op("HMMA").either(sparse, ".SP", "");
  const uint64_t depth = f.bits(75, 1) | f.bits(78, 1) << 1;
  constexpr Suffix kDense[] = {".1688", ".16816", ".1684", ""}, kSparse[] = {".1688", ".16816", "", ".16832"};
  const Suffix& shape = (sparse ? kSparse : kDense)[depth];
  if (shape.count == 0) {
    f.unknown();
  }
  f.suffix(shape).either(f.bit(76), ".F32", ".F16").pick(82, 2, {"", ".BF16", ".TF32"});
  f.reg(16).a(72).b(Number::kUnsigned, 63).c(Number::kUnsigned);
  uniform_condition(f);
  if (sparse) {
    f.reg(40).number(f.bits(48, 2));
  }
}
void dmma(Fields& f) {
  f.op("DMMA").pick(76, 2, {".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"}).rounding(78).reg(16);
  f.a(72, 73).b(Number::kUnsigned, 63, 62).c(Number::kUnsigned, 75, 74);
  uniform_condition(f);
}
void factors(Fields& f) {
  f.fixed(73, 2, 2)
      .reg(16)
      .a(0, 0, Part::kRow)
      .b(Number::kUnsigned, 0, 0, Part::kColumn)
      .c(Number::kUnsigned);
  uniform_condition(f);
}
void imma(Fields& f) {
  const bool sparse = f.bit(72);
  f.op("IMMA").either(sparse, ".SP", "");
  constexpr Suffix kDense[] = {".8816", "", "", "", ".16816", ".16832", "", ""},
                   kSparse[] = {"", "", ".8832", "", "", ".16832", ".16864", ""};
  const Suffix& shape = (sparse ? kSparse : kDense)[f.bits(75, 1) | f.bits(85, 2) << 1];
  if (shape.count == 0) {
    f.unknown();
  }
  f.suffix(shape).pick(76, 2, {".U8", ".S8"}).pick(78, 2, {".U8", ".S8"}).flag(82, ".SAT");
  factors(f.fixed(83, 2, 0));
  if (sparse) {
    f.reg(40).number(f.bits(48, 2));
  }
}
void bmma(Fields& f) {
  f.op("BMMA").pick(75, 2, {".88128", ".168128", ".168256"}).pick(77, 2, {"?", "?", ".AND"}).suffix(".POPC");
  factors(f.fixed(80, 1, 1));
}
void movm(Fields& f) {
  if (f.blackwell() && f.bits(75, 5) == 9) {
    f.op("MOVM.U4TO8.M832").reg(16).reg(24);
    return;
  }
  f.op("MOVM.16").pick(78, 2, {".MT88"}).fixed(75, 3, 0).reg(16).reg(24);
}

// Of a warp group: the first factor from registers or from shared memory, the second one always from there.
// Columns of most types: 8, 16 and so on; of whole numbers and bits: 8 to 32, from there on in steps of 16.
uint64_t wide_columns(uint64_t step) { return step < 4 ? 8 * (step + 1) : 16 * (step - 1); }

Fields& group_shape(Fields& f, uint64_t columns, std::span<const uint64_t> depths) {
  const uint64_t depth = f.bits(58, 3);
  if (depth >= depths.size()) {
    f.unknown();
    return f;
  }
  return f.shape(64, columns, depths[depth]);
}

void group(Fields& f, bool numbers, bool transposes) {
  f.reg(16);
  const bool in_registers = f.form() != 4;
  Operand described = Fields::of(Operand::Kind::kMatrix, 0);
  described.ubase = f.ureg_index(in_registers ? 32 : 24);
  const auto says = [&](bool yes, uint8_t what) { described.matrices |= yes ? what : 0; };
  if (in_registers) {
    Operand a = f.reg_at(24);
    a.negate = numbers && f.bit(72);
    f.add(a);
  }
  if (numbers) {
    says(!in_registers && f.bit(72), Operand::kNegativeA);
    says(f.bit(63), Operand::kNegativeB);
  }
  if (transposes) {
    says(!in_registers && f.bit(61), Operand::kTransposedA);
    says(f.bit(62), Operand::kTransposedB);
  }
  f.add(described).reg(64);
  uniform_condition(f);
}
void counter(Fields& f) {
  f.pick(84, 3, {"", "?", "?", "?", "?", "?", "?", ""});
  if (f.bits(84, 3) == 0) {
    f.named(Operand::Kind::kGroupCounter);
  }
}
void hgmma(Fields& f) {
  const bool sparse = f.bit(73);
  constexpr uint64_t kDepths[] = {16, 8, 32};
  group_shape(f.op("HGMMA").either(sparse, ".SP", ""), (f.bits(53, 5) + 1) * 8, kDepths)
      .either(f.bit(75), ".F32", ".F16")
      .pick(76, 2, {"", ".BF16", ".TF32"});
  group(f, true, true);
  const uint64_t depth = f.bits(58, 2);  // of tf32 half as deep, of a sparse factor twice
  if (depth != (f.bits(76, 2) == 2 ? (sparse ? 0U : 1U) : sparse ? 2U : 0U)) {
    f.unknown();
  }
  if (sparse) {
    f.reg(40).number(f.bits(48, 2));
  }
  counter(f);
}
void qgmma(Fields& f) {
  const bool sparse = f.bit(73);
  constexpr uint64_t kDepths[] = {32, 64};
  f.op("QGMMA").either(sparse, ".SP", "").fixed(58, 1, sparse ? 1 : 0);
  group_shape(f, (f.bits(53, 5) + 1) * 8, kDepths).either(f.bit(75), ".F32", ".F16");
  f.pick(76, 1, {".E4M3", ".E5M2"}).pick(77, 1, {".E4M3", ".E5M2"});
  group(f, true, false);
  if (sparse) {
    f.reg(40);
  }
  counter(f);
}
void igmma(Fields& f) {
  const bool sparse = f.bit(73);
  const uint64_t shape = f.bits(53, 6);  // three depths for each number of columns
  if (shape % 3 != (sparse ? 1 : 0)) {
    f.unknown();
  }
  f.op("IGMMA").either(sparse, ".SP", "");
  f.shape(64, wide_columns(shape / 3), sparse ? 64 : 32);
  f.pick(76, 2, {".U8", ".S8"}).pick(82, 2, {".U8", ".S8"}).flag(75, ".SAT");
  group(f, false, false);
  if (sparse) {
    f.reg(40);
  }
  counter(f);
}
void bgmma(Fields& f) {
  f.op("BGMMA").shape(64, wide_columns(f.bits(53, 5)), 256);
  f.pick(77, 2, {"?", "?", ".AND"}).suffix(".POPC").fixed(80, 1, 1);
  group(f, false, false);
  counter(f);
}

constexpr OpcodeRow kOpcodes[] = {{0x037, imma},  {0x03a, movm},  {0x03c, hmma},
                                  {0x03d, bmma},  {0x03f, dmma},  {0x1f0, hgmma},
                                  {0x1f1, igmma}, {0x1f2, bgmma}, {0x1f3, qgmma}};

}  // namespace

std::span<const OpcodeRow> matrix_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
