#include "sim/exec/arith/integer.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

// A type of at least twice the bits, of the same sign.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, Int128, Uint128>,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
// The type of twice the bits itself.
template <class T>
using Twice = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

// Sums and products are made without sign, where wrapping is what C++ says.
template <class T>
uint64_t u(T x) {
  return static_cast<uint64_t>(x);
}
int32_t clamp32(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}
template <class T>
T product_high(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> kBits<T>);
}
// Of operands of 24 bits: 48.
template <class T>
T low24(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<T>(static_cast<U>(a) << 8) >> 8);
}
template <class T>
Wide<T> product24(T a, T b) {
  return static_cast<Wide<T>>(low24(a)) * static_cast<Wide<T>>(low24(b));
}

// clang-format off
struct Add { template <class T> static T of(T a, T b) { return static_cast<T>(u(a) + u(b)); } };
struct Sub { template <class T> static T of(T a, T b) { return static_cast<T>(u(a) - u(b)); } };
struct AddSat { static int32_t of(int32_t a, int32_t b) { return clamp32(int64_t{a} + b); } };
struct SubSat { static int32_t of(int32_t a, int32_t b) { return clamp32(int64_t{a} - b); } };
struct MulLo { template <class T> static T of(T a, T b) { return static_cast<T>(u(a) * u(b)); } };
struct MulHi { template <class T> static T of(T a, T b) { return product_high(a, b); } };
struct MulWide { template <class T> static Twice<T> of(T a, T b) { return static_cast<Twice<T>>(u(a) * u(b)); } };
struct MadLo { template <class T> static T of(T a, T b, T c) { return static_cast<T>(u(a) * u(b) + u(c)); } };
struct MadHi { template <class T> static T of(T a, T b, T c) { return static_cast<T>(u(product_high(a, b)) + u(c)); } };
struct MadHiSat { static int32_t of(int32_t a, int32_t b, int32_t c) { return clamp32(int64_t{product_high(a, b)} + c); } };
struct MadWide { template <class T> static Twice<T> of(T a, T b, Twice<T> c) { return static_cast<Twice<T>>(u(a) * u(b) + u(c)); } };
struct Mul24Lo { template <class T> static T of(T a, T b) { return static_cast<T>(product24(a, b)); } };
struct Mul24Hi { template <class T> static T of(T a, T b) { return static_cast<T>(product24(a, b) >> 16); } };
struct Mad24Lo { template <class T> static T of(T a, T b, T c) { return static_cast<T>(u(product24(a, b)) + u(c)); } };
struct Mad24Hi { template <class T> static T of(T a, T b, T c) { return static_cast<T>(u(product24(a, b) >> 16) + u(c)); } };
struct Mad24HiSat { static int32_t of(int32_t a, int32_t b, int32_t c) { return clamp32((product24(a, b) >> 16) + c); } };
struct Sad { template <class T> static T of(T a, T b, T c) { return static_cast<T>(u(c) + (a < b ? u(b) - u(a) : u(a) - u(b))); } };
struct Abs { template <class T> static T of(T a) { return static_cast<T>(a < 0 ? 0 - u(a) : u(a)); } };
struct Neg { template <class T> static T of(T a) { return static_cast<T>(0 - u(a)); } };
struct Min { template <class T> static T of(T a, T b) { return a < b ? a : b; } };
struct Max { template <class T> static T of(T a, T b) { return a < b ? b : a; } };
// clang-format on

struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) {
      return static_cast<T>(~uint64_t{0});
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {  // of the least number it wraps
        return Neg::of(a);
      }
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) {
      return static_cast<T>(~uint64_t{0});
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        return 0;
      }
    }
    return static_cast<T>(a % b);
  }
};

template <class Op>
struct Relu {
  static int32_t of(int32_t a, int32_t b) { return std::max(0, Op::template of<int32_t>(a, b)); }
};

// The same in both halves.
template <class Op, class T, bool kRelu>
struct Halves {
  static uint32_t of(uint32_t a, uint32_t b) {
    const auto half = [](T x, T y) -> uint32_t {
      const T r = Op::template of<T>(x, y);
      return static_cast<uint16_t>(kRelu && r < 0 ? T{0} : r);
    };
    return half(static_cast<T>(a), static_cast<T>(b)) | half(static_cast<T>(a >> 16), static_cast<T>(b >> 16))
                                                            << 16;
  }
};
template <class Op, bool kRelu>
WarpFn halves(Number type) {
  return type == Number::kS16             ? map<Halves<Op, int16_t, kRelu>, uint32_t, uint32_t>
         : type == Number::kU16 && !kRelu ? map<Halves<Op, uint16_t, false>, uint32_t, uint32_t>
                                          : WarpFn{};
}

