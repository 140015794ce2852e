// Whole numbers, logic, predicates, moves; of threads and, at an opcode 0x80 higher, of the warp.
#include <bit>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kU = Number::kUnsigned, kS = Number::kSigned;
constexpr Suffix kConditions[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
constexpr Suffix kLogic[] = {".AND", ".OR", ".XOR"};
constexpr uint64_t kTrue = 7;

// A predicate that gets a carry: left out when nobody wants it.
void carry_out(Fields& f, uint32_t first) {
  if (f.bits(first, 3) != kTrue) {
    f.pred(first);
  }
}
// Two of them, which are always written from 10.0 on.
void carries_out(Fields& f) {
  if (f.blackwell()) {
    f.pred(81).pred(84);
  } else {
    carry_out(f, 81);
    carry_out(f, 84);
  }
}

// 64 bits, of which the lowest eight lie in the place of the first source.
void wide_number(Fields& f) { f.number(f.bits(24, 40) | f.bits(64, 24) << 40); }

void mov(Fields& f) {
  f.op("MOV");
  if (f.wide_integers() && f.form() == 2) {
    wide_number(f.suffix(".64").destination());
    return;
  }
  if (f.wide_integers()) {
    f.flag(80, ".64");
  }
  f.destination().second(kU);
  if (f.bits(72, 4) != 15) {
    f.number(f.bits(72, 4));
  }
}
void umov(Fields& f) {
  f.uniform().uniform_guard().op("UMOV");
  if (f.wide_integers() && f.form() == 2) {
    wide_number(f.suffix(".64").fixed(91, 1, 1).destination());
    return;
  }
  if (f.wide_integers()) {
    f.flag(80, ".64");
  }
  f.destination().second(kU);
}

void sel(Fields& f) {
  f.op("SEL", "USEL");
  if (!f.wide_integers()) {
    f.destination().a().second(kU).pred(87, 90);
    return;
  }
  // Of 64 bits the forms are others: a register, and a number with its sign once more above it.
  const uint32_t form = f.form();
  if (f.is_uniform() ? form == 6 : form == 3) {
    f.suffix(".64").destination().a().add(f.is_uniform() ? f.ureg_at(32) : f.reg_at(32));
  } else if (!f.is_uniform() && form == 2) {
    f.suffix(".64").fixed(64, 1, f.bits(63, 1)).destination().a().signed_number(f.signed_bits(32, 32));
  } else {
    f.destination().a().second(kU);
  }
  f.pred(87, 90);
}

void isetp(Fields& f) {
  f.op("ISETP", "UISETP").pick(76, 3, kConditions);
  if (f.wide_integers() && f.bit(80)) {
    f.either(f.bit(73), ".S64", ".U64");
  } else {
    f.either(f.bit(73), "", ".U32");
  }
  f.pick(74, 2, kLogic).flag(72, ".EX");
  f.pred(81).pred(84).a().second(kS).pred(87, 90);
  if (f.bit(72)) {
    f.pred(68, 71);
  }
}

void iadd3(Fields& f) {
  f.op("IADD3", "UIADD3").flag(74, ".X").destination();
  carries_out(f);
  f.complemented(f.bit(74)).a(72).b(kS, 63).c(kS, 75);
  if (f.bit(74)) {
    f.pred(87, 90).pred(77, 80);
  }
}

void uiadd3_64(Fields& f) {
  f.op("UIADD3.64").destination();
  if (f.blackwell()) {
    f.pred(81).pred(84);
  }
  f.a(72).b(kS, 63).c(kS, 75);
}

void lea(Fields& f) {
  const bool high = f.bit(80), sign = f.bit(73), carry = f.bit(74);
  if (sign && !high) {
    f.unknown();
  }
  f.op("LEA", "ULEA").flag(80, ".HI").flag(74, ".X").flag(73, ".SX32").destination();
  carry_out(f, 81);
  f.complemented(carry).a(72).b(kU, f.form() == 2 || f.form() == 3 || f.form() == 7 ? 0 : 63);
  if (high && !sign) {
    f.c(kU, 0);
  }
  f.number(f.bits(75, 5));
  if (carry) {
    f.pred(87, 90);
  }
}

void lop3(Fields& f) {
  f.op("LOP3.LUT", "ULOP3.LUT").flag(80, ".PAND");
  carry_out(f, 81);
  f.destination().a().b(kU).c(kU).number(f.bits(72, 8)).pred(87, 90);
}

void plop3(Fields& f) {
  f.op("PLOP3.LUT", "UPLOP3.LUT").pred(81).pred(84).pred(87, 90).pred(77, 80);
  f.bit(67) ? f.upred(68, f.bit(71)) : f.pred(68, 71);
  f.number(f.bits(72, 5) << 3 | f.bits(64, 3)).number(f.bits(16, 8));
}

void prmt(Fields& f) {
  f.op("PRMT", "UPRMT");
  if (!f.is_uniform()) {
    f.pick(72, 3, {"", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"});
  }
  f.destination().a().b(kU).c(kU);
}

void shf(Fields& f) {
  f.op("SHF", "USHF").either(f.bit(76), ".R", ".L").flag(75, ".W");
  f.pick(73, 2, {".S64", ".U64", ".S32", ".U32"}).flag(80, ".HI").destination().a().b(kU).c(kU);
}

void sgxt(Fields& f) {
  f.op("SGXT", "USGXT").flag(75, ".W").either(f.bit(73), "", ".U32").destination().a().second(kU);
}
void bmsk(Fields& f) { f.op("BMSK", "UBMSK").flag(75, ".W").destination().a().second(kU); }
void iabs(Fields& f) { f.op("IABS").destination().second(kS); }

void vabsdiff4(Fields& f) {
  f.op("VABSDIFF4").either(f.bit(73), "", ".U8").flag(75, ".ACC").destination().a().b(kU).c(kU);
}

void vabsdiff(Fields& f) {
  f.op("VABSDIFF").either(f.bit(73), "", ".U32").destination();
  carry_out(f, 81);
  f.a().b(kU).c(kU);
}

// Of the signs of three registers.
void plop3_signs(Fields& f) {
  f.op("PLOP3.LUT").pred(81).pred(84).a(0, 0, Part::kSign).b(kU, 0, 0, Part::kSign).c(kU, 0, 0, Part::kSign);
  f.number(f.bits(72, 8)).number(f.bits(16, 8));
}

// What a product is called when one of its factors makes it something else.
Suffix product_name(const Fields& f) {
  const bool immediate = f.form() == 4, register_b = f.form() != 4 && f.form() != 5 && f.form() != 6;
  const auto value = static_cast<uint32_t>(f.bits(32, 32));
  const uint32_t b_place = f.form() == 1 ? 32 : 64;
  if (f.bits(24, 8) == 255 && register_b && f.form() != 7 && f.bits(b_place, 8) == 255) {
    return ".MOV";
  }
  if (immediate && value == 1) {
    return ".IADD";
  }
  if (immediate && std::has_single_bit(value) && value != 65536 && value != 0x80000000 &&
      f.bits(64, 8) == 255) {
    return ".SHL";
  }
  return "";
}

void imad(Fields& f) {
  f.op("IMAD", "UIMAD");
  if (f.bit(74)) {
    f.either(f.bit(73), ".X", ".U32.X");
  } else {
    f.suffix(f.is_uniform() ? Suffix("") : product_name(f)).either(f.bit(73), "", ".U32");
  }
  f.destination().complemented(f.bit(74)).a().b(kS).c(kS, 75);
  if (f.bit(74)) {
    f.pred(87, 90);
  }
}
void imad_wide(Fields& f) {
  f.op("IMAD.WIDE", "UIMAD.WIDE").either(f.bit(73), "", ".U32").flag(74, ".X").destination();
  carry_out(f, 81);
  f.complemented(f.bit(74)).a().b(kS).c(kS, 75);
  if (f.bit(74)) {
    f.pred(87, 90);
  }
}
void imad_hi(Fields& f) {
  f.op("IMAD.HI", "UIMAD.HI").either(f.bit(73), "", ".U32").flag(74, ".X").destination();
  carry_out(f, 81);
  f.complemented(f.bit(74)).a().b(kS).c(kS, 75);
  if (f.bit(74)) {
    f.pred(87, 90);
  }
}

void idp(Fields& f) {
  f.op("IDP")
      .suffix(!f.bit(76)  ? Suffix(".4A")
              : f.bit(77) ? Suffix(".2A.HI")
                          : Suffix(".2A.LO"))
      .suffix(f.bit(73)   ? (f.bit(76) ? Suffix(".S16") : Suffix(".S8"))
              : f.bit(76) ? Suffix(".U16")
                          : Suffix(".U8"))
      .either(f.bit(74), ".S8", ".U8");
  f.destination().a().b(kU).c(kU, 75);
}

void viadd(Fields& f) {
  f.op("VIADD");
  if (f.wide_integers()) {
    f.pick(73, 3, {"", ".16x2", ".S32.ISAT", "?", ".U8x4", ".S8x4"}).fixed(80, 1, f.bits(73, 3) == 2 ? 1 : 0);
  } else {
    f.flag(73, ".16x2");
  }
  f.destination().a().second(kU, 63);
}

void of_lanes(Fields& f) { f.pick(72, 2, {".U32", "", ".U16x2", ".S16x2"}).flag(76, ".RELU"); }
void vimnmx(Fields& f) {
  if (f.wide_integers()) {
    f.op("VIMNMX", "UVIMNMX");
    f.pick(72, 3, {".U32", ".S32", ".U16x2", ".S16x2", ".U8x4", ".S8x4"}).flag(76, ".RELU").destination();
  } else {
    of_lanes(f.op("VIMNMX"));
    f.destination();
    if (f.blackwell()) {  // two results that are predicates
      f.pred(81).pred(84);
    }
  }
  f.a().second(f.bit(72) ? kS : kU).pred(87, 90);
}
void vimnmx3(Fields& f) {
  of_lanes(f.op("VIMNMX3"));
  f.destination().a().b(kU).c(kU).pred(87, 90);
}
void viaddmnmx(Fields& f) {
  of_lanes(f.op("VIADDMNMX"));
  f.destination().a().b(kU, 63).c(kU).pred(87, 90);
}
void imnmx(Fields& f) {
  f.op("IMNMX", "UIMNMX").either(f.bit(73), "", ".U32").destination().a().second(kS).pred(87, 90);
}

void flo(Fields& f) {
  f.op("FLO", "UFLO").either(f.bit(73), "", ".U32").flag(74, ".SH").destination();
  carry_out(f, 81);
  f.complemented(true).second(kU, 63);
}
void brev(Fields& f) { f.op("BREV", "UBREV").destination().second(kU); }
void popc(Fields& f) { f.op("POPC", "UPOPC").complemented(true).destination().second(kU, 63); }

void p2r(Fields& f) {
  f.op("P2R")
      .pick(76, 2, {"", ".B1", ".B2", ".B3"})
      .destination()
      .named(Operand::Kind::kPredicates)
      .a()
      .second(kU);
}
void r2p(Fields& f) {
  constexpr Part kBytes[] = {Part::kNone, Part::kB1, Part::kB2, Part::kB3};
  f.op("R2P").named(Operand::Kind::kPredicates).a(0, 0, kBytes[f.bits(76, 2)]).second(kU);
}

void r2ur(Fields& f) {
  f.op("R2UR");
  f.flag(84, ".OR");
  if (f.blackwell()) {
    f.flag(87, ".BROADCAST");
  }
  if (f.bits(81, 3) != kTrue) {
    f.pred(81);
  }
  f.ureg(16).a();
}

void vote(Fields& f) {
  f.op("VOTE").pick(72, 2, {".ALL", ".ANY", ".EQ"});
  if (f.bits(16, 8) != 255) {
    f.reg(16);
  }
  if (f.bits(16, 8) == 255 || f.bits(81, 3) != kTrue) {
    f.pred(81);
  } else {
    f.named(Operand::Kind::kPredicate, kTruePredicate);
  }
  f.pred(87, 90);
}
void voteu(Fields& f) {
  f.op("VOTEU").pick(72, 2, {".ALL", ".ANY", ".EQ"});
  if (!f.no_ureg(16)) {
    f.ureg(16);
  }
  f.upred(81).pred(87, 90);
}

template <void (*kWrite)(Fields&)>
void of_warp(Fields& f) {
  f.uniform().uniform_guard();
  kWrite(f);
}

constexpr OpcodeRow kOpcodes[] = {
    {0x002, mov},
    {0x003, p2r},
    {0x004, r2p},
    {0x006, vote},
    {0x007, sel},
    {0x00c, isetp},
    {0x00f, vimnmx3},
    {0x010, iadd3},
    {0x011, lea},
    {0x012, lop3},
    {0x013, iabs},
    {0x014, vabsdiff},
    {0x015, vabsdiff4},
    {0x016, prmt},
    {0x017, imnmx},
    {0x019, shf},
    {0x01a, sgxt},
    {0x01b, bmsk},
    {0x01c, plop3},
    {0x01f, plop3_signs},
    {0x024, imad},
    {0x025, imad_wide},
    {0x026, idp},
    {0x027, imad_hi},
    {0x036, viadd},
    {0x046, viaddmnmx},
    {0x048, vimnmx},
    {0x082, umov},
    {0x086, voteu},
    {0x087, of_warp<sel>},
    {0x08c, of_warp<isetp>},
    {0x090, of_warp<iadd3>},
    {0x091, of_warp<lea>},
    {0x092, of_warp<lop3>},
    {0x096, of_warp<prmt>},
    {0x097, of_warp<uiadd3_64>},
    {0x099, of_warp<shf>},
    {0x09a, of_warp<sgxt>},
    {0x09b, of_warp<bmsk>},
    {0x09c, of_warp<plop3>},
    {0x0a4, of_warp<imad>},
    {0x0a5, of_warp<imad_wide>},
    {0x0a7, of_warp<imad_hi>},
    {0x0bd, of_warp<flo>},
    {0x0be, of_warp<brev>},
    {0x0bf, of_warp<popc>},
    {0x0ca, r2ur},
    {0x100, flo},
    {0x101, brev},
    {0x109, popc},
};

}  // namespace

std::span<const OpcodeRow> integer_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
