#include "sim/exec/arith/compare.h"

#include <cmath>
#include <utility>

#include "sim/exec/arith/lanes.h"
#include "sim/exec/arith/real.h"

namespace heddle::exec::arith {
namespace {

// How a < b, = , > or neither; of whole numbers.
template <class T>
struct Whole {
  static uint32_t of(uint64_t a, uint64_t b) {
    const T x = get<T>(a), y = get<T>(b);
    return x < y ? kLess : x == y ? kEqual : kGreater;
  }
};
template <class T>
uint32_t relation(T x, T y) {
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}
template <class T>
struct Floating {
  static uint32_t of(uint64_t a, uint64_t b) { return relation(get<T>(a), get<T>(b)); }
};
struct FlushedF32 {
  static float flush(uint64_t x) {
    const auto f = get<float>(x);
    return std::fabs(f) < 0x1p-126F ? 0.0F : f;
  }
  static uint32_t of(uint64_t a, uint64_t b) { return relation(flush(a), flush(b)); }
};
template <Format F, bool kFtz>
struct Half {
  static int32_t order(uint64_t x) {
    const auto magnitude = static_cast<int32_t>(x & (F.sign_bit() - 1));
    const int32_t flushed_magnitude = kFtz && (x & F.exponent_mask()) == 0 ? 0 : magnitude;
    return (x & F.sign_bit()) != 0 ? -flushed_magnitude : flushed_magnitude;
  }
  static uint32_t of(uint64_t a, uint64_t b) {
    return is_nan(F, a) || is_nan(F, b) ? static_cast<uint32_t>(kUnordered) : relation(order(a), order(b));
  }
};

// The common setp: one result, no third operand.
template <class How, uint8_t kRelations>
void plain(const Arguments& a, uint32_t mask) {
  if (a.d[0] == nullptr) {
    return;
  }
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = (How::of(x[l], y[l]) & kRelations) != 0 ? 1 : 0; });
}
template <class How, size_t... kAll>
WarpFn plain(uint8_t relations, std::index_sequence<kAll...>) {
  static constexpr WarpFn kTable[] = {plain<How, kAll>...};
  return relations < sizeof...(kAll) ? kTable[relations] : nullptr;
}
template <class T>
WarpFn plain_whole(uint8_t relations) {
  return plain<Whole<T>>(relations, std::make_index_sequence<8>());
}
WarpFn plain_fn(const Comparison& c) {
  switch (c.type) {
    case Number::kU16:
      return plain_whole<uint16_t>(c.relations);
    case Number::kS16:
      return plain_whole<int16_t>(c.relations);
    case Number::kU32:
      return plain_whole<uint32_t>(c.relations);
    case Number::kS32:
      return plain_whole<int32_t>(c.relations);
    case Number::kU64:
      return plain_whole<uint64_t>(c.relations);
    case Number::kS64:
      return plain_whole<int64_t>(c.relations);
    case Number::kF32:
      return c.ftz ? plain<FlushedF32>(c.relations, std::make_index_sequence<16>())
                   : plain<Floating<float>>(c.relations, std::make_index_sequence<16>());
    case Number::kF64:
      return plain<Floating<double>>(c.relations, std::make_index_sequence<16>());
    default:
      return nullptr;
  }
}

// The control word of the others: relations, Boolean, what set writes.
constexpr unsigned kBooleanAt = 8, kYesAt = 32;

uint64_t combine(Boolean boolean, bool t, uint64_t c) {
  switch (boolean) {
    case Boolean::kAnd:
      return t ? c : 0;
    case Boolean::kOr:
      return t ? 1 : c;
    case Boolean::kXor:
      return (t ? 1 : 0) ^ c;
    default:
      return t ? 1 : 0;
  }
}

template <class How, bool kPair, bool kSet>
void general(const Arguments& a, uint32_t mask) {
  const uint64_t control = (*a.s[kControlPlace])[0];
  const auto boolean = static_cast<Boolean>(control >> kBooleanAt & 3);
  const uint64_t yes = control >> kYesAt;
  over_lanes(mask, [&](uint32_t l) {
    const uint64_t x = (*a.s[0])[l], y = (*a.s[1])[l];
    const uint64_t c = a.s[2] != nullptr ? (*a.s[2])[l] : 0;
    const auto half = [&](uint64_t p, uint64_t q) { return (How::of(p, q) & control & 15) != 0; };
    const bool low = kPair ? half(x & 0xffff, y & 0xffff) : half(x, y);
    const bool second = kPair ? half(x >> 16 & 0xffff, y >> 16 & 0xffff) : !low;
    const uint64_t p = combine(boolean, low, c);
    const uint64_t q = combine(boolean, second, c);
    if constexpr (kSet) {
      (*a.d[0])[l] = (p != 0 ? yes : 0) | (kPair && q != 0 ? yes << 16 : 0);
    } else {
      if (a.d[0] != nullptr) {
        (*a.d[0])[l] = p;
      }
      if (a.d[1] != nullptr) {
        (*a.d[1])[l] = q;
      }
    }
  });
}
template <Format F, bool kFtz, bool kSet>
WarpFn general_half(bool pair) {
  return pair ? general<Half<F, kFtz>, true, kSet> : general<Half<F, kFtz>, false, kSet>;
}

template <bool kSet>
WarpFn general_fn(const Comparison& c) {
  switch (c.type) {
    case Number::kU16:
      return general<Whole<uint16_t>, false, kSet>;
    case Number::kS16:
      return general<Whole<int16_t>, false, kSet>;
    case Number::kU32:
      return general<Whole<uint32_t>, false, kSet>;
    case Number::kS32:
      return general<Whole<int32_t>, false, kSet>;
    case Number::kU64:
      return general<Whole<uint64_t>, false, kSet>;
    case Number::kS64:
      return general<Whole<int64_t>, false, kSet>;
    case Number::kF16:
      return c.ftz ? general_half<kF16Format, true, kSet>(c.pair)
                   : general_half<kF16Format, false, kSet>(c.pair);
    case Number::kBf16:
      return general_half<kBf16Format, false, kSet>(c.pair);
    case Number::kF32:
      return c.ftz ? general<FlushedF32, false, kSet> : general<Floating<float>, false, kSet>;
    case Number::kF64:
      return general<Floating<double>, false, kSet>;
    default:
      return nullptr;
  }
}

uint64_t control_of(const Comparison& c, uint32_t yes) {
  return c.relations | static_cast<uint64_t>(c.boolean) << kBooleanAt | uint64_t{yes} << kYesAt;
}

}  // namespace

Fn setp_fn(const Comparison& c) { return {general_fn<false>(c), control_of(c, 0), true}; }

Fn setp_one_fn(const Comparison& c) {
  const WarpFn fast = c.boolean == Boolean::kNone && !c.pair ? plain_fn(c) : nullptr;
  return fast != nullptr ? Fn{fast} : setp_fn(c);
}

Fn set_fn(const Comparison& c, uint32_t yes) { return {general_fn<true>(c), control_of(c, yes), true}; }

}  // namespace heddle::exec::arith
