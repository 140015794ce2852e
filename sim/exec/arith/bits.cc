#include "sim/exec/arith/bits.h"

#include <algorithm>

#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

constexpr uint32_t kNotFound = 0xffffffff;

template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

// clang-format off
struct And { template <class T> static T of(T a, T b) { return a & b; } };
struct Or  { template <class T> static T of(T a, T b) { return a | b; } };
struct Xor { template <class T> static T of(T a, T b) { return a ^ b; } };
struct Not { template <class T> static T of(T a) { return static_cast<T>(~a); } };
struct Cnot { template <class T> static T of(T a) { return a == 0 ? 1 : 0; } };
struct NotPred { static bool of(bool a) { return !a; } };
struct Copy { static uint64_t of(uint64_t a) { return a; } };
struct Select { static uint64_t of(uint64_t a, uint64_t b, uint64_t p) { return p != 0 ? a : b; } };
struct SlctS32 { static uint64_t of(uint64_t a, uint64_t b, int32_t c) { return c >= 0 ? a : b; } };
struct SlctF32 { static uint64_t of(uint64_t a, uint64_t b, float c) { return c >= 0 ? a : b; } };
struct SlctFlushed { static uint64_t of(uint64_t a, uint64_t b, float c) { return c > -0x1p-126F ? a : b; } };
struct Popc { template <class T> static uint32_t of(T a) { return static_cast<uint32_t>(std::popcount(a)); } };
struct Clz { template <class T> static uint32_t of(T a) { return static_cast<uint32_t>(std::countl_zero(a)); } };
// clang-format on

// Counts of the width and more shift everything out.
struct Shl {
  template <class T>
  static T of(T a, uint32_t n) {
    return n >= kBits<T> ? T{0} : static_cast<T>(a << n);
  }
};
struct Shr {
  template <class T>
  static T of(T a, uint32_t n) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> std::min(n, kBits<T> - 1));
    } else {
      return n >= kBits<T> ? T{0} : static_cast<T>(a >> n);
    }
  }
};

template <bool kShiftAmount>
struct Bfind {
  template <class T>
  static uint32_t of(T a) {
    const auto x = static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a);
    const auto above = static_cast<uint32_t>(std::countl_zero(x));
    return x == 0 ? kNotFound : kShiftAmount ? above : kBits<T> - 1 - above;
  }
};

struct Brev {
  template <class T>
  static T of(T a) {
    uint64_t x = a;
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return static_cast<T>(__builtin_bswap64(x) >> (64 - kBits<T>));
  }
};

// n ones from the lowest bit on; n up to 64.
uint64_t ones(uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Position and length are 8 bits each for 32 bits, and whole numbers for 64; what lies beyond the top is the
// sign, or 0.
template <class T>
uint32_t count_of(uint32_t x) {
  return kBits<T> == 32 ? x & 0xff : std::min<uint32_t>(x, 0xff);
}

struct Bfe {
  template <class T>
  static T of(T a, uint32_t position, uint32_t length) {
    position = count_of<T>(position);
    length = count_of<T>(length);
    if (length == 0) {
      return 0;
    }
    T field = Shr::of(a, position);
    if (length >= kBits<T> || (std::is_signed_v<T> && position + length > kBits<T> - 1)) {
      return field;
    }
    field = static_cast<T>(static_cast<uint64_t>(field) & ones(length));
    if (std::is_signed_v<T> && (static_cast<uint64_t>(field) >> (length - 1) & 1) != 0) {
      field = static_cast<T>(static_cast<uint64_t>(field) | ~ones(length));
    }
    return field;
  }
};
struct Bfi {
  template <class T>
  static T of(T a, T b, uint32_t position, uint32_t length) {
    position = count_of<T>(position);
    const uint64_t mask = position >= 64 ? 0 : ones(count_of<T>(length)) << position;
    const uint64_t field = position >= 64 ? 0 : static_cast<uint64_t>(a) << position;
    return static_cast<T>((static_cast<uint64_t>(b) & ~mask) | (field & mask));
  }
};

// The n-th one of the mask, from `base` on, downwards when n is negative.
struct Fns {
  static uint32_t of(uint32_t mask, uint32_t base, int32_t n) {
    const int step = n < 0 ? -1 : 1;
    int64_t left = n == 0 ? 0 : (n < 0 ? -int64_t{n} : int64_t{n}) - 1;
    for (int64_t at = base; at >= 0 && at < 32; at += step) {
      if ((mask >> at & 1) != 0) {
        if (left == 0) {
          return static_cast<uint32_t>(at);
        }
        --left;
      }
      if (n == 0) {
        break;
      }
    }
    return kNotFound;
  }
};

// The low bits of a, as many as n says, extended.
template <bool kClamp>
struct Szext {
  template <class T>
  static uint32_t of(T a, uint32_t n) {
    if (kClamp && n >= 32) {
      return static_cast<uint32_t>(a);
    }
    n &= 31;
    const auto x = static_cast<uint32_t>(a) & static_cast<uint32_t>(ones(n));
    const bool sign = std::is_signed_v<T> && n != 0 && (x >> (n - 1) & 1) != 0;
    return sign ? x | ~static_cast<uint32_t>(ones(n)) : x;
  }
};
// Ones from bit a on, b of them.
template <bool kClamp>
struct Bmsk {
  static uint32_t of(uint32_t a, uint32_t b) {
    const uint32_t from = a & 31, count = b & 31;
    if (kClamp && a >= 32) {
      return 0;
    }
    const uint32_t to = kClamp && b >= 32 ? 32 : std::min(32U, from + count);
    return static_cast<uint32_t>(ones(to) & ~ones(from));
  }
};

template <bool kLeft, bool kClamp>
struct Shf {
  static uint32_t of(uint32_t low, uint32_t high, uint32_t n) {
    n = kClamp ? std::min(n, 32U) : n & 31;
    const uint64_t both = uint64_t{high} << 32 | low;
    return static_cast<uint32_t>(kLeft ? both << n >> 32 : both >> n);
  }
};

uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t out = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) != 0) {
      out |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    }
  }
  return out;
}
struct Lop3 {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c, uint32_t table) { return lop3(a, b, c, table); }
};
// d0 as lop3, d1 whether it is not 0, combined with the predicate s4.
template <bool kAnd>
void lop3_predicate(const Arguments& a, uint32_t mask) {
  over_lanes(mask, [&](uint32_t l) {
    const auto x = lop3(get<uint32_t>((*a.s[0])[l]), get<uint32_t>((*a.s[1])[l]), get<uint32_t>((*a.s[2])[l]),
                        get<uint32_t>((*a.s[3])[l]));
    const uint64_t p = (*a.s[4])[l];
    if (a.d[0] != nullptr) {
      (*a.d[0])[l] = x;
    }
    if (a.d[1] != nullptr) {
      (*a.d[1])[l] = kAnd ? (x != 0 ? p : 0) : (x != 0 ? 1 : p);
    }
  });
}

