// Which products are added unrounded: cases whose machine code ptxas 13.0 was asked for.
#include <catch2/catch.hpp>

#include <bit>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

// %a * %a is 1 + 2^-11 + 2^-24, which is rounded to %c = 1 + 2^-11; so %a * %a - %c is 2^-24 or 0. %d and %e
// are 3 and 5.
constexpr uint32_t kExact = 0x33800000, kRounded = 0;

uint32_t result(const std::string& statements) {
  return stored(
      "{ .reg .f32 %a, %b, %c, %d, %e, %t, %u, %v, %w; .reg .pred %p;\n"
      "mov.b32 %a, 0x3f800800; mov.b32 %b, %a; mov.b32 %c, 0x3f801000; mov.b32 %d, 0f40400000; mov.b32 %e, "
      "0f40a00000;\n"
      "setp.eq.u32 %p, 0, 0;\n" +
          statements + " mov.b32 %r0, %w; }",
      {1}, {1})[0];
}

}  // namespace

TEST_CASE("sums of a product") {
  CHECK(result("mul.f32 %t, %a, %b; sub.f32 %w, %t, %c;") == kExact);
  CHECK(result("mul.f32 %t, %a, %b; sub.f32 %w, %c, %t;") == (kExact | 0x80000000));
  CHECK(result("neg.f32 %c, %c; mul.f32 %t, %a, %b; add.f32 %w, %t, %c;") == kExact);
  CHECK(result("neg.f32 %c, %c; mul.f32 %t, %a, %b; add.sat.f32 %w, %c, %t;") == kExact);
  CHECK(result("mul.f32 %t, %a, 0f3f800800; sub.f32 %w, %t, 0f3f801000;") == kExact);
  CHECK(result("mul.ftz.f32 %t, %a, %b; sub.ftz.f32 %w, %t, %c;") == kExact);
}

TEST_CASE("what says how it is rounded is rounded") {
  CHECK(result("mul.rn.f32 %t, %a, %b; sub.f32 %w, %t, %c;") == kRounded);
  CHECK(result("mul.f32 %t, %a, %b; sub.rn.f32 %w, %t, %c;") == kRounded);
  CHECK(result("mul.sat.f32 %t, %a, %b; sub.f32 %w, %t, %c;") == 0xba000000);  // 1 - (1 + 2^-11)
  CHECK(result("mul.ftz.f32 %t, %a, %b; sub.f32 %w, %t, %c;") == kRounded);
}

TEST_CASE("all that uses a product is a sum in its block") {
  const std::string product = "mul.f32 %t, %a, %b; ";
  CHECK(result(product + "sub.f32 %w, %t, %c; abs.f32 %v, %t;") == kRounded);
  CHECK(result(product + "sub.f32 %w, %t, %c; add.f32 %v, %t, %d;") == kExact);
  CHECK(result(product + "sub.f32 %w, %t, %c; fma.rn.f32 %v, %t, %d, %e;") == kRounded);
  CHECK(result(product + "sub.f32 %w, %t, %c; mul.f32 %v, %t, %d;") == kRounded);
  CHECK(result(product + "add.f32 %v, %t, %t; sub.f32 %w, %t, %c;") == kRounded);
  CHECK(result(product + "@%p bra L; L: sub.f32 %w, %t, %c;") == kRounded);
  CHECK(result("@%p mul.f32 %t, %a, %b; sub.f32 %w, %t, %c;") == kRounded);
  CHECK(result("mul.f32 %t, %a, %b; sub.f32 %t, %t, %c; mov.b32 %w, %t; mov.b32 %t, %d;") ==
        kExact);  // another %t
  CHECK(result("mul.f32 %t, %a, %b; @%p sub.f32 %t, %t, %c; mov.b32 %w, %t;") == kRounded);
  CHECK(result(product + "mov.b32 %a, %d; sub.f32 %w, %t, %c;") == kRounded);  // not covered
}

TEST_CASE("of two products") {
  // a * b - c * 1 with one of the two unrounded; c * 1 is exact.
  const std::string one = "mul.f32 %t, %a, %b; mul.f32 %u, %c, 0f3f800000; ";
  CHECK(result(one + "sub.f32 %w, %t, %u;") == kExact);    // the first
  CHECK(result(one + "sub.f32 %w, %u, %t;") == kRounded);  // the first is u
  // One that is used once goes before one that is used twice.
  CHECK(result(one + "sub.f32 %w, %t, %u; sub.f32 %v, %t, %d;") == kRounded);
  CHECK(result(one + "sub.f32 %w, %u, %t; sub.f32 %v, %u, %d;") == (kExact | 0x80000000));
  // Both used twice: the first that is calculated.
  CHECK(result(one + "sub.f32 %w, %u, %t; add.f32 %v, %t, %u;") == (kExact | 0x80000000));
}

TEST_CASE("other types") {
  // 1 + 2^-27 squared is 1 + 2^-26 + 2^-54, rounded 1 + 2^-26.
  CHECK(result("{ .reg .f64 %x, %y; mov.b64 %x, 0x3ff0000002000000; mul.f64 %y, %x, %x; sub.f64 %y, %y, "
               "0d3ff0000004000000; "
               "cvt.rn.f32.f64 %w, %y; }") == 0x24800000);
  // f16: 1 + 2^-6 squared is 1 + 2^-5 + 2^-12, rounded 1 + 2^-5.
  CHECK(result("{ .reg .b32 %x, %y, %z; mov.b32 %x, 0x3c103c00; mov.b32 %z, 0x3c203c00; mul.f16x2 %y, %x, "
               "%x; sub.f16x2 %y, "
               "%z, %y; mov.b32 %w, %y; }") == 0x8c000000);
  CHECK(result(
            "{ .reg .b16 %x, %y, %z; mov.b16 %x, 0x3c10; mov.b16 %z, 0x3c20; mul.f16 %y, %x, %x; sub.f16 %y, "
            "%y, %z; cvt.f32.f16 %w, %y; }") == 0x39800000);
}

}  // namespace heddle::exec::test
