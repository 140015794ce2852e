// Bytes of a PCI Express packet besides its payload, with the data link layer's: start and sequence 4, LCRC
// 4, and the header, 12 of a completion and 16 of a request with a 64-bit address.
#pragma once

#include <cstdint>

namespace heddle::host {

inline constexpr uint32_t kCompletionHeader = 20;
inline constexpr uint32_t kRequestHeader = 24;

}  // namespace heddle::host
