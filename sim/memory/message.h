// What SMs and the memory side exchange.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/access/line.h"
#include "sim/engine/time.h"

namespace heddle::memory {

// kFetch: instructions or constants for the GPC's cache; nobody waits for it here, sm/instruction_supply has
// its time. kInstall: a launch has written the line. kPrefetch: a read whose data stays in L2.
enum class RequestKind : uint8_t { kRead, kWrite, kReduction, kAtomic, kFetch, kInstall, kPrefetch };

// Lines of code and of constants, apart from all addresses: number n of the kernel is kCodeLines + n.
inline constexpr uint64_t kCodeLines = uint64_t{1} << 56;
inline constexpr uint64_t kConstantLines = uint64_t{1} << 57;

// Traffic of one warp instruction to one line.
struct Request {
  Cycle time = 0;     // core cycle at which the packet has left the SM
  uint64_t line = 0;  // address / kLineBytes
  uint32_t id = 0;    // chosen by the SM, comes back with the response
  uint16_t sm = 0;
  RequestKind kind = RequestKind::kRead;
  uint8_t sectors = 0;      // mask of the line's sectors
  bool persisting = false;  // wants a place in the L2's set-aside (evict-last accesses)
  uint8_t operations = 0;   // atomics: passes over a sector (see sector_operations)
  bool multicast = false;   // reads: the answer goes to other SMs, too (memory/multicast.h)
  bool partial = false;     // writes: not every byte of each sector
  uint8_t grid = 0;         // stores and reductions: the launch they belong to
  uint32_t words = 0;       // partial writes: the line's words that are written wholly
  uint32_t payload = 0;     // of the SM's Payloads: the values; 0: none

  template <class Archive>
  void serialize(Archive& ar) {
    ar(time, line, id, sm, kind, sectors, persisting, operations, multicast, partial, grid, words, payload);
  }
};

inline bool returns_data(const Request& r) {
  return r.kind == RequestKind::kRead || r.kind == RequestKind::kAtomic;
}
inline uint32_t bytes_of(const Request& r) {
  return static_cast<uint32_t>(std::popcount(r.sectors)) * kSectorBytes;
}
// What it takes along.
inline uint32_t payload_bytes(const Request& r) {
  return r.kind == RequestKind::kRead || r.kind == RequestKind::kPrefetch ? 0 : bytes_of(r);
}

struct Response {
  Cycle time = 0;  // core cycle at which the last sector (or the acknowledgement) reaches the SM
  uint32_t id = 0;
  uint8_t sectors = 0;
  uint32_t payload = 0;  // the request's
};

}  // namespace heddle::memory
