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
// by byte then: what is not there reads as 0 and is not written. Return whether something is no longer as it
// was.

// `bytes`: which ones, by sector.
template <class At>
bool write(uint8_t sectors, const std::array<uint8_t, kLineBytes>& data,
           const std::array<uint32_t, kSectorsPerLine>& bytes, At&& at) {
  bool changed = false;
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    if (!(sectors >> s & 1)) {
      continue;
    }
    const uint8_t* own = &data[size_t{s} * kSectorBytes];
    uint8_t* there = at(s * kSectorBytes, kSectorBytes);
    if (there && bytes[s] == ~0u) {
      changed |= std::memcmp(there, own, kSectorBytes) != 0;
      std::memcpy(there, own, kSectorBytes);
      continue;
    }
    for (uint32_t m = bytes[s]; m; m &= m - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(m));
      if (uint8_t* byte = there ? there + i : at(s * kSectorBytes + i, 1)) {
        changed |= *byte != own[i];
        *byte = own[i];
      }
    }
  }
  return changed;
}

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
  if (kind != RequestKind::kRead) {
    return write(sectors, p.data, p.bytes, at);
  }
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    if (!(sectors >> s & 1)) {
      continue;
    }
    uint8_t* own = &p.data[size_t{s} * kSectorBytes];
    p.bytes[s] = ~0u;
    if (const uint8_t* there = at(s * kSectorBytes, kSectorBytes)) {
      std::memcpy(own, there, kSectorBytes);
      continue;
    }
    for (uint32_t i = 0; i < kSectorBytes; ++i) {
      const uint8_t* byte = at(s * kSectorBytes + i, 1);
      own[i] = byte ? *byte : 0;
    }
  }
  return false;
}

// On its line in memory. Different lines may be served at the same time.
inline bool serve(isa::GlobalMemory& memory, const Request& q, Payload& p) {
  const uint64_t base = q.line * kLineBytes;
  return perform(q.kind, q.sectors, p,
                 [&](uint32_t offset, uint32_t bytes) { return memory.find(base + offset, bytes); });
}

}  // namespace heddle::memory
