// Branches, barriers, warps' exchange, special registers.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kU = Number::kUnsigned;
constexpr uint64_t kTrue = 7, kNoRegister = 255;

// Bytes from the next instruction on.
int64_t distance(const Fields& f) {
  if (f.capability() < 90) {
    return f.signed_bits(34, 48) * 4;
  }
  return (f.signed_bits(34, 48) * 256 + static_cast<int64_t>(f.bits(16, 8))) * 4;
}
Fields& barrier(Fields& f) { return f.named(Operand::Kind::kBarrier, static_cast<uint32_t>(f.bits(16, 4))); }
// From 10.0 on, how lanes may leave.
Fields& convergence(Fields& f) {
  return f.blackwell() ? f.pick(72, 2, {"", ".RELIABLE", ".RECONVERGENT"}) : f;
}
// A second predicate, left out when it is PT.
void condition(Fields& f) {
  if (f.bits(87, 4) != kTrue) {
    f.pred(87, 90);
  }
}

Fields& special(Fields& f) { return f.named(Operand::Kind::kSpecial, static_cast<uint32_t>(f.bits(72, 8))); }

void s2r(Fields& f) { special(f.op("S2R").reg(16)); }
void s2ur(Fields& f) { special(f.op("S2UR").ureg(16)); }
void cs2r(Fields& f) { special(f.op("CS2R").either(f.bit(80), "", ".32").reg(16)); }

void cs2ur(Fields& f) { special(f.fixed(91, 1, 0).op("CS2UR").either(f.bit(80), "", ".32").ureg(16)); }

void bra(Fields& f) {
  const uint64_t how = f.bits(32, 2);
  f.op("BRA").pick(32, 2, {"", ".U", ".DIV", ".CONV"});
  if (how == 1) {
    f.flag(84, ".ANY");
  }
  if (how > 1) {
    f.fixed(91, 1, 1).ureg(24);
  }
  if (f.form() == 2 && how != 1) {
    f.unknown();
  }
  if (f.form() == 2) {  // the datapath of the warp says whether
    f.fixed(91, 1, 1).upred(24, f.bit(27));
  }
  condition(f);
  f.target(distance(f));
}
void brx(Fields& f) {
  f.op("BRX");
  condition(f);
  f.reg(24).beside(distance(f));
}
void brxu(Fields& f) {
  f.op("BRXU").fixed(91, 1, 1);
  condition(f);
  f.ureg(24).beside(distance(f));
}
void call_relative(Fields& f) {
  f.op("CALL.REL").either(f.bit(86), ".NOINC", "");
  condition(f);
  if (f.form() == 1) {
    f.reg(24);
  }
  f.target(distance(f));
}
void call_absolute(Fields& f) {
  f.op("CALL.ABS").either(f.bit(86), ".NOINC", "");
  condition(f);
  f.form() == 1 ? f.reg(24) : f.number(f.bits(32, 32) | f.bits(64, 17) << 32);
}
void ret(Fields& f) {
  f.op("RET").either(f.bit(85), ".ABS", ".REL").either(f.bit(86), ".NODEC", "");
  condition(f);
  f.reg(24).beside(f.target_of(distance(f)));
}
void exit(Fields& f) {
  f.op("EXIT");
  condition(f);
}
void kill(Fields& f) {
  f.op("KILL");
  condition(f);
}
void bssy(Fields& f) {
  convergence(f.op("BSSY"));
  condition(f);
  barrier(f).target(f.signed_bits(34, 30) * 4);
}
void bsync(Fields& f) {
  convergence(f.op("BSYNC"));
  condition(f);
  barrier(f);
}
void brk(Fields& f) {
  convergence(f.op("BREAK"));
  condition(f);
  barrier(f);
}
Fields& moved_barrier(Fields& f) {
  const uint64_t n = f.bits(24, 6);
  if (n > 16) {
    f.unknown();
  }
  return n == 16 ? f.named(Operand::Kind::kThreadState)
                 : f.named(Operand::Kind::kBarrier, static_cast<uint32_t>(n));
}
// Where a call returns to.
Fields& of_return(Fields& f) { return f.named(Operand::Kind::kReturn, f.bit(31) ? 1 : 0); }
void from_return(Fields& f) { of_return(f.op("RPCMOV.32").reg(16)); }
void to_return(Fields& f) { of_return(f.op("RPCMOV.32")).reg(32); }
void bmov_from(Fields& f) { moved_barrier(f.op("BMOV.32").flag(84, ".CLEAR").reg(16)); }
void bmov_to(Fields& f) { moved_barrier(f.op("BMOV.32").flag(84, ".PQUAD")).second(kU); }
void yield(Fields& f) {
  f.op("YIELD");
  condition(f);
}
void nop(Fields& f) { f.op("NOP"); }
void bpt(Fields& f) { f.op("BPT.TRAP").fixed(84, 3, 3).number(f.bits(34, 20)); }
void nanosleep(Fields& f) {
  f.op("NANOSLEEP").flag(84, ".SYNCS");
  condition(f);
  f.second(kU);
}
void lepc(Fields& f) { f.op("LEPC").fixed(24, 8, 16).reg(16).target(f.signed_bits(32, 32) + 16); }
void warpsync(Fields& f) {
  if (f.bits(87, 4) != kTrue) {
    f.unknown();
  }
  if (f.bit(86)) {
    f.op("WARPSYNC.COLLECTIVE");
    f.form() == 4 ? f.suffix(".ALL") : f.reg(24);
    f.target(distance(f));
  } else if (f.form() == 4 && f.capability() < 90) {
    f.op("WARPSYNC").number(f.bits(32, 32));
  } else if (f.form() == 4) {
    f.op("WARPSYNC.ALL");
  } else {
    f.op("WARPSYNC").either(f.bit(85), ".EXCLUSIVE", "").reg(24);
  }
}
void end_collective(Fields& f) {
  f.op("ENDCOLLECTIVE");
  condition(f);
}
void elect(Fields& f) {
  f.op("ELECT").fixed(91, 1, 0).pred(81);
  f.ureg(16).pred(87, 90);
}

