// Copies that a thread starts and does not wait for, in two steps: operands out of the registers, the copy.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/async/ops.h"
#include "sim/exec/async/reach.h"

namespace heddle::exec {

// All that one thread's copy needs.
struct Transfer {
  const TransferOp* op = nullptr;
  At to, from, barrier;
  uint64_t bytes = 0;   // to be read
  uint64_t map = 0;     // generic
  uint32_t blocks = 0;  // multicast: the ranks, a bit each; 0: none
  std::array<int32_t, 5> coordinates{};
  std::array<uint16_t, 3> offsets{};
  std::array<uint64_t, 4> values{};
};

// `local`: the frame's place in local memory.
Transfer prepare(const TransferOp& op, const Banks& banks, uint32_t local, uint32_t lane);
// Throws Fault.
void perform(const Transfer& t, const Spaces& spaces, uint32_t lane);

// cp.async, before it is performed: where its bytes go. Throws Fault for what it may not do.
uint8_t* copy_target(const Transfer& t, const Spaces& spaces, uint32_t lane);

// Parts of perform().
void perform_tensor(const Transfer& t, const Spaces& spaces, uint32_t lane);  // tensor.cc
// The blocks that a copy into shared memory goes to, by their ranks, and their barrier objects. Throws Fault
// when there is none with such a rank or the object is of another block.
void check_blocks(const Transfer& t, const Spaces& spaces);
template <class F>
void for_blocks(const Transfer& t, F f) {
  if (t.op->blocks == kNoSlot) {
    f(t.to, t.barrier);
    return;
  }
  for (uint32_t rank = 0; rank < kMostClusterBlocks; ++rank) {
    if ((t.blocks >> rank & 1) != 0) {
      f(of_block(t.to, rank), of_block(t.barrier, rank));
    }
  }
}

// tensormap.replace, of one thread; `at`: the map. Throws Fault.
void replace_field(const MapFieldOp& op, const Spaces& spaces, uint32_t lane, const At& at, uint64_t value);

// Where a place is for a lane.
At at(const Place& place, const Banks& banks, uint32_t local, uint32_t lane);

}  // namespace heddle::exec
