// Source operand slots, from the text and from encodings (of real kernels unless said otherwise).
#include <catch2/catch.hpp>
#include <string>

#include "frontends/sass/decode.h"

namespace heddle::sass {
namespace {

// "a R4, c R17" for the vector registers read.
std::string slots(const isa::Instr& in) {
  std::string s;
  for (int i = 0; i < in.n_src; ++i) {
    if (in.src[i].file == isa::RegFile::kGpr) {
      s += (s.empty() ? "" : " ") + std::string(1, static_cast<char>('a' + in.src[i].slot)) + ":R" +
           std::to_string(in.src[i].index);
    }
  }
  return s;
}

struct Case {
  const char* text;
  uint64_t lo, hi;
  const char* expected;
};

// Each `expected` agrees with the .reuse marks of the text and the reuse bits of the encoding.
constexpr Case kCases[] = {
    {"FFMA R16, R16, R6.reuse, R13", 0x0000000610107223, 0x080fe2000000000d, "a:R16 b:R6 c:R13"},
    {"I2FP.F32.S32 R5, R3.reuse", 0x0000000300057245, 0x080fe40000201400, "b:R3"},
    {"IMAD.HI R6, R3.reuse, 0x66666667, RZ", 0x6666666703067827, 0x040fe200078e02ff, "a:R3"},
    {"HMMA.16816.F32 R28, R16, R2.reuse, R28", 0x00000002101c723c, 0x082fec000000181c, "a:R16 b:R2 c:R28"},
    {"IMAD.IADD R3, R6, 0x1, R3", 0x0000000106037824, 0x004fc800078e0203, "a:R6 c:R3"},
    {"LEA R2, R5, R2, 0x18", 0x0000000205027211, 0x001fce00078ec0ff, "a:R5 b:R2"},
    {"STS [R4], R5", 0x0000000504007388, 0x0001e20000000800, "a:R4 b:R5"},
    {"REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", 0x000000050200098e, 0x002fe2000c10e184, "a:R2 b:R5"},
    {"SHFL.IDX PT, R5, R9, R8, 0x1f", 0x00001f0809057589, 0x004e2400000e0000, "a:R9 b:R8"},
    {"LDGSTS.E.BYPASS.128 [R3], desc[UR8][R4.64]", 0x0000000004037fae, 0x0003e8000b901c48, "b:R3 a:R4"},
    {"DFMA R24, R4, R8, R24", 0x000000080418722b, 0x001fc60000000018, "a:R4 b:R8 c:R24"},
};

}  // namespace

TEST_CASE("slots: from encodings", "[sass]") {
  for (const Case& c : kCases) {
    INFO(c.text);
    OpcodePool pool;
    CHECK(slots(decode_text(0, c.text, c.lo, c.hi, pool)) == c.expected);
  }
}

TEST_CASE("slots: the text alone gives the same", "[sass]") {
  for (const Case& c : kCases) {
    INFO(c.text);
    OpcodePool pool;
    CHECK(slots(decode_text(0, c.text, pool)) == c.expected);
  }
}

TEST_CASE("slots: FADD's second source sits in slot c", "[sass]") {
  OpcodePool pool;
  CHECK(slots(decode_text(0, "FADD R7, R8, R4", pool)) == "a:R8 c:R4");
}

TEST_CASE("slots: where Rc holds the second operand", "[sass]") {
  // FFMA with an immediate in third place (form 2): R2 is encoded as Rc, but its reuse bit is slot b's.
  OpcodePool pool;
  const isa::Instr in =
      decode_text(0, "FFMA R21, R3.reuse, R2.reuse, 61", 0x4274000003157423, 0x0c0fe40000000002, pool);
  CHECK(slots(in) == "a:R3 b:R2");
  CHECK(int{in.ctl.reuse} == 0b11);
}

}  // namespace heddle::sass
