// What came with Blackwell, 10.x and 12.x: constants and floats of the warp's datapath, whole numbers of 64
// bits, matrices of eight bits.
#include <fmt/format.h>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kS = Number::kSigned, kU = Number::kUnsigned;
constexpr uint64_t kTrue = 7;

void ldcu(Line& l) {
  constexpr std::string_view kSizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
  const uint64_t offset = l.bits(37, 17);
  if (offset > UINT16_MAX) {
    l.unknown();  // negative
  }
  std::string at = !l.no_ureg(24) || offset == 0 ? l.ureg_name(24) : "";
  if (offset != 0) {
    at += fmt::format("{}0x{:x}", at.empty() ? "" : "+", offset);
  }
  l.fixed(91, 1, 1).uniform().uniform_guard().op("LDCU").pick(73, 3, kSizes).ureg(16);
  l.text(fmt::format("c[0x{:x}][{}]", l.bits(54, 5), at));
}

void credux(Line& l) { l.op("CREDUX").pick(79, 1, {".MAX", ".MIN"}).flag(73, ".S32").ureg(16).reg(24); }
void fmnmx3(Line& l) { l.op("FMNMX3").destination().a().b(kF).c(kF).pred(87, 90); }

void iadd_64(Line& l) {
  l.op("IADD.64").fixed(73, 1, 1).flag(74, ".X").destination();
  if (l.bits(81, 3) != kTrue) {
    l.pred(81);
  }
  l.complemented(l.bit(74)).a(72).second(kS, 63);
  if (l.bit(74)) {
    l.pred(87, 90);
  }
}
void imnmx_64(Line& l) {
  l.op(l.is_uniform() ? "UIMNMX" : "IMNMX")
      .fixed(74, 1, 1)
      .suffix(l.bit(73) ? ".S64" : ".U64")
      .pred(81)
      .pred(84);
  l.destination().a().second(kS).pred(87, 90).pred(77, 80);
}

Line& of_warp(Line& l, std::string_view name) { return l.uniform().uniform_guard().op(name); }
void uimnmx_64(Line& l) { imnmx_64(l.uniform().uniform_guard()); }
void uvimnmx(Line& l) {
  of_warp(l, "UVIMNMX")
      .pick(72, 3, {".U32", ".S32"})
      .destination()
      .a()
      .second(l.bit(72) ? kS : kU)
      .pred(87, 90);
}
// The second summand stands in the third place, or a number in that of the second.
void ufadd(Line& l) {
  of_warp(l, "UFADD").destination().a(72).c(kF);
  if (l.form() != 1 && l.form() != 2) {
    l.unknown();
  }
}
void ufmul(Line& l) { of_warp(l, "UFMUL").fixed(84, 3, 4).destination().a(72).second(kF); }
void uffma(Line& l) { of_warp(l, "UFFMA").destination().a(72).b(kF).c(kF); }
void ui2f(Line& l) {
  constexpr std::string_view kTypes[] = {".U8", ".U16", ".U32", "", ".S8", ".S16", "", ""};
  const uint64_t size = l.bits(84, 2);
  of_warp(l, "UI2F").fixed(75, 3, 2).suffix(kTypes[size | l.bits(74, 1) << 2]);
  if (size == 3) {
    l.unknown();
  }
  l.rounding(78).destination().second(kU);
}

void qmma(Line& l) {
  const bool sparse = l.bit(80);
  l.op("QMMA").suffix(sparse ? ".SP" : "").fixed(74, 1, 1);
  sparse ? l.pick(75, 2, {"?", "?", ".16864"}) : l.pick(75, 2, {".16816", ".16832"});
  l.pick(77, 1, {".F16", ".F32"}).pick(78, 1, {".E4M3", ".E5M2"}).pick(79, 1, {".E4M3", ".E5M2"});
  l.fixed(9, 3, 1).reg(16).reg(24).reg(32).reg(64);
  if (sparse) {
    l.reg(40).number(l.bits(48, 2));
  }
}

// Pairs of f32 (10.x): found by what ptxas makes of PTX's .f32x2, and not compared with nvdisasm. What two
// registers are to a source: low and high, the other way round, or one register for both.
std::string_view halves(Line& l, uint32_t at) {
  constexpr std::string_view kPairs[] = {".F32x2.HI_LO", ".F32x2.LO_HI", ".F32"};
  const uint64_t which = l.bits(at, 3);
  if (which >= std::size(kPairs)) {
    l.unknown();
    return "";
  }
  return kPairs[which];
}
// A number stands for both.
std::string_view halves_or_number(Line& l, uint32_t at, bool number) {
  if (number) {
    l.fixed(at, 3, 2);
    return "";
  }
  return halves(l, at);
}
Line& rounded(Line& l) { return l.flag(80, ".FTZ").rounding(78).destination(); }
void fadd2(Line& l) {
  const std::string_view a = halves(l, 81);
  rounded(l.op("FADD2")).a(72, 0, a);
  l.second(kF, 63, 0, halves_or_number(l, 84, l.form() == 2));
  if (l.form() != 1 && l.form() != 2) {
    l.unknown();
  }
}
void fmul2(Line& l) {
  const std::string_view a = halves(l, 81);
  rounded(l.op("FMUL2")).a(72, 0, a);
  l.second(kF, 63, 0, halves_or_number(l, 87, l.form() == 4));
  if (l.form() != 1 && l.form() != 4) {
    l.unknown();
  }
}
void ffma2(Line& l) {
  const std::string_view a = halves(l, 81);
  rounded(l.op("FFMA2")).a(72, 0, a);
  l.b(kF, 63, 0, halves_or_number(l, 87, l.form() == 4));
  l.c(kF, 75, 0, halves_or_number(l, 84, l.form() == 2));
  if (l.form() != 1 && l.form() != 2 && l.form() != 4) {
    l.unknown();
  }
}

constexpr NewOpcode kOpcodes[] = {
    {100, 121, {0x1ac, ldcu}},    {100, 110, {0x0cc, credux}},   {100, 110, {0x076, fmnmx3}},
    {100, 110, {0x049, ffma2}},   {100, 110, {0x04a, fmul2}},    {100, 110, {0x04b, fadd2}},
    {120, 121, {0x035, iadd_64}}, {120, 121, {0x017, imnmx_64}}, {120, 121, {0x04a, uvimnmx}},
    {120, 121, {0x054, ufadd}},   {120, 121, {0x055, uffma}},    {120, 121, {0x05a, ui2f}},
    {120, 121, {0x07a, qmma}},    {120, 121, {0x056, ufmul}},    {120, 121, {0x085, uimnmx_64}},
};

}  // namespace

std::span<const NewOpcode> blackwell_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
