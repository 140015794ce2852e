// Textures and surfaces. Where fields lie is from what ptxas 13.0 makes of PTX, one operand changed at a time
// (tests/exec/oracle/texture/kernels.py), and from Mesa's encoder for these GPUs (nak/sm70_encode.rs);
// nvdisasm was not asked.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

using Kind = Operand::Kind;

constexpr uint64_t kNoOffset = 255;  // from 10.0 on, of the uniform register behind the object's
// By three bits, of textures and of surfaces.
constexpr Mod kTextures[] = {Mod::k1D,       Mod::k2D,       Mod::k3D,   Mod::kCUBE,
                             Mod::kARRAY_1D, Mod::kARRAY_2D, Mod::kNone, Mod::kARRAY_CUBE};
constexpr Suffix kSurfaces[] = {".1D", "?", ".ARRAY_1D", ".2D", ".ARRAY_2D", ".3D"};

// Where the object's handle is: uniform registers, from 9.0 on; constant memory; a register.
enum class Place : uint8_t { kUniform, kConstant, kRegister };

// By the instruction's form, which is another one where a register has it.
Place place_of(const Fields& f, bool in_register, uint32_t form) {
  constexpr uint32_t kOfUniform = 7, kOfConstant = 5;
  if (!in_register && f.form() == kOfUniform) {
    return Place::kUniform;
  }
  if (f.form() != (in_register ? form : kOfConstant)) {
    f.unknown();
  }
  return in_register ? Place::kRegister : Place::kConstant;
}

// `reg`: of a register; 0: it is among the operands.
void object(Fields& f, Place place, uint32_t reg = 0) {
  if (place == Place::kUniform) {
    f.fixed(91, 1, 1).ureg(40);
    if (f.blackwell()) {
      f.fixed(48, 8, kNoOffset);
    }
    f.number(0);
  } else if (place == Place::kConstant) {  // bank, word
    f.number(f.bits(54, 5)).number(f.bits(40, 14));
  } else if (reg != 0) {
    f.reg(reg);
  }
}

Fields& eviction(Fields& f) { return f.pick(84, 3, {".EF", "", ".EL", ".LU", ".EU", ".NA"}); }

// Which level: before 10.0 by three bits; from there on the lowest is another one.
void level(Fields& f, bool loads) {
  constexpr Suffix kLevels[] = {"?", ".LZ", "?", ".LL"};
  if (!f.blackwell()) {
    f.pick(87, 3, kLevels);
    return;
  }
  // 0 is what ptxas writes where no level is said: the least one (assumed).
  const uint64_t value = f.bits(59, 1) | f.bits(87, 3) << 1;
  if (value == 0 && loads) {
    f.suffix(".LZ");
  } else if (value != 0) {
    f.suffix(value < std::size(kLevels) ? kLevels[value] : Suffix("?"));
  }
}

void offsets(Fields& f, bool gathers) {
  if (gathers) {
    f.pick(76, 2, {"", ".AOFFI"});
  } else if (f.blackwell()) {
    f.pick(56, 2, {"", ".AOFFI"}).fixed(76, 1, 0);
  } else {
    f.flag(76, ".AOFFI");
  }
}

void shape_and_mask(Fields& f) {
  constexpr uint64_t kAll = 0xf;
  const Mod shape = kTextures[f.bits(61, 3)];
  if (shape == Mod::kNone) {
    f.unknown();
  }
  f.named(Kind::kTexture, static_cast<uint32_t>(shape));
  if (f.bits(72, 4) != kAll) {
    f.number(f.bits(72, 4));
  }
}

