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

// Where a call returns to.
void from_return(Line& l) { l.op("RPCMOV.32").reg(16).text("Rpc.LO"); }
void to_return(Line& l) { l.op("RPCMOV.32").text("Rpc.LO").reg(32); }

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
  l.op("IMNMX").fixed(74, 1, 1).suffix(l.bit(73) ? ".S64" : ".U64").pred(81).pred(84);
  l.destination().a().second(kS).pred(87, 90).pred(77, 80);
}

void uvimnmx(Line& l) {
  l.uniform().uniform_guard().op("UVIMNMX").pick(72, 3, {".U32"}).destination().a().second(kU).pred(87, 90);
}
// The second summand stands in the third place.
void ufadd(Line& l) { l.uniform().uniform_guard().op("UFADD").fixed(9, 3, 1).destination().a().c(kF); }
void uffma(Line& l) { l.uniform().uniform_guard().op("UFFMA").destination().a().b(kF).c(kF); }
void ui2f(Line& l) {
  l.uniform().uniform_guard().op("UI2F").fixed(75, 3, 2).fixed(84, 2, 2).suffix(l.bit(74) ? "" : ".U32");
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

constexpr NewOpcode kOpcodes[] = {
    {100, 121, {0x1ac, ldcu}},        {100, 110, {0x0cc, credux}},    {100, 110, {0x076, fmnmx3}},
    {100, 110, {0x153, from_return}}, {100, 110, {0x152, to_return}}, {120, 121, {0x035, iadd_64}},
    {120, 121, {0x017, imnmx_64}},    {120, 121, {0x04a, uvimnmx}},   {120, 121, {0x054, ufadd}},
    {120, 121, {0x055, uffma}},       {120, 121, {0x05a, ui2f}},      {120, 121, {0x07a, qmma}},
};

}  // namespace

std::span<const NewOpcode> blackwell_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
