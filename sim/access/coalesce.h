// From the addresses of a warp to lines and sectors: the request one instruction makes at L1.
#pragma once

#include <array>
#include <cstdint>

#include "sim/access/line.h"

namespace heddle::memory {

struct LineAccess {
  uint64_t line;      // address / 128
  uint32_t bytes[4];  // per sector: mask of bytes touched
  uint8_t sectors;    // mask
  uint8_t lanes;      // lanes whose access starts in this line
};

// Up to 32 lanes of 16 bytes, each possibly straddling a line; four lines a lane in interleaved local memory.
struct Coalesced {
  std::array<LineAccess, 128> lines;
  uint32_t count = 0;
  uint32_t sectors = 0;  // over all lines
};

// Passes over single sectors that the atomics of the lanes of `mask` at addr[lane] take in `line`: a pass
// does any number of words of one sector, and lanes that meet in a word need one pass each. (FINDINGS.md 7:
// one warp to one address 32 passes, to 32 words of a line 4, to random words of a line about 10.)
uint8_t sector_operations(const uint64_t addr[32], uint32_t mask, uint64_t line);

// Distinct lines and sectors that the lanes of `mask` touch with `width` bytes at addr[lane]. Lines are in
// the order of the first lane that touches them.
void coalesce(const uint64_t addr[32], uint32_t mask, uint32_t width, Coalesced& out);

}  // namespace heddle::memory
