// Branches, barriers, warps' exchange, special registers.
#include <fmt/format.h>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kU = Number::kUnsigned;
constexpr uint64_t kTrue = 7, kNoRegister = 255;

// Bytes from the next instruction on.
int64_t distance(const Line& l) {
  if (l.capability() < 90) {
    return l.signed_bits(34, 48) * 4;
  }
  return (l.signed_bits(34, 48) * 256 + static_cast<int64_t>(l.bits(16, 8))) * 4;
}
std::string barrier(const Line& l) { return fmt::format("B{}", l.bits(16, 4)); }
// From 10.0 on, how lanes may leave.
Line& convergence(Line& l) { return l.blackwell() ? l.pick(72, 2, {"", ".RELIABLE", ".RECONVERGENT"}) : l; }
// A second predicate, left out when it is PT.
void condition(Line& l) {
  if (l.bits(87, 4) != kTrue) {
    l.pred(87, 90);
  }
}

std::string special(uint64_t number) {
  switch (number) {
    case 0x00:
      return "SR_LANEID";
    case 0x02:
      return "SR_VIRTCFG";
    case 0x03:
      return "SR_VIRTID";
    case 0x20:
      return "SR_TID";
    case 0x21:
      return "SR_TID.X";
    case 0x22:
      return "SR_TID.Y";
    case 0x23:
      return "SR_TID.Z";
    case 0x25:
      return "SR_CTAID.X";
    case 0x26:
      return "SR_CTAID.Y";
    case 0x27:
      return "SR_CTAID.Z";
    case 0x28:
      return "SR_NTID";
    case 0x2f:
      return "SR_SWINHI";
    case 0x30:
      return "SR_SWINLO";
    case 0x38:
      return "SR_EQMASK";
    case 0x39:
      return "SR_LTMASK";
    case 0x3a:
      return "SR_LEMASK";
    case 0x3b:
      return "SR_GTMASK";
    case 0x3c:
      return "SR_GEMASK";
    case 0x43:
      return "SR_VIRTUALSMID";
    case 0x50:
      return "SR_CLOCKLO";
    case 0x51:
      return "SR_CLOCKHI";
    case 0x52:
      return "SR_GLOBALTIMERLO";
    case 0x53:
      return "SR_GLOBALTIMERHI";
    case 0x88:
      return "SR_CgaCtaId";
    case 0x8a:
      return "SR_CgaSize";
    case 0xff:
      return "SRZ";
    default:
      return fmt::format("SR{}", number);
  }
}

void s2r(Line& l) { l.op("S2R").reg(16).text(special(l.bits(72, 8))); }
void s2ur(Line& l) { l.op("S2UR").ureg(16).text(special(l.bits(72, 8))); }
void cs2r(Line& l) { l.op("CS2R").suffix(l.bit(80) ? "" : ".32").reg(16).text(special(l.bits(72, 8))); }

void cs2ur(Line& l) {
  l.fixed(91, 1, 0).op("CS2UR").suffix(l.bit(80) ? "" : ".32").ureg(16).text(special(l.bits(72, 8)));
}

