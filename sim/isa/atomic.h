// Atomic operations on global and shared memory: what they make of the value that is there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace heddle::isa {

struct AtomicOp {
  enum class Kind : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareExchange };
  enum class Type : uint8_t { kU32, kS32, kU64, kS64, kF32, kF64 };
  // What an executor does itself, in place of `kind` and `type`: changes the bytes at `at`, `width` of them;
  // values are zero-extended.
  using Function = void (*)(uint8_t* at, const uint64_t* operand, const uint64_t* compare, uint64_t* old);
  Kind kind = Kind::kAdd;
  Type type = Type::kU32;
  Function function = nullptr;
  uint32_t width = 0;

  uint32_t bytes() const {
    if (function != nullptr) {
      return width;
    }
    return type == Type::kU32 || type == Type::kS32 || type == Type::kF32 ? 4 : 8;
  }

  // `functions`: that there may be (KernelImage::atomics); a place among them is written.
  template <class Archive>
  void serialize(Archive& ar, std::span<const Function> functions) {
    uint64_t place = 0;  // 0: none
    if (function != nullptr) {
      place = 1 + static_cast<uint64_t>(std::ranges::find(functions, function) - functions.begin());
    }
    ar(kind, type, width, place);
    ar.check(place <= functions.size(), "an atomic operation that the kernel does not have");
    function = place != 0 ? functions[place - 1] : nullptr;
  }
};

// The value behind `old` and `operand`; `compare` is what kCompareExchange expects. Values of four bytes are
// in the lower half. Inc and dec wrap as PTX's; floating-point minimum and maximum take the number where one
// is NaN; sums are rounded to nearest (cuda-model.md, PTX atom).
uint64_t apply(AtomicOp op, uint64_t old, uint64_t operand, uint64_t compare);

}  // namespace heddle::isa
