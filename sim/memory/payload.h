// What a request of a program that computes carries: the values of one line. A recording's has none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "sim/engine/slots.h"
#include "sim/isa/atomic.h"
#include "sim/memory/message.h"

namespace heddle::memory {

// Those bytes of a sector.
inline void copy_sector(uint8_t* to, const uint8_t* from, uint32_t which) {
  if (which == ~0u) {
    std::memcpy(to, from, kSectorBytes);
    return;
  }
  for (; which != 0; which &= which - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(which));
    to[i] = from[i];
  }
}

// What an access of a lane has: 1, 2, 4, 8 or 16 bytes mostly.
inline void copy_few(uint8_t* to, const uint8_t* from, uint32_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

// Those bytes of a line, by sector, alone.
template <class Archive>
void serialize_bytes(Archive& ar, std::array<uint8_t, kLineBytes>& data,
                     const std::array<uint32_t, kSectorsPerLine>& which) {
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    const std::span<uint8_t> sector = std::span(data).subspan(size_t{s} * kSectorBytes, kSectorBytes);
    if (which[s] == ~0u) {
      ar.bytes(sector);
      continue;
    }
    for (uint32_t m = which[s]; m != 0; m &= m - 1) {
      ar.bytes(sector.subspan(static_cast<uint32_t>(std::countr_zero(m)), 1));
    }
  }
}

struct Payload {
  // Writes: the bytes to write; reads: what was there, once they have been served. And which of them, by
  // sector.
  alignas(8) std::array<uint8_t, kLineBytes> data;
  std::array<uint32_t, kSectorsPerLine> bytes;
  // Writes them into a line, of whose bytes `written` then has these, too.
  void put(std::array<uint8_t, kLineBytes>& line_data, std::array<uint32_t, kSectorsPerLine>& written) const {
    for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
      const size_t at = size_t{s} * kSectorBytes;
      copy_sector(line_data.data() + at, data.data() + at, bytes[s]);
      written[s] |= bytes[s];
    }
  }
  // Atomics: one operation after the other; `value` becomes what was there before.
  struct Operation {
    uint64_t value, compare;
    uint8_t lane, offset;  // offset: in the line

    template <class Archive>
    void serialize(Archive& ar) {
      ar(value, compare, lane, offset);
    }
  };
  std::vector<Operation> operations;
  isa::AtomicOp atomic;
  uint64_t line = 0;  // of a bulk copy

  template <class Archive>
  void serialize(Archive& ar, std::span<const isa::AtomicOp::Function> atomics) {
    ar(bytes, operations, line);
    serialize_bytes(ar, data, bytes);
    if (!operations.empty()) {
      atomic.serialize(ar, atomics);
    }
  }
};

// The payloads of an SM's packets that are under way. Taken and given back by the SM's thread; whoever serves
// the packet writes into its payload alone.
class Payloads {
 public:
  // Its handle, of one without bytes or operations; 0 stands for none.
  uint32_t take() {
    const uint32_t handle = 1 + all_.take();
    Payload& p = (*this)[handle];
    p.bytes = {};
    p.operations.clear();  // their storage stays
    return handle;
  }
  void give_back(uint32_t handle) { all_.remove(handle - 1); }
  Payload& operator[](uint32_t handle) { return all_[handle - 1]; }
  void clear() { all_.clear(); }

  // `atomics`: of the kernel.
  template <class Archive>
  void serialize(Archive& ar, std::span<const isa::AtomicOp::Function> atomics) {
    all_.serialize(ar, [&](Payload& p, uint32_t) { p.serialize(ar, atomics); });
  }

 private:
  Slots<Payload, std::deque<Payload>> all_;
};

}  // namespace heddle::memory