void bra(Line& l) {
  const uint64_t how = l.bits(32, 2);
  l.op("BRA").pick(32, 2, {"", ".U", ".DIV", ".CONV"});
  if (how == 1) {
    l.flag(84, ".ANY");
  }
  if (how > 1) {
    l.fixed(91, 1, 1).ureg(24);
  }
  if (l.form() == 2 && how != 1) {
    l.unknown();
  }
  if (l.form() == 2) {  // the datapath of the warp says whether
    l.fixed(91, 1, 1).text(std::string(l.bit(27) ? "!" : "") + "U" + l.pred_name(24, false));
  }
  condition(l);
  l.target(distance(l));
}
void brx(Line& l) {
  l.op("BRX");
  condition(l);
  l.text(l.reg_name(24) +
         (distance(l) < 0 ? fmt::format(" -0x{:x}", -distance(l)) : fmt::format(" 0x{:x}", distance(l))));
}
void brxu(Line& l) {
  const int64_t bytes = distance(l);
  l.op("BRXU").fixed(91, 1, 1);
  condition(l);
  l.text(l.ureg_name(24) + fmt::format(" {}0x{:x}", bytes < 0 ? "-" : "", bytes < 0 ? -bytes : bytes));
}
void call_relative(Line& l) {
  l.op("CALL.REL").suffix(l.bit(86) ? ".NOINC" : "");
  condition(l);
  if (l.form() == 1) {
    l.reg(24);
  }
  l.target(distance(l));
}
void call_absolute(Line& l) {
  l.op("CALL.ABS").suffix(l.bit(86) ? ".NOINC" : "");
  condition(l);
  l.form() == 1 ? l.reg(24) : l.number(l.bits(32, 32) | l.bits(64, 17) << 32);
}
void ret(Line& l) {
  l.op("RET").suffix(l.bit(85) ? ".ABS" : ".REL").suffix(l.bit(86) ? ".NODEC" : "");
  condition(l);
  l.text(l.reg_name(24) + " " + l.target_text(distance(l)));
}
void exit(Line& l) {
  l.op("EXIT");
  condition(l);
}
void kill(Line& l) {
  l.op("KILL");
  condition(l);
}
void bssy(Line& l) {
  convergence(l.op("BSSY"));
  condition(l);
  l.text(barrier(l)).target(l.signed_bits(34, 30) * 4);
}
void bsync(Line& l) {
  convergence(l.op("BSYNC"));
  condition(l);
  l.text(barrier(l));
}
void brk(Line& l) {
  convergence(l.op("BREAK"));
  condition(l);
  l.text(barrier(l));
}
std::string moved_barrier(const Line& l, uint32_t first) {
  const uint64_t n = l.bits(first, 6);
  if (n > 16) {
    l.unknown();
  }
  return n < 16 ? fmt::format("B{}", n) : n == 16 ? "THREAD_STATE_ENUM.0" : fmt::format("B{}", n);
}
// Where a call returns to.
std::string of_return(const Line& l) { return l.bit(31) ? "Rpc.HI" : "Rpc.LO"; }
void from_return(Line& l) { l.op("RPCMOV.32").reg(16).text(of_return(l)); }
void to_return(Line& l) { l.op("RPCMOV.32").text(of_return(l)).reg(32); }
void bmov_from(Line& l) { l.op("BMOV.32").flag(84, ".CLEAR").reg(16).text(moved_barrier(l, 24)); }
void bmov_to(Line& l) { l.op("BMOV.32").flag(84, ".PQUAD").text(moved_barrier(l, 24)).second(kU); }
void yield(Line& l) {
  l.op("YIELD");
  condition(l);
}
void nop(Line& l) { l.op("NOP"); }
void bpt(Line& l) { l.op("BPT.TRAP").fixed(84, 3, 3).number(l.bits(34, 20)); }
void nanosleep(Line& l) {
  l.op("NANOSLEEP").flag(84, ".SYNCS");
  condition(l);
  l.second(kU);
}
void lepc(Line& l) { l.op("LEPC").fixed(24, 8, 16).reg(16).target(l.signed_bits(32, 32) + 16); }
void warpsync(Line& l) {
  if (l.bits(87, 4) != kTrue) {
    l.unknown();
  }
  if (l.bit(86)) {
    l.op("WARPSYNC.COLLECTIVE");
    l.form() == 4 ? l.suffix(".ALL") : l.reg(24);
    l.target(distance(l));
  } else if (l.form() == 4 && l.capability() < 90) {
    l.op("WARPSYNC").number(l.bits(32, 32));
  } else if (l.form() == 4) {
    l.op("WARPSYNC.ALL");
  } else {
    l.op("WARPSYNC").suffix(l.bit(85) ? ".EXCLUSIVE" : "").reg(24);
  }
}
void end_collective(Line& l) {
  l.op("ENDCOLLECTIVE");
  condition(l);
}
void elect(Line& l) {
  l.op("ELECT").fixed(91, 1, 0).pred(81);
  l.ureg(16).pred(87, 90);
}

