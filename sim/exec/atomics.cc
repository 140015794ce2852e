#include "sim/exec/atomics.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

namespace heddle::exec {
namespace {

struct Add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return b > a ? b : a;
  }
};
struct Inc {
  template <class T>
  static T of(T a, T b) {
    return a >= b ? T{0} : static_cast<T>(a + 1);
  }
};
struct Dec {
  template <class T>
  static T of(T a, T b) {
    return a == 0 || a > b ? b : static_cast<T>(a - 1);
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
struct Exch {
  template <class T>
  static T of(T /*a*/, T b) {
    return b;
  }
};

// Replaces the word by f(word) and returns what it was.
template <class Word, class F>
Word update(uint8_t* at, F f) {
  auto* p = reinterpret_cast<Word*>(at);
  Word old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, f(old), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

// T: how the word is read.
template <class T, class F>
void integer(uint8_t* at, const uint64_t* operand, const uint64_t* /*compare*/, uint64_t* old) {
  using Word = std::make_unsigned_t<T>;
  const T b = static_cast<T>(operand[0]);
  old[0] = update<Word>(at, [b](Word a) { return static_cast<Word>(F::of(static_cast<T>(a), b)); });
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

template <bool kFlush>
void add_f32(uint8_t* at, const uint64_t* operand, const uint64_t* /*compare*/, uint64_t* old) {
  const auto b = std::bit_cast<float>(static_cast<uint32_t>(operand[0]));
  old[0] = update<uint32_t>(at, [b](uint32_t word) {
    const auto a = std::bit_cast<float>(word);
    const float sum = kFlush ? flushed(flushed(a) + flushed(b)) : a + b;
    return std::isnan(sum) ? 0x7fffffffU : std::bit_cast<uint32_t>(sum);
  });
}

// Global memory keeps a signalling NaN as it is; in shared memory an addition makes it quiet (oracle:
// atom.add.f64).
template <bool kGlobal>
void add_f64(uint8_t* at, const uint64_t* operand, const uint64_t* /*compare*/, uint64_t* old) {
  const auto b = std::bit_cast<double>(operand[0]);
  old[0] = update<uint64_t>(at, [b](uint64_t word) {
    const auto a = std::bit_cast<double>(word);
    if (kGlobal && (std::isnan(a) || std::isnan(b))) {
      return std::isnan(b) ? std::bit_cast<uint64_t>(b) : word;
    }
    return std::bit_cast<uint64_t>(a + b);
  });
}

struct Half {
  static constexpr uint16_t kNan = 0x7fff;
  static float wide(uint16_t x) {
    const float sign = (x & 0x8000) != 0 ? -1.0F : 1.0F;
    const int exponent = x >> 10 & 31;
    const int fraction = x & 1023;
    if (exponent == 31) {
      return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                           : sign * std::numeric_limits<float>::infinity();
    }
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                         : sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  // To nearest, ties to even. `x` is the sum of two halves, which float holds well enough that rounding it
  // again makes no difference.
  static uint16_t narrow(float x) {
    const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
    const float a = std::fabs(x);
    if (a >= 65520.0F) {
      return sign | 0x7c00;
    }
    if (a < 6.103515625e-05F) {  // 2^-14: steps of 2^-24
      return sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(a, 24)));
    }
    int exponent = 0;
    const float fraction = std::frexp(a, &exponent);  // a = fraction * 2^exponent, 0.5 <= fraction < 1
    const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(fraction, 11)));  // 1024..2048
    return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 13) << 10) + steps));
  }
};

