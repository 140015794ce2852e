// What came with capability 9.0: barrier objects, bulk and tensor copies, clusters, registers that change
// hands.
#include <fmt/format.h>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr uint64_t kNoRegister = 255, kTrue = 7;

// [R7+UR14], [UR9], [R20+URZ+0x48]
std::string object(Line& l, uint32_t ureg) {
  l.fixed(91, 1, 1);
  const int64_t offset = l.signed_bits(40, 24);
  if (l.bits(24, 8) == kNoRegister) {
    const std::string behind =
        offset == 0 ? "" : fmt::format("+{}0x{:x}", offset < 0 ? "-" : "", offset < 0 ? -offset : offset);
    return "[" + l.ureg_name(ureg) + behind + "]";
  }
  return l.address(24, "", offset, l.ureg_name(ureg));
}
std::string at(const Line& l, uint32_t ureg) { return "[" + l.ureg_name(ureg) + "]"; }

void syncs(Line& l) {
  if (l.form() == 2) {
    l.op("SYNCS.PHASECHK.TRANS64")
        .described(64, 1, 76)
        .flag(72, ".TRYWAIT")
        .pred(81)
        .text(object(l, 64))
        .reg(32);
  } else {
    // A<arrivals>T<bytes>: 1 where nothing is said, else 0, 1, R that of the register; X bytes that have
    // come.
    l.op("SYNCS.ARRIVE.TRANS64").pick(73, 2, {"", ".TMASK", ".RED"}).flag(75, ".OPTOUT");
    l.pick(84, 3, {"", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0"});
    l.reg(16).text(object(l, 64)).reg(32);
  }
}
// An arrival when the copies (LDGSTS) of the lane have come.
void arrives(Line& l) {
  l.op("ARRIVES.LDGSTSBAR.64").fixed(73, 3, 5).fixed(24, 8, kNoRegister);
  l.pick(l.blackwell() ? 76 : 70, 2, {"", ".ARVCNT", ".TRANSCNT"}).text(object(l, 64));
}
void syncs_exchange(Line& l) {
  const int64_t offset = l.signed_bits(40, 24);
  l.op("SYNCS.EXCH.64").fixed(72, 1, 1).uniform_guard().ureg(16);
  l.text("[" + l.ureg_name(24) + (offset != 0 ? fmt::format("+0x{:x}", offset) : "") + "]").ureg(32);
}
void syncs_cctl(Line& l) {
  l.op("SYNCS.CCTL.IV");
  if (l.blackwell() && !l.bit(91)) {
    l.text(l.address(24, "", l.signed_bits(40, 24)));
  } else {
    l.text(object(l, 64));
  }
}

// Which tile of a tensor: dimensions, whether in im2col mode; a descriptor of the policy of the L2.
Line& tile(Line& l) { return l.pick(79, 3, {".1D", ".2D", ".3D", ".4D", ".5D"}).flag(82, ".IM2COL"); }
void policy(Line& l) {
  if (l.bit(76)) {
    l.text("desc[" + l.ureg_name(40) + "]");
  }
}
void utmaldg(Line& l) {
  if (l.form() == 2) {
    l.fixed(75, 1, 0).fixed(82, 1, 0);
  }
  tile(l.uniform_guard().op("UTMALDG")).flag(75, ".MULTICAST").text(at(l, 32)).text(at(l, 24));
  if (l.form() == 1) {
    l.ureg(64);
  }
  policy(l);
}
void utmastg(Line& l) {
  tile(l.uniform_guard().op("UTMASTG")).text(at(l, 32)).text(at(l, 24));
  policy(l);
}
void utmaredg(Line& l) {
  tile(l.uniform_guard().op("UTMAREDG"));
  l.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"})
      .text(at(l, 32))
      .text(at(l, 24));
  policy(l);
}
void utmapf(Line& l) {
  if (l.form() == 2) {
    l.fixed(82, 1, 0);
  }
  tile(l.uniform_guard().op("UTMAPF.L2")).text(at(l, 32)).text(at(l, 24));
  if (l.form() == 1) {
    l.ureg(64);
  }
  policy(l);
}
void utmacctl(Line& l) { l.uniform_guard().op("UTMACCTL").pick(82, 1, {".IV", ".PF"}).text(at(l, 24)); }
void utmacmdflush(Line& l) { l.uniform_guard().op("UTMACMDFLUSH"); }

// Where to and where from: shared or global memory.
Line& bulk(Line& l, std::string_view name) { return l.uniform_guard().op(name).fixed(72, 1, 0); }
void ublkcp(Line& l) {
  bulk(l, "UBLKCP").pick(73, 2, {"?", ".S.G", ".G.S", ".S.S"}).flag(75, ".MULTICAST");
  l.text(at(l, 32)).text(at(l, 24)).ureg(64);
  policy(l);
}
void ublkred(Line& l) {
  bulk(l, "UBLKRED").pick(73, 2, {"?", "?", ".G.S", ".S.S"});
  l.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"});
  l.pick(81, 4, {"", ".S32", ".U64", ".S64", ".F16.RN", ".F32.RN", ".F32.FTZ.RN", ".F64.RN", ".BF16.RN"});
  l.text(at(l, 32)).text(at(l, 24)).ureg(64);
  policy(l);
}
void ublkpf(Line& l) {
  l.uniform_guard().op("UBLKPF.L2").text(at(l, 24)).ureg(64);
  policy(l);
}

void stas(Line& l) {
  l.op("STAS").fixed(90, 2, 3).pick(73, 3, {"?", "?", "?", "?", "", ".64", ".128"});
  l.text(l.address(24, ".64", l.signed_bits(40, 24))).reg(32);
}
void redas(Line& l) {
  l.op("REDAS").fixed(90, 2, 2).fixed(72, 1, 1);
  l.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"});
  l.pick(73, 3, {"", ".S32", ".64"}).text(l.address(24, ".64", l.signed_bits(40, 24))).reg(32);
}
void qspc(Line& l) {
  l.op("QSPC").flag(72, ".E").pick(73, 3, {".G", ".L", ".S", ".D"}).pred(81).reg(16);
  const int64_t offset = l.signed_bits(40, 24);
  if (l.bit(91)) {
    const std::string behind = l.address(Line::kNoPlace, "", offset, l.ureg_name(32));
    l.text("[" + l.reg_name(24) + (l.bit(90) ? ".64+" : ".U32+") + behind.substr(1));
    return;
  }
  l.text(l.address(24, "", offset));
}

void usetmaxreg(Line& l) {
  l.fixed(72, 3, l.bit(72) ? 5 : 6)
      .uniform_guard()
      .op("USETMAXREG")
      .suffix(l.bit(72) ? ".DEALLOC" : ".TRY_ALLOC")
      .suffix(".CTAPOOL");
  if (l.bits(81, 3) != kTrue) {
    l.text("U" + l.pred_name(81, false));
  }
  l.number(l.bits(32, 32));
}
void usetshmsz(Line& l) {
  l.uniform_guard().op("USETSHMSZ").flag(72, ".FLUSH");
  if (!l.bit(72)) {
    l.number(l.bits(32, 32));
  }
}
void up2ur(Line& l) { l.uniform_guard().op("UP2UR").ureg(16).text("UPR").ureg(24).number(l.bits(32, 32)); }

// Barriers of a cluster.
void cga_barrier(Line& l) { l.uniform_guard().op(l.form() == 4 ? "UCGABAR_ARV" : "UCGABAR_WAIT"); }
void warpgroup(Line& l) {
  l.op("WARPGROUP").pick(79, 2, {".ARRIVE", ".WAIT", ".DEPBAR.LE"});
  if (l.bits(79, 2) == 2) {
    l.fixed(47, 1, 1).text("gsb0").number(l.bits(72, 3));
  }
}
void fence(Line& l) {
  l.op("FENCE.VIEW.ASYNC");
  if (l.form() == 1) {
    l.pick(72, 1, {".S", ".G"});
  }
}
void preexit(Line& l) { l.op("PREEXIT"); }
void acqbulk(Line& l) { l.op("ACQBULK"); }

constexpr Opcode kOpcodes[] = {
    {0x02d, preexit},  {0x02e, acqbulk},      {0x083, up2ur},          {0x1a7, syncs},     {0x1aa, qspc},
    {0x1b0, arrives},  {0x1b1, syncs_cctl},   {0x1b2, syncs_exchange}, {0x1b4, utmaldg},   {0x1b5, utmastg},
    {0x1b6, utmaredg}, {0x1b7, utmacmdflush}, {0x1b8, utmapf},         {0x1b9, utmacctl},  {0x1ba, ublkcp},
    {0x1bb, ublkred},  {0x1bc, ublkpf},       {0x1bd, stas},           {0x1be, redas},     {0x1c5, warpgroup},
    {0x1c6, fence},    {0x1c7, cga_barrier},  {0x1c8, usetmaxreg},     {0x1c9, usetshmsz},
};

}  // namespace

std::span<const Opcode> async_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
