// The numbers of the FMA pipe's two halves, and of the pipes that stand for either and for both of them.
#pragma once

#include <cstdint>

#include "sim/isa/op_class.h"

namespace heddle::sm {

inline constexpr auto kFma = static_cast<uint8_t>(isa::Pipe::kFma);  // the half that is free sooner
inline constexpr auto kHeavy = static_cast<uint8_t>(isa::Pipe::kFmaHeavy);
inline constexpr auto kLite = static_cast<uint8_t>(isa::Pipe::kFmaLite);
inline constexpr auto kBoth = static_cast<uint8_t>(isa::Pipe::kFp16);  // at once

}  // namespace heddle::sm
