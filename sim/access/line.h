// What addresses are divided into on their way to memory.
#pragma once

#include <cstdint>

namespace heddle::memory {

inline constexpr uint32_t kLineBytes = 128;   // an L1/L2 line
inline constexpr uint32_t kSectorBytes = 32;  // the unit of transfer and validity
inline constexpr uint32_t kSectorsPerLine = kLineBytes / kSectorBytes;

}  // namespace heddle::memory