// Byte i of {b, a} to place i, by four selectors of 4 bits; the top bit of one: its sign in all bits.
uint32_t permute(uint64_t from, uint32_t selectors) {
  uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t s = selectors >> 4 * i & 15;
    uint32_t byte = static_cast<uint32_t>(from >> 8 * (s & 7)) & 0xff;
    if ((s & 8) != 0) {
      byte = (byte & 0x80) != 0 ? 0xff : 0;
    }
    out |= byte << 8 * i;
  }
  return out;
}
// Which byte comes to place i, by the two low bits n of the control.
template <BitOp kMode>
constexpr uint32_t selector(uint32_t n, uint32_t i) {
  switch (kMode) {
    case BitOp::kPrmtF4e:
      return (n + i) & 7;
    case BitOp::kPrmtB4e:
      return (n - i) & 7;
    case BitOp::kPrmtRc8:
      return n;
    case BitOp::kPrmtEcl:
      return std::max(i, n);
    case BitOp::kPrmtEcr:
      return std::min(i, n);
    default:  // rc16
      return (n & 1) * 2 + (i & 1);
  }
}
template <BitOp kMode>
struct Prmt {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t from = uint64_t{b} << 32 | a;
    if constexpr (kMode == BitOp::kPrmt) {
      return permute(from, c);
    }
    uint32_t selectors = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      selectors |= selector<kMode>(c & 3, i) << 4 * i;
    }
    return permute(from, selectors);
  }
};
template <BitOp kMode>
constexpr WarpFn kPrmtFn = map<Prmt<kMode>, uint32_t, uint32_t, uint32_t>;

// By a count of 32 bits.
template <class Op, bool kSigns>
WarpFn shift(Number t) {
  switch (t) {
    case Number::kS16:
      return map<Op, std::conditional_t<kSigns, int16_t, uint16_t>, uint32_t>;
    case Number::kU16:
      return map<Op, uint16_t, uint32_t>;
    case Number::kS32:
      return map<Op, std::conditional_t<kSigns, int32_t, uint32_t>, uint32_t>;
    case Number::kU32:
      return map<Op, uint32_t, uint32_t>;
    case Number::kS64:
      return map<Op, std::conditional_t<kSigns, int64_t, uint64_t>, uint32_t>;
    case Number::kU64:
      return map<Op, uint64_t, uint32_t>;
    default:
      return nullptr;
  }
}

template <class Op>
WarpFn by_word(Number t) {
  return t == Number::kU32   ? map<Op, uint32_t>
         : t == Number::kS32 ? map<Op, int32_t>
         : t == Number::kU64 ? map<Op, uint64_t>
         : t == Number::kS64 ? map<Op, int64_t>
                             : WarpFn{};
}
template <class Op>
WarpFn by_plain_word(Number t) {
  return t == Number::kU32 ? map<Op, uint32_t> : t == Number::kU64 ? map<Op, uint64_t> : WarpFn{};
}

