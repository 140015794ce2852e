// What an access of a program that computes does to the bytes of its line, wherever they are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

// at(offset, bytes) gives those bytes of the line, null where there are none: they read as 0 and are not
// written. Returns whether something is no longer as it was.
template <class At>
bool perform(RequestKind kind, uint8_t sectors, Payload& p, At&& at) {
  bool changed = false;
  if (kind == RequestKind::kAtomic || kind == RequestKind::kReduction) {
    const uint32_t bytes = p.atomic.bytes();
    for (uint32_t i = 0; i < p.operations; ++i) {
      Payload::Operation& o = p.operation[i];
      if (uint8_t* there = at(o.offset, bytes)) {
        uint64_t old = 0;
        std::memcpy(&old, there, bytes);
        const uint64_t value = isa::apply(p.atomic, old, o.value, o.compare);
        std::memcpy(there, &value, bytes);
        changed |= value != old;
        o.value = old;
      }
    }
    return changed;
  }
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    if (!(sectors >> s & 1)) {
      continue;
    }
    uint8_t* own = &p.data[size_t{s} * kSectorBytes];
    uint8_t* there = at(s * kSectorBytes, kSectorBytes);
    if (kind == RequestKind::kRead) {
      there ? std::memcpy(own, there, kSectorBytes) : std::memset(own, 0, kSectorBytes);
    } else if (there) {
      for (uint32_t m = p.bytes[s]; m; m &= m - 1) {
        const int i = std::countr_zero(m);
        changed |= there[i] != own[i];
        there[i] = own[i];
      }
    }
  }
  return changed;
}

}  // namespace heddle::memory
