// Control fields of real encodings.
#include "frontends/sass/control.h"

#include <catch2/catch.hpp>
#include <string>

namespace heddle::sass {
namespace {

// "stall yield write read wait reuse".
std::string show(uint64_t hi) {
  const isa::Control c = decode_control(0, hi);
  return std::to_string(c.stall) + (c.yield ? " y " : " - ") + std::to_string(c.write_barrier) + " " +
         std::to_string(c.read_barrier) + " " + std::to_string(c.wait_mask) + " " + std::to_string(c.reuse);
}

}  // namespace

TEST_CASE("control: fields of real encodings", "[sass]") {
  CHECK(show(0x000fe20000000800) == "1 - 7 7 0 0");   // LDC R1, c[0x0][0x28]
  CHECK(show(0x000e2e0000002100) == "7 - 0 7 0 0");   // S2R R0, SR_TID.X
  CHECK(show(0x000e620000000a00) == "1 - 1 7 0 0");   // LDC.64 R2, c[0x0][0x210]
  CHECK(show(0x0001e20000000800) == "1 - 7 0 0 0");   // STS [R4], R5
  CHECK(show(0x004fe4000bf02070) == "2 - 7 7 4 0");   // ISETP.EQ.U32.AND P0, PT, R4, UR4, PT
  CHECK(show(0x001fda0003f04270) == "13 y 7 7 1 0");  // ISETP.GT.AND P0, PT, R0, 0x41f, PT
  CHECK(show(0x00dfce00078e0006) == "7 y 7 7 13 0");  // IMAD.HI.U32 R6, R7, R9, R6
  CHECK(show(0x000fea0003800000) == "5 - 7 7 0 0");   // EXIT
  CHECK(show(0x000fc0000383ffff) == "0 y 7 7 0 0");   // BRA to itself after EXIT
  CHECK(show(0x080fe40000201400) == "2 - 7 7 0 2");   // I2FP.F32.S32 R5, R3.reuse
  CHECK(show(0x0000620008000100) == "1 - 1 0 0 0");   // SYNCS.EXCH.64 URZ, [UR6], UR4
}

TEST_CASE("control: every field at its extremes", "[sass]") {
  CHECK(show(0) == "0 y 0 0 0 0");
  CHECK(show(~uint64_t{0}) == "15 - 7 7 63 15");
  CHECK(show(uint64_t{1} << 41) == "1 y 0 0 0 0");
  CHECK(show(uint64_t{1} << 45) == "0 - 0 0 0 0");
  CHECK(show(uint64_t{1} << 46) == "0 y 1 0 0 0");
  CHECK(show(uint64_t{1} << 49) == "0 y 0 1 0 0");
  CHECK(show(uint64_t{1} << 52) == "0 y 0 0 1 0");
  CHECK(show(uint64_t{1} << 58) == "0 y 0 0 0 1");
  CHECK(show(uint64_t{1} << 62) == "0 y 0 0 0 0");
  CHECK(show(uint64_t{1} << 40) == "0 y 0 0 0 0");
}

}  // namespace heddle::sass
