// Loads, stores, atomics, of every space; asynchronous copies.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Suffix kSizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
constexpr uint64_t kTrue = 7, kNoRegister = 255;

Fields& size(Fields& f) { return f.pick(73, 3, kSizes); }

// What orders a global access, and for whom.
Fields& order(Fields& f, bool loads = false) {
  if (f.capability() < 80) {
    // Plain accesses name a scope there, too, which orders nothing: LDG.E.SYS.
    if (!loads && f.bits(79, 2) == 0) {
      f.unknown();
    }
    return f.pick(79, 2, {".CONSTANT", "", ".STRONG", ".MMIO"}).pick(77, 2, {".CTA", ".SM", ".GPU", ".SYS"});
  }
  if (!loads && f.bits(77, 4) == 4) {
    f.unknown();
  }
  return f.pick(77, 4,
                {"", "?", "?", "?", ".CONSTANT", ".STRONG.SM", "?", ".STRONG.GPU", ".MMIO.GPU", "?",
                 ".STRONG.SYS", "?", ".MMIO.SYS"});
}
// Which of the caches' lines goes first.
Fields& eviction(Fields& f) { return f.pick(84, 3, {".EF", "", ".EL", ".LU", ".EU", ".NA"}); }

// A register with an offset, and with bit 91 a uniform one, at `ureg`.
Operand local_address(const Fields& f, uint32_t ureg, int64_t offset) {
  return f.address(24, offset, f.bit(91) ? f.ureg_index(ureg) : kNoIndex);
}
// Global memory: the same with a descriptor where bit 76 says so.
Operand global_address(const Fields& f, uint32_t ureg, int64_t offset, bool described) {
  if (described) {
    Operand o = f.wide_address(24, offset);
    o.descriptor = f.ureg_index(ureg);
    return o;
  }
  return f.bit(91) ? f.mixed_address(24, offset, f.ureg_index(ureg)) : f.address(24, offset);
}
// What stands around the uniform register of a descriptor in the place of another register.
void described(Fields& f, bool is, uint64_t above, uint32_t bit, bool wide) {
  if (is) {
    f.described(64, above, bit).fixed(wide ? 90 : 91, wide ? 2 : 1, wide ? 3 : 1);
  }
}
void wide_only(Fields& f) {
  f.fixed(72, 1, 1);  // addresses of 64 bits
  if (f.bit(76)) {
    f.fixed(90, 2, 3);
  }
}
int64_t offset24(const Fields& f) { return f.signed_bits(40, 24); }

void load(Fields& f, const Opcode& name) {
  f.op(name).flag(72, ".E");
  order(size(eviction(f).pick(68, 2, {"", ".LTC64B", ".LTC128B", ".LTC256B"})), true);
  if (f.bits(81, 3) != kTrue && f.bits(81, 3) != 0) {
    f.pred(81);
  }
  wide_only(f);
  if (name.name == Mnemonic::kLD && f.form() == 4 && !f.bit(76) &&
      !f.bit(91)) {  // no uniform register: an offset of 32 bits
    f.reg(16).add(f.address(24, f.signed_bits(32, 32)));
    return;
  }
  f.reg(16).add(global_address(f, 32, offset24(f), f.bit(76)));
}
void ldg(Fields& f) { load(f, "LDG"); }
void ld(Fields& f) { load(f, "LD"); }

void store(Fields& f, const Opcode& name) {
  f.op(name).flag(72, ".E");
  order(size(eviction(f)));
  wide_only(f);
  if (name.name == Mnemonic::kST && f.form() == 1) {
    f.add(f.address(24, f.signed_bits(32, 32))).reg(64);
    return;
  }
  f.add(global_address(f, 64, offset24(f), f.bit(76))).reg(32);
}
void stg(Fields& f) { store(f, "STG"); }
void st(Fields& f) { store(f, "ST"); }

void ldl(Fields& f) { size(eviction(f.op("LDL"))).reg(16).add(local_address(f, 32, offset24(f))); }
void stl(Fields& f) { size(eviction(f.op("STL"))).add(local_address(f, 64, offset24(f))).reg(32); }
// Shared memory: before 9.0 the register may be a number of elements.
Operand shared_address(const Fields& f, uint32_t ureg, int64_t offset) {
  constexpr uint8_t kShifts[] = {0, 2, 3, 4};
  Operand o = f.address(24, offset, f.bit(91) ? f.ureg_index(ureg) : kNoIndex);
  o.base_shift = f.capability() < 90 ? kShifts[f.bits(78, 2)] : 0;
  return o;
}
void lds(Fields& f) {
  f.op("LDS");
  if (f.capability() < 80) {
    f.flag(76, ".U");
  }
  size(f).reg(16).add(shared_address(f, 32, offset24(f)));
}
void sts(Fields& f) { size(f.op("STS")).add(shared_address(f, 64, offset24(f))).reg(32); }

