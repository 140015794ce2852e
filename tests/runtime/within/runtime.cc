// What nvcc links into programs and libraries, by its names: each function returns a negative number of its
// own, unless it leads elsewhere. HEDDLE_OTHER is a name that CUDA 13.0 does not have.
#include <cstdint>

#define cuArrayCreate HEDDLE_OTHER  // somewhere in the middle

#define HEDDLE_STUB(name)                                          \
  extern "C" __attribute__((visibility("hidden"))) int32_t name(); \
  int32_t name() { return -__COUNTER__ - 1; }
#include "tools/runtime/names.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names
