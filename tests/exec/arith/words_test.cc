// What machine instructions calculate with words; the values are worked out by hand.
#include "sim/exec/arith/words.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>

#include "tests/exec/arith/words_case.h"

namespace heddle::exec::test {

using namespace arith;
using Both = std::pair<uint64_t, uint64_t>;

uint64_t word(WordOp op, uint64_t control, std::initializer_list<uint64_t> s) {
  return calculated(word_fn(op), control, s).first;
}
Both words(WordOp op, uint64_t control, std::initializer_list<uint64_t> s) {
  return calculated(word_fn(op), control, s);
}

TEST_CASE("words are kept, filled and changed") {
  // -|x| of 1.0 and of -2.0
  CHECK(word(WordOp::kModify, uint64_t{0x80000000} << 32 | 0x7fffffff, {0x3f800000}) == 0xbf800000);
  CHECK(word(WordOp::kModify, uint64_t{0x80000000} << 32 | 0x7fffffff, {0xc0000000}) == 0xc0000000);
  CHECK(words(WordOp::kCopy, 0, {7}) == Both{7, 0});
  CHECK(word(WordOp::kFill, 0x123456789, {}) == 0x123456789);
  CHECK(word(WordOp::kJoin, 0, {0x89abcdef, 0x01234567}) == 0x0123456789abcdef);
  CHECK(words(WordOp::kSplit, 0, {0x0123456789abcdef}) == Both{0x89abcdef, 0x01234567});
  CHECK(word(WordOp::kHalves, 2, {0x12345678}) == 0x56785678);
  CHECK(word(WordOp::kHalves, 3, {0x12345678}) == 0x12341234);
  CHECK(word(WordOp::kNotEqual, 3, {3}) == 0);
  CHECK(word(WordOp::kNotEqual, 3, {0x100000003}) == 1);
  CHECK(word(WordOp::kAddressIndex, 0x20, {0x100}) == 18);
}

TEST_CASE("sums of three, and their carries") {
  CHECK(words(WordOp::kAdd3, 0, {5, 7, 9}) == Both{21, 0});
  CHECK(words(WordOp::kAdd3, 0, {0xffffffff, 1, 0}) == Both{0, 1});
  CHECK(words(WordOp::kAdd3, kNegate1, {5, 7, 0}) == Both{0xfffffffe, 0});  // a borrow
  CHECK(words(WordOp::kAdd3, kNegate1, {7, 5, 0}) == Both{2, 1});
  CHECK(words(WordOp::kAdd3, kComplement1, {5, 7, 0}) == Both{0xfffffffd, 0});
  CHECK(words(WordOp::kAdd3, kNegate0 | kNegate2, {1, 10, 2}) == Both{7, 1});
  // 0x2fffffffd
  CHECK(words(WordOp::kAdd3, 0, {0xffffffff, 0xffffffff, 0xffffffff}) == Both{0xfffffffd, 1});
  CHECK(words(WordOp::kAdd3, kSecondCarry, {0xffffffff, 0xffffffff, 0xffffffff}) == Both{0xfffffffd, 1});
  CHECK(words(WordOp::kAdd3, kSecondCarry, {0xffffffff, 1, 0}) == Both{0, 0});
  CHECK(words(WordOp::kAdd3, 0, {1, 2, 3, 1, 1}) == Both{8, 0});
  CHECK(words(WordOp::kAdd3, kNegatePredicate, {1, 2, 3, 1, 1}) == Both{7, 0});
  CHECK(words(WordOp::kAdd3, kNegatePredicate2, {1, 2, 3, 0, 0}) == Both{7, 0});
  CHECK(calculated(word_fn(WordOp::kAdd3), kNegatePredicate, {0xffffffff, 1, 0, 0}, false).first == 1);
}

TEST_CASE("products") {
  CHECK(word(WordOp::kMultiply, 0, {7, 6, 5}) == 47);
  CHECK(word(WordOp::kMultiply, 0, {7, 6, 5, 1}) == 48);
  CHECK(word(WordOp::kMultiply, kNegatePredicate, {7, 6, 5, 0}) == 48);
  CHECK(word(WordOp::kMultiply, kNegate1, {7, 6, 5}) == 0xffffffdb);  // -37
  CHECK(word(WordOp::kMultiply, kNegate2, {7, 6, 5}) == 37);
  CHECK(word(WordOp::kMultiply, kComplement2, {7, 6, 5}) == 36);
  CHECK(word(WordOp::kMultiply, 0, {0x10001, 0x10000, 1}) == 0x10001);

  CHECK(words(WordOp::kMultiplyWide, 0, {0xffffffff, 0xffffffff}) == Both{1, 0xfffffffe});
  CHECK(words(WordOp::kMultiplyWide, kSigned, {0xffffffff, 0xffffffff}) == Both{1, 0});
  CHECK(words(WordOp::kMultiplyWide, kSigned, {0xffffffff, 0xffffffff, 1, 2}) == Both{2, 2});
  CHECK(words(WordOp::kMultiplyWide, kSigned, {0xfffffffe, 3}) == Both{0xfffffffa, 0xffffffff});
  CHECK(words(WordOp::kMultiplyWide, kNegate2, {2, 3, 10, 0}) == Both{0xfffffffc, 0xffffffff});
  CHECK(words(WordOp::kMultiplyWide, 0, {2, 3, 0xfffffff9, 0, 1}) == Both{0, 1});
  CHECK(words(WordOp::kMultiplyWide, kNegatePredicate, {2, 3, 4, 0, 1}) == Both{10, 0});

  CHECK(word(WordOp::kMultiplyHigh, 0, {0x80000000, 4}) == 2);
  CHECK(word(WordOp::kMultiplyHigh, kSigned, {0x80000000, 4}) == 0xfffffffe);
  CHECK(word(WordOp::kMultiplyHigh, 0, {1, 1, 0xffffffff, 0}) == 1);

  // 0xfffffffe00000001 + 0x1ffffffff is 1 << 64
  CHECK(word(WordOp::kMultiplyWideCarry, 0, {0xffffffff, 0xffffffff, 0xffffffff, 1}) == 1);
  CHECK(word(WordOp::kMultiplyWideCarry, 0, {0xffffffff, 0xffffffff, 0xfffffffe, 1}) == 0);
  CHECK(word(WordOp::kMultiplyWideCarry, 0, {0xffffffff, 0xffffffff, 0xfffffffe, 1, 1}) == 1);
}

TEST_CASE("a shifted word is added") {
  constexpr uint64_t kBy1 = 1 << kAmountAt, kBy3 = 3 << kAmountAt;
  CHECK(words(WordOp::kShiftAdd, kBy3, {5, 2}) == Both{42, 0});
  CHECK(words(WordOp::kShiftAdd, kBy3, {5, 2, 0, 1}) == Both{43, 0});
  CHECK(words(WordOp::kShiftAdd, kBy1, {0xf0000000, 0x20000000}) == Both{0, 1});
  CHECK(words(WordOp::kShiftAdd, kBy3 | kNegate1, {5, 2}) == Both{38, 1});
  CHECK(words(WordOp::kShiftAdd, kBy3 | kNegate0, {5, 100}) == Both{60, 1});
  CHECK(words(WordOp::kShiftAdd, kBy3 | kComplement0, {5, 100}) == Both{59, 1});

  // {0x80000000, 1} << 1 is 0x300000000
  CHECK(words(WordOp::kShiftAddHigh, kBy1, {0x80000000, 4, 1}) == Both{7, 0});
  CHECK(words(WordOp::kShiftAddHigh, kBy1, {0x80000000, 4, 1, 1}) == Both{8, 0});
  CHECK(words(WordOp::kShiftAddHigh, kBy1 | kSigned, {0x80000000, 1}) == Both{0, 1});  // 0xffffffff + 1
  CHECK(words(WordOp::kShiftAddHigh, kNegate0, {1, 5, 0}) == Both{4, 1});
}

TEST_CASE("shifts of two words") {
  CHECK(word(WordOp::kShift, 0, {1, 4}) == 16);
  CHECK(word(WordOp::kShift, kHigh, {0x80000001, 1, 5}) == 11);
  CHECK(word(WordOp::kShift, kRight, {0x10, 4, 3}) == 0x30000001);
  CHECK(word(WordOp::kShift, kRight | kHigh | kSigned, {0, 4, 0x80000000}) == 0xf8000000);
  CHECK(word(WordOp::kShift, kRight | kHigh, {0, 4, 0x80000000}) == 0x08000000);
  // At most 32, or modulo it
  CHECK(word(WordOp::kShift, 0, {1, 40}) == 0);
  CHECK(word(WordOp::kShift, kRight, {5, 40, 7}) == 7);
  CHECK(word(WordOp::kShift, kWrap, {1, 33}) == 2);
  CHECK(word(WordOp::kShift, kRight | kWide, {0, 40, 0x700}) == 7);
  CHECK(word(WordOp::kShift, kRight | kWide, {0, 64, 0x700}) == 0);
  CHECK(word(WordOp::kShift, kRight | kWide | kWrap, {0x50, 68}) == 5);
  CHECK(word(WordOp::kShift, kRight | kWide | kSigned, {0, 100, 0x80000000}) == 0xffffffff);
}

TEST_CASE("predicates by tables") {
  // All of them; any of them
  constexpr uint64_t kTables = 0x80 << 16 | uint64_t{0xfe} << 24;
  CHECK(words(WordOp::kPredicates, kTables, {1, 1, 1}) == Both{1, 1});
  CHECK(words(WordOp::kPredicates, kTables, {1, 0, 1}) == Both{0, 1});
  CHECK(words(WordOp::kPredicates, kTables, {0, 0, 0}) == Both{0, 0});
  CHECK(words(WordOp::kPredicates, kTables | kComplement1, {1, 0, 1}) == Both{1, 1});
  // The first; the third
  CHECK(words(WordOp::kPredicates, 0xf0 << 16 | uint64_t{0xaa} << 24, {1, 0, 0}) == Both{1, 0});
  CHECK(words(WordOp::kPredicates, 0xf0 << 16 | uint64_t{0xaa} << 24, {0, 0, 1}) == Both{0, 1});
}

TEST_CASE("comparisons") {
  constexpr uint64_t kLess = 1 << kRelationAt, kEqual = 2 << kRelationAt, kGreater = 4 << kRelationAt;
  constexpr uint64_t kOr = 1 << kLogicAt, kXor = 2 << kLogicAt;
  CHECK(words(WordOp::kCompare, kLess, {3, 5, 1}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess, {5, 3, 1}) == Both{0, 1});
  CHECK(words(WordOp::kCompare, kLess, {3, 5, 0}) == Both{0, 0});
  CHECK(words(WordOp::kCompare, kLess | kNegatePredicate, {3, 5, 0}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess, {0xffffffff, 1, 1}) == Both{0, 1});
  CHECK(words(WordOp::kCompare, kLess | kSigned, {0xffffffff, 1, 1}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess | kEqual, {4, 4, 1}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess | kGreater, {4, 4, 1}) == Both{0, 1});
  CHECK(words(WordOp::kCompare, kLess | kOr, {5, 3, 1}) == Both{1, 1});
  CHECK(words(WordOp::kCompare, kLess | kXor, {3, 5, 1}) == Both{0, 1});
  // Upper words that are equal: what the lower ones said
  CHECK(words(WordOp::kCompare, kLess | kExtended, {4, 4, 1, 1}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess | kExtended, {4, 4, 1, 0}) == Both{0, 1});
  CHECK(words(WordOp::kCompare, kLess | kExtended, {3, 4, 1, 0}) == Both{1, 0});
  CHECK(words(WordOp::kCompare, kLess | kExtended | kNegatePredicate2, {4, 4, 1, 0}) == Both{1, 0});

  CHECK(word(WordOp::kSelect, 0, {10, 20, 1}) == 10);
  CHECK(word(WordOp::kSelect, 0, {10, 20, 0}) == 20);
  CHECK(word(WordOp::kSelect, kNegatePredicate, {10, 20, 0}) == 10);
}

TEST_CASE("the lesser and the greater") {
  CHECK(word(WordOp::kExtreme, kSigned, {3, 0xffffffff, 1}) == 0xffffffff);
  CHECK(word(WordOp::kExtreme, kSigned, {3, 0xffffffff, 0}) == 3);
  CHECK(word(WordOp::kExtreme, 0, {3, 0xffffffff, 1}) == 3);
  CHECK(word(WordOp::kExtreme, kNegatePredicate, {3, 0xffffffff, 1}) == 0xffffffff);
  CHECK(word(WordOp::kExtreme, kSigned | kRelu, {0xfffffffb, 3, 1}) == 0);
  // Of (1, -1) and (2, 0)
  CHECK(word(WordOp::kExtreme, kPairs | kSigned, {0x0001ffff, 0x00020000, 1}) == 0x0001ffff);
  CHECK(word(WordOp::kExtreme, kPairs | kSigned, {0x0001ffff, 0x00020000, 0}) == 0x00020000);
  CHECK(word(WordOp::kExtreme, kPairs, {0x0001ffff, 0x00020000, 1}) == 0x00010000);

  CHECK(word(WordOp::kExtreme3, 0, {5, 9, 7, 1}) == 5);
  CHECK(word(WordOp::kExtreme3, 0, {5, 9, 7, 0}) == 9);
  CHECK(word(WordOp::kExtreme3, 0, {5, 7, 9, 0}) == 9);
  CHECK(word(WordOp::kExtreme3, kSum, {5, 9, 20, 1}) == 14);
  CHECK(word(WordOp::kExtreme3, kSum, {5, 9, 20, 0}) == 20);
  CHECK(word(WordOp::kExtreme3, kSum | kPairs, {0x00010002, 0x00030004, 0x00050001, 0}) == 0x00050006);
  CHECK(word(WordOp::kExtreme3, kSum | kPairs, {0x0000ffff, 0x00000001, 0, 0}) == 0);
  // (5 + 3, 2 + 4); the upper sum without what is carried out of either
  CHECK(word(WordOp::kExtreme3, kSum | kPairs, {0x00050002, 0x00030004, 0x00010001, 0}) == 0x00080006);
  CHECK(word(WordOp::kExtreme3, kSum | kPairs, {0xffff0001, 0x00020002, 0, 0}) == 0x00010003);
  CHECK(word(WordOp::kExtreme3, kSigned | kNegate2, {5, 9, 0xffffffec, 0}) == 20);
  // 0 takes the place of the result only: the greater of min(-5, 3) and 1 would otherwise be 1
  CHECK(word(WordOp::kExtreme3, kSigned | kRelu, {0xfffffffb, 3, 1, 1}) == 0);

  CHECK(word(WordOp::kAbsolute, 0, {0xfffffffb}) == 5);
  CHECK(word(WordOp::kAbsolute, 0, {5}) == 5);
  CHECK(word(WordOp::kAbsolute, 0, {0x80000000}) == 0x80000000);
}

TEST_CASE("bits are extended and masked") {
  CHECK(word(WordOp::kExtend, kSigned, {0x80, 8}) == 0xffffff80);
  CHECK(word(WordOp::kExtend, 0, {0x180, 8}) == 0x80);
  CHECK(word(WordOp::kExtend, 0, {0x180, 0}) == 0);
  CHECK(word(WordOp::kExtend, kSigned, {0x80000001, 32}) == 0x80000001);
  CHECK(word(WordOp::kExtend, 0, {0x180, 40}) == 0x180);
  CHECK(word(WordOp::kExtend, kWrap, {0x180, 40}) == 0x80);

  CHECK(word(WordOp::kMask, 0, {4, 3}) == 0x70);
  CHECK(word(WordOp::kMask, 0, {30, 5}) == 0xc0000000);
  CHECK(word(WordOp::kMask, 0, {0, 40}) == 0xffffffff);
  CHECK(word(WordOp::kMask, 0, {36, 3}) == 0);
  CHECK(word(WordOp::kMask, kWrap, {36, 35}) == 0x70);
}

TEST_CASE("three words bit by bit") {
  CHECK(calculated(logic_fn(0xc0), 0, {0xff00ff00, 0xf0f0f0f0, 0}).first == 0xf000f000);
  CHECK(calculated(logic_fn(0xea), 0, {0xff00ff00, 0xf0f0f0f0, 0xf}).first == 0xf000f00f);
  CHECK(calculated(logic_fn(0x96), 0, {0xf, 0xff, 0xffffffff}).first == 0xffffff0f);
  CHECK(calculated(logic_fn(0x0f), 0, {0xff, 0, 0}).first == 0xffffff00);  // complement of the first
  // Whether any bit is left, or s3
  CHECK(calculated(logic_fn(0xc0), 0, {1, 1, 0, 0}).second == 1);
  CHECK(calculated(logic_fn(0xc0), 0, {1, 2, 0, 0}).second == 0);
  CHECK(calculated(logic_fn(0xc0), 0, {1, 2, 0, 1}).second == 1);
  CHECK(calculated(logic_fn(0xc0), kNegatePredicate, {1, 2, 0, 1}).second == 0);
}

TEST_CASE("addresses of two words and what is added, and whether they are in a range") {
  CHECK(word(WordOp::kAddress, 8, {0x10, 2, 0x100}) == 0x200000118);
  CHECK(word(WordOp::kAddress, 0, {0xfffffff8, 1, 0x10}) == 0x200000008);
  CHECK(word(WordOp::kAddress, uint64_t{0} - 8, {0, 1, 0}) == 0xfffffff8);
  CHECK(word(WordOp::kAddressIndex, 0x10, {0x1f0}) == 0x20);
  CHECK(word(WordOp::kInside, 0, {8, 8, 3}) == 1);
  CHECK(word(WordOp::kInside, 0, {10, 8, 3}) == 1);
  CHECK(word(WordOp::kInside, 0, {11, 8, 3}) == 0);
  CHECK(word(WordOp::kInside, 0, {7, 8, 3}) == 0);
  CHECK(word(WordOp::kNotEqual, 5, {5}) == 0);
  CHECK(word(WordOp::kNotEqual, 5, {6}) == 1);
}

TEST_CASE("what a warp has in common") {
  Register s, d;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    s[lane] = lane >= 4 ? 1 : 0;
  }
  Arguments a;
  a.d[0] = &d;
  a.s[0] = &s;
  const auto all_lanes = [&](WordOp op, uint64_t control, uint32_t mask) {
    a.control = control;
    d.fill(77);
    word_fn(op)(a, mask);
    CHECK(d == [&] {
      Register same;
      same.fill(d[0]);
      return same;
    }());
    return d[0];
  };
  constexpr uint64_t kAny = 1 << kAmountAt, kAlike = 2 << kAmountAt;
  CHECK(all_lanes(WordOp::kBallot, 0, 0xff) == 0xf0);
  CHECK(all_lanes(WordOp::kBallot, kNegatePredicate, 0xff) == 0x0f);
  CHECK(all_lanes(WordOp::kVote, 0, 0xff) == 0);
  CHECK(all_lanes(WordOp::kVote, 0, 0xf0) == 1);
  CHECK(all_lanes(WordOp::kVote, kAny, 0xff) == 1);
  CHECK(all_lanes(WordOp::kVote, kAny, 0x0f) == 0);
  CHECK(all_lanes(WordOp::kVote, kAlike, 0xff) == 0);
  CHECK(all_lanes(WordOp::kVote, kAlike, 0x0f) == 1);
  CHECK(all_lanes(WordOp::kVote, kAlike, 0xf0) == 1);
  // What else the register was used for in lanes that take no part says nothing.
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    s[lane] = lane >= 16 ? lane % 2 : ~uint64_t{0} - lane;
  }
  CHECK(all_lanes(WordOp::kBallot, 0, 0xffff0000) == 0xaaaa0000);
  CHECK(all_lanes(WordOp::kBallot, kNegatePredicate, 0xffff0000) == 0x55550000);
  CHECK(all_lanes(WordOp::kVote, kAny, 0x55550000) == 0);
  CHECK(all_lanes(WordOp::kVote, 0, 0xaaaa0000) == 1);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    s[lane] = 100 + lane;
  }
  CHECK(all_lanes(WordOp::kBroadcast, 0, 0xfffffff0) == 104);
}

