// Floating-point functions of machine code only: exact values, and where a quotient needs more than its short
// form.
#include "sim/exec/arith/machine_float.h"

#include <bit>
#include <catch2/catch.hpp>

#include "tests/exec/arith/words_case.h"

namespace heddle::exec::test {

using namespace arith;

constexpr uint32_t kNan = 0x7fffffff, kInf = 0x7f800000;
uint32_t f32(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t special(MachineFunction f, uint64_t x) {
  return calculated(special_word_fn(f), 0, {x}, false).first;
}
uint64_t product(double scale, FloatHow how, uint64_t x, uint64_t y) {
  return calculated(scaled_product_fn(), scaled_product(scale, how), {x, y}, false).first;
}

TEST_CASE("the special-function unit where it is exact") {
  CHECK(special(MachineFunction::kRcp, f32(4)) == f32(0.25F));
  CHECK(special(MachineFunction::kRsq, f32(4)) == f32(0.5F));
  CHECK(special(MachineFunction::kSqrt, f32(4)) == f32(2));
  CHECK(special(MachineFunction::kEx2, f32(3)) == f32(8));
  CHECK(special(MachineFunction::kLg2, f32(8)) == f32(3));
  CHECK(special(MachineFunction::kTanh, kInf) == f32(1));
  CHECK(special(MachineFunction::kSin, 0) == 0);
  CHECK(special(MachineFunction::kCos, 0) == f32(1));
  // The upper words of 4.0, 0.25 and 0.5
  CHECK(special(MachineFunction::kRcp64h, 0x40100000) == 0x3fd00000);
  CHECK(special(MachineFunction::kRsq64h, 0x40100000) == 0x3fe00000);
}

TEST_CASE("quotients that need more than a reciprocal") {
  const auto needs = [](uint32_t x, uint32_t y) {
    return calculated(division_check_fn(), 0, {x, y}, false).first;
  };
  const auto power = [](uint32_t exponent) { return exponent << 23; };  // biased
  CHECK(needs(f32(1), f32(3)) == 0);
  CHECK(needs(f32(-1), f32(3)) == 0);
  CHECK(needs(f32(1), 0) == 1);
  CHECK(needs(f32(1), kInf) == 1);
  CHECK(needs(kInf, f32(1)) == 1);
  CHECK(needs(1, f32(1)) == 1);     // the least there is
  CHECK(needs(0, f32(1024)) == 1);  // the H200's recording of mandelbrot
  CHECK(needs(power(64), power(188)) == 0);
  CHECK(needs(power(64), power(189)) == 1);
  CHECK(needs(power(24), power(24)) == 1);
  CHECK(needs(power(25), power(25)) == 0);
  CHECK(needs(power(100), power(1)) == 1);
  CHECK(needs(power(100), power(2)) == 0);
  CHECK(needs(power(226), power(100)) == 0);
  CHECK(needs(power(227), power(100)) == 1);
  CHECK(needs(power(200), power(251)) == 0);
  CHECK(needs(power(200), power(252)) == 1);
}

TEST_CASE("scaled products are rounded once") {
  FloatHow plain, ftz, sat;
  ftz.ftz = true;
  sat.sat = true;
  CHECK(product(2, plain, f32(3), f32(5)) == f32(30));
  CHECK(product(0.5, plain, f32(3), f32(5)) == f32(7.5F));
  // 2^130 / 8: the product alone would be infinite. 2^-137 is 2^12 of the least there is.
  CHECK(product(0.125, plain, f32(0x1p100F), f32(0x1p30F)) == f32(0x1p127F));
  CHECK(product(8, plain, f32(0x1p-100F), f32(0x1p-40F)) == 0x1000);
  CHECK(product(8, ftz, f32(0x1p-100F), f32(-0x1p-40F)) == 0x80000000);
  CHECK(product(8, ftz, 0x1000, f32(0x1p100F)) == 0);
  CHECK(product(8, plain, 0x1000, f32(0x1p100F)) == f32(0x1p-34F));
  CHECK(product(2, sat, f32(3), f32(5)) == f32(1));
  CHECK(product(2, sat, f32(-3), f32(5)) == 0);
  CHECK(product(2, sat, f32(0.25F), f32(0.5F)) == f32(0.25F));
  CHECK(product(2, sat, kInf, 0) == 0);
  CHECK(product(2, plain, kInf, 0) == kNan);
}

TEST_CASE("sums of halves as f32") {
  const auto sum = [](uint64_t bf16, uint64_t x, uint64_t y) {
    return calculated(half_sum_fn(), bf16, {x, y}, false).first;
  };
  CHECK(sum(0, 0xffff3c00, 0xffff4000) == f32(3));  // the upper halves play no part
  CHECK(sum(0, 0x0001, 0) == f32(0x1p-24F));
  CHECK(sum(0, 0x3c00, 0x0001) == f32(1));  // 1 + 2^-24: half-way, to the even one
  CHECK(sum(0, 0x3c00, 0x0003) ==
        f32(1 + 0x1p-22F));  // 1 + 3 * 2^-24: half-way between 1 and 2 units of 2^-23
  CHECK(sum(1, 0x3f80, 0x4000) == f32(3));
  CHECK(sum(0, 0x7e00, 0) == kNan);
}

}  // namespace heddle::exec::test