struct Bfloat {
  static constexpr uint16_t kNan = 0x7fff;
  static float wide(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }
  static uint16_t narrow(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

template <class Format, class F>
uint16_t half_of(uint16_t a, uint16_t b) {
  const float x = Format::wide(a);
  const float y = Format::wide(b);
  if constexpr (!std::is_same_v<F, Add>) {  // the number where one is NaN
    if (std::isnan(x) || std::isnan(y)) {
      return std::isnan(x) ? (std::isnan(y) ? Format::kNan : b) : a;
    }
    const bool second =
        std::is_same_v<F, Min> ? y < x || (y == x && std::signbit(y)) : y > x || (y == x && !std::signbit(y));
    return second ? b : a;
  } else {
    const float sum = x + y;
    return std::isnan(sum) ? Format::kNan : Format::narrow(sum);
  }
}

template <class Format, class F>
void half(uint8_t* at, const uint64_t* operand, const uint64_t* /*compare*/, uint64_t* old) {
  const auto b = static_cast<uint16_t>(operand[0]);
  old[0] = update<uint16_t>(at, [b](uint16_t a) { return half_of<Format, F>(a, b); });
}

// Each half by itself is atomic; both at once are so too.
template <class Format, class F>
void halves(uint8_t* at, const uint64_t* operand, const uint64_t* /*compare*/, uint64_t* old) {
  const auto b = static_cast<uint32_t>(operand[0]);
  old[0] = update<uint32_t>(at, [b](uint32_t a) {
    const uint16_t low = half_of<Format, F>(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    const uint16_t high = half_of<Format, F>(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
    return uint32_t{low} | uint32_t{high} << 16;
  });
}

template <class Word>
void cas(uint8_t* at, const uint64_t* operand, const uint64_t* compare, uint64_t* old) {
  auto expected = static_cast<Word>(compare[0]);
  __atomic_compare_exchange_n(reinterpret_cast<Word*>(at), &expected, static_cast<Word>(operand[0]), false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  old[0] = expected;
}

// 16 bytes: rare, so one lock serves them all.
template <bool kCompare>
void wide(uint8_t* at, const uint64_t* operand, const uint64_t* compare, uint64_t* old) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::memcpy(old, at, 16);
  if (!kCompare || (old[0] == compare[0] && old[1] == compare[1])) {
    std::memcpy(at, operand, 16);
  }
}

template <class T>
AtomicFn integer_fn(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::kAdd:
      return integer<std::make_unsigned_t<T>, Add>;
    case AtomicKind::kMin:
      return integer<T, Min>;
    case AtomicKind::kMax:
      return integer<T, Max>;
    case AtomicKind::kInc:
      return integer<T, Inc>;
    case AtomicKind::kDec:
      return integer<T, Dec>;
    case AtomicKind::kAnd:
      return integer<T, And>;
    case AtomicKind::kOr:
      return integer<T, Or>;
    case AtomicKind::kXor:
      return integer<T, Xor>;
    case AtomicKind::kExch:
      return integer<T, Exch>;
    case AtomicKind::kCas:
      return cas<std::make_unsigned_t<T>>;
  }
  return nullptr;
}

template <class Format>
AtomicFn half_fn(AtomicKind kind, bool pair) {
  switch (kind) {
    case AtomicKind::kAdd:
      return pair ? halves<Format, Add> : half<Format, Add>;
    case AtomicKind::kMin:
      return pair ? halves<Format, Min> : half<Format, Min>;
    case AtomicKind::kMax:
      return pair ? halves<Format, Max> : half<Format, Max>;
    default:
      return nullptr;
  }
}

}  // namespace

AtomicFn atomic_fn(AtomicKind kind, AtomicType type, bool global) {
  switch (type) {
    case AtomicType::kB16:
      return integer_fn<uint16_t>(kind);
    case AtomicType::kU32:
      return integer_fn<uint32_t>(kind);
    case AtomicType::kS32:
      return integer_fn<int32_t>(kind);
    case AtomicType::kU64:
      return integer_fn<uint64_t>(kind);
    case AtomicType::kS64:
      return integer_fn<int64_t>(kind);
    case AtomicType::kB128:
      return kind == AtomicKind::kExch ? wide<false> : kind == AtomicKind::kCas ? wide<true> : nullptr;
    case AtomicType::kF16:
    case AtomicType::kF16x2:
      return half_fn<Half>(kind, type == AtomicType::kF16x2);
    case AtomicType::kBf16:
    case AtomicType::kBf16x2:
      return half_fn<Bfloat>(kind, type == AtomicType::kBf16x2);
    case AtomicType::kF32:
      return kind == AtomicKind::kAdd ? (global ? add_f32<true> : add_f32<false>) : nullptr;
    case AtomicType::kF64:
      return kind == AtomicKind::kAdd ? (global ? add_f64<true> : add_f64<false>) : nullptr;
  }
  return nullptr;
}

}  // namespace heddle::exec
