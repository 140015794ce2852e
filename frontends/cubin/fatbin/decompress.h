// Images of a fat binary, decompressed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::cubin {

enum class Compression : uint8_t { kNone, kLz4, kZstd };

// Exactly `bytes` of them come out, or it throws Error: "`where`: what". Both allocate at most
// input::limits().expansion times the bytes of `in`, and at most section_bytes.
std::vector<uint8_t> decompressed(Compression how, std::span<const uint8_t> in, uint64_t bytes,
                                  const std::string& where);

}  // namespace heddle::cubin
