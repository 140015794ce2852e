#include "sim/exec/arith/machine_words.h"

#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63, kInfinite = uint64_t{0x7ff} << 52;

bool is_nan(uint64_t x) { return (x & ~kSign) > kInfinite; }
// The numbers in order as whole numbers.
uint64_t rank(uint64_t x) { return (x & kSign) != 0 ? ~x : x | kSign; }

template <bool kSigned>
struct Difference {
  static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    const bool less = kSigned ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
    return (less ? y - x : x - y) + z;
  }
};

template <bool kSigned>
struct ByteDifferences {
  static uint32_t of(uint32_t x, uint32_t y) {
    uint32_t out = 0;
    for (unsigned i = 0; i < 32; i += 8) {
      const uint32_t u = x >> i & 255, v = y >> i & 255;
      const int a = kSigned ? static_cast<int8_t>(u) : static_cast<int>(u);
      const int b = kSigned ? static_cast<int8_t>(v) : static_cast<int>(v);
      out |= static_cast<uint32_t>(a > b ? a - b : b - a) << i;
    }
    return out;
  }
};

template <bool kSigned>
struct ByteDifferenceSum {
  static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t each = ByteDifferences<kSigned>::of(x, y);
    return (each & 255) + (each >> 8 & 255) + (each >> 16 & 255) + (each >> 24) + z;
  }
};

template <bool kLeast>
void double_extreme(const Arguments& a, uint32_t mask) {
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  const uint64_t* const p = a.s[2]->data();
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t u = x[l], v = y[l], holds = p[l];
    const bool first = is_nan(u) ? false : is_nan(v) || (rank(u) < rank(v)) == kLeast;
    d[l] = first ? holds : 0;
    e[l] = is_nan(u) && is_nan(v) ? holds : 0;
  });
}

void double_sign(const Arguments& a, uint32_t mask) {
  const uint64_t* const x = a.s[0]->data();
  const uint64_t keep = (a.control & kAbsolute) != 0 ? ~kSign : ~uint64_t{0};
  const uint64_t change = (a.control & kNegative) != 0 ? kSign : 0;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = is_nan(x[l]) ? x[l] : (x[l] & keep) ^ change; });
}

}  // namespace

WarpFn difference_fn(bool is_signed) {
  return is_signed ? map<Difference<true>, uint32_t, uint32_t, uint32_t>
                   : map<Difference<false>, uint32_t, uint32_t, uint32_t>;
}
WarpFn byte_differences_fn(bool is_signed) {
  return is_signed ? map<ByteDifferences<true>, uint32_t, uint32_t>
                   : map<ByteDifferences<false>, uint32_t, uint32_t>;
}
WarpFn byte_difference_sum_fn(bool is_signed) {
  return is_signed ? map<ByteDifferenceSum<true>, uint32_t, uint32_t, uint32_t>
                   : map<ByteDifferenceSum<false>, uint32_t, uint32_t, uint32_t>;
}
WarpFn double_extreme_fn(bool least) { return least ? double_extreme<true> : double_extreme<false>; }
WarpFn double_sign_fn() { return double_sign; }

}  // namespace heddle::exec::arith