void shfl(Line& l) {
  l.op("SHFL").pick(58, 2, {".IDX", ".UP", ".DOWN", ".BFLY"}).pred(81).reg(16).reg(24);
  const uint32_t form = l.form();  // 1: two registers, 2: the last a number, 4: the first, 7: both
  if (form == 4 || form == 7) {
    l.number(l.bits(53, 5));
  } else {
    l.reg(32);
  }
  if (form == 2 || form == 7) {
    l.number(l.bits(40, 13));
  } else {
    l.reg(64);
  }
}
void match(Line& l) {
  l.op("MATCH").suffix(l.bit(79) ? ".ANY" : ".ALL").flag(73, ".U64");
  if (!l.bit(79)) {
    l.pred(81);
  }
  l.reg(16).reg(24);
}
void redux(Line& l) {
  l.op("REDUX").pick(78, 3, {"", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"}).flag(73, ".S32").ureg(16).reg(24);
}

void bar(Line& l) {
  const uint32_t form = l.form();
  const bool number = form == 4 || form == 5, number_of_threads = form == 2 || form == 5;
  const uint64_t mode = l.bits(77, 3);
  l.op("BAR").pick(77, 3, {".SYNC", ".ARV", ".RED", "?", ".SYNCALL"});
  if (mode == 2) {
    l.pick(74, 2, {".POPC", ".AND", ".OR"});
  }
  l.flag(80, ".DEFER_BLOCKING");
  if ((mode == 1 && l.bit(80)) || (mode == 4 && !l.bit(80))) {
    l.unknown();  // seen with none of these
  }
  if (mode == 4) {
    return;
  }
  if (number) {
    l.number(l.bits(54, 4));
  } else {
    l.reg(32);
  }
  if (!number_of_threads) {
    l.reg(form == 1 ? 32 : 64);
  } else if (l.bits(42, 12) != 0) {
    l.number(l.bits(42, 12));
  }
  if (mode == 2) {
    l.pred(87, 90);
  }
}
void b2r(Line& l) {
  l.op("B2R").pick(77, 2, {"?", "?", ".RESULT"}).reg(16);
  if (l.bits(77, 2) == 2) {
    l.pred(81);
  }
}
void depbar(Line& l) {
  if (!l.bit(47)) {
    std::string all;
    for (int i = 5; i >= 0; --i) {
      all += l.bit(32 + static_cast<uint32_t>(i)) ? fmt::format("{}{}", all.empty() ? "" : ",", i) : "";
    }
    l.op("DEPBAR").text("{" + all + "}");
    return;
  }
  l.op("DEPBAR.LE").text(fmt::format("SB{}", l.bits(44, 3))).number(l.bits(38, 6));
}
void ldgdepbar(Line& l) { l.op("LDGDEPBAR"); }

void membar(Line& l) {
  l.op("MEMBAR")
      .pick(79, 2, {".SC", ".ALL", "?", ".MMIO"})
      .pick(76, 3, {".CTA", ".SM", ".GPU", ".SYS", "?", ".VC"});
}
void errbar(Line& l) { l.op(l.form() == 2 ? "CGAERRBAR" : "ERRBAR"); }
constexpr Opcode kOpcodes[] = {
    {0x005, cs2r},           {0x02f, elect},         {0x118, nop},   {0x119, s2r},    {0x11a, depbar},
    {0x11b, end_collective}, {0x11c, b2r},           {0x11d, bar},   {0x141, bsync},  {0x142, brk},
    {0x143, call_absolute},  {0x144, call_relative}, {0x145, bssy},  {0x146, yield},  {0x147, bra},
    {0x148, warpsync},       {0x149, brx},           {0x14d, exit},  {0x14e, lepc},   {0x150, ret},
    {0x155, bmov_from},      {0x156, bmov_to},       {0x15b, kill},  {0x15c, bpt},    {0x15d, nanosleep},
    {0x189, shfl},           {0x192, membar},        {0x1a1, match}, {0x1ab, errbar}, {0x1af, ldgdepbar},
    {0x1c3, s2ur},           {0x1c4, redux},         {0x0cb, cs2ur}, {0x158, brxu},   {0x152, to_return},
    {0x153, from_return},
};

}  // namespace

std::span<const Opcode> control_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