// a + b + carry or a + ~b + carry, where a may be a part of a product and the other operand c.
enum class Addend : uint8_t { kFirst, kLow, kHigh };
template <class T, bool kSubtracts, Addend kAddend, Carry kCarry>
void carried(const Arguments& a, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  over_lanes(mask, [&](uint32_t l) {
    const T s0 = get<T>((*a.s[0])[l]), s1 = get<T>((*a.s[1])[l]);
    U x = static_cast<U>(s0), y = static_cast<U>(s1);
    if constexpr (kAddend != Addend::kFirst) {
      x = static_cast<U>(kAddend == Addend::kLow ? MulLo::of(s0, s1) : product_high(s0, s1));
      y = get<U>((*a.s[2])[l]);
    }
    uint64_t& flag = (*a.carry)[l];
    constexpr bool kIn = kCarry == Carry::kIn || kCarry == Carry::kInOut;
    const U in = kIn ? static_cast<U>(flag) : U{kSubtracts};
    const Uint128 sum = Uint128{x} + (kSubtracts ? static_cast<U>(~y) : y) + in;
    (*a.d[0])[l] = static_cast<U>(sum);
    if constexpr (kCarry != Carry::kIn) {
      flag = static_cast<uint64_t>(sum >> kBits<T>) & 1;
    }
  });
}
template <class T, bool kSubtracts, Addend kAddend>
WarpFn carried(Carry carry) {
  switch (carry) {
    case Carry::kOut:
      return carried<T, kSubtracts, kAddend, Carry::kOut>;
    case Carry::kIn:
      return carried<T, kSubtracts, kAddend, Carry::kIn>;
    case Carry::kInOut:
      return carried<T, kSubtracts, kAddend, Carry::kInOut>;
    default:
      return nullptr;
  }
}
// The sign matters only in the high half of a product.
template <bool kSubtracts, Addend kAddend>
WarpFn carried(Number type, Carry carry) {
  constexpr bool kSigns = kAddend == Addend::kHigh;
  switch (type) {
    case Number::kU32:
      return carried<uint32_t, kSubtracts, kAddend>(carry);
    case Number::kS32:
      return carried<std::conditional_t<kSigns, int32_t, uint32_t>, kSubtracts, kAddend>(carry);
    case Number::kU64:
      return carried<uint64_t, kSubtracts, kAddend>(carry);
    case Number::kS64:
      return carried<std::conditional_t<kSigns, int64_t, uint64_t>, kSubtracts, kAddend>(carry);
    default:
      return nullptr;
  }
}

// Products of twice the bits; of u16, s16, u32, s32.
WarpFn wide(Number type, bool adds) {
  switch (type) {
    case Number::kU16:
      return adds ? map<MadWide, uint16_t, uint16_t, uint32_t> : map<MulWide, uint16_t, uint16_t>;
    case Number::kS16:
      return adds ? map<MadWide, int16_t, int16_t, int32_t> : map<MulWide, int16_t, int16_t>;
    case Number::kU32:
      return adds ? map<MadWide, uint32_t, uint32_t, uint64_t> : map<MulWide, uint32_t, uint32_t>;
    case Number::kS32:
      return adds ? map<MadWide, int32_t, int32_t, int64_t> : map<MulWide, int32_t, int32_t>;
    default:
      return nullptr;
  }
}

template <class Op, unsigned N>
WarpFn by_32(Number type) {
  return type == Number::kU32   ? mapped<Op, uint32_t, N>()
         : type == Number::kS32 ? mapped<Op, int32_t, N>()
                                : WarpFn{};
}
template <class Op, unsigned N>
WarpFn by_signed(Number type) {
  return type == Number::kS16   ? mapped<Op, int16_t, N>()
         : type == Number::kS32 ? mapped<Op, int32_t, N>()
         : type == Number::kS64 ? mapped<Op, int64_t, N>()
                                : WarpFn{};
}
template <class Op, unsigned N>
WarpFn only_s32(Number type) {
  return type == Number::kS32 ? mapped<Op, int32_t, N>() : WarpFn{};
}

// The low bits of x as a T, which is narrower, as 32 bits with its sign or zeros.
template <class T>
uint32_t extended(uint32_t x) {
  constexpr unsigned kRest = 32 - 8 * sizeof(T);
  return std::is_signed_v<T> ? static_cast<uint32_t>(static_cast<int32_t>(x << kRest) >> kRest)
                             : x << kRest >> kRest;
}