TEST_CASE("predicates to and from a register") {
  // P0, P2, P3 and P6: 0x4d
  Register p[7], x, d;
  for (uint32_t i = 0; i < 7; ++i) {
    p[i].fill(0x4d >> i & 1);
  }
  x.fill(0xffffffff);
  Arguments a;
  a.d[0] = &d;
  a.s[0] = p;
  a.s[1] = &x;
  a.control = 0x7f << kAmountAt;
  word_fn(WordOp::kGather)(a, ~0U);
  CHECK(d[9] == 0xffffffcd);
  a.control = 0x0f << kAmountAt | 8;
  word_fn(WordOp::kGather)(a, ~0U);
  CHECK(d[9] == 0xfffffdff);

  Register which;
  x.fill(0x3200);
  which.fill(0x0f);
  a = {};
  a.d[0] = p;
  a.s[0] = &x;
  a.s[1] = &which;
  a.control = 8;
  word_fn(WordOp::kScatter)(a, 1U << 9);
  // 0x2 in the lower four, of the others 0x40; a lane beside it is as before
  for (uint32_t i = 0; i < 7; ++i) {
    CHECK(p[i][9] == (0x42U >> i & 1));
    CHECK(p[i][10] == (0x4dU >> i & 1));
  }

  // From every bit on, and back there.
  for (uint32_t first = 0; first <= 32 - 7; ++first) {
    a = {};
    a.d[0] = p;
    a.s[0] = &x;
    a.s[1] = &which;
    x.fill(uint64_t{0x4d} << first);
    which.fill(0x7f);
    a.control = first;
    word_fn(WordOp::kScatter)(a, ~0U);
    for (uint32_t i = 0; i < 7; ++i) {
      CHECK(p[i][9] == (0x4dU >> i & 1));
    }
    a.d[0] = &d;
    a.s[0] = p;
    a.s[1] = &x;
    x.fill(0);
    a.control = 0x7f << kAmountAt | first;
    word_fn(WordOp::kGather)(a, ~0U);
    CHECK(d[9] == 0x4dU << first);
  }
}

}  // namespace heddle::exec::test
