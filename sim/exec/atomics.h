// Atomic operations as they change memory. On the host they are atomic too, since blocks run on several
// threads. Semantics: ptx.md 2.12.
#pragma once

#include <cstdint>

namespace heddle::exec {

// Changes what lies at `at`, aligned; `operand`, `compare` and `old` are values of up to 16 bytes, the low
// half first, zero-extended.
using AtomicFn = void (*)(uint8_t* at, const uint64_t* operand, const uint64_t* compare, uint64_t* old);

enum class AtomicKind : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };
enum class AtomicType : uint8_t {
  // clang-format off
  kB16, kU32, kS32, kU64, kS64, kB128, kF16, kF16x2, kBf16, kBf16x2, kF32, kF64,
  // clang-format on
};

// nullptr where there is no such operation. `global`: as global memory does it: sums of kF32 take and give 0
// for subnormal numbers, those of kF64 keep a signalling NaN.
AtomicFn atomic_fn(AtomicKind kind, AtomicType type, bool global);

}  // namespace heddle::exec
