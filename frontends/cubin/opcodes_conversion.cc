// From one type to another.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kU = Number::kUnsigned;
constexpr std::string_view kModes[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
constexpr std::string_view kFloats[] = {"?", ".F16", ".F32", ".F64", ".BF16"};

// An opcode of its own converts from or to 64 bits.
void widths(Line& l, bool first_wide, bool second_wide) {
  if ((l.opcode() >= 0x110) != (first_wide || second_wide)) {
    l.unknown();
  }
}

Number number_of(uint64_t size) { return size == 3 ? Number::kDouble : kF; }

// Of 16 bits the upper half of a register, too.
std::string_view upper_half(const Line& l, uint64_t type) {
  return (type == 1 || type == 4) && l.form() != 4 && l.bit(60) ? ".H1" : "";
}

// .U8 to .S64; what is usual is not said.
void whole(Line& l, bool sign, uint64_t size) {
  constexpr std::string_view kSigned[] = {".S8", ".S16", "", ".S64"},
                             kUnsigned[] = {".U8", ".U16", ".U32", ".U64"};
  l.suffix((sign ? kSigned : kUnsigned)[size]);
}

void f2f(Line& l) {
  l.op("F2F").flag(80, ".FTZ").pick(75, 3, kFloats).pick(84, 3, kFloats).rounding(78).destination();
  l.second(number_of(l.bits(84, 3)), 63, 62, upper_half(l, l.bits(84, 3)));
  widths(l, l.bits(75, 3) == 3, l.bits(84, 3) == 3);
  if (l.bits(75, 3) == l.bits(84, 3)) {
    l.unknown();
  }
}

void f2i(Line& l) {
  l.op("F2I").flag(80, ".FTZ");
  whole(l, l.bit(72), l.bits(75, 2));
  l.pick(84, 3, {"?", ".F16", "", ".F64", ".BF16"}).pick(78, 2, kModes).flag(77, ".NTZ").destination();
  l.second(number_of(l.bits(84, 3)), 63, 62, upper_half(l, l.bits(84, 3)));
  widths(l, l.bits(75, 2) == 3, l.bits(84, 3) == 3);
}

void i2f(Line& l) {
  const uint64_t size = l.bits(84, 2);
  l.op("I2F").pick(75, 3, {"?", ".F16", "", ".F64", ".BF16"});
  whole(l, l.bit(74), size);
  constexpr std::string_view kParts[] = {"", ".B1", ".B2", ".B3"};
  l.rounding(78).destination();
  l.second(kU, 0, 0,
           l.form() == 4            ? ""
           : size == 0              ? kParts[l.bits(60, 2)]
           : size == 1 && l.bit(60) ? ".H1"
                                    : "");
  widths(l, l.bits(75, 3) == 3, size == 3);
}

void i2fp(Line& l) {
  l.op("I2FP.F32")
      .suffix(l.bit(74) ? ".S32" : ".U32")
      .pick(78, 2, {"", "?", "?", ".RZ"})
      .destination()
      .second(kU);
  l.fixed(75, 3, 2).fixed(84, 3, 2);
}

void i2i(Line& l) {
  l.op("I2I").pick(76, 2, {".U8", ".S8", ".U16", ".S16"}).suffix(".S32.SAT").destination().second(kU);
}

void frnd(Line& l) {
  l.op("FRND").flag(80, ".FTZ").pick(84, 3, {"?", ".F16", "", ".F64", ".BF16"});
  l.fixed(75, 3, l.bits(84, 3)).pick(78, 2, kModes).destination();
  l.second(number_of(l.bits(84, 3)), 63, 62, upper_half(l, l.bits(84, 3)));
}

// How the results are put together: bits 86 to 90, of which 88 is the upper half of a pair of bytes.
void f2fp(Line& l) {
  const uint64_t kind = l.bits(86, 2) | l.bits(89, 2) << 3;
  const bool first = l.bit(76), merges = l.bit(78);
  bool upper = false;
  l.op("F2FP").flag(77, ".SATFINITE").flag(75, ".RELU");
  enum : uint8_t { kPair, kOne, kMerged, kUnpacked } operands = kPair;
  switch (kind) {
    case 0:
      l.suffix(first ? ".BF16.F32" : ".F16.F32").suffix(merges ? ".MERGE_C" : ".PACK_AB");
      operands = merges ? kOne : kPair;
      l.fixed(73, 2, 0);
      break;
    case 0x09:
      l.suffix(".TF32.F32.PACK_B").fixed(73, 2, 0).fixed(76, 1, 1).fixed(78, 1, 1);
      operands = kUnpacked;
      break;
    case 0x12:
      l.suffix(first ? ".E4M3" : ".E5M2").suffix(merges ? ".F32.PACK_AB_MERGE_C" : ".F16.UNPACK_B_MERGE_C");
      l.fixed(73, 2, merges ? 0 : 1);
      operands = merges ? kMerged : kOne;
      upper = !merges;
      break;
    case 0x08:
      l.suffix(l.bit(73) ? ".F16.E4M3.UNPACK_B" : ".F16.E5M2.UNPACK_B").fixed(74, 1, 1).fixed(76, 3, 0);
      operands = kUnpacked;
      upper = true;
      break;
    default:
      l.unknown();
  }
  l.fixed(72, 1, 0).pick(79, 3, {"", "?", "?", ".RZ"}).destination();
  if (operands == kPair || operands == kMerged) {
    l.a();
  }
  l.second(kF, 0, 0, upper && l.bit(88) ? ".H1" : "");
  if (operands == kOne || operands == kMerged) {
    l.reg(64);
  }
}

void f2ip(Line& l) {
  l.op("F2IP").suffix(l.bit(76) ? ".S8" : ".U8").suffix(".F32").pick(78, 2, {"", "?", "?", ".TRUNC"});
  l.flag(74, ".NTZ").flag(75, ".RELU").destination().a().b(kF).c(kF, 0, 0, l.bit(72) ? ".H1" : "");
}

// Of the third source the bits that stay behind the two results.
void i2ip(Line& l) {
  const uint64_t type = l.bits(76, 3);
  l.op("I2IP").pick(76, 3, {".U8", ".S8", ".U16", ".S16", ".U2", ".S2", ".U4", ".S4"}).suffix(".S32");
  l.flag(74, ".SAT").destination().a().b(kU);
  std::string_view rest;
  if (type >= 4) {
    l.fixed(72, 2, type >= 6 ? 2 : 3);
    rest = type >= 6 ? ".24" : ".28";
  } else {
    rest = type < 2 && l.bit(72) ? ".H1" : "";
  }
  l.c(kU, 0, 0, rest);
}

constexpr Opcode kOpcodes[] = {
    {0x038, i2i}, {0x039, i2ip}, {0x03e, f2fp}, {0x043, f2ip}, {0x045, i2fp}, {0x104, f2f},  {0x105, f2i},
    {0x106, i2f}, {0x107, frnd}, {0x110, f2f},  {0x111, f2i},  {0x112, i2f},  {0x113, frnd},
};

}  // namespace

std::span<const Opcode> conversion_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
