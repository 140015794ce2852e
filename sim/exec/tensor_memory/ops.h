// Records of the instructions of tcgen05 (PTX 8.6, capabilities 10.x and 11.0).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/slot.h"

namespace heddle::exec {

// What a product multiplies.
enum class ProductKind : uint8_t { kF16, kTf32, kI8, kF8f6f4, kMxf8f6f4 };

// Which cells the lanes of a warp move: tensor_memory/shape.h.
enum class CellShape : uint8_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };

// Which lanes of tensor memory a copy from shared memory writes.
enum class CopyShape : uint8_t {
  k128x256b,
  k4x256b,
  k128x128b,
  k64x128b0213,  // each of the 64 rows into two lanes: of the quarters 0 and 2, 1 and 3
  k64x128b0123,  // of 0 and 1, 2 and 3
  k32x128b,      // into all four quarters
};

// Operands that an instruction does not have: no slot. Instructions of a warp take theirs from its first
// lane.
struct TensorMemoryOp {
  enum class Kind : uint8_t {
    kAllocate,    // of a warp: `columns`; the address goes to `place`
    kFree,        // of a warp: `columns` from `address` on
    kRelinquish,  // of a warp: allocates no more
    kLoad,        // of a warp: cells into `values`
    kStore,       // of a warp: `values` into cells
    kCopy,        // of a thread: from shared memory, which `a` describes, to `address`
    kMultiply,    // of a thread: D at `address`
    kCommit,      // of a thread: what it has started arrives at the barrier object `place`
  };
  Kind kind = Kind::kLoad;
  bool pair = false;  // cta_group::2: of both blocks of a pair
  Place place;
  Slot columns = kNoSlot;
  Slot address = kNoSlot;  // lane in the upper, column in the lower half
  int64_t offset = 0;      // to it
  Slot blocks = kNoSlot;   // kCommit: the ranks whose objects are meant, a bit each
  // kLoad, kStore
  CellShape shape = CellShape::k32x32b;
  bool halves = false;       // 16 bits of each cell, two cells in a register
  uint32_t half_offset = 0;  // k16x32bx2: columns to those of the upper lanes
  std::vector<Slot> values;
  // kCopy
  CopyShape copy = CopyShape::k128x256b;
  // kMultiply
  ProductKind product = ProductKind::kF16;
  bool a_in_tensor_memory = false;
  bool stationary = false;        // .ws
  Slot a = kNoSlot, b = kNoSlot;  // a descriptor, or A's address
  Slot instruction = kNoSlot;     // the instruction's descriptor
  Slot adds = kNoSlot;            // a predicate: D is added to; otherwise it is written
  Slot disabled[8] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  Slot scale_a = kNoSlot, scale_b = kNoSlot;  // addresses of scale factors
  uint8_t divide_d = 0;                       // D times 2 to the minus this is added to
};

// What one instruction asks of the hardware: for those who time it.
struct TensorUse {
  uint64_t object = 0;  // kCommit: offset of the barrier object and, from bit 24 on, its block's rank
  uint32_t blocks = 0;  // kCommit: the ranks whose objects are meant instead, a bit each
  // kMultiply, kCopy: what is read of a block's shared memory: A, and the rest.
  uint32_t a_bytes = 0, shared_bytes = 0;
  uint16_t columns = 0;  // kMultiply: of D that a lane holds; kAllocate, kFree: of tensor memory
};

}  // namespace heddle::exec
