#include "sim/exec/arith/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

constexpr uint64_t kLow = 0xffffffff;
const Register kZeros{};

const uint64_t* source(const Register* r) { return r != nullptr ? r->data() : kZeros.data(); }

// What is added for a source that is negated or complemented: 0 or ~0 to be exclusive-ored, and 1 for the
// former.
struct Sign {
  uint64_t flip, one;
};
Sign sign(uint64_t control, unsigned i) {
  const bool negate = (control >> i & 1) != 0, complement = (control >> (3 + i) & 1) != 0;
  return {negate || complement ? kLow : 0, negate ? uint64_t{1} : 0};
}
uint64_t flip(uint64_t control, uint64_t bit) { return (control & bit) != 0 ? 1 : 0; }

void modify(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t keep = a.control & kLow, change = a.control >> 32;
  over_lanes(mask, [=](uint32_t l) { d[l] = (x[l] & keep) ^ change; });
}

void copy(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = x[l]; });
  if (a.d[1] != nullptr) {
    uint64_t* const e = a.d[1]->data();
    over_lanes(mask, [=](uint32_t l) { e[l] = 0; });
  }
}

void fill(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t value = a.control;
  over_lanes(mask, [=](uint32_t l) { d[l] = value; });
}

void add3(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]), *p = source(a.s[3]),
                 *q = source(a.s[4]);
  const Sign u = sign(a.control, 0), v = sign(a.control, 1), w = sign(a.control, 2);
  const uint64_t ones = u.one + v.one + w.one, np = flip(a.control, kNegatePredicate),
                 nq = flip(a.control, kNegatePredicate2), most = flip(a.control, kSecondCarry);
  uint64_t* const d = a.d[0]->data();
  if (a.d[1] == nullptr) {
    over_lanes(mask, [=](uint32_t l) {
      d[l] = ((x[l] ^ u.flip) + (y[l] ^ v.flip) + (z[l] ^ w.flip) + ones + (p[l] ^ np) + (q[l] ^ nq)) & kLow;
    });
    return;
  }
  uint64_t* const e = a.d[1]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t sum =
        (x[l] ^ u.flip) + (y[l] ^ v.flip) + (z[l] ^ w.flip) + ones + (p[l] ^ np) + (q[l] ^ nq);
    d[l] = sum & kLow;
    e[l] = sum >> 32 > most ? 1 : 0;
  });
}

void multiply(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]), *p = source(a.s[3]);
  const Sign v = sign(a.control, 1), w = sign(a.control, 2);
  const uint64_t np = flip(a.control, kNegatePredicate);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    d[l] = (static_cast<uint32_t>(x[l]) * uint64_t{static_cast<uint32_t>((y[l] ^ v.flip) + v.one)} +
            (z[l] ^ w.flip) + w.one + (p[l] ^ np)) &
           kLow;
  });
}

__extension__ using Wide = unsigned __int128;

// s0 * s1 + {s3, s2} + carry, all of it.
template <class F>
void wide_product(const Arguments& a, uint32_t mask, F use) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *lo = source(a.s[2]), *hi = source(a.s[3]),
                 *p = source(a.s[4]);
  const bool is_signed = (a.control & kSigned) != 0;
  const Sign v = sign(a.control, 1), w = sign(a.control, 2);
  const uint64_t np = flip(a.control, kNegatePredicate);
  const uint64_t both = w.flip | w.flip << 32;
  const uint64_t* const carry = a.s[4] != nullptr ? p : nullptr;
  over_lanes(mask, [=](uint32_t l) {
    const auto second = static_cast<uint32_t>((y[l] ^ v.flip) + v.one);
    const uint64_t product =
        is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(x[l])} * static_cast<int32_t>(second))
                  : x[l] * uint64_t{second};
    const uint64_t added = (lo[l] | hi[l] << 32) ^ both;
    const uint64_t ones = w.one + (carry != nullptr ? carry[l] ^ np : 0);
    use(l, product, added, ones);
  });
}
void multiply_wide(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1]->data();
  wide_product(a, mask, [=](uint32_t l, uint64_t product, uint64_t added, uint64_t ones) {
    const uint64_t sum = product + added + ones;
    d[l] = sum & kLow;
    e[l] = sum >> 32;
  });
}
void multiply_high(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  wide_product(a, mask, [=](uint32_t l, uint64_t product, uint64_t added, uint64_t ones) {
    d[l] = (product + added + ones) >> 32;
  });
}
void multiply_wide_carry(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  wide_product(a, mask, [=](uint32_t l, uint64_t product, uint64_t added, uint64_t ones) {
    d[l] = static_cast<uint64_t>((Wide{product} + added + ones) >> 64) & 1;
  });
}

