// Floating point: single, double, half; the special functions.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kD = Number::kDouble;
constexpr Suffix kConditions[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                  ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
constexpr Suffix kDoubleConditions[] = {".MIN", ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                        ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".MAX"};
constexpr Suffix kLogic[] = {".AND", ".OR", ".XOR"};
constexpr Part kHalves[] = {Part::kNone, Part::kF32, Part::kH0H0, Part::kH1H1};

void fadd(Fields& f) {
  f.op("FADD").flag(80, ".FTZ").rounding(78).flag(77, ".SAT").destination().a(72, 73);
  f.second(kF, 63, 62, Part::kNone, kReuseThird);
}
void fmul(Fields& f) {
  f.op("FMUL")
      .flag(76, ".FMZ")
      .pick(84, 3, {"?", ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8"})
      .flag(80, ".FTZ")
      .rounding(78);
  f.flag(77, ".SAT").destination().a(72, 73).second(kF, 63, 62);
}
void ffma(Fields& f) {
  f.op("FFMA")
      .flag(76, ".FMZ")
      .flag(80, ".FTZ")
      .rounding(78)
      .flag(77, ".SAT")
      .destination()
      .a(72, 73)
      .b(kF, 63, 62)
      .c(kF, 75, 74);
}
void fsel(Fields& f) {
  f.op("FSEL").flag(80, ".FTZ").destination().a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fmnmx(Fields& f) {
  f.op("FMNMX").flag(80, ".FTZ").flag(81, ".NAN").flag(82, ".XORSIGN").destination();
  f.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fsetp(Fields& f) {
  f.op("FSETP").pick(76, 4, kConditions).flag(80, ".FTZ").pick(74, 2, kLogic).pred(81).pred(84);
  f.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fset(Fields& f) {
  f.op("FSET.BF").pick(76, 4, kConditions).flag(80, ".FTZ").pick(74, 2, kLogic).destination();
  f.a(72, 73).second(kF, 63, 62).pred(87, 90);
}
void fchk(Fields& f) { f.op("FCHK").pred(81).a(72, 73).second(kF, 63, 62); }
void fswzadd(Fields& f) { f.op("FSWZADD").destination().a().second(kF).number(f.bits(32, 8)); }

void mufu(Fields& f) {
  f.op("MUFU").pick(74, 4,
                    {".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"});
  if (f.capability() < 90) {
    f.pick(72, 2, {"", "?", ".F16"});
  } else if (f.capability() == 103 && f.bits(72, 6) == 8 && f.bit(80)) {
    f.suffix(".BF16x2");
  } else if (f.capability() == 103) {
    f.pick(72, 2, {"", ".F16", ".BF16", ".F16x2"});
  } else {
    f.pick(72, 2, {"", ".F16", ".BF16"});
  }
  const uint64_t function = f.bits(74, 4);
  const bool small = f.bits(72, 2) != 0, number = f.form() == 4;
  f.destination().second(function == 6 || function == 7 ? kD : kF, 63, 62,
                         small && !number && f.bit(60) ? Part::kH1 : Part::kNone);
  if (small && number) {
    f.unknown();
  }
}

// A register that is added stands in the third place.
void dadd(Fields& f) {
  f.op("DADD").rounding(78).destination().a(72, 73);
  f.form() == 1 ? f.c(kD, 75, 74) : f.second(kD, 63, 62);
}
void dmul(Fields& f) { f.op("DMUL").rounding(78).destination().a(72, 73).second(kD, 63, 62); }
void dfma(Fields& f) { f.op("DFMA").rounding(78).destination().a(72, 73).b(kD, 63, 62).c(kD, 75, 74); }
void dsetp(Fields& f) {
  f.op("DSETP").pick(76, 4, kDoubleConditions).pick(74, 2, kLogic).pred(81).pred(84);
  f.a(72, 73).second(kD, 63, 62, Part::kNone, kReuseThird).pred(87, 90);
}

// Halves: which of them a source gives to both lanes.
Part half(Fields& f, uint32_t at) {
  const uint64_t which = f.bits(at, 2);
  if (which == 1) {
    f.unknown();
  }
  return kHalves[which];
}
Number halves(const Fields& f) {
  const bool compares = f.opcode() == 0x033 || f.opcode() == 0x034;
  return f.bit(compares ? 65 : 85) ? Number::kBfloats : Number::kHalves;
}
// Of two sources; one that is a number has two values.
void second_half(Fields& f, uint32_t reuse = kReuseSecond) {
  const bool number = f.form() == 4 || f.form() == 2;
  f.second(halves(f), 63, 62, number ? Part::kNone : half(f, 60), reuse);
}
void types(Fields& f) { f.flag(85, ".BF16_V2").flag(78, ".F32").flag(80, ".FTZ").flag(77, ".SAT"); }

void hadd2(Fields& f) {
  types(f.op("HADD2"));
  f.destination().a(72, 73, half(f, 74));
  second_half(f, kReuseThird);
}
void hmul2(Fields& f) {
  types(f.op("HMUL2").fixed(78, 1, 0));
  f.destination().a(72, 73, half(f, 74));
  second_half(f);
}
Fields& fused_types(Fields& f) {
  return f.flag(85, ".BF16_V2").flag(80, ".FTZ").flag(76, ".FMZ").flag(77, ".SAT").flag(79, ".RELU");
}
void relu_predicate(Fields& f) {
  if (f.bit(79) && f.bits(87, 4) != 7) {
    f.pred(87, 90);
  }
}
void hfma2(Fields& f) {
  fused_types(f.op("HFMA2"));
  const bool number = f.form() == 4 || f.form() == 2;
  const Part narrow = number ? Part::kNone : half(f, 60);
  f.wide_signs(84, 83).destination().a(72, 73, half(f, 74));
  f.b(halves(f), 63, 62, f.swapped() ? half(f, 81) : narrow);
  f.c(halves(f), 84, 83, f.swapped() ? narrow : half(f, 81));
  relu_predicate(f);
}
void hfma2_mma(Fields& f) {
  fused_types(f.op("HFMA2.MMA")).wide_signs(84, 83).destination();
  f.a(72, 73).b(halves(f), 63, 62).c(halves(f), 84, 83);
  relu_predicate(f);
}
void hset2(Fields& f) {
  f.op("HSET2")
      .flag(65, ".BF16_V2")
      .either(f.bit(71), ".BF", "")
      .pick(76, 4, kConditions)
      .pick(69, 2, kLogic);
  f.destination().a(72, 73, half(f, 74));
  second_half(f, kReuseThird);
  f.pred(87, 90);
}
void hsetp2(Fields& f) {
  f.op("HSETP2").flag(65, ".BF16_V2").pick(76, 4, kConditions).pick(69, 2, kLogic).pred(81).pred(84);
  f.a(72, 73, half(f, 74));
  second_half(f, kReuseThird);
  f.pred(87, 90);
}
void hmnmx2(Fields& f) {
  f.op("HMNMX2").flag(85, ".BF16_V2").flag(80, ".FTZ").flag(81, ".NAN").flag(82, ".XORSIGN");
  f.destination().a(72, 73, half(f, 74));
  second_half(f);
  f.pred(87, 90);
}

constexpr OpcodeRow kOpcodes[] = {
    {0x008, fsel},    {0x009, fmnmx}, {0x00a, fset},  {0x00b, fsetp}, {0x020, fmul},   {0x021, fadd},
    {0x022, fswzadd}, {0x023, ffma},  {0x028, dmul},  {0x029, dadd},  {0x02a, dsetp},  {0x02b, dfma},
    {0x030, hadd2},   {0x031, hfma2}, {0x032, hmul2}, {0x033, hset2}, {0x034, hsetp2}, {0x035, hfma2_mma},
    {0x040, hmnmx2},  {0x102, fchk},  {0x108, mufu},
};

}  // namespace

std::span<const OpcodeRow> float_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
