// CacheLine::flags of the L2.
#pragma once

#include <cstdint>

namespace heddle::memory {

enum LineFlag : uint8_t {
  kReplica = 1,     // this copy's home is another partition
  kReplicated = 2,  // the home copy: other partitions may hold replicas
  kPersisting = 4,  // in the set-aside
  kStreaming = 8,   // the first to be replaced
};

}  // namespace heddle::memory