void shift_add(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *p = source(a.s[3]);
  const unsigned n = a.control >> kAmountAt & 31;
  const Sign u = sign(a.control, 0);
  const Sign v = sign(a.control, 1);
  const uint64_t ones = u.one + v.one, np = flip(a.control, kNegatePredicate);
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1] != nullptr ? a.d[1]->data() : nullptr;
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t sum = ((x[l] << n & kLow) ^ u.flip) + (y[l] ^ v.flip) + ones + (p[l] ^ np);
    if (e != nullptr) {
      e[l] = sum >> 32 != 0 ? 1 : 0;
    }
    d[l] = sum & kLow;
  });
}

void shift_add_high(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]), *p = source(a.s[3]);
  const unsigned n = a.control >> kAmountAt & 31;
  const bool extends = (a.control & kSigned) != 0;
  const Sign u = sign(a.control, 0);
  const Sign v = sign(a.control, 1);
  const uint64_t ones = v.one, np = flip(a.control, kNegatePredicate);
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1] != nullptr ? a.d[1]->data() : nullptr;
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t high =
        extends ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(x[l])} >> 32) & kLow : z[l];
    uint64_t both = (x[l] | high << 32) << n;
    both = u.one != 0 ? 0 - both : u.flip != 0 ? ~both : both;
    const uint64_t sum = (both >> 32) + (y[l] ^ v.flip) + ones + (p[l] ^ np);
    if (e != nullptr) {
      e[l] = sum >> 32 != 0 ? 1 : 0;
    }
    d[l] = sum & kLow;
  });
}

void shift(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *s = source(a.s[1]), *z = source(a.s[2]);
  const uint64_t c = a.control;
  const bool right = (c & kRight) != 0, high = (c & kHigh) != 0, is_signed = (c & kSigned) != 0,
             wraps = (c & kWrap) != 0;
  const uint64_t most = (c & kWide) != 0 ? 64 : 32;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t value = x[l] | z[l] << 32;
    const uint64_t n = wraps ? s[l] & (most - 1) : std::min(s[l], most);
    uint64_t r = 0;
    if (!right) {
      r = n > 63 ? 0 : value << n;
    } else if (is_signed) {
      r = static_cast<uint64_t>(static_cast<int64_t>(value) >> std::min<uint64_t>(n, 63));
    } else {
      r = n > 63 ? 0 : value >> n;
    }
    d[l] = high ? r >> 32 : r & kLow;
  });
}

void predicates(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]);
  const uint64_t first = a.control >> 16 & 255, second = a.control >> 24 & 255;
  const uint64_t change =
      flip(a.control, kComplement0) << 2 | flip(a.control, kComplement1) << 1 | flip(a.control, kComplement2);
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t index = (x[l] << 2 | y[l] << 1 | z[l]) ^ change;
    d[l] = first >> index & 1;
    e[l] = second >> index & 1;
  });
}

uint64_t logic(uint64_t how, uint64_t x, uint64_t p) { return how == 0 ? x & p : how == 1 ? x | p : x ^ p; }

void compare(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *p = source(a.s[2]), *low = source(a.s[3]);
  const uint64_t c = a.control;
  const uint64_t bias = (c & kSigned) != 0 ? 0x80000000 : 0, relations = c >> kRelationAt & 7,
                 how = c >> kLogicAt & 3, np = flip(c, kNegatePredicate), nl = flip(c, kNegatePredicate2);
  const uint64_t less = relations & 1, equal = relations >> 1 & 1, greater = relations >> 2;
  const bool extended = (c & kExtended) != 0;
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t u = x[l] ^ bias, v = y[l] ^ bias;
    // Of the upper words: where these are equal, the lower ones decide.
    const uint64_t same = extended ? low[l] ^ nl : equal;
    const uint64_t is = u < v ? less : u > v ? greater : same;
    const uint64_t with = p[l] ^ np;
    d[l] = logic(how, is, with);
    e[l] = logic(how, is ^ 1, with);
  });
}

void select(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *p = source(a.s[2]);
  const uint64_t np = flip(a.control, kNegatePredicate);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = (p[l] ^ np) != 0 ? x[l] : y[l]; });
}

