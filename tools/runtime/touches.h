// The program's own loads and stores on unified memory.
#pragma once

#include <cstdint>

namespace heddle::runtime {

// Faults of the program's instructions are the simulated host's, who asks first: at each allocation, since
// the program may have a handler of its own since.
void watch_touches();
// The system reads or writes it for the program: no fault tells of that.
void touch(const void* p, uint64_t bytes, bool writes);

}  // namespace heddle::runtime
