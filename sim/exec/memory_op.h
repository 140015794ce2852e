// What a memory instruction does, in three steps, so that something may lie between them: addresses and data
// out of the registers, the access, values into the registers. README.md says what for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/exec/code.h"
#include "sim/exec/memory.h"

namespace heddle::exec {

// Where the registers of a warp's frame lie, by bank.
struct Banks {
  Register* base[4] = {};
  Register* at(Slot s) const {
    Register* b = base[s >> 30];
    return b + (s & kSlotIndex);  // Bank::kNone: null + 0
  }
};

struct Access {
  const MemoryOp* op = nullptr;
  uint32_t mask = 0;
  Register address;
  Register data[8];     // by element; of 16 bytes two each. Of loads and atomics: what came back
  Register operand[8];  // of atomics
  Register compare[2];
};

// What a warp reaches besides global memory.
struct Spaces {
  Memory* memory = nullptr;
  std::span<const std::span<uint8_t>> shared;  // of the cluster's blocks, each from kSharedReserve on
  uint32_t rank = 0;                           // of the warp's block
  std::span<uint8_t> system;                   // of its shared memory, below kSharedReserve
  uint8_t* local = nullptr;                    // lane by lane
  uint32_t local_bytes = 0;                    // of a lane
  uint8_t* stack = nullptr;                    // of alloca, lane by lane
  uint32_t stack_bytes = 0;                    // of a lane
  std::span<const uint8_t> constants;
  std::span<const uint8_t> parameters;
  uint32_t parameter_at = 0;  // Code's
  // Checks::init: as Memory::Range::written, of the shared memory of the cluster's blocks; else empty.
  std::span<const std::span<uint8_t>> written;
};

enum class Refusal : uint8_t { kNone, kOutOfBounds, kMisaligned, kReadOnly, kUnwritten };

// Which lane's access cannot be.
struct Refused {
  Refusal why = Refusal::kNone;
  uint32_t lane = 0;
  Space space = Space::kGlobal;
};

// The space and the bytes of one lane's address; `space` becomes the one that a generic address is in, and
// `address` counts from its beginning. Null when not all is there.
// Addresses of shared memory have the block's rank in front.
uint8_t* locate(const Spaces& spaces, uint32_t lane, Space& space, uint64_t& address, uint64_t bytes);

// Where the lanes of the mask want to go: a part of the first step.
void prepare_addresses(const Inst& in, const MemoryOp& op, const Banks& banks, uint32_t local, uint32_t mask,
                       Access& a);
// Checks::init: whether all that is read was written before; what is written now counts from now on. The
// address is one that locate() finds.
bool check_written(const Spaces& spaces, Space space, uint64_t address, uint64_t bytes, bool reads,
                   bool writes);

// "load of 4 bytes at 0x400 in shared memory is misaligned (legal: ...)"
std::string refusal(const Spaces& spaces, std::string_view what, uint64_t address, uint64_t bytes,
                    uint64_t align, const Refused& r);

// Which space a generic address is in.
Space space_of(uint64_t address);

// The first step. `local`: the frame's place in local memory.
void prepare(const Inst& in, const MemoryOp& op, const Banks& banks, uint32_t local, uint32_t mask,
             Access& a);
// Why the second cannot be, if so.
Refused refused(const Spaces& spaces, const Access& a);
// The second. Nothing is changed when it is refused.
Refused perform(const Spaces& spaces, Access& a);
// The third.
void complete(const Access& a, const Banks& banks);

}  // namespace heddle::exec
