// Loads, stores, atomics, of every space; asynchronous copies.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr std::string_view kSizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
constexpr uint64_t kTrue = 7, kNoRegister = 255;
constexpr uint32_t kNone = Line::kNoPlace;

Line& size(Line& l) { return l.pick(73, 3, kSizes); }

// What orders a global access, and for whom.
Line& order(Line& l, bool loads = false) {
  if (l.capability() < 80) {
    // Plain accesses name a scope there, too, which orders nothing: LDG.E.SYS.
    if (!loads && l.bits(79, 2) == 0) {
      l.unknown();
    }
    return l.pick(79, 2, {".CONSTANT", "", ".STRONG", ".MMIO"}).pick(77, 2, {".CTA", ".SM", ".GPU", ".SYS"});
  }
  if (!loads && l.bits(77, 4) == 4) {
    l.unknown();
  }
  return l.pick(77, 4,
                {"", "?", "?", "?", ".CONSTANT", ".STRONG.SM", "?", ".STRONG.GPU", ".MMIO.GPU", "?",
                 ".STRONG.SYS", "?", ".MMIO.SYS"});
}
// Which of the caches' lines goes first.
Line& eviction(Line& l) { return l.pick(84, 3, {".EF", "", ".EL", ".LU", ".EU", ".NA"}); }

// A register with an offset, and with bit 91 a uniform one, at `ureg`.
std::string local_address(const Line& l, uint32_t ureg, int64_t offset) {
  return l.address(24, "", offset, l.bit(91) ? l.ureg_name(ureg) : "");
}
// Global memory: the same with a descriptor where bit 76 says so.
std::string global_address(const Line& l, uint32_t ureg, int64_t offset, bool described) {
  const std::string wide = l.bit(72) || described ? ".64" : "";
  if (described) {
    return "desc[" + l.ureg_name(ureg) + "]" + l.address(24, wide, offset);
  }
  if (l.bit(91)) {
    const std::string behind = l.address(kNone, "", offset, l.ureg_name(ureg));
    return "[" + l.reg_name(24) + (l.bit(90) ? ".64+" : ".U32+") + behind.substr(1);
  }
  return l.address(24, "", offset);
}
// What stands around the uniform register of a descriptor in the place of another register.
void described(Line& l, bool is, uint64_t above, uint32_t bit, bool wide) {
  if (is) {
    l.described(64, above, bit).fixed(wide ? 90 : 91, wide ? 2 : 1, wide ? 3 : 1);
  }
}
void wide_only(Line& l) {
  l.fixed(72, 1, 1);  // addresses of 64 bits
  if (l.bit(76)) {
    l.fixed(90, 2, 3);
  }
}
int64_t offset24(const Line& l) { return l.signed_bits(40, 24); }

void load(Line& l, std::string_view name) {
  l.op(name).flag(72, ".E");
  order(size(eviction(l).pick(68, 2, {"", ".LTC64B", ".LTC128B", ".LTC256B"})), true);
  if (l.bits(81, 3) != kTrue && l.bits(81, 3) != 0) {
    l.pred(81);
  }
  wide_only(l);
  if (name == "LD" && l.form() == 4 && !l.bit(76) &&
      !l.bit(91)) {  // no uniform register: an offset of 32 bits
    l.reg(16).text(l.address(24, "", l.signed_bits(32, 32)));
    return;
  }
  l.reg(16).text(global_address(l, 32, offset24(l), l.bit(76)));
}
void ldg(Line& l) { load(l, "LDG"); }
void ld(Line& l) { load(l, "LD"); }

void store(Line& l, std::string_view name) {
  l.op(name).flag(72, ".E");
  order(size(eviction(l)));
  wide_only(l);
  if (name == "ST" && l.form() == 1) {
    l.text(l.address(24, "", l.signed_bits(32, 32))).reg(64);
    return;
  }
  l.text(global_address(l, 64, offset24(l), l.bit(76))).reg(32);
}
void stg(Line& l) { store(l, "STG"); }
void st(Line& l) { store(l, "ST"); }

void ldl(Line& l) { size(eviction(l.op("LDL"))).reg(16).text(local_address(l, 32, offset24(l))); }
void stl(Line& l) { size(eviction(l.op("STL"))).text(local_address(l, 64, offset24(l))).reg(32); }
// Shared memory: before 9.0 the register may be a number of elements.
std::string shared_address(const Line& l, uint32_t ureg, int64_t offset) {
  constexpr std::string_view kScales[] = {"", ".X4", ".X8", ".X16"};
  const std::string_view scale = l.capability() < 90 ? kScales[l.bits(78, 2)] : "";
  return l.address(24, scale, offset, l.bit(91) ? l.ureg_name(ureg) : "");
}
void lds(Line& l) {
  l.op("LDS");
  if (l.capability() < 80) {
    l.flag(76, ".U");
  }
  size(l).reg(16).text(shared_address(l, 32, offset24(l)));
}
void sts(Line& l) { size(l.op("STS")).text(shared_address(l, 64, offset24(l))).reg(32); }

