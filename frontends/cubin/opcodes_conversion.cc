// From one type to another.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kU = Number::kUnsigned;
constexpr std::string_view kModes[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
constexpr std::string_view kFloats[] = {"?", ".F16", ".F32", ".F64", ".BF16"};

Number number_of(uint64_t size) { return size == 3 ? Number::kDouble : kF; }

// .U8 to .S64; what is usual is not said.
void whole(Line& l, bool sign, uint64_t size) {
  constexpr std::string_view kSigned[] = {".S8", ".S16", "", ".S64"},
                             kUnsigned[] = {".U8", ".U16", ".U32", ".U64"};
  l.suffix((sign ? kSigned : kUnsigned)[size]);
}

void f2f(Line& l) {
  l.op("F2F").flag(80, ".FTZ").pick(75, 3, kFloats).pick(84, 3, kFloats).rounding(78).destination();
  l.second(number_of(l.bits(84, 2)), 63, 62);
}

void f2i(Line& l) {
  l.op("F2I").flag(80, ".FTZ");
  whole(l, l.bit(72), l.bits(75, 2));
  l.pick(84, 2, {"?", ".F16", "", ".F64"}).pick(78, 2, kModes).flag(77, ".NTZ").destination();
  l.second(number_of(l.bits(84, 2)), 63, 62);
}

void i2f(Line& l) {
  const uint64_t size = l.bits(84, 2);
  l.op("I2F").pick(75, 2, {"?", ".F16", "", ".F64"});
  whole(l, l.bit(74), size);
  constexpr std::string_view kParts[] = {"", ".B1", ".B2", ".B3"};
  l.rounding(78).destination();
  l.second(kU, 0, 0,
           l.word().form() == 4     ? ""
           : size == 0              ? kParts[l.bits(60, 2)]
           : size == 1 && l.bit(60) ? ".H1"
                                    : "");
}

void i2fp(Line& l) {
  l.op("I2FP.F32").suffix(l.bit(74) ? ".S32" : ".U32").rounding(78).destination().second(kU, 63);
}

void i2i(Line& l) {
  l.op("I2I").pick(76, 2, {".U8", ".S8", ".U16", ".S16"}).suffix(".S32.SAT").destination().second(kU, 63);
}

void frnd(Line& l) {
  l.op("FRND").flag(80, ".FTZ").pick(84, 2, {"?", ".F16", "", ".F64"}).pick(78, 2, kModes).destination();
  l.second(number_of(l.bits(84, 2)), 63, 62);
}

void f2fp(Line& l) {
  const uint64_t kind = l.bits(72, 7);
  const bool finite = l.bit(90);
  l.op("F2FP");
  bool unpack = false, merge = false;
  switch (kind) {
    case 0x00:
      l.suffix(".F16.F32.PACK_AB");
      break;
    case 0x10:
      l.suffix(".BF16.F32.PACK_AB");
      break;
    case 0x70:
      l.suffix(".SATFINITE.E4M3.F32.PACK_AB_MERGE_C");
      merge = true;
      break;
    case 0x60:
      l.suffix(".SATFINITE.E5M2.F32.PACK_AB_MERGE_C");
      merge = true;
      break;
    case 0x32:
      l.suffix(".SATFINITE.E4M3.F16.UNPACK_B_MERGE_C");
      merge = unpack = true;
      break;
    case 0x22:
      l.suffix(".SATFINITE.E5M2.F16.UNPACK_B_MERGE_C");
      merge = unpack = true;
      break;
    case 0x06:
      l.suffix(".F16.E4M3.UNPACK_B");
      unpack = true;
      break;
    case 0x04:
      l.suffix(".F16.E5M2.UNPACK_B");
      unpack = true;
      break;
    default:
      l.unknown();
  }
  if (merge != finite) {
    l.unknown();
  }
  l.pick(79, 2, {"", ".RM", ".RP", ".RZ"}).destination();
  if (!unpack) {
    l.a();
  }
  l.second(kF, 0, 0, unpack && l.bit(88) ? ".H1" : "");
  if (merge) {
    l.reg(64);
  }
}

void f2ip(Line& l) { l.op("F2IP.U8.F32.NTZ").destination().a().b(kF).c(kF); }

constexpr Opcode kOpcodes[] = {
    {0x038, i2i}, {0x03e, f2fp}, {0x043, f2ip}, {0x045, i2fp}, {0x104, f2f}, {0x105, f2i},
    {0x106, i2f}, {0x107, frnd}, {0x110, f2f},  {0x111, f2i},  {0x112, i2f}, {0x113, frnd},
};

}  // namespace

std::span<const Opcode> conversion_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
