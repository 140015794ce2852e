// Floating point: single, double, half; the special functions.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kD = Number::kDouble;
constexpr std::string_view kConditions[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                            ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
constexpr std::string_view kDoubleConditions[] = {".MIN", ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",
                                                  ".GE",  ".NUM", ".NAN", ".LTU", ".EQU", ".LEU",
                                                  ".GTU", ".NEU", ".GEU", ".MAX"};
constexpr std::string_view kLogic[] = {".AND", ".OR", ".XOR"};
constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};

void fadd(Line& l) {
  l.op("FADD").flag(80, ".FTZ").rounding(78).flag(77, ".SAT").destination().a(72, 73);
  l.second(kF, 63, 62, "", kReuseThird);
}
void fmul(Line& l) {
  l.op("FMUL")
      .flag(76, ".FMZ")
      .pick(84, 3, {"?", ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8"})
      .flag(80, ".FTZ")
      .rounding(78);
  l.flag(77, ".SAT").destination().a(72, 73).second(kF, 63, 62);
}
void ffma(Line& l) {
  l.op("FFMA")
      .flag(76, ".FMZ")
      .flag(80, ".FTZ")
      .rounding(78)
      .flag(77, ".SAT")
      .destination()
      .a(72, 73)
      .b(kF, 63, 62)
      .c(kF, 75, 74);
}
void fsel(Line& l) { l.op("FSEL").flag(80, ".FTZ").destination().a(72, 73).second(kF, 63, 62).pred(87, 90); }
void fmnmx(Line& l) {
  l.op("FMNMX").flag(80, ".FTZ").flag(81, ".NAN").flag(82, ".XORSIGN").destination();
  l.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fsetp(Line& l) {
  l.op("FSETP").pick(76, 4, kConditions).flag(80, ".FTZ").pick(74, 2, kLogic).pred(81).pred(84);
  l.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fset(Line& l) {
  l.op("FSET.BF").pick(76, 4, kConditions).flag(80, ".FTZ").pick(74, 2, kLogic).destination();
  l.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fchk(Line& l) { l.op("FCHK").pred(81).a(72, 73).second(kF, 63, 62); }
void fswzadd(Line& l) { l.op("FSWZADD").destination().a().second(kF).number(l.bits(32, 8)); }

void mufu(Line& l) {
  l.op("MUFU").pick(74, 4,
                    {".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"});
  if (l.capability() < 90) {
    l.pick(72, 2, {"", "?", ".F16"});
  } else if (l.capability() == 103 && l.bits(72, 6) == 8 && l.bit(80)) {
    l.suffix(".BF16x2");
  } else if (l.capability() == 103) {
    l.pick(72, 2, {"", ".F16", ".BF16", ".F16x2"});
  } else {
    l.pick(72, 2, {"", ".F16", ".BF16"});
  }
  const uint64_t function = l.bits(74, 4);
  const bool small = l.bits(72, 2) != 0, number = l.form() == 4;
  l.destination().second(function == 6 || function == 7 ? kD : kF, 63, 62,
                         small && !number && l.bit(60) ? ".H1" : "");
  if (small && number) {
    l.unknown();
  }
}

// A register that is added stands in the third place.
void dadd(Line& l) {
  l.op("DADD").rounding(78).destination().a(72, 73);
  l.form() == 1 ? l.c(kD, 75, 74) : l.second(kD, 63, 62);
}
void dmul(Line& l) { l.op("DMUL").rounding(78).destination().a(72, 73).second(kD, 63, 62); }
void dfma(Line& l) { l.op("DFMA").rounding(78).destination().a(72, 73).b(kD, 63, 62).c(kD, 75, 74); }
void dsetp(Line& l) {
  l.op("DSETP").pick(76, 4, kDoubleConditions).pick(74, 2, kLogic).pred(81).pred(84);
  l.a(72, 73).second(kD, 63, 62, "", kReuseThird).pred(87, 90);
}

// Halves: which of them a source gives to both lanes.
std::string_view half(Line& l, uint32_t at) {
  const uint64_t which = l.bits(at, 2);
  if (which == 1) {
    l.unknown();
  }
  return kHalves[which];
}
Number halves(const Line& l) {
  const bool compares = l.opcode() == 0x033 || l.opcode() == 0x034;
  return l.bit(compares ? 65 : 85) ? Number::kBfloats : Number::kHalves;
}
// Of two sources; one that is a number has two values.
void second_half(Line& l, uint32_t reuse = kReuseSecond) {
  const bool number = l.form() == 4 || l.form() == 2;
  l.second(halves(l), 63, 62, number ? "" : half(l, 60), reuse);
}
void types(Line& l) { l.flag(85, ".BF16_V2").flag(78, ".F32").flag(80, ".FTZ").flag(77, ".SAT"); }

void hadd2(Line& l) {
  types(l.op("HADD2"));
  l.destination().a(72, 73, half(l, 74));
  second_half(l, kReuseThird);
}
void hmul2(Line& l) {
  types(l.op("HMUL2").fixed(78, 1, 0));
  l.destination().a(72, 73, half(l, 74));
  second_half(l);
}
Line& fused_types(Line& l) {
  return l.flag(85, ".BF16_V2").flag(80, ".FTZ").flag(76, ".FMZ").flag(77, ".SAT").flag(79, ".RELU");
}
void relu_predicate(Line& l) {
  if (l.bit(79) && l.bits(87, 4) != 7) {
    l.pred(87, 90);
  }
}
void hfma2(Line& l) {
  fused_types(l.op("HFMA2"));
  const bool number = l.form() == 4 || l.form() == 2;
  const std::string_view narrow = number ? "" : half(l, 60);
  l.wide_signs(84, 83).destination().a(72, 73, half(l, 74));
  l.b(halves(l), 63, 62, l.swapped() ? half(l, 81) : narrow);
  l.c(halves(l), 84, 83, l.swapped() ? narrow : half(l, 81));
  relu_predicate(l);
}
void hfma2_mma(Line& l) {
  fused_types(l.op("HFMA2.MMA")).wide_signs(84, 83).destination();
  l.a(72, 73).b(halves(l), 63, 62).c(halves(l), 84, 83);
  relu_predicate(l);
}
void hset2(Line& l) {
  l.op("HSET2")
      .flag(65, ".BF16_V2")
      .suffix(l.bit(71) ? ".BF" : "")
      .pick(76, 4, kConditions)
      .pick(69, 2, kLogic);
  l.destination().a(72, 73, half(l, 74));
  second_half(l, kReuseThird);
  l.pred(87, 90);
}
void hsetp2(Line& l) {
  l.op("HSETP2").flag(65, ".BF16_V2").pick(76, 4, kConditions).pick(69, 2, kLogic).pred(81).pred(84);
  l.a(72, 73, half(l, 74));
  second_half(l, kReuseThird);
  l.pred(87, 90);
}
void hmnmx2(Line& l) {
  l.op("HMNMX2").flag(85, ".BF16_V2").flag(80, ".FTZ").flag(81, ".NAN").flag(82, ".XORSIGN");
  l.destination().a(72, 73, half(l, 74));
  second_half(l);
  l.pred(87, 90);
}

constexpr Opcode kOpcodes[] = {
    {0x008, fsel},    {0x009, fmnmx}, {0x00a, fset},  {0x00b, fsetp}, {0x020, fmul},   {0x021, fadd},
    {0x022, fswzadd}, {0x023, ffma},  {0x028, dmul},  {0x029, dadd},  {0x02a, dsetp},  {0x02b, dfma},
    {0x030, hadd2},   {0x031, hfma2}, {0x032, hmul2}, {0x033, hset2}, {0x034, hsetp2}, {0x035, hfma2_mma},
    {0x040, hmnmx2},  {0x102, fchk},  {0x108, mufu},
};

}  // namespace

std::span<const Opcode> float_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