void shfl(Fields& f) {
  f.op("SHFL").pick(58, 2, {".IDX", ".UP", ".DOWN", ".BFLY"}).pred(81).reg(16).reg(24);
  const uint32_t form = f.form();  // 1: two registers, 2: the last a number, 4: the first, 7: both
  if (form == 4 || form == 7) {
    f.number(f.bits(53, 5));
  } else {
    f.reg(32);
  }
  if (form == 2 || form == 7) {
    f.number(f.bits(40, 13));
  } else {
    f.reg(64);
  }
}
void match(Fields& f) {
  f.op("MATCH").either(f.bit(79), ".ANY", ".ALL").flag(73, ".U64");
  if (!f.bit(79)) {
    f.pred(81);
  }
  f.reg(16).reg(24);
}
void redux(Fields& f) {
  f.op("REDUX").pick(78, 3, {"", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"}).flag(73, ".S32").ureg(16).reg(24);
}

void bar(Fields& f) {
  const uint32_t form = f.form();
  const bool number = form == 4 || form == 5, number_of_threads = form == 2 || form == 5;
  const uint64_t mode = f.bits(77, 3);
  f.op("BAR").pick(77, 3, {".SYNC", ".ARV", ".RED", "?", ".SYNCALL"});
  if (mode == 2) {
    f.pick(74, 2, {".POPC", ".AND", ".OR"});
  }
  f.flag(80, ".DEFER_BLOCKING");
  if ((mode == 1 && f.bit(80)) || (mode == 4 && !f.bit(80))) {
    f.unknown();  // seen with none of these
  }
  if (mode == 4) {
    return;
  }
  if (number) {
    f.number(f.bits(54, 4));
  } else {
    f.reg(32);
  }
  if (!number_of_threads) {
    f.reg(form == 1 ? 32 : 64);
  } else if (f.bits(42, 12) != 0) {
    f.number(f.bits(42, 12));
  }
  if (mode == 2) {
    f.pred(87, 90);
  }
}
void b2r(Fields& f) {
  f.op("B2R").pick(77, 2, {"?", "?", ".RESULT"}).reg(16);
  if (f.bits(77, 2) == 2) {
    f.pred(81);
  }
}
void depbar(Fields& f) {
  if (!f.bit(47)) {
    Operand all = Fields::of(Operand::Kind::kScoreboards, 0);
    all.bits = f.bits(32, 6);
    f.op("DEPBAR").add(all);
    return;
  }
  f.op("DEPBAR.LE")
      .named(Operand::Kind::kScoreboard, static_cast<uint32_t>(f.bits(44, 3)))
      .number(f.bits(38, 6));
}
void ldgdepbar(Fields& f) { f.op("LDGDEPBAR"); }

void membar(Fields& f) {
  f.op("MEMBAR")
      .pick(79, 2, {".SC", ".ALL", "?", ".MMIO"})
      .pick(76, 3, {".CTA", ".SM", ".GPU", ".SYS", "?", ".VC"});
}
void errbar(Fields& f) { f.op(f.form() == 2 ? Opcode("CGAERRBAR") : Opcode("ERRBAR")); }
constexpr OpcodeRow kOpcodes[] = {
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

std::span<const OpcodeRow> control_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
