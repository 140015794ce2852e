// What an access of a program that computes does to the bytes of its line, wherever they are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/isa/program.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

// at(offset, bytes) gives those bytes of the line, null where not all are there. Sectors are looked at byte
// by byte then: what is not there reads as 0 and is not written. Returns whether something is no longer as it
// was.
template <class At>
bool perform(RequestKind kind, uint8_t sectors, Payload& p, At&& at) {
  bool changed = false;
  if (kind == RequestKind::kAtomic || kind == RequestKind::kReduction) {
    const uint32_t bytes = p.atomic.bytes();
    for (Payload::Operation& o : p.operations) {
      if (uint8_t* there = at(o.offset, bytes)) {
        uint64_t old = 0, value = 0;
        std::memcpy(&old, there, bytes);
        if (p.atomic.function != nullptr) {
          uint64_t unused = 0;
          p.atomic.function(there, &o.value, &o.compare, &unused);
          std::memcpy(&value, there, bytes);
        } else {
          value = isa::apply(p.atomic, old, o.value, o.compare);
          std::memcpy(there, &value, bytes);
        }
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
    const uint32_t whole = ~0u;
    if (kind == RequestKind::kRead && there) {
      std::memcpy(own, there, kSectorBytes);
      continue;
    }
    if (kind != RequestKind::kRead && there && p.bytes[s] == whole) {
      changed |= std::memcmp(there, own, kSectorBytes) != 0;
      std::memcpy(there, own, kSectorBytes);
      continue;
    }
    for (uint32_t m = kind == RequestKind::kRead ? whole : p.bytes[s]; m; m &= m - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(m));
      uint8_t* byte = there ? there + i : at(s * kSectorBytes + i, 1);
      if (kind == RequestKind::kRead) {
        own[i] = byte ? *byte : 0;
      } else if (byte) {
        changed |= *byte != own[i];
        *byte = own[i];
      }
    }
  }
  return changed;
}

// On its line in memory. Different lines may be served at the same time.
inline bool serve(isa::GlobalMemory& memory, const Request& q, Payload& p) {
  const uint64_t base = q.line * kLineBytes;
  return perform(q.kind, q.sectors, p,
                 [&](uint32_t offset, uint32_t bytes) { return memory.find(base + offset, bytes); });
}

}  // namespace heddle::memory
