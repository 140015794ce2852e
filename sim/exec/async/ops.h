// Records of instructions that copy without waiting and of those that wait for it (ptx.md 2.10, 2.11, 5).
#pragma once

#include <cstdint>

#include "sim/exec/atomics.h"
#include "sim/exec/slot.h"

namespace heddle::exec {

// mbarrier. The operand: expected arrivals, arrivals (none: one), bytes, a state or a parity.
struct BarrierObjectOp {
  enum class Kind : uint8_t {
    kInit,
    kInvalidate,
    kArrive,
    kExpect,        // expect_tx
    kComplete,      // complete_tx
    kWait,          // test_wait, try_wait
    kPendingCount,  // of the state in the operand; no object
    kArriveCopies,  // cp.async.mbarrier.arrive
  };
  Kind kind = Kind::kInit;
  Space space = Space::kShared;
  bool drops = false;         // kArrive: fewer are expected from now on
  bool no_complete = false;   // kArrive: does not end the phase
  bool expects = false;       // kArrive, of one thread: the operand is bytes
  bool no_increment = false;  // kArriveCopies
  bool after_copies = false;  // kComplete: when the thread's copies have come, as kArriveCopies
  bool parity = false;        // kWait: the operand is one
  bool suspends = false;      // kWait: others may go first
};

// A copy that a thread starts. Operands that an instruction does not have: no slot.
struct TransferOp {
  enum class Kind : uint8_t {
    kCopy,          // cp.async
    kBulk,          // cp.async.bulk, cp.reduce.async.bulk
    kBulkPrefetch,  // of any kind
    kTensorLoad,
    kTensorStore,  // also cp.reduce
    kTensorPrefetch,
    kStore,  // st.async, red.async
    kCheck,  // discard, applypriority: `size` bytes that have to be there
  };
  Kind kind = Kind::kCopy;
  Place to, from;
  Place barrier;               // with bytes: in the block that the copy goes to
  bool signals = false;        // there is a barrier object
  uint8_t element_bytes = 0;   // of the elements that are stored or combined
  Slot bytes = kNoSlot;        // kCopy: to be read, the rest is zero; kBulk: all
  uint32_t size = 0;           // kCopy: bytes that are written
  Slot ignore = kNoSlot;       // kCopy: where it holds, nothing is read
  Slot blocks = kNoSlot;       // multicast: the ranks, a bit each
  AtomicFn combine = nullptr;  // kBulk, kStore: instead of storing
  // Tensors.
  bool reduces = false;
  AtomicKind reduction = AtomicKind::kAdd;  // of the map's type
  Slot map = kNoSlot;                       // its generic address
  uint8_t dimensions = 0;
  bool im2col = false;
  Slot coordinates[5] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  Slot offsets[3] = {kNoSlot, kNoSlot, kNoSlot};
  Slot values[4] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // kStore
  uint8_t elements = 1;                                   // kStore
};

// tensormap.replace: bits of a tensor map.
struct MapFieldOp {
  enum class Field : uint8_t {
    kAddress,
    kRank,
    kBox,
    kSize,
    kStride,
    kStep,
    kType,
    kInterleave,
    kSwizzle,
    kFill
  };
  Field field = Field::kAddress;
  Place map;
  uint32_t dimension = 0;
  Slot value = kNoSlot;
  bool stride_in_bytes = true;  // else in 16 bytes
};

}  // namespace heddle::exec
