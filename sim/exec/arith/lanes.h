// Functions of single values as functions of registers.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

// A register's word as a T; T's bits as a register's word. Signed values are cut, not extended.
template <class T>
inline T get(uint64_t x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(x));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(x);
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
inline uint64_t put(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(x);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(x);
  }
}

// f(lane) for the lanes of the mask. A lane writes its own words only, so lanes may be done at once.
template <class F>
inline void over_lanes(uint32_t mask, F f) {
  if (mask == ~0U) {
#pragma GCC ivdep
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      f(lane);
    }
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    f(static_cast<uint32_t>(std::countr_zero(m)));
  }
}

// d0 = Op::of(s0, s1, ...), operands of the types A, B, ...
template <class Op, class A>
void map(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = put(Op::of(get<A>(x[l]))); });
}
template <class Op, class A, class B>
void map(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = put(Op::of(get<A>(x[l]), get<B>(y[l]))); });
}
template <class Op, class A, class B, class C>
void map(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  const uint64_t* const z = a.s[2]->data();
  over_lanes(mask, [=](uint32_t l) { d[l] = put(Op::of(get<A>(x[l]), get<B>(y[l]), get<C>(z[l]))); });
}
template <class Op, class A, class B, class C, class D>
void map(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  const uint64_t* const z = a.s[2]->data();
  const uint64_t* const w = a.s[3]->data();
  over_lanes(mask,
             [=](uint32_t l) { d[l] = put(Op::of(get<A>(x[l]), get<B>(y[l]), get<C>(z[l]), get<D>(w[l]))); });
}

// Of N operands of one type.
template <class Op, class T, unsigned N>
constexpr WarpFn mapped() {
  if constexpr (N == 1) {
    return map<Op, T>;
  } else if constexpr (N == 2) {
    return map<Op, T, T>;
  } else {
    return map<Op, T, T, T>;
  }
}

// Op for each type of 16, 32 and 64 bits.
template <class Op, unsigned N>
WarpFn by_integer(Number t) {
  switch (t) {
    case Number::kU16:
      return mapped<Op, uint16_t, N>();
    case Number::kS16:
      return mapped<Op, int16_t, N>();
    case Number::kU32:
      return mapped<Op, uint32_t, N>();
    case Number::kS32:
      return mapped<Op, int32_t, N>();
    case Number::kU64:
      return mapped<Op, uint64_t, N>();
    case Number::kS64:
      return mapped<Op, int64_t, N>();
    default:
      return nullptr;
  }
}

// Where a signed type does the same as the unsigned one.
template <class Op, unsigned N>
WarpFn by_width(Number t) {
  switch (t) {
    case Number::kU16:
    case Number::kS16:
      return mapped<Op, uint16_t, N>();
    case Number::kU32:
    case Number::kS32:
      return mapped<Op, uint32_t, N>();
    case Number::kU64:
    case Number::kS64:
      return mapped<Op, uint64_t, N>();
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::arith
