// What machine instructions calculate that no instruction of PTX does, by hand.
#include "sim/exec/arith/machine_words.h"

#include <catch2/catch.hpp>

#include <bit>

#include "sim/exec/arith/machine_float.h"
#include "sim/exec/arith/words.h"

namespace heddle::exec::test {
namespace {

struct Results {
  uint64_t d0, d1;
};

Results run(WarpFn fn, std::initializer_list<uint64_t> sources, uint64_t control = 0) {
  Register s[5], d[2];
  Arguments a{};
  size_t i = 0;
  for (const uint64_t v : sources) {
    s[i].fill(v);
    a.s[i] = &s[i];
    ++i;
  }
  d[0].fill(0xdead);
  d[1].fill(0xdead);
  a.d[0] = &d[0];
  a.d[1] = &d[1];
  a.control = control;
  fn(a, 0xffffffff);
  return {d[0][7], d[1][7]};
}

uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
uint64_t turn_sine(float x) {
  return run(arith::special_word_fn(arith::MachineFunction::kSin), {std::bit_cast<uint32_t>(x)}).d0;
}

constexpr uint64_t kNan = 0x7ff8000000000000, kMinus = uint64_t{1} << 63;

}  // namespace

TEST_CASE("differences of words and of bytes") {
  CHECK(run(arith::difference_fn(false), {3, 5, 10}).d0 == 12);
  CHECK(run(arith::difference_fn(false), {0xffffffff, 1, 4}).d0 == 2);
  CHECK(run(arith::difference_fn(true), {0xffffffff, 1, 4}).d0 == 6);  // |-1 - 1| + 4
  CHECK(run(arith::byte_differences_fn(false), {0xff07e25e, 0xe80f3046}).d0 == 0x1708b218);
  CHECK(run(arith::byte_differences_fn(true), {0x8adb0279, 0x7c4e80b2}).d0 == 0xf27382c7);
  CHECK(run(arith::byte_difference_sum_fn(false), {0x01020304, 0x04030201, 10}).d0 == 18);  // 3 + 1 + 1 + 3
}

TEST_CASE("DSETP.MIN and .MAX choose between numbers, zeros and NaN") {
  const auto least = [](uint64_t a, uint64_t b, uint64_t p = 1) {
    return run(arith::double_extreme_fn(true), {a, b, p});
  };
  const auto most = [](uint64_t a, uint64_t b) { return run(arith::double_extreme_fn(false), {a, b, 1}).d0; };
  CHECK(least(bits(1), bits(2)).d0 == 1);
  CHECK(least(bits(-1), bits(-2)).d0 == 0);
  CHECK(least(bits(-0.0), bits(0.0)).d0 == 1);
  CHECK(most(bits(-0.0), bits(0.0)) == 0);
  CHECK(most(bits(0.0), bits(-0.0)) == 1);
  CHECK(most(bits(3), bits(-7)) == 1);
  CHECK(least(bits(1), kNan).d0 == 1);
  CHECK(least(kNan, bits(1)).d0 == 0);
  CHECK(least(kNan, bits(1)).d1 == 0);
  CHECK(least(kNan, kNan).d0 == 0);
  CHECK(least(kNan, kNan).d1 == 1);
  CHECK(least(kNan, kNan, 0).d1 == 0);
  CHECK(least(bits(1), bits(2), 0).d0 == 0);
}

TEST_CASE("a sign of f64 leaves NaN as it is") {
  const auto sign = [](uint64_t x, uint64_t how) { return run(arith::double_sign_fn(), {x}, how).d0; };
  CHECK(sign(bits(2.5), arith::kNegative) == bits(-2.5));
  CHECK(sign(bits(-2.5), arith::kAbsolute) == bits(2.5));
  CHECK(sign(bits(2.5), arith::kAbsolute | arith::kNegative) == bits(-2.5));
  CHECK(sign(kNan | kMinus, arith::kAbsolute) == (kNan | kMinus));
  CHECK(sign(kNan, arith::kNegative) == kNan);
}

TEST_CASE("MUFU takes turns, and subnormal numbers as zeros") {
  CHECK(turn_sine(0.25F) == 0x3f800000);  // a quarter of a turn: 1
  CHECK(turn_sine(-0.25F) == 0xbf800000);
  CHECK(turn_sine(1.25F) == 0x3f800000);
  CHECK(turn_sine(0.5F) == 0x80000000);
  CHECK(run(arith::special_word_fn(arith::MachineFunction::kCos), {0}).d0 == 0x3f800000);
  CHECK(run(arith::special_word_fn(arith::MachineFunction::kRcp), {0x00737862}).d0 == 0x7f800000);
  CHECK(run(arith::special_word_fn(arith::MachineFunction::kLg2), {0x004d6eb7}).d0 == 0xff800000);
  CHECK(run(arith::special_word_fn(arith::MachineFunction::kSqrt), {0x807fffff}).d0 == 0x80000000);
}

TEST_CASE("LOP3 and LEA") {
  const auto both = arith::logic_fn(0x80);  // a & b & c
  CHECK(run(both, {6, 3, 2, 0}).d1 == 1);
  CHECK(run(both, {6, 3, 2, 0}, arith::kBoth).d1 == 0);  // PAND
  CHECK(run(both, {6, 3, 2, 1}, arith::kBoth).d1 == 1);
  CHECK(run(both, {1, 2, 4, 1}, arith::kBoth).d1 == 0);
  // (5 << 1) + ~3 + 1 = 7, with a carry; (5 << 1) - 3 is the same.
  const auto lea = arith::word_fn(arith::WordOp::kShiftAdd);
  const uint64_t by_one = uint64_t{1} << arith::kAmountAt;
  CHECK(run(lea, {5, 3, 0, 1}, by_one | arith::kComplement1).d0 == 7);
  CHECK(run(lea, {5, 3, 0, 1}, by_one | arith::kComplement1).d1 == 1);
  CHECK(run(lea, {5, 3, 0, 0}, by_one | arith::kNegate1).d0 == 7);
}

}  // namespace heddle::exec::test
