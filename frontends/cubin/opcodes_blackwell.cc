// What came with Blackwell, 10.x and 12.x: constants and floats of the warp's datapath, whole numbers of 64
// bits, matrices of eight bits.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kS = Number::kSigned, kU = Number::kUnsigned;
constexpr uint64_t kTrue = 7;

void ldcu(Fields& f) {
  constexpr Suffix kSizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
  const uint64_t offset = f.bits(37, 17);
  if (offset > UINT16_MAX) {
    f.unknown();  // negative
  }
  Operand o = Fields::of(Operand::Kind::kConstant, 0);
  o.bank = static_cast<uint32_t>(f.bits(54, 5));
  o.offset = static_cast<int64_t>(offset);
  o.ubase = !f.no_ureg(24) || offset == 0 ? f.ureg_index(24) : kNoIndex;
  f.fixed(91, 1, 1).uniform().uniform_guard().op("LDCU").pick(73, 3, kSizes).ureg(16).add(o);
}

void credux(Fields& f) { f.op("CREDUX").pick(79, 1, {".MAX", ".MIN"}).flag(73, ".S32").ureg(16).reg(24); }
void fmnmx3(Fields& f) { f.op("FMNMX3").destination().a().b(kF).c(kF).pred(87, 90); }

void iadd_64(Fields& f) {
  f.op("IADD.64").fixed(73, 1, 1).flag(74, ".X").destination();
  if (f.bits(81, 3) != kTrue) {
    f.pred(81);
  }
  f.complemented(f.bit(74)).a(72).second(kS, 63);
  if (f.bit(74)) {
    f.pred(87, 90);
  }
}
void imnmx_64(Fields& f) {
  f.op("IMNMX", "UIMNMX").fixed(74, 1, 1).either(f.bit(73), ".S64", ".U64").pred(81).pred(84);
  f.destination().a().second(kS).pred(87, 90).pred(77, 80);
}

Fields& of_warp(Fields& f, const Opcode& name) { return f.uniform().uniform_guard().op(name); }
void uimnmx_64(Fields& f) { imnmx_64(f.uniform().uniform_guard()); }
void uvimnmx(Fields& f) {
  of_warp(f, "UVIMNMX")
      .pick(72, 3, {".U32", ".S32"})
      .destination()
      .a()
      .second(f.bit(72) ? kS : kU)
      .pred(87, 90);
}
// The second summand stands in the third place, or a number in that of the second.
void ufadd(Fields& f) {
  of_warp(f, "UFADD").destination().a(72).c(kF);
  if (f.form() != 1 && f.form() != 2) {
    f.unknown();
  }
}
void ufmul(Fields& f) { of_warp(f, "UFMUL").fixed(84, 3, 4).destination().a(72).second(kF); }
void uffma(Fields& f) { of_warp(f, "UFFMA").destination().a(72).b(kF).c(kF); }
void ui2f(Fields& f) {
  constexpr Suffix kTypes[] = {".U8", ".U16", ".U32", "", ".S8", ".S16", "", ""};
  const uint64_t size = f.bits(84, 2);
  of_warp(f, "UI2F").fixed(75, 3, 2).suffix(kTypes[size | f.bits(74, 1) << 2]);
  if (size == 3) {
    f.unknown();
  }
  f.rounding(78).destination().second(kU);
}

void qmma(Fields& f) {
  const bool sparse = f.bit(80);
  f.op("QMMA").either(sparse, ".SP", "").fixed(74, 1, 1);
  sparse ? f.pick(75, 2, {"?", "?", ".16864"}) : f.pick(75, 2, {".16816", ".16832"});
  f.pick(77, 1, {".F16", ".F32"}).pick(78, 1, {".E4M3", ".E5M2"}).pick(79, 1, {".E4M3", ".E5M2"});
  f.fixed(9, 3, 1).reg(16).reg(24).reg(32).reg(64);
  if (sparse) {
    f.reg(40).number(f.bits(48, 2));
  }
}

// Pairs of f32 (10.x): found by what ptxas makes of PTX's .f32x2, and not compared with nvdisasm. What two
// registers are to a source: low and high, the other way round, or one register for both.
Part halves(Fields& f, uint32_t at) {
  constexpr Part kPairs[] = {Part::kHighLow, Part::kLowHigh, Part::kF32};
  const uint64_t which = f.bits(at, 3);
  if (which >= std::size(kPairs)) {
    f.unknown();
    return Part::kNone;
  }
  return kPairs[which];
}
// A number stands for both.
Part halves_or_number(Fields& f, uint32_t at, bool number) {
  if (number) {
    f.fixed(at, 3, 2);
    return Part::kNone;
  }
  return halves(f, at);
}
Fields& rounded(Fields& f) { return f.flag(80, ".FTZ").rounding(78).destination(); }
void fadd2(Fields& f) {
  const Part a = halves(f, 81);
  rounded(f.op("FADD2")).a(72, 0, a);
  f.second(kF, 63, 0, halves_or_number(f, 84, f.form() == 2));
  if (f.form() != 1 && f.form() != 2) {
    f.unknown();
  }
}
void fmul2(Fields& f) {
  const Part a = halves(f, 81);
  rounded(f.op("FMUL2")).a(72, 0, a);
  f.second(kF, 63, 0, halves_or_number(f, 87, f.form() == 4));
  if (f.form() != 1 && f.form() != 4) {
    f.unknown();
  }
}
void ffma2(Fields& f) {
  const Part a = halves(f, 81);
  rounded(f.op("FFMA2")).a(72, 0, a);
  f.b(kF, 63, 0, halves_or_number(f, 87, f.form() == 4));
  f.c(kF, 75, 0, halves_or_number(f, 84, f.form() == 2));
  if (f.form() != 1 && f.form() != 2 && f.form() != 4) {
    f.unknown();
  }
}

constexpr NewOpcodeRow kOpcodes[] = {
    {100, 121, {0x1ac, ldcu}},    {100, 110, {0x0cc, credux}},   {100, 110, {0x076, fmnmx3}},
    {100, 110, {0x049, ffma2}},   {100, 110, {0x04a, fmul2}},    {100, 110, {0x04b, fadd2}},
    {120, 121, {0x035, iadd_64}}, {120, 121, {0x017, imnmx_64}}, {120, 121, {0x04a, uvimnmx}},
    {120, 121, {0x054, ufadd}},   {120, 121, {0x055, uffma}},    {120, 121, {0x05a, ui2f}},
    {120, 121, {0x07a, qmma}},    {120, 121, {0x056, ufmul}},    {120, 121, {0x085, uimnmx_64}},
};

}  // namespace

std::span<const NewOpcodeRow> blackwell_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