// Sums of products of bytes, or of halves of a and two bytes of b.
template <class A, class B, unsigned kParts, bool kHigh>
struct Dot {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < kParts; ++i) {
      c += extended<A>(a >> 32 / kParts * i) * extended<B>(b >> 8 * (i + (kHigh ? 2 : 0)));
    }
    return c;
  }
};
template <class A, class B, unsigned kParts, bool kHigh>
constexpr WarpFn kDot = map<Dot<A, B, kParts, kHigh>, uint32_t, uint32_t, uint32_t>;
template <class U, class S, unsigned kParts, bool kHigh>
WarpFn dot(bool a_signed, bool b_signed) {
  return a_signed ? (b_signed ? kDot<S, int8_t, kParts, kHigh> : kDot<S, uint8_t, kParts, kHigh>)
                  : (b_signed ? kDot<U, int8_t, kParts, kHigh> : kDot<U, uint8_t, kParts, kHigh>);
}

WarpFn product_fn(IntegerOp op, Number type, Carry carry) {
  switch (op) {
    case IntegerOp::kMadLoCarry:
      return carried<false, Addend::kLow>(type, carry);
    case IntegerOp::kMadHiCarry:
      return carried<false, Addend::kHigh>(type, carry);
    case IntegerOp::kMulLo:
      return by_width<MulLo, 2>(type);
    case IntegerOp::kMulHi:
      return by_integer<MulHi, 2>(type);
    case IntegerOp::kMulWide:
      return wide(type, false);
    case IntegerOp::kMadLo:
      return by_width<MadLo, 3>(type);
    case IntegerOp::kMadHi:
      return by_integer<MadHi, 3>(type);
    case IntegerOp::kMadHiSat:
      return only_s32<MadHiSat, 3>(type);
    case IntegerOp::kMadWide:
      return wide(type, true);
    case IntegerOp::kMul24Lo:
      return by_32<Mul24Lo, 2>(type);
    case IntegerOp::kMul24Hi:
      return by_32<Mul24Hi, 2>(type);
    case IntegerOp::kMad24Lo:
      return by_32<Mad24Lo, 3>(type);
    case IntegerOp::kMad24Hi:
      return by_32<Mad24Hi, 3>(type);
    case IntegerOp::kMad24HiSat:
      return only_s32<Mad24HiSat, 3>(type);
    default:
      return nullptr;
  }
}

}  // namespace

WarpFn integer_fn(IntegerOp op, Number type, Carry carry) {
  switch (op) {
    case IntegerOp::kAdd:
      return by_width<Add, 2>(type);
    case IntegerOp::kSub:
      return by_width<Sub, 2>(type);
    case IntegerOp::kAddSat:
      return only_s32<AddSat, 2>(type);
    case IntegerOp::kSubSat:
      return only_s32<SubSat, 2>(type);
    case IntegerOp::kAddCarry:
      return carried<false, Addend::kFirst>(type, carry);
    case IntegerOp::kSubCarry:
      return carried<true, Addend::kFirst>(type, carry);
    case IntegerOp::kSad:
      return by_integer<Sad, 3>(type);
    case IntegerOp::kDiv:
      return by_integer<Div, 2>(type);
    case IntegerOp::kRem:
      return by_integer<Rem, 2>(type);
    case IntegerOp::kAbs:
      return by_signed<Abs, 1>(type);
    case IntegerOp::kNeg:
      return by_signed<Neg, 1>(type);
    case IntegerOp::kMin:
      return by_integer<Min, 2>(type);
    case IntegerOp::kMax:
      return by_integer<Max, 2>(type);
    case IntegerOp::kMinRelu:
      return only_s32<Relu<Min>, 2>(type);
    case IntegerOp::kMaxRelu:
      return only_s32<Relu<Max>, 2>(type);
    case IntegerOp::kAddX2:
      return halves<Add, false>(type);
    case IntegerOp::kMinX2:
      return halves<Min, false>(type);
    case IntegerOp::kMaxX2:
      return halves<Max, false>(type);
    case IntegerOp::kMinReluX2:
      return halves<Min, true>(type);
    case IntegerOp::kMaxReluX2:
      return halves<Max, true>(type);
    default:
      return product_fn(op, type, carry);
  }
}

WarpFn dot_fn(bool bytes_by_halves, bool high, bool a_signed, bool b_signed) {
  if (!bytes_by_halves) {
    return dot<uint8_t, int8_t, 4, false>(a_signed, b_signed);
  }
  return high ? dot<uint16_t, int16_t, 2, true>(a_signed, b_signed)
              : dot<uint16_t, int16_t, 2, false>(a_signed, b_signed);
}

}  // namespace heddle::exec::arith