// `in_register`: the opcode's number is that of the form with a register.
void fetch(Fields& f, const Opcode& name, bool in_register) {
  const bool gathers = name.name == Mnemonic::kTLD4, of_level = !gathers && name.name != Mnemonic::kTXD;
  f.op(name);
  const Place place = place_of(f, in_register, 1);
  if (!f.blackwell()) {
    f.flag(60, ".SCR");  // the operands are two lists of registers, as long as each other
  }
  if (in_register) {
    f.fixed(59, 1, 1).suffix(".B");
  }
  if (gathers) {
    f.pick(87, 2, {".R", ".G", ".B", ".A"});
  } else if (of_level) {
    level(f, name.name == Mnemonic::kTLD);
  }
  offsets(f, gathers);
  if (of_level) {
    f.flag(79, ".F16");
  }
  eviction(f).fixed(81, 3, 7).reg(64).reg(16).reg(24).reg(32);  // results: those behind the second one first
  object(f, place);
  shape_and_mask(f);
}
void tex(Fields& f) { fetch(f, "TEX", f.opcode() == 0x161); }
void tld(Fields& f) { fetch(f, "TLD", f.opcode() == 0x167); }
void tld4(Fields& f) { fetch(f, "TLD4", f.opcode() == 0x164); }
void txd(Fields& f) { fetch(f, "TXD", f.opcode() == 0x16d); }

void txq(Fields& f) {
  f.op("TXQ").fixed(62, 2, 0);
  const Place place = place_of(f, false, 0);
  f.reg(64).reg(16).reg(24).named(Kind::kTextureHeader);
  if (place == Place::kUniform) {
    f.fixed(91, 1, 1).ureg(40).number(0);
  } else {
    object(f, place);
  }
  f.number(f.bits(72, 4));
}

constexpr Suffix kSizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};

// Who sees it, and what happens outside.
void order(Fields& f) {
  if (f.capability() < 80) {
    f.pick(79, 2, {"?", "", ".STRONG"}).pick(77, 2, {".CTA", ".SM", ".GPU", ".SYS"});
  } else {
    f.pick(77, 4, {"", "?", "?", "?", "?", ".STRONG.SM", "?", ".STRONG.GPU", "?", "?", ".STRONG.SYS"});
  }
  eviction(f).pick(59, 2, {".IGN", "", ".TRAP"});
}

void suld(Fields& f) {
  const Place place = place_of(f, f.opcode() == 0x19a, 4);
  f.op("SULD.D.BA").pick(61, 3, kSurfaces).pick(73, 3, kSizes).fixed(72, 1, 1);
  order(f);
  f.fixed(81, 3, 7).reg(16).add(f.address(24, 0));
  object(f, place, 64);
}

void sust(Fields& f) {
  const Place place = place_of(f, f.opcode() == 0x19e, 4);
  f.op("SUST.D.BA").pick(61, 3, kSurfaces).pick(73, 3, kSizes).fixed(72, 1, 1);
  order(f);
  f.add(f.address(24, 0)).reg(32);
  object(f, place, 64);
}
void sust_formatted(Fields& f) {
  constexpr uint64_t kAll = 0xf;  // of four channels
  const Place place = place_of(f, f.opcode() == 0x19c, 4);
  f.op("SUST.P").pick(61, 3, kSurfaces).fixed(72, 4, kAll);
  order(f);
  f.add(f.address(24, 0)).reg(32);
  object(f, place, 64);
}

void sured(Fields& f) {
  constexpr uint64_t kByFormat = 6;  // the least and the greatest by the elements' type
  constexpr uint32_t kOfConstant = 2;
  f.op("SURED.D");
  const bool formatted = !f.bit(72);
  if (!formatted) {
    f.suffix(".BA");
  }
  f.pick(61, 3, kSurfaces).pick(87, 4, {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"});
  if (!formatted || f.bits(73, 3) != kByFormat) {
    f.pick(73, 3, {"", ".S32", ".64", "?", "?", ".S64"});
  }
  order(f);
  f.add(f.address(24, 0)).reg(32);
  object(f, f.form() == kOfConstant ? Place::kConstant : place_of(f, false, 0));
}

constexpr OpcodeRow kOpcodes[] = {
    {0x160, tex},
    {0x161, tex},
    {0x163, tld4},
    {0x164, tld4},
    {0x166, tld},
    {0x167, tld},
    {0x16c, txd},
    {0x16d, txd},
    {0x16f, txq},
    {0x199, suld},
    {0x19a, suld},
    {0x19d, sust},
    {0x19e, sust},
    {0x19f, sured},
    {0x19b, sust_formatted},
    {0x19c, sust_formatted},
};

}  // namespace

std::span<const OpcodeRow> texture_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
