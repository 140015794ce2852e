// Memory that an asynchronous instruction names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/exec/layout.h"
#include "sim/exec/memory_op.h"

namespace heddle::exec {

// What a thread may not do. Thrown, and caught where the thread and the line are known.
struct Fault {
  std::string what;
};

struct At {
  Space space = Space::kGeneric;
  uint64_t address = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(space, address);
  }
};

// The block of the cluster whose shared memory it is.
inline uint32_t rank_of(const At& at) {
  return static_cast<uint32_t>(at.address % kSharedWindows / kWindowBytes);
}
// The same place in the shared memory of another block.
inline At of_block(const At& at, uint32_t rank) {
  return {Space::kSharedCluster, at.address % kWindowBytes + rank * kWindowBytes};
}

enum class Use : uint8_t {
  kRead,
  kWrite,
  kName,  // neither, or not all of it
};

// The bytes there, all of which may be used so; `align`: of the address. Throws Fault; `what` names the
// access.
uint8_t* reach(const Spaces& spaces, uint32_t lane, const At& at, uint64_t bytes, uint64_t align, Use use,
               std::string_view what);

// Word by word, as loads and stores do it.
void copy_bytes(uint8_t* to, const uint8_t* from, uint64_t bytes);

}  // namespace heddle::exec
