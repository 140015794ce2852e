// What mutated code calls (tools/mutate). Every mutant that was drawn is compiled in; the one whose number is
// in HEDDLE_MUTANT is switched on, and all others do what the code did before. Each notes that it was
// reached, and, where both results can be computed, whether they differed: if they never did, no test can see
// it.
//
// A binary operator becomes two with a tag between: `a < tag(17) < b` binds as `a < b` does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace heddle_mutants {

inline constexpr uint32_t kMax = 1 << 14;
extern uint32_t active;  // 0: none
extern uint8_t reached[kMax], differs[kMax];
extern uint8_t nothing[kMax];  // the changed code would not compile there: no mutant

#define HEDDLE_MUTANTS_INLINE [[gnu::always_inline]] inline constexpr

// For what always makes a difference.
HEDDLE_MUTANTS_INLINE bool on(uint32_t n) {
  if (std::is_constant_evaluated()) {
    return false;
  }
  reached[n] = differs[n] = 1;
  return active == n;
}
template <class T>
HEDDLE_MUTANTS_INLINE T literal(uint32_t n, T was, T now) {
  return on(n) ? now : was;
}

#define HEDDLE_MUTANTS_OPERATION(name, before, after)                                       \
  struct name {                                                                             \
    template <class A, class B>                                                             \
    HEDDLE_MUTANTS_INLINE static auto was(const A& a, const B& b) -> decltype(a before b) { \
      return a before b;                                                                    \
    }                                                                                       \
    template <class A, class B>                                                             \
    HEDDLE_MUTANTS_INLINE static auto now(const A& a, const B& b) -> decltype(a after b) {  \
      return a after b;                                                                     \
    }                                                                                       \
  };                                                                                        \
  HEDDLE_MUTANTS_INLINE Tag<name> tag_##name(uint32_t n) { return {n}; }                    \
  template <class A>                                                                        \
  HEDDLE_MUTANTS_INLINE Left<A, name> operator before(const A& a, Tag<name> t) {            \
    return {a, t.n};                                                                        \
  }                                                                                         \
  template <class A, class B>                                                               \
  HEDDLE_MUTANTS_INLINE auto operator before(Left<A, name> l, const B& b) {                 \
    return either<name>(l.n, l.value, b);                                                   \
  }

template <class Operation>
struct Tag {
  uint32_t n;
};
template <class A, class Operation>
struct Left {
  const A& value;
  uint32_t n;
};

template <class Operation, class A, class B>
HEDDLE_MUTANTS_INLINE auto either(uint32_t n, const A& a, const B& b) {
  using Result = std::decay_t<decltype(Operation::was(a, b))>;
  if constexpr (requires { static_cast<Result>(Operation::now(a, b)); }) {
    if (!std::is_constant_evaluated()) {
      reached[n] = 1;
      if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
        differs[n] |= Operation::was(a, b) != static_cast<Result>(Operation::now(a, b));
      } else {
        differs[n] = 1;
      }
      if (active == n) {
        return static_cast<Result>(Operation::now(a, b));
      }
    }
  } else if (!std::is_constant_evaluated()) {
    nothing[n] = 1;
  }
  return static_cast<Result>(Operation::was(a, b));
}

HEDDLE_MUTANTS_OPERATION(less, <, <=)
HEDDLE_MUTANTS_OPERATION(less_equal, <=, <)
HEDDLE_MUTANTS_OPERATION(greater, >, >=)
HEDDLE_MUTANTS_OPERATION(greater_equal, >=, >)
HEDDLE_MUTANTS_OPERATION(equal, ==, !=)
HEDDLE_MUTANTS_OPERATION(not_equal, !=, ==)
HEDDLE_MUTANTS_OPERATION(plus, +, -)
HEDDLE_MUTANTS_OPERATION(minus, -, +)
HEDDLE_MUTANTS_OPERATION(bit_and, &, |)
HEDDLE_MUTANTS_OPERATION(bit_or, |, &)
HEDDLE_MUTANTS_OPERATION(left_shift, <<, >>)
HEDDLE_MUTANTS_OPERATION(right_shift, >>, <<)

// `place(n, x) += y` and the like, as statements.
template <class T>
struct Place {
  T& to;
  uint32_t n;
};
template <class T>
HEDDLE_MUTANTS_INLINE Place<T> place(uint32_t n, T& to) {
  return {to, n};
}
#define HEDDLE_MUTANTS_ASSIGNMENT(before, after)                           \
  template <class T, class U>                                              \
  HEDDLE_MUTANTS_INLINE void operator before(Place<T> p, const U& value) { \
    if constexpr (requires { p.to after value; }) {                        \
      if (on(p.n)) {                                                       \
        p.to after value;                                                  \
        return;                                                            \
      }                                                                    \
    } else if (!std::is_constant_evaluated()) {                            \
      nothing[p.n] = 1;                                                    \
    }                                                                      \
    p.to before value;                                                     \
  }
HEDDLE_MUTANTS_ASSIGNMENT(+=, -=)
HEDDLE_MUTANTS_ASSIGNMENT(-=, +=)
HEDDLE_MUTANTS_ASSIGNMENT(|=, &=)
HEDDLE_MUTANTS_ASSIGNMENT(&=, |=)

template <class T>
HEDDLE_MUTANTS_INLINE T least(uint32_t n, const T& a, const T& b) {
  return on(n) ? std::max(a, b) : std::min(a, b);
}
template <class T>
HEDDLE_MUTANTS_INLINE T most(uint32_t n, const T& a, const T& b) {
  return on(n) ? std::min(a, b) : std::max(a, b);
}
template <class T>
HEDDLE_MUTANTS_INLINE T least(uint32_t n, std::initializer_list<T> all) {
  return on(n) ? std::max(all) : std::min(all);
}
template <class T>
HEDDLE_MUTANTS_INLINE T most(uint32_t n, std::initializer_list<T> all) {
  return on(n) ? std::min(all) : std::max(all);
}

}  // namespace heddle_mutants