// The lesser or greater of two words, or of their halves.
uint64_t extreme_word(uint64_t x, uint64_t y, bool least, uint64_t bias, bool relu) {
  const bool first = ((x ^ bias) < (y ^ bias)) == least;
  const uint64_t r = first ? x : y;
  return relu && (r & bias) != 0 ? 0 : r;
}
uint64_t extreme_of(uint64_t x, uint64_t y, bool least, uint64_t c) {
  const bool is_signed = (c & kSigned) != 0, relu = (c & kRelu) != 0;
  if ((c & kPairs) == 0) {
    return extreme_word(x, y, least, is_signed ? 0x80000000 : 0, relu);
  }
  const uint64_t bias = is_signed ? 0x8000 : 0;
  return extreme_word(x & 0xffff, y & 0xffff, least, bias, relu) |
         extreme_word(x >> 16, y >> 16, least, bias, relu) << 16;
}
void extreme(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *p = source(a.s[2]);
  const uint64_t c = a.control, np = flip(c, kNegatePredicate);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = extreme_of(x[l], y[l], (p[l] ^ np) != 0, c); });
}
uint64_t sum_of(uint64_t x, uint64_t y, bool pairs) {
  return pairs ? ((x + y) & 0xffff) | (((x >> 16) + (y >> 16)) & 0xffff) << 16 : (x + y) & kLow;
}
void extreme3(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]), *p = source(a.s[3]);
  const uint64_t c = a.control, np = flip(c, kNegatePredicate);
  const Sign v = sign(c, 1), w = sign(c, 2);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    const bool least = (p[l] ^ np) != 0;
    const uint64_t second = ((y[l] ^ v.flip) + v.one) & kLow, third = ((z[l] ^ w.flip) + w.one) & kLow;
    const uint64_t first = (c & kSum) != 0 ? sum_of(x[l], second, (c & kPairs) != 0)
                                           : extreme_of(x[l], second, least, c & ~kRelu);
    d[l] = extreme_of(first, third, least, c);
  });
}

void absolute(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    const auto v = static_cast<uint32_t>(x[l]);
    d[l] = static_cast<int32_t>(v) < 0 ? 0U - v : v;
  });
}

void extend(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *s = source(a.s[1]);
  const bool is_signed = (a.control & kSigned) != 0, wraps = (a.control & kWrap) != 0;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t n = wraps ? s[l] & 31 : std::min<uint64_t>(s[l], 32);
    const unsigned up = 64 - static_cast<unsigned>(n);
    d[l] = n == 0      ? 0
           : is_signed ? static_cast<uint64_t>(static_cast<int64_t>(x[l] << up) >> up) & kLow
                       : x[l] << up >> up;
  });
}

void mask_of(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *s = source(a.s[1]);
  const bool wraps = (a.control & kWrap) != 0;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t at = wraps ? x[l] & 31 : std::min<uint64_t>(x[l], 32);
    const uint64_t n = wraps ? s[l] & 31 : std::min<uint64_t>(s[l], 32);
    d[l] = ((uint64_t{1} << n) - 1) << at & kLow;
  });
}

void join(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = x[l] | y[l] << 32; });
}
void split(const Arguments& a, uint32_t mask) {
  const uint64_t* x = source(a.s[0]);
  uint64_t* const d = a.d[0]->data();
  uint64_t* const e = a.d[1]->data();
  over_lanes(mask, [=](uint32_t l) {
    const uint64_t both = x[l];
    d[l] = both & kLow;
    e[l] = both >> 32;
  });
}

void broadcast(const Arguments& a, uint32_t mask) {
  a.d[0]->fill((*a.s[0])[static_cast<uint32_t>(std::countr_zero(mask))]);
}
// Only lanes of the mask have 0 or 1 there: whatever else the register was used for is in the others.
uint64_t ballot_of(const Register* r, uint32_t mask, uint64_t negated) {
  uint64_t out = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    out |= ((source(r)[l] ^ negated) & 1) << l;
  }
  return out & mask;
}
void ballot(const Arguments& a, uint32_t mask) {
  a.d[0]->fill(ballot_of(a.s[0], mask, flip(a.control, kNegatePredicate)));
}
void vote(const Arguments& a, uint32_t mask) {
  const uint64_t lanes = ballot_of(a.s[0], mask, flip(a.control, kNegatePredicate));
  const uint64_t how = a.control >> kAmountAt;
  const bool all = lanes == mask;
  a.d[0]->fill((how == 0 ? all : how == 1 ? lanes != 0 : all || lanes == 0) ? 1 : 0);
}

void halves(const Arguments& a, uint32_t mask) {
  const uint64_t* x = source(a.s[0]);
  const unsigned from = a.control == 3 ? 16 : 0;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = (x[l] >> from & 0xffff) * 0x10001; });
}

