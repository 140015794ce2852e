// The device's buffer, as the injected code and the host see it.
#pragma once

#include <stdint.h>

namespace heddle::capture {

// Which blocks of a launch are recorded: positions in launch order. Empty: none.
struct alignas(16) Target {
  uint32_t first = 0, end = 0;
  uint32_t by_cluster = 0;  // 1: the launch order is not that of the grid
  uint32_t node = 0;        // of its records
};

struct Buffer {
  unsigned long long head;      // bytes written, or wanted
  unsigned long long capacity;  // of `bytes`
  unsigned char* bytes;
  unsigned long long astray;  // records of launches that are none of the targets
  const Target* targets;
  // One: it is every launch's. More: the launch's value, from 1, says which. None: nothing is recorded.
  uint32_t count;
  uint32_t stray;  // the value, its low half, of one of those that are astray
};

}  // namespace heddle::capture