WarpFn field_fn(BitOp op, Number t) {
  const bool sign = t == Number::kS32 || t == Number::kS64;
  const bool wide = t == Number::kU64 || t == Number::kS64;
  if (op == BitOp::kBfi) {
    return wide ? map<Bfi, uint64_t, uint64_t, uint32_t, uint32_t>
                : map<Bfi, uint32_t, uint32_t, uint32_t, uint32_t>;
  }
  return wide ? (sign ? map<Bfe, int64_t, uint32_t, uint32_t> : map<Bfe, uint64_t, uint32_t, uint32_t>)
              : (sign ? map<Bfe, int32_t, uint32_t, uint32_t> : map<Bfe, uint32_t, uint32_t, uint32_t>);
}

template <bool kClamp>
WarpFn szext(Number t) {
  return t == Number::kS32 ? map<Szext<kClamp>, int32_t, uint32_t> : map<Szext<kClamp>, uint32_t, uint32_t>;
}

// Those of one type only.
WarpFn single_fn(BitOp op) {
  switch (op) {
    case BitOp::kFns:
      return map<Fns, uint32_t, uint32_t, int32_t>;
    case BitOp::kBmskClamp:
      return map<Bmsk<true>, uint32_t, uint32_t>;
    case BitOp::kBmskWrap:
      return map<Bmsk<false>, uint32_t, uint32_t>;
    case BitOp::kShfLeftClamp:
      return map<Shf<true, true>, uint32_t, uint32_t, uint32_t>;
    case BitOp::kShfLeftWrap:
      return map<Shf<true, false>, uint32_t, uint32_t, uint32_t>;
    case BitOp::kShfRightClamp:
      return map<Shf<false, true>, uint32_t, uint32_t, uint32_t>;
    case BitOp::kShfRightWrap:
      return map<Shf<false, false>, uint32_t, uint32_t, uint32_t>;
    case BitOp::kLop3:
      return map<Lop3, uint32_t, uint32_t, uint32_t, uint32_t>;
    case BitOp::kLop3Or:
      return lop3_predicate<false>;
    case BitOp::kLop3And:
      return lop3_predicate<true>;
    case BitOp::kPrmt:
      return kPrmtFn<BitOp::kPrmt>;
    case BitOp::kPrmtF4e:
      return kPrmtFn<BitOp::kPrmtF4e>;
    case BitOp::kPrmtB4e:
      return kPrmtFn<BitOp::kPrmtB4e>;
    case BitOp::kPrmtRc8:
      return kPrmtFn<BitOp::kPrmtRc8>;
    case BitOp::kPrmtEcl:
      return kPrmtFn<BitOp::kPrmtEcl>;
    case BitOp::kPrmtEcr:
      return kPrmtFn<BitOp::kPrmtEcr>;
    case BitOp::kPrmtRc16:
      return kPrmtFn<BitOp::kPrmtRc16>;
    case BitOp::kAndPred:
      return map<And, uint64_t, uint64_t>;
    case BitOp::kOrPred:
      return map<Or, uint64_t, uint64_t>;
    case BitOp::kXorPred:
      return map<Xor, uint64_t, uint64_t>;
    case BitOp::kNotPred:
      return map<NotPred, bool>;
    case BitOp::kCopy:
      return map<Copy, uint64_t>;
    case BitOp::kSelect:
      return map<Select, uint64_t, uint64_t, uint64_t>;
    case BitOp::kSlctS32:
      return map<SlctS32, uint64_t, uint64_t, int32_t>;
    case BitOp::kSlctF32:
      return map<SlctF32, uint64_t, uint64_t, float>;
    case BitOp::kSlctFlushed:
      return map<SlctFlushed, uint64_t, uint64_t, float>;
    default:
      return nullptr;
  }
}

}  // namespace

WarpFn bit_fn(BitOp op, Number type) {
  switch (op) {
    case BitOp::kAnd:
      return by_width<And, 2>(type);
    case BitOp::kOr:
      return by_width<Or, 2>(type);
    case BitOp::kXor:
      return by_width<Xor, 2>(type);
    case BitOp::kNot:
      return by_width<Not, 1>(type);
    case BitOp::kCnot:
      return by_width<Cnot, 1>(type);
    case BitOp::kShl:
      return shift<Shl, false>(type);
    case BitOp::kShr:
      return shift<Shr, true>(type);
    case BitOp::kPopc:
      return by_plain_word<Popc>(type);
    case BitOp::kClz:
      return by_plain_word<Clz>(type);
    case BitOp::kBrev:
      return by_plain_word<Brev>(type);
    case BitOp::kBfind:
      return by_word<Bfind<false>>(type);
    case BitOp::kBfindShift:
      return by_word<Bfind<true>>(type);
    case BitOp::kBfe:
    case BitOp::kBfi:
      return field_fn(op, type);
    case BitOp::kSzextClamp:
      return szext<true>(type);
    case BitOp::kSzextWrap:
      return szext<false>(type);
    default:
      return single_fn(op);
  }
}

}  // namespace heddle::exec::arith
