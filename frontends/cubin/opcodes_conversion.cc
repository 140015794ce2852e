// From one type to another.
#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

constexpr Number kF = Number::kFloat, kU = Number::kUnsigned;
constexpr Suffix kModes[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
constexpr Suffix kFloats[] = {"?", ".F16", ".F32", ".F64", ".BF16"};

// An opcode of its own converts from or to 64 bits.
void widths(Fields& f, bool first_wide, bool second_wide) {
  if ((f.opcode() >= 0x110) != (first_wide || second_wide)) {
    f.unknown();
  }
}

Number number_of(uint64_t size) { return size == 3 ? Number::kDouble : kF; }

// Of 16 bits the upper half of a register, too.
Part upper_half(const Fields& f, uint64_t type) {
  return (type == 1 || type == 4) && f.form() != 4 && f.bit(60) ? Part::kH1 : Part::kNone;
}

// .U8 to .S64; what is usual is not said.
void whole(Fields& f, bool sign, uint64_t size) {
  constexpr Suffix kSigned[] = {".S8", ".S16", "", ".S64"}, kUnsigned[] = {".U8", ".U16", ".U32", ".U64"};
  f.suffix((sign ? kSigned : kUnsigned)[size]);
}

void f2f(Fields& f) {
  f.op("F2F").flag(80, ".FTZ").pick(75, 3, kFloats).pick(84, 3, kFloats).rounding(78).destination();
  f.second(number_of(f.bits(84, 3)), 63, 62, upper_half(f, f.bits(84, 3)));
  widths(f, f.bits(75, 3) == 3, f.bits(84, 3) == 3);
  if (f.bits(75, 3) == f.bits(84, 3)) {
    f.unknown();
  }
}

void f2i(Fields& f) {
  f.op("F2I").flag(80, ".FTZ");
  whole(f, f.bit(72), f.bits(75, 2));
  f.pick(84, 3, {"?", ".F16", "", ".F64", ".BF16"}).pick(78, 2, kModes).flag(77, ".NTZ").destination();
  f.second(number_of(f.bits(84, 3)), 63, 62, upper_half(f, f.bits(84, 3)));
  widths(f, f.bits(75, 2) == 3, f.bits(84, 3) == 3);
}

void i2f(Fields& f) {
  const uint64_t size = f.bits(84, 2);
  f.op("I2F").pick(75, 3, {"?", ".F16", "", ".F64", ".BF16"});
  whole(f, f.bit(74), size);
  constexpr Part kParts[] = {Part::kNone, Part::kB1, Part::kB2, Part::kB3};
  f.rounding(78).destination();
  f.second(kU, 0, 0,
           f.form() == 4            ? Part::kNone
           : size == 0              ? kParts[f.bits(60, 2)]
           : size == 1 && f.bit(60) ? Part::kH1
                                    : Part::kNone);
  widths(f, f.bits(75, 3) == 3, size == 3);
}

void i2fp(Fields& f) {
  f.op("I2FP.F32")
      .either(f.bit(74), ".S32", ".U32")
      .pick(78, 2, {"", "?", "?", ".RZ"})
      .destination()
      .second(kU);
  f.fixed(75, 3, 2).fixed(84, 3, 2);
}

void i2i(Fields& f) {
  f.op("I2I").pick(76, 2, {".U8", ".S8", ".U16", ".S16"}).suffix(".S32.SAT").destination().second(kU);
}

void frnd(Fields& f) {
  f.op("FRND").flag(80, ".FTZ").pick(84, 3, {"?", ".F16", "", ".F64", ".BF16"});
  f.fixed(75, 3, f.bits(84, 3)).pick(78, 2, kModes).destination();
  f.second(number_of(f.bits(84, 3)), 63, 62, upper_half(f, f.bits(84, 3)));
}

// How the results are put together: bits 86 to 90, of which 88 is the upper half of a pair of bytes.
void f2fp(Fields& f) {
  const uint64_t kind = f.bits(86, 2) | f.bits(89, 2) << 3;
  const bool first = f.bit(76), merges = f.bit(78);
  bool upper = false;
  f.op("F2FP").flag(77, ".SATFINITE").flag(75, ".RELU");
  enum : uint8_t { kPair, kOne, kMerged, kUnpacked } operands = kPair;
  switch (kind) {
    case 0:
      f.either(first, ".BF16.F32", ".F16.F32").either(merges, ".MERGE_C", ".PACK_AB");
      operands = merges ? kOne : kPair;
      f.fixed(73, 2, 0);
      break;
    case 0x09:
      f.suffix(".TF32.F32.PACK_B").fixed(73, 2, 0).fixed(76, 1, 1).fixed(78, 1, 1);
      operands = kUnpacked;
      break;
    case 0x12:
      f.either(first, ".E4M3", ".E5M2").either(merges, ".F32.PACK_AB_MERGE_C", ".F16.UNPACK_B_MERGE_C");
      f.fixed(73, 2, merges ? 0 : 1);
      operands = merges ? kMerged : kOne;
      upper = !merges;
      break;
    case 0x08:
      f.either(f.bit(73), ".F16.E4M3.UNPACK_B", ".F16.E5M2.UNPACK_B").fixed(74, 1, 1).fixed(76, 3, 0);
      operands = kUnpacked;
      upper = true;
      break;
    default:
      f.unknown();
  }
  f.fixed(72, 1, 0).pick(79, 3, {"", "?", "?", ".RZ"}).destination();
  if (operands == kPair || operands == kMerged) {
    f.a();
  }
  f.second(kF, 0, 0, upper && f.bit(88) ? Part::kH1 : Part::kNone);
  if (operands == kOne || operands == kMerged) {
    f.reg(64);
  }
}

void f2ip(Fields& f) {
  f.op("F2IP").either(f.bit(76), ".S8", ".U8").suffix(".F32").pick(78, 2, {"", "?", "?", ".TRUNC"});
  f.flag(74, ".NTZ")
      .flag(75, ".RELU")
      .destination()
      .a()
      .b(kF)
      .c(kF, 0, 0, f.bit(72) ? Part::kH1 : Part::kNone);
}

// Of the third source the bits that stay behind the two results.
void i2ip(Fields& f) {
  const uint64_t type = f.bits(76, 3);
  f.op("I2IP").pick(76, 3, {".U8", ".S8", ".U16", ".S16", ".U2", ".S2", ".U4", ".S4"}).suffix(".S32");
  f.flag(74, ".SAT").destination().a().b(kU);
  Part rest = Part::kNone;
  if (type >= 4) {
    f.fixed(72, 2, type >= 6 ? 2 : 3);
    rest = type >= 6 ? Part::k24 : Part::k28;
  } else {
    rest = type < 2 && f.bit(72) ? Part::kH1 : Part::kNone;
  }
  f.c(kU, 0, 0, rest);
}

constexpr OpcodeRow kOpcodes[] = {
    {0x038, i2i}, {0x039, i2ip}, {0x03e, f2fp}, {0x043, f2ip}, {0x045, i2fp}, {0x104, f2f},  {0x105, f2i},
    {0x106, i2f}, {0x107, frnd}, {0x110, f2f},  {0x111, f2i},  {0x112, i2f},  {0x113, frnd},
};

}  // namespace

std::span<const OpcodeRow> conversion_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
