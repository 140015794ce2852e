// Whole numbers, logic, predicates, moves; of threads and, at an opcode 0x80 higher, of the warp.
#include <bit>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kU = Number::kUnsigned, kS = Number::kSigned;
constexpr std::string_view kConditions[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
constexpr std::string_view kLogic[] = {".AND", ".OR", ".XOR"};
constexpr uint64_t kTrue = 7;

// A predicate that gets a carry: left out when nobody wants it.
void carry_out(Line& l, uint32_t first) {
  if (l.bits(first, 3) != kTrue) {
    l.pred(first);
  }
}
// Two of them, which are always written from 10.0 on.
void carries_out(Line& l) {
  if (l.blackwell()) {
    l.pred(81).pred(84);
  } else {
    carry_out(l, 81);
    carry_out(l, 84);
  }
}

// 64 bits, of which the lowest eight lie in the place of the first source.
void wide_number(Line& l) { l.number(l.bits(24, 40) | l.bits(64, 24) << 40); }

void mov(Line& l) {
  l.op("MOV");
  if (l.wide_integers() && l.form() == 2) {
    wide_number(l.suffix(".64").destination());
    return;
  }
  if (l.wide_integers()) {
    l.flag(80, ".64");
  }
  l.destination().second(kU);
  if (l.bits(72, 4) != 15) {
    l.number(l.bits(72, 4));
  }
}
void umov(Line& l) {
  l.uniform().uniform_guard().op("UMOV");
  if (l.wide_integers() && l.form() == 2) {
    wide_number(l.suffix(".64").fixed(91, 1, 1).destination());
    return;
  }
  if (l.wide_integers()) {
    l.flag(80, ".64");
  }
  l.destination().second(kU);
}

void sel(Line& l) {
  l.op(l.is_uniform() ? "USEL" : "SEL");
  if (!l.wide_integers()) {
    l.destination().a().second(kU).pred(87, 90);
    return;
  }
  // Of 64 bits the forms are others: a register, and a number with its sign once more above it.
  const uint32_t form = l.form();
  if (l.is_uniform() ? form == 6 : form == 3) {
    l.suffix(".64").destination().a().text(l.is_uniform() ? l.ureg_name(32) : l.reg_name(32));
  } else if (!l.is_uniform() && form == 2) {
    l.suffix(".64").fixed(64, 1, l.bits(63, 1)).destination().a().signed_number(l.signed_bits(32, 32));
  } else {
    l.destination().a().second(kU);
  }
  l.pred(87, 90);
}

void isetp(Line& l) {
  l.op(l.is_uniform() ? "UISETP" : "ISETP").pick(76, 3, kConditions);
  if (l.wide_integers() && l.bit(80)) {
    l.suffix(l.bit(73) ? ".S64" : ".U64");
  } else {
    l.suffix(l.bit(73) ? "" : ".U32");
  }
  l.pick(74, 2, kLogic).flag(72, ".EX");
  l.pred(81).pred(84).a().second(kS).pred(87, 90);
  if (l.bit(72)) {
    l.pred(68, 71);
  }
}

void iadd3(Line& l) {
  l.op(l.is_uniform() ? "UIADD3" : "IADD3").flag(74, ".X").destination();
  carries_out(l);
  l.complemented(l.bit(74)).a(72).b(kS, 63).c(kS, 75);
  if (l.bit(74)) {
    l.pred(87, 90).pred(77, 80);
  }
}

void uiadd3_64(Line& l) {
  l.op("UIADD3.64").destination();
  if (l.blackwell()) {
    l.pred(81).pred(84);
  }
  l.a(72).b(kS, 63).c(kS, 75);
}

void lea(Line& l) {
  const bool high = l.bit(80), sign = l.bit(73), carry = l.bit(74);
  if (sign && !high) {
    l.unknown();
  }
  l.op(l.is_uniform() ? "ULEA" : "LEA").flag(80, ".HI").flag(74, ".X").flag(73, ".SX32").destination();
  carry_out(l, 81);
  l.complemented(carry).a(72).b(kU, l.form() == 2 || l.form() == 3 || l.form() == 7 ? 0 : 63);
  if (high && !sign) {
    l.c(kU, 0);
  }
  l.number(l.bits(75, 5));
  if (carry) {
    l.pred(87, 90);
  }
}

void lop3(Line& l) {
  l.op(l.is_uniform() ? "ULOP3.LUT" : "LOP3.LUT").flag(80, ".PAND");
  carry_out(l, 81);
  l.destination().a().b(kU).c(kU).number(l.bits(72, 8)).pred(87, 90);
}

void plop3(Line& l) {
  l.op(l.is_uniform() ? "UPLOP3.LUT" : "PLOP3.LUT").pred(81).pred(84).pred(87, 90).pred(77, 80);
  l.text((l.bit(71) ? "!" : "") + std::string(l.bit(67) && !l.is_uniform() ? "U" : "") +
         l.pred_name(68, false));
  l.number(l.bits(72, 5) << 3 | l.bits(64, 3)).number(l.bits(16, 8));
}

void prmt(Line& l) {
  l.op(l.is_uniform() ? "UPRMT" : "PRMT");
  if (!l.is_uniform()) {
    l.pick(72, 3, {"", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"});
  }
  l.destination().a().b(kU).c(kU);
}

void shf(Line& l) {
  l.op(l.is_uniform() ? "USHF" : "SHF").suffix(l.bit(76) ? ".R" : ".L").flag(75, ".W");
  l.pick(73, 2, {".S64", ".U64", ".S32", ".U32"}).flag(80, ".HI").destination().a().b(kU).c(kU);
}

void sgxt(Line& l) {
  l.op(l.is_uniform() ? "USGXT" : "SGXT")
      .flag(75, ".W")
      .suffix(l.bit(73) ? "" : ".U32")
      .destination()
      .a()
      .second(kU);
}
void bmsk(Line& l) { l.op(l.is_uniform() ? "UBMSK" : "BMSK").flag(75, ".W").destination().a().second(kU); }
void iabs(Line& l) { l.op("IABS").destination().second(kS); }

void vabsdiff4(Line& l) {
  l.op("VABSDIFF4").suffix(l.bit(73) ? "" : ".U8").flag(75, ".ACC").destination().a().b(kU).c(kU);
}

void vabsdiff(Line& l) {
  l.op("VABSDIFF").suffix(l.bit(73) ? "" : ".U32").destination();
  carry_out(l, 81);
  l.a().b(kU).c(kU);
}

// Of the signs of three registers.
void plop3_signs(Line& l) {
  l.op("PLOP3.LUT").pred(81).pred(84).a(0, 0, ".SIGN").b(kU, 0, 0, ".SIGN").c(kU, 0, 0, ".SIGN");
  l.number(l.bits(72, 8)).number(l.bits(16, 8));
}

// What a product is called when one of its factors makes it something else.
std::string_view product_name(const Line& l) {
  const bool immediate = l.form() == 4, register_b = l.form() != 4 && l.form() != 5 && l.form() != 6;
  const auto value = static_cast<uint32_t>(l.bits(32, 32));
  const uint32_t b_place = l.form() == 1 ? 32 : 64;
  if (l.bits(24, 8) == 255 && register_b && l.form() != 7 && l.bits(b_place, 8) == 255) {
    return ".MOV";
  }
  if (immediate && value == 1) {
    return ".IADD";
  }
  if (immediate && std::has_single_bit(value) && value != 65536 && value != 0x80000000 &&
      l.bits(64, 8) == 255) {
    return ".SHL";
  }
  return "";
}

void imad(Line& l) {
  l.op(l.is_uniform() ? "UIMAD" : "IMAD");
  if (l.bit(74)) {
    l.suffix(l.bit(73) ? ".X" : ".U32.X");
  } else {
    l.suffix(l.is_uniform() ? "" : product_name(l)).suffix(l.bit(73) ? "" : ".U32");
  }
  l.destination().complemented(l.bit(74)).a().b(kS).c(kS, 75);
  if (l.bit(74)) {
    l.pred(87, 90);
  }
}
void imad_wide(Line& l) {
  l.op(l.is_uniform() ? "UIMAD.WIDE" : "IMAD.WIDE")
      .suffix(l.bit(73) ? "" : ".U32")
      .flag(74, ".X")
      .destination();
  carry_out(l, 81);
  l.complemented(l.bit(74)).a().b(kS).c(kS, 75);
  if (l.bit(74)) {
    l.pred(87, 90);
  }
}
void imad_hi(Line& l) {
  l.op(l.is_uniform() ? "UIMAD.HI" : "IMAD.HI").suffix(l.bit(73) ? "" : ".U32").flag(74, ".X").destination();
  carry_out(l, 81);
  l.complemented(l.bit(74)).a().b(kS).c(kS, 75);
  if (l.bit(74)) {
    l.pred(87, 90);
  }
}

void idp(Line& l) {
  l.op("IDP")
      .suffix(!l.bit(76)  ? ".4A"
              : l.bit(77) ? ".2A.HI"
                          : ".2A.LO")
      .suffix(l.bit(73)   ? (l.bit(76) ? ".S16" : ".S8")
              : l.bit(76) ? ".U16"
                          : ".U8")
      .suffix(l.bit(74) ? ".S8" : ".U8");
  l.destination().a().b(kU).c(kU, 75);
}

void viadd(Line& l) {
  l.op("VIADD");
  if (l.wide_integers()) {
    l.pick(73, 3, {"", ".16x2", ".S32.ISAT", "?", ".U8x4", ".S8x4"}).fixed(80, 1, l.bits(73, 3) == 2 ? 1 : 0);
  } else {
    l.flag(73, ".16x2");
  }
  l.destination().a().second(kU, 63);
}

void of_lanes(Line& l) { l.pick(72, 2, {".U32", "", ".U16x2", ".S16x2"}).flag(76, ".RELU"); }
void vimnmx(Line& l) {
  if (l.wide_integers()) {
    l.op(l.is_uniform() ? "UVIMNMX" : "VIMNMX");
    l.pick(72, 3, {".U32", ".S32", ".U16x2", ".S16x2", ".U8x4", ".S8x4"}).flag(76, ".RELU").destination();
  } else {
    of_lanes(l.op("VIMNMX"));
    l.destination();
    if (l.blackwell()) {  // two results that are predicates
      l.pred(81).pred(84);
    }
  }
  l.a().second(l.bit(72) ? kS : kU).pred(87, 90);
}
void vimnmx3(Line& l) {
  of_lanes(l.op("VIMNMX3"));
  l.destination().a().b(kU).c(kU).pred(87, 90);
}
void viaddmnmx(Line& l) {
  of_lanes(l.op("VIADDMNMX"));
  l.destination().a().b(kU, 63).c(kU).pred(87, 90);
}
void imnmx(Line& l) {
  l.op(l.is_uniform() ? "UIMNMX" : "IMNMX")
      .suffix(l.bit(73) ? "" : ".U32")
      .destination()
      .a()
      .second(kS)
      .pred(87, 90);
}

void flo(Line& l) {
  l.op(l.is_uniform() ? "UFLO" : "FLO").suffix(l.bit(73) ? "" : ".U32").flag(74, ".SH").destination();
  carry_out(l, 81);
  l.complemented(true).second(kU, 63);
}
void brev(Line& l) { l.op(l.is_uniform() ? "UBREV" : "BREV").destination().second(kU); }
void popc(Line& l) {
  l.op(l.is_uniform() ? "UPOPC" : "POPC").complemented(true).destination().second(kU, 63);
}

void p2r(Line& l) {
  l.op("P2R").pick(76, 2, {"", ".B1", ".B2", ".B3"}).destination().text("PR").a().second(kU);
}
void r2p(Line& l) {
  constexpr std::string_view kBytes[] = {"", ".B1", ".B2", ".B3"};
  l.op("R2P").text("PR").a(0, 0, kBytes[l.bits(76, 2)]).second(kU);
}

void r2ur(Line& l) {
  l.op("R2UR");
  l.flag(84, ".OR");
  if (l.blackwell()) {
    l.flag(87, ".BROADCAST");
  }
  if (l.bits(81, 3) != kTrue) {
    l.pred(81);
  }
  l.ureg(16).a();
}

void vote(Line& l) {
  l.op("VOTE").pick(72, 2, {".ALL", ".ANY", ".EQ"});
  if (l.bits(16, 8) != 255) {
    l.reg(16);
  }
  if (l.bits(16, 8) == 255 || l.bits(81, 3) != kTrue) {
    l.pred(81);
  } else {
    l.text("PT");
  }
  l.pred(87, 90);
}
void voteu(Line& l) {
  l.op("VOTEU").pick(72, 2, {".ALL", ".ANY", ".EQ"});
  if (!l.no_ureg(16)) {
    l.ureg(16);
  }
  l.text("U" + l.pred_name(81, false)).pred(87, 90);
}

template <void (*kWrite)(Line&)>
void of_warp(Line& l) {
  l.uniform().uniform_guard();
  kWrite(l);
}

constexpr Opcode kOpcodes[] = {
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

std::span<const Opcode> integer_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
