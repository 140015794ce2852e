// Barrier objects (mbarrier, ptx.md 2.11): 64 bits of shared memory that count arrivals and bytes.
#pragma once

#include <cstdint>

#include "sim/exec/async/ops.h"
#include "sim/exec/async/reach.h"

namespace heddle::exec {

inline constexpr uint32_t kMostArrivals = (1U << 20) - 1;
inline constexpr int32_t kMostBytes = (1 << 20) - 1;  // under way, either way

// What the 64 bits say, where machine code takes them apart: ptxas makes shifts of mbarrier.pending_count and
// hands the upper word of a state to SYNCS.PHASECHK, and what it writes to initialise is 2^20 less the
// arrivals in two places (tools/microbench/FINDINGS.md 24). So each count is stored as its complement to two:
// arrivals of a phase from bit 1 on, bytes from bit 21 on, arrivals that are missing from bit 43 on; bit 63
// is the parity. Bit 0 is this simulator's own: that there is an object. Where the bytes lie is assumed. All
// zero: no object.
struct BarrierObject {
  bool there = false;
  bool parity = false;    // of the phase that is not complete
  uint32_t expected = 0;  // arrivals of a phase
  uint32_t pending = 0;   // of this one
  int32_t bytes = 0;      // of this phase, that have not come

  static BarrierObject unpack(uint64_t word);
  uint64_t pack() const;
};

// What one thread does to the object at `at`. Returns the instruction's result: the state before, a
// predicate, a count. Throws Fault.
uint64_t perform(const BarrierObjectOp& op, const Spaces& spaces, uint32_t lane, const At& at,
                 uint64_t operand);

// So many bytes of a copy have come. Throws Fault.
void complete_bytes(const Spaces& spaces, uint32_t lane, const At& at, uint64_t bytes);

}  // namespace heddle::exec
