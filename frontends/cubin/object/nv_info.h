// The attributes of a cubin's functions: sections .nv.info and .nv.info.NAME.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "frontends/cubin/object/elf.h"

namespace heddle::cubin {

// Those that are used; the numbers are NVIDIA's EIATTR_*, which its tools print by name (cuobjdump -elf).
enum class Attribute : uint8_t {
  kMaxThreads = 0x05,       // of a block: x, y, z
  kParameterBank = 0x0a,    // symbol; offset and bytes, 16 bits each
  kRequiredThreads = 0x10,  // x, y, z
  kFrameSize = 0x11,        // symbol, bytes
  kMinStackSize = 0x12,     // symbol, bytes
  kParameter = 0x17,        // 0; index and offset, 16 bits each; bytes from bit 18 on
  kMaxStackSize = 0x23,     // symbol, bytes
  kRegisterCount = 0x2f,    // symbol, registers
  kClusterBlocks = 0x3d,    // x, y, z
  kExplicitCluster = 0x3e,
  kMaxClusterRank = 0x3f,
  kBarrierCount = 0x4c,
};

struct AttributeValue {
  Attribute attribute{};
  uint64_t at = 0;                // in the file
  uint32_t value = 0;             // of short ones
  std::span<const uint8_t> data;  // of long ones

  // The word number `i` of data, 0 behind the end.
  uint32_t word(size_t i) const;
};

// Each attribute of the section, also those that are not named above. Throws Error for a damaged one.
void for_attributes(const Elf& elf, const Section& s, const std::function<void(const AttributeValue&)>& use);

}  // namespace heddle::cubin
