// What came with capability 9.0: barrier objects, bulk and tensor copies, clusters, registers that change
// hands.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr uint64_t kNoRegister = 255, kTrue = 7;

// [R7+UR14], [UR9], [R20+URZ+0x48]
Operand object(Fields& f, uint32_t ureg) {
  f.fixed(91, 1, 1);
  return f.address(24, f.signed_bits(40, 24), f.ureg_index(ureg));
}
Operand at(const Fields& f, uint32_t ureg) { return f.uniform_address(ureg, 0); }

void syncs(Fields& f) {
  if (f.form() == 2) {
    f.op("SYNCS.PHASECHK.TRANS64")
        .described(64, 1, 76)
        .flag(72, ".TRYWAIT")
        .pred(81)
        .add(object(f, 64))
        .reg(32);
  } else {
    // A<arrivals>T<bytes>: 1 where nothing is said, else 0, 1, R that of the register; X bytes that have
    // come.
    f.op("SYNCS.ARRIVE.TRANS64").pick(73, 2, {"", ".TMASK", ".RED"}).flag(75, ".OPTOUT");
    f.pick(84, 3, {"", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0"});
    f.reg(16).add(object(f, 64)).reg(32);
  }
}
// An arrival when the copies (LDGSTS) of the lane have come.
void arrives(Fields& f) {
  f.op("ARRIVES.LDGSTSBAR.64").fixed(73, 3, 5).fixed(24, 8, kNoRegister);
  f.pick(f.blackwell() ? 76 : 70, 2, {"", ".ARVCNT", ".TRANSCNT"}).add(object(f, 64));
}
void syncs_exchange(Fields& f) {
  f.op("SYNCS.EXCH.64").fixed(72, 1, 1).uniform_guard().ureg(16);
  f.add(f.uniform_address(24, f.signed_bits(40, 24))).ureg(32);
}
void syncs_cctl(Fields& f) {
  f.op("SYNCS.CCTL.IV");
  if (f.blackwell() && !f.bit(91)) {
    f.add(f.address(24, f.signed_bits(40, 24)));
  } else {
    f.add(object(f, 64));
  }
}

// Which tile of a tensor: dimensions, whether in im2col mode; a descriptor of the policy of the L2.
Fields& tile(Fields& f) { return f.pick(79, 3, {".1D", ".2D", ".3D", ".4D", ".5D"}).flag(82, ".IM2COL"); }
void policy(Fields& f) {
  if (f.bit(76)) {
    Operand o = Fields::of(Operand::Kind::kPolicy, 0);
    o.descriptor = f.ureg_index(40);
    f.add(o);
  }
}
void utmaldg(Fields& f) {
  if (f.form() == 2) {
    f.fixed(75, 1, 0).fixed(82, 1, 0);
  }
  tile(f.uniform_guard().op("UTMALDG")).flag(75, ".MULTICAST").add(at(f, 32)).add(at(f, 24));
  if (f.form() == 1) {
    f.ureg(64);
  }
  policy(f);
}
void utmastg(Fields& f) {
  tile(f.uniform_guard().op("UTMASTG")).add(at(f, 32)).add(at(f, 24));
  policy(f);
}
void utmaredg(Fields& f) {
  tile(f.uniform_guard().op("UTMAREDG"));
  f.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"})
      .add(at(f, 32))
      .add(at(f, 24));
  policy(f);
}
void utmapf(Fields& f) {
  if (f.form() == 2) {
    f.fixed(82, 1, 0);
  }
  tile(f.uniform_guard().op("UTMAPF.L2")).add(at(f, 32)).add(at(f, 24));
  if (f.form() == 1) {
    f.ureg(64);
  }
  policy(f);
}
void utmacctl(Fields& f) { f.uniform_guard().op("UTMACCTL").pick(82, 1, {".IV", ".PF"}).add(at(f, 24)); }
void utmacmdflush(Fields& f) { f.uniform_guard().op("UTMACMDFLUSH"); }

// Where to and where from: shared or global memory.
Fields& bulk(Fields& f, const Opcode& name) { return f.uniform_guard().op(name).fixed(72, 1, 0); }
void ublkcp(Fields& f) {
  bulk(f, "UBLKCP").pick(73, 2, {"?", ".S.G", ".G.S", ".S.S"}).flag(75, ".MULTICAST");
  f.add(at(f, 32)).add(at(f, 24)).ureg(64);
  policy(f);
}
void ublkred(Fields& f) {
  bulk(f, "UBLKRED").pick(73, 2, {"?", "?", ".G.S", ".S.S"});
  f.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"});
  f.pick(81, 4, {"", ".S32", ".U64", ".S64", ".F16.RN", ".F32.RN", ".F32.FTZ.RN", ".F64.RN", ".BF16.RN"});
  f.add(at(f, 32)).add(at(f, 24)).ureg(64);
  policy(f);
}
void ublkpf(Fields& f) {
  f.uniform_guard().op("UBLKPF.L2").add(at(f, 24)).ureg(64);
  policy(f);
}

void stas(Fields& f) {
  f.op("STAS").fixed(90, 2, 3).pick(73, 3, {"?", "?", "?", "?", "", ".64", ".128"});
  f.add(f.wide_address(24, f.signed_bits(40, 24))).reg(32);
}
void redas(Fields& f) {
  f.op("REDAS").fixed(90, 2, 2).fixed(72, 1, 1);
  f.pick(87, 3, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"});
  f.pick(73, 3, {"", ".S32", ".64"}).add(f.wide_address(24, f.signed_bits(40, 24))).reg(32);
}
void qspc(Fields& f) {
  f.op("QSPC").flag(72, ".E").pick(73, 3, {".G", ".L", ".S", ".D"}).pred(81).reg(16);
  const int64_t offset = f.signed_bits(40, 24);
  if (f.bit(91)) {
    f.add(f.mixed_address(24, offset, f.ureg_index(32)));
    return;
  }
  f.add(f.address(24, offset));
}

void usetmaxreg(Fields& f) {
  f.fixed(72, 3, f.bit(72) ? 5 : 6)
      .uniform_guard()
      .op("USETMAXREG")
      .either(f.bit(72), ".DEALLOC", ".TRY_ALLOC")
      .suffix(".CTAPOOL");
  if (f.bits(81, 3) != kTrue) {
    f.upred(81);
  }
  f.number(f.bits(32, 32));
}
void usetshmsz(Fields& f) {
  f.uniform_guard().op("USETSHMSZ").flag(72, ".FLUSH");
  if (!f.bit(72)) {
    f.number(f.bits(32, 32));
  }
}
void up2ur(Fields& f) {
  f.uniform_guard()
      .op("UP2UR")
      .ureg(16)
      .named(Operand::Kind::kUniformPredicates)
      .ureg(24)
      .number(f.bits(32, 32));
}

// Barriers of a cluster.
void cga_barrier(Fields& f) {
  f.uniform_guard().op(f.form() == 4 ? Opcode("UCGABAR_ARV") : Opcode("UCGABAR_WAIT"));
}
void warpgroup(Fields& f) {
  f.op("WARPGROUP").pick(79, 2, {".ARRIVE", ".WAIT", ".DEPBAR.LE"});
  if (f.bits(79, 2) == 2) {
    f.fixed(47, 1, 1).named(Operand::Kind::kGroupCounter).number(f.bits(72, 3));
  }
}
void fence(Fields& f) {
  f.op("FENCE.VIEW.ASYNC");
  if (f.form() == 1) {
    f.pick(72, 1, {".S", ".G"});
  }
}
void preexit(Fields& f) { f.op("PREEXIT"); }
void acqbulk(Fields& f) { f.op("ACQBULK"); }

constexpr OpcodeRow kOpcodes[] = {
    {0x02d, preexit},  {0x02e, acqbulk},      {0x083, up2ur},          {0x1a7, syncs},     {0x1aa, qspc},
    {0x1b0, arrives},  {0x1b1, syncs_cctl},   {0x1b2, syncs_exchange}, {0x1b4, utmaldg},   {0x1b5, utmastg},
    {0x1b6, utmaredg}, {0x1b7, utmacmdflush}, {0x1b8, utmapf},         {0x1b9, utmacctl},  {0x1ba, ublkcp},
    {0x1bb, ublkred},  {0x1bc, ublkpf},       {0x1bd, stas},           {0x1be, redas},     {0x1c5, warpgroup},
    {0x1c6, fence},    {0x1c7, cga_barrier},  {0x1c8, usetmaxreg},     {0x1c9, usetshmsz},
};

}  // namespace

std::span<const OpcodeRow> async_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