void gather(const Arguments& a, uint32_t mask) {
  const Register* const p = a.s[0];
  const uint64_t bits = a.control >> kAmountAt;
  const unsigned first = a.control & 31;
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const others = source(a.s[1]);
  over_lanes(mask, [=](uint32_t l) {
    uint64_t all = 0;
    for (unsigned i = 0; i < kGathered; ++i) {
      all |= p[i][l] << i;
    }
    const uint64_t wanted = bits << first;
    d[l] = ((others[l] & ~wanted) | (all << first & wanted)) & kLow;
  });
}
void scatter(const Arguments& a, uint32_t mask) {
  Register* const p = a.d[0];
  const uint64_t *x = source(a.s[0]), *which = source(a.s[1]);
  const unsigned first = a.control & 31;
  over_lanes(mask, [=](uint32_t l) {
    for (unsigned i = 0; i < kGathered; ++i) {
      if ((which[l] >> i & 1) != 0) {
        p[i][l] = x[l] >> (first + i) & 1;
      }
    }
  });
}

void not_equal(const Arguments& a, uint32_t mask) {
  const uint64_t* x = source(a.s[0]);
  const uint64_t value = a.control;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = x[l] != value ? 1 : 0; });
}

void address_index(const Arguments& a, uint32_t mask) {
  const uint64_t* x = source(a.s[0]);
  const uint64_t base = a.control;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = (x[l] + base) / 16; });
}

void address(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]);
  const uint64_t offset = a.control;
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = (x[l] | y[l] << 32) + z[l] + offset; });
}
void inside(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = x[l] - y[l] < z[l] ? 1 : 0; });
}

template <unsigned kTable>
uint64_t looked_up(uint64_t x, uint64_t y, uint64_t z) {
  uint64_t r = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((kTable >> i & 1) != 0) {
      r |= ((i & 4) != 0 ? x : ~x) & ((i & 2) != 0 ? y : ~y) & ((i & 1) != 0 ? z : ~z);
    }
  }
  return r & kLow;
}
template <unsigned kTable>
void bitwise(const Arguments& a, uint32_t mask) {
  const uint64_t *x = source(a.s[0]), *y = source(a.s[1]), *z = source(a.s[2]);
  uint64_t* const d = a.d[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = looked_up<kTable>(x[l], y[l], z[l]); });
  if (a.d[1] != nullptr) {
    const uint64_t* p = source(a.s[3]);
    const uint64_t np = flip(a.control, kNegatePredicate);
    uint64_t* const e = a.d[1]->data();
    if ((a.control & kBoth) != 0) {
      over_lanes(mask, [=](uint32_t l) { e[l] = (d[l] != 0 ? 1 : 0) & (p[l] ^ np); });
      return;
    }
    over_lanes(mask, [=](uint32_t l) { e[l] = (d[l] != 0 ? 1 : 0) | (p[l] ^ np); });
  }
}
template <size_t... kTables>
constexpr std::array<WarpFn, 256> all_tables(std::index_sequence<kTables...> /*all*/) {
  return {bitwise<kTables>...};
}

}  // namespace

WarpFn logic_fn(uint8_t table) {
  static constexpr std::array<WarpFn, 256> kFns = all_tables(std::make_index_sequence<256>());
  return kFns[table];
}

WarpFn word_fn(WordOp op) {
  switch (op) {
    case WordOp::kModify:
      return modify;
    case WordOp::kCopy:
      return copy;
    case WordOp::kFill:
      return fill;
    case WordOp::kAdd3:
      return add3;
    case WordOp::kMultiply:
      return multiply;
    case WordOp::kMultiplyWide:
      return multiply_wide;
    case WordOp::kMultiplyHigh:
      return multiply_high;
    case WordOp::kMultiplyWideCarry:
      return multiply_wide_carry;
    case WordOp::kShiftAdd:
      return shift_add;
    case WordOp::kShiftAddHigh:
      return shift_add_high;
    case WordOp::kShift:
      return shift;
    case WordOp::kPredicates:
      return predicates;
    case WordOp::kCompare:
      return compare;
    case WordOp::kSelect:
      return select;
    case WordOp::kExtreme:
      return extreme;
    case WordOp::kExtreme3:
      return extreme3;
    case WordOp::kAbsolute:
      return absolute;
    case WordOp::kExtend:
      return extend;
    case WordOp::kMask:
      return mask_of;
    case WordOp::kJoin:
      return join;
    case WordOp::kSplit:
      return split;
    case WordOp::kBroadcast:
      return broadcast;
    case WordOp::kBallot:
      return ballot;
    case WordOp::kVote:
      return vote;
    case WordOp::kHalves:
      return halves;
    case WordOp::kGather:
      return gather;
    case WordOp::kScatter:
      return scatter;
    case WordOp::kAddressIndex:
      return address_index;
    case WordOp::kAddress:
      return address;
    case WordOp::kInside:
      return inside;
    case WordOp::kNotEqual:
      return not_equal;
  }
  return nullptr;
}

}  // namespace heddle::exec::arith
