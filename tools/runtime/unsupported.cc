// Every name that CUDA 13.0's libcudart and libcuda export, so that any program can be loaded; those that
// other files define are theirs, the others say that they are not supported.
#include "tools/runtime/call.h"

// names.inc: `nm -D` of both libraries.
#define HEDDLE_STUB(name) \
  HEDDLE_CUDA __attribute__((weak)) int32_t name() { return heddle::runtime::unsupported(#name); }
#include "tools/runtime/names.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

// Of names that a later runtime has within a program (redirect/).
HEDDLE_CUDA int32_t heddle_unsupported(const char* name) { return heddle::runtime::unsupported(name); }
