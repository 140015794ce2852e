// Whether a block's recorded waits for barrier objects can all end, by what is assumed of the objects: a run
// through its arrivals and waits without time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::isa {

struct SyncStep {
  uint64_t at = 0;        // the object's offset in shared memory
  uint32_t arrivals = 0;  // 0: a wait for the phase of `parity`
  uint8_t parity = 0;
};

struct RehearsedBarrier {
  uint32_t arrivals = 0;  // of a phase; 0: not known, waits end at once
  uint8_t parity = 0;     // of the first phase
  // It may have been initialised with the other parity, so that the first wait of those who fill a buffer
  // that is empty ends at once.
  bool may_begin_odd = false;
};

// `warps`: what each of them does, in order. Bytes that a phase expects count as there. Where no warp can go
// on, the objects they wait for whose first phase is not complete, and that may, begin odd; else those they
// wait for become unknown.
void rehearse(const std::vector<std::vector<SyncStep>>& warps,
              std::map<uint64_t, RehearsedBarrier>& barriers);

}  // namespace heddle::isa