void ldsm(Line& l) {
  l.op("LDSM.16").suffix(l.bit(78) ? ".MT88" : ".M88").pick(72, 2, {"", ".2", ".4"}).reg(16);
  l.text(local_address(l, 32, offset24(l)));
}
void stsm(Line& l) {
  l.op("STSM.16").suffix(l.bit(78) ? ".MT88" : ".M88").pick(72, 2, {"", ".2", ".4"});
  l.text(local_address(l, 64, offset24(l))).reg(32);
}

void ldc(Line& l) {
  size(l.op("LDC")).pick(78, 2, {"", ".IL", ".IS", ".ISL"}).reg(16);
  const bool index = l.bits(24, 8) != kNoRegister || l.bits(38, 16) == 0;
  l.text(l.constant(index ? l.reg_name(24) : ""));
}
void uldc(Line& l) {
  if (l.opcode() == 0x0b9) {
    l.fixed(91, 1, 0);
  }
  size(l.uniform().uniform_guard().op("ULDC")).ureg(16).text(l.constant(l.bit(91) ? l.ureg_name(24) : ""));
}

constexpr std::string_view kOperations[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC",
                                            ".AND", ".OR",  ".XOR", ".EXCH"};
constexpr std::string_view kWhole[] = {"", ".S32", ".64", ".S64", ".128"};
// Before 9.0, of floats too.
constexpr std::string_view kBefore90[] = {"", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"};
Line& atomic_type(Line& l) { return l.capability() < 90 ? l.pick(73, 3, kBefore90) : l.pick(73, 3, kWhole); }

// From 10.0 on, beside a descriptor, one bit less.
int64_t atomic_offset(const Line& l, bool described) {
  return l.blackwell() && described ? l.signed_bits(40, 23) : offset24(l);
}

// Whether an atomic operation that adds a uniform register has a descriptor in it; else, before 10.0, bit 91
// says that the register is added to one of 32 bits, which only RZ has been seen as.
bool has_descriptor(const Line& l) {
  const bool uniform = l.bit(91) && l.bit(72);
  if (!uniform || l.blackwell() || l.bits(70, 2) != 0) {
    return uniform;
  }
  if (l.bits(24, 8) != kNoRegister) {
    l.unknown();
  }
  return false;
}
std::string atomic_address(const Line& l, bool is, bool returns) {
  const int64_t offset = atomic_offset(l, is && returns);
  if (!is && l.bit(91)) {
    return "[RZ.U32+" + l.address(kNone, "", offset, l.ureg_name(64)).substr(1);
  }
  return global_address(l, 64, offset, is);
}

// What returns the old value has a predicate too: whether it was done. It is PT where that is always so.
void atomic(Line& l, std::string_view name, bool returns) {
  atomic_type(eviction(l.op(name).flag(72, ".E").pick(87, returns ? 4 : 3, kOperations)));
  order(l);
  if (returns) {
    l.pred(81).reg(16);
  }
  const bool is = returns ? has_descriptor(l) : l.bit(91) && l.bit(72);
  described(l, is, returns ? 3 : 2, returns ? 63 : 81, !returns);
  if (l.blackwell() && is && returns) {
    l.fixed(76, 1, 1);
  }
  l.text(returns ? atomic_address(l, is, true) : global_address(l, 64, offset24(l), is)).reg(32);
}
void atomg(Line& l) { atomic(l, "ATOMG", true); }
void atomic_float(Line& l, std::string_view name, bool returns) {
  l.op(name).flag(72, ".E");
  if (l.blackwell() && returns) {
    l.pick(88, 3, {"?", "?", "?", "?", ".ADD"}).fixed(87, 1, 0);
  } else {
    l.pick(88, returns ? 3 : 2, {".ADD", ".MIN", ".MAX"}).fixed(87, 1, 0);
  }
  eviction(l);
  l.pick(73, 4,
         {".F16x2.RN", ".F16x4.RN", ".F16x8.RN", ".BF16x2.RN", ".BF16x4.RN", ".BF16x8.RN", "?", "?", "?",
          ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN", "?", "?", "?", ".F64.RN"});
  order(l);
  if (returns) {
    l.pred(81).reg(16);
  }
  const bool is = returns ? has_descriptor(l) : l.bit(91) && l.bit(72);
  described(l, is, returns ? 3 : 2, returns ? 63 : 81, !returns);
  l.text(returns ? atomic_address(l, is, true) : global_address(l, 64, offset24(l), is)).reg(32);
}
void atomg_float(Line& l) { atomic_float(l, "ATOMG", true); }
void atom_float(Line& l) { atomic_float(l, "ATOM", true); }
void atom(Line& l) { atomic(l, "ATOM", true); }
void redg(Line& l) { atomic(l, "REDG", false); }
void redg_float(Line& l) { atomic_float(l, "REDG", false); }
void compare_and_swap(Line& l, std::string_view name) {
  l.op(name).flag(72, ".E").pick(87, 2, {".CAS", "?", "?", ".CAST.SPIN"});
  order(atomic_type(eviction(l))).pred(81).reg(16);
  l.text(l.address(24, "", offset24(l))).reg(32).reg(64);
}
void atomg_cas(Line& l) { compare_and_swap(l, "ATOMG"); }
void atom_cas(Line& l) { compare_and_swap(l, "ATOM"); }

constexpr std::string_view kSharedTypes[] = {"", ".S32", ".64", "?", ".128"};
void atoms(Line& l) {
  if (l.form() == 7) {
    l.op("ATOMS.POPC.INC.32").fixed(87, 4, 11).reg(16).text(shared_address(l, 64, offset24(l)));
    return;
  }
  l.op("ATOMS")
      .pick(87, 4, kOperations)
      .pick(73, 3, kSharedTypes)
      .reg(16)
      .text(shared_address(l, 64, offset24(l)))
      .reg(32);
}
void atoms_cas(Line& l) {
  l.op("ATOMS").pick(87, 2, {".CAS", "?", "?", ".CAST.SPIN"}).pick(73, 3, kSharedTypes);
  if (l.blackwell() && l.bits(87, 2) == 3) {  // whether it has stored is a predicate
    l.fixed(9, 3, 2).fixed(16, 8, 0).pred(81);
  } else {
    l.reg(16);
  }
  l.text(shared_address(l, 64, offset24(l))).reg(32).reg(64);
}

void ldgsts(Line& l) {
  constexpr std::string_view kPrefetched[] = {"", ".LTC64B", ".LTC128B", ".LTC256B"};
  constexpr uint32_t kFar = 32, kNear = 44;  // offsets: 12 bits of the global address, 20 of the shared one
  l.op("LDGSTS.E").pick(81, 1, {".BYPASS", ""});
  if (l.blackwell()) {
    l.fixed(83, 1, 1).pick(72, 2, kPrefetched);
  } else {
    l.fixed(70, 1, 1).pick(71, 2, kPrefetched);
  }
  const bool described = l.bit(76), of_shared = l.form() == 6;
  // With a policy the first register of its pair is added to the shared address; the policy is the other one.
  const bool uniform_there = l.bit(91) && !l.no_ureg(64) && (of_shared || !described);
  const std::string uniform = uniform_there ? l.ureg_name(64) : "";
  l.fixed(84, 3, 1);
  (l.blackwell() ? l.pick(74, 2, {"", ".64", ".128"}) : size(l)).flag(82, ".ZFILL");
  l.text(l.address(16, "", l.signed_bits(kNear, 20), of_shared ? uniform : ""));
  const std::string from = l.address(24, ".64", l.signed_bits(kFar, 12), of_shared ? "" : uniform);
  l.text(described ? "desc[" + l.ureg_name(64) + "]" + from : from);
  if (l.bits(87, 4) != kTrue) {
    l.pred(87, 90);
  }
}

void cctl(Line& l) {
  l.op("CCTL").flag(72, ".E").pick(
      87, 4, {".PF1", ".PF2", "?", "?", ".IVALL", ".RS", ".IV", ".RSLB", "?", ".WBALL"});
  const uint64_t what = l.bits(87, 4);
  if (what != 4 && what != 9) {
    l.text(global_address(l, 64, l.signed_bits(32, 32), l.bit(76)));
  }
}

constexpr Opcode kOpcodes[] = {
    {0x03b, ldsm},        {0x044, stsm},       {0x0b9, uldc},      {0x0bb, uldc},      {0x180, ld},
    {0x181, ldg},         {0x182, ldc},        {0x183, ldl},       {0x184, lds},       {0x185, st},
    {0x186, stg},         {0x187, stl},        {0x188, sts},       {0x18a, atom},      {0x1a2, atom_float},
    {0x18b, atom_cas},    {0x18c, atoms},      {0x18d, atoms_cas}, {0x18e, redg},      {0x18f, cctl},
    {0x1a3, atomg_float}, {0x1a6, redg_float}, {0x1a8, atomg},     {0x1a9, atomg_cas}, {0x1ae, ldgsts},
};

}  // namespace

std::span<const Opcode> memory_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
