// What CUDA's L2 residency control asks for: a set-aside and a window of addresses with properties
// (reference/cuda-model.md L201-L222).
#pragma once

#include <cstdint>

#include "sim/memory/address_map.h"
#include "sim/memory/message.h"

namespace heddle::memory {

// kNone is an access without a policy: it does not change what a line is.
enum class AccessProperty : uint8_t { kNone, kNormal, kStreaming, kPersisting };

// cudaAccessPolicyWindow: [base, base + bytes), of whose lines a share of `hit_ratio` has the property `hit`,
// the others `miss`. Which lines is a matter of their address, the same at every access (L211). No bytes: no
// window.
struct AccessWindow {
  uint64_t base = 0;
  uint64_t bytes = 0;
  double hit_ratio = 1;  // 0 to 1
  AccessProperty hit = AccessProperty::kNormal;
  AccessProperty miss = AccessProperty::kNormal;

  AccessProperty of(uint64_t line) const {
    const uint64_t address = line * kLineBytes;
    if (address + kLineBytes <= base || address >= base + bytes) {
      return AccessProperty::kNone;
    }
    // A 24-bit number from the line, apart from the one that says where the line lives.
    const auto draw = static_cast<double>(AddressMap::mix(line ^ 0xd6e8feb86659fd93u) >> 40);
    return draw < hit_ratio * (1 << 24) ? hit : miss;
  }
};

struct L2Policy {
  // cudaLimitPersistingL2CacheSize, at most l2.max_persisting_bytes. Bytes that persisting lines have before
  // others; these use them while they are free (L204), but less of them may be dirty (FINDINGS.md 20).
  uint64_t set_aside_bytes = 0;
  AccessWindow window;

  bool active() const { return set_aside_bytes > 0 || window.bytes > 0; }
};

}  // namespace heddle::memory