void ldsm(Fields& f) {
  f.op("LDSM.16").either(f.bit(78), ".MT88", ".M88").pick(72, 2, {"", ".2", ".4"}).reg(16);
  f.add(local_address(f, 32, offset24(f)));
}
void stsm(Fields& f) {
  f.op("STSM.16").either(f.bit(78), ".MT88", ".M88").pick(72, 2, {"", ".2", ".4"});
  f.add(local_address(f, 64, offset24(f))).reg(32);
}

void ldc(Fields& f) {
  size(f.op("LDC")).pick(78, 2, {"", ".IL", ".IS", ".ISL"}).reg(16);
  const bool index = f.bits(24, 8) != kNoRegister || f.bits(38, 16) == 0;
  f.add(f.constant(index ? f.reg_at(24).index : kNoIndex));
}
void uldc(Fields& f) {
  if (f.opcode() == 0x0b9) {
    f.fixed(91, 1, 0);
  }
  size(f.uniform().uniform_guard().op("ULDC"))
      .ureg(16)
      .add(f.constant(kNoIndex, f.bit(91) ? f.ureg_index(24) : kNoIndex));
}

constexpr Suffix kOperations[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH"};
constexpr Suffix kWhole[] = {"", ".S32", ".64", ".S64", ".128"};
// Before 9.0, of floats too.
constexpr Suffix kBefore90[] = {"", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"};
Fields& atomic_type(Fields& f) {
  return f.capability() < 90 ? f.pick(73, 3, kBefore90) : f.pick(73, 3, kWhole);
}

// From 10.0 on, beside a descriptor, one bit less.
int64_t atomic_offset(const Fields& f, bool described) {
  return f.blackwell() && described ? f.signed_bits(40, 23) : offset24(f);
}

// Whether an atomic operation that adds a uniform register has a descriptor in it; else, before 10.0, bit 91
// says that the register is added to one of 32 bits, which only RZ has been seen as.
bool has_descriptor(const Fields& f) {
  const bool uniform = f.bit(91) && f.bit(72);
  if (!uniform || f.blackwell() || f.bits(70, 2) != 0) {
    return uniform;
  }
  if (f.bits(24, 8) != kNoRegister) {
    f.unknown();
  }
  return false;
}
Operand atomic_address(const Fields& f, bool is, bool returns) {
  const int64_t offset = atomic_offset(f, is && returns);
  if (!is && f.bit(91)) {
    Operand o = f.uniform_address(64, offset);
    o.base = kZeroRegister;
    o.base_shown = o.base_narrow = true;
    return o;
  }
  return global_address(f, 64, offset, is);
}

// What returns the old value has a predicate too: whether it was done. It is PT where that is always so.
void atomic(Fields& f, const Opcode& name, bool returns) {
  atomic_type(eviction(f.op(name).flag(72, ".E").pick(87, returns ? 4 : 3, kOperations)));
  order(f);
  if (returns) {
    f.pred(81).reg(16);
  }
  const bool is = returns ? has_descriptor(f) : f.bit(91) && f.bit(72);
  described(f, is, returns ? 3 : 2, returns ? 63 : 81, !returns);
  if (f.blackwell() && is && returns) {
    f.fixed(76, 1, 1);
  }
  f.add(returns ? atomic_address(f, is, true) : global_address(f, 64, offset24(f), is)).reg(32);
}
void atomg(Fields& f) { atomic(f, "ATOMG", true); }
void atomic_float(Fields& f, const Opcode& name, bool returns) {
  f.op(name).flag(72, ".E");
  if (f.blackwell() && returns) {
    f.pick(88, 3, {"?", "?", "?", "?", ".ADD"}).fixed(87, 1, 0);
  } else {
    f.pick(88, returns ? 3 : 2, {".ADD", ".MIN", ".MAX"}).fixed(87, 1, 0);
  }
  eviction(f);
  f.pick(73, 4,
         {".F16x2.RN", ".F16x4.RN", ".F16x8.RN", ".BF16x2.RN", ".BF16x4.RN", ".BF16x8.RN", "?", "?", "?",
          ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN", "?", "?", "?", ".F64.RN"});
  order(f);
  if (returns) {
    f.pred(81).reg(16);
  }
  const bool is = returns ? has_descriptor(f) : f.bit(91) && f.bit(72);
  described(f, is, returns ? 3 : 2, returns ? 63 : 81, !returns);
  f.add(returns ? atomic_address(f, is, true) : global_address(f, 64, offset24(f), is)).reg(32);
}
void atomg_float(Fields& f) { atomic_float(f, "ATOMG", true); }
void atom_float(Fields& f) { atomic_float(f, "ATOM", true); }
void atom(Fields& f) { atomic(f, "ATOM", true); }
void redg(Fields& f) { atomic(f, "REDG", false); }
void redg_float(Fields& f) { atomic_float(f, "REDG", false); }
void compare_and_swap(Fields& f, const Opcode& name) {
  f.op(name).flag(72, ".E").pick(87, 2, {".CAS", "?", "?", ".CAST.SPIN"});
  order(atomic_type(eviction(f))).pred(81).reg(16);
  f.add(f.address(24, offset24(f))).reg(32).reg(64);
}
void atomg_cas(Fields& f) { compare_and_swap(f, "ATOMG"); }
void atom_cas(Fields& f) { compare_and_swap(f, "ATOM"); }

constexpr Suffix kSharedTypes[] = {"", ".S32", ".64", "?", ".128"};
void atoms(Fields& f) {
  if (f.form() == 7) {
    f.op("ATOMS.POPC.INC.32").fixed(87, 4, 11).reg(16).add(shared_address(f, 64, offset24(f)));
    return;
  }
  f.op("ATOMS")
      .pick(87, 4, kOperations)
      .pick(73, 3, kSharedTypes)
      .reg(16)
      .add(shared_address(f, 64, offset24(f)))
      .reg(32);
}
void atoms_cas(Fields& f) {
  f.op("ATOMS").pick(87, 2, {".CAS", "?", "?", ".CAST.SPIN"}).pick(73, 3, kSharedTypes);
  if (f.blackwell() && f.bits(87, 2) == 3) {  // whether it has stored is a predicate
    f.fixed(9, 3, 2).fixed(16, 8, 0).pred(81);
  } else {
    f.reg(16);
  }
  f.add(shared_address(f, 64, offset24(f))).reg(32).reg(64);
}

void ldgsts(Fields& f) {
  constexpr Suffix kPrefetched[] = {"", ".LTC64B", ".LTC128B", ".LTC256B"};
  constexpr uint32_t kFar = 32, kNear = 44;  // offsets: 12 bits of the global address, 20 of the shared one
  f.op("LDGSTS.E").pick(81, 1, {".BYPASS", ""});
  if (f.blackwell()) {
    f.fixed(83, 1, 1).pick(72, 2, kPrefetched);
  } else {
    f.fixed(70, 1, 1).pick(71, 2, kPrefetched);
  }
  const bool described = f.bit(76), of_shared = f.form() == 6;
  // With a policy the first register of its pair is added to the shared address; the policy is the other one.
  const bool uniform_there = f.bit(91) && !f.no_ureg(64) && (of_shared || !described);
  const uint32_t uniform = uniform_there ? f.ureg_index(64) : kNoIndex;
  f.fixed(84, 3, 1);
  (f.blackwell() ? f.pick(74, 2, {"", ".64", ".128"}) : size(f)).flag(82, ".ZFILL");
  f.add(f.address(16, f.signed_bits(kNear, 20), of_shared ? uniform : kNoIndex));
  Operand from = f.wide_address(24, f.signed_bits(kFar, 12), of_shared ? kNoIndex : uniform);
  from.descriptor = described ? f.ureg_index(64) : kNoIndex;
  f.add(from);
  if (f.bits(87, 4) != kTrue) {
    f.pred(87, 90);
  }
}

void cctl(Fields& f) {
  f.op("CCTL").flag(72, ".E").pick(
      87, 4, {".PF1", ".PF2", "?", "?", ".IVALL", ".RS", ".IV", ".RSLB", "?", ".WBALL"});
  const uint64_t what = f.bits(87, 4);
  if (what != 4 && what != 9) {
    f.add(global_address(f, 64, f.signed_bits(32, 32), f.bit(76)));
  }
}

constexpr OpcodeRow kOpcodes[] = {
    {0x03b, ldsm},        {0x044, stsm},       {0x0b9, uldc},      {0x0bb, uldc},      {0x180, ld},
    {0x181, ldg},         {0x182, ldc},        {0x183, ldl},       {0x184, lds},       {0x185, st},
    {0x186, stg},         {0x187, stl},        {0x188, sts},       {0x18a, atom},      {0x1a2, atom_float},
    {0x18b, atom_cas},    {0x18c, atoms},      {0x18d, atoms_cas}, {0x18e, redg},      {0x18f, cctl},
    {0x1a3, atomg_float}, {0x1a6, redg_float}, {0x1a8, atomg},     {0x1a9, atomg_cas}, {0x1ae, ldgsts},
};

}  // namespace

std::span<const OpcodeRow> memory_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
