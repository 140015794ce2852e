// What executes: a grid of blocks of warps, each of which says what it issues next, hands out the operands of
// what issues, and takes the values that come back. A recording is one (isa/recorded_program.h); what
// computes as it goes is another. The machine knows no more of them than this.
//
// The machine calls a block from one thread at a time, and in an order that does not depend on the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/isa/atomic.h"
#include "sim/isa/kernel.h"
#include "sim/isa/tensor_map.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::isa {

// A run of consecutive static instructions executed with one active mask.
struct Run {
  uint32_t first;  // index into KernelImage::code
  uint32_t count;  // instructions first, first+1, ..., first+count-1
  uint32_t mask;   // active AND predicate; 0 for predicated-off instructions (they still take an issue slot)
};

// What a block or warp has executed.
struct BlockWork {
  uint64_t instructions = 0;    // warp instructions
  uint64_t thread_pred_on = 0;  // thread instructions with a true predicate
  template <class Archive>
  void serialize(Archive& ar) {
    ar(instructions, thread_pred_on);
  }
  BlockWork& operator+=(const BlockWork& o) {
    instructions += o.instructions;
    thread_pred_on += o.thread_pred_on;
    return *this;
  }
};

// The addresses of an instruction's active lanes, as compact as they were found. What it points to lives as
// long as the block, or, when a program that computes has written them into LaneRoom, as long as that.
struct LaneAddresses {
  enum class Kind : uint8_t {
    kNone,    // not known
    kStride,  // k-th set lane: base + k * stride
    kDelta,   // first set lane: base; k-th further set lane: base + deltas[k - 1]
    kFull,    // k-th set lane: values[k]
  };
  Kind kind = Kind::kNone;
  int32_t stride = 0;
  uint64_t base = 0;
  union {
    const int32_t* deltas = nullptr;
    const uint64_t* values;
  };

  static LaneAddresses full(const uint64_t* values) {
    LaneAddresses a;
    a.kind = Kind::kFull;
    a.values = values;
    return a;
  }
  static LaneAddresses strided(uint64_t base, int32_t stride) {
    LaneAddresses a;
    a.kind = Kind::kStride;
    a.base = base;
    a.stride = stride;
    return a;
  }
};
// Writes the addresses of the set lanes of `mask` to addr[lane] for lanes in the mask. False when they are
// not known.
bool expand(const LaneAddresses& a, uint32_t mask, uint64_t addr[32]);

// BAR: which one, and how many threads it waits for; 0: the whole block.
struct BarrierOp {
  static constexpr uint32_t kOfPhase = ~0u;  // BlockProgram::barrier_threads() knows
  uint32_t threads = 0;
  uint8_t number = 0;
  bool by_order = false;  // the number is not known: barriers are matched by the order of arrivals
};

// SYNCS: what is done to a barrier object in shared memory.
struct MbarrierOp {
  enum class Kind : uint8_t {
    kOther,       // takes its time, changes nothing
    kInit,        // `count` arrivals a phase, the first of `parity`
    kInvalidate,  // it is no barrier any more
    kArrive,      // `count` arrivals
    kExpect,      // `bytes` more of this phase
    kArriveExpect,
    kComplete,  // `bytes` that were expected have come
    kWait,      // returns when the phase of `parity` is complete
    kTest,      // returns at once, whether it is
  };
  Kind kind = Kind::kOther;
  uint8_t parity = 0;
  // Recordings do not have the operands of some: their waits end when no bytes are expected.
  bool any_phase = false;
  bool remote = false;  // of the block `rank` of the cluster
  uint8_t rank = 0;
  uint32_t count = 1;
  uint64_t address = 0;  // in shared memory of its block
  uint64_t bytes = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(kind, parity, any_phase, remote, rank, count, address, bytes);
  }
};

// An asynchronous copy between global and shared memory. No bytes: nothing is moved.
struct BulkOp {
  AsyncKind kind = AsyncKind::kBulkLoad;
  uint64_t source = 0, bytes = 0;         // in global memory; of stores and reductions: where they write
  uint64_t destination = 0, barrier = 0;  // in shared memory
  // Blocks of the cluster, by rank, that get it, each at the same places of its own; 0: only the block
  // itself.
  uint16_t multicast = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(kind, source, bytes, destination, barrier, multicast);
  }
};

// An instruction of the unit of tensor memory.
struct TensorOp {
  uint16_t columns = 0;             // of D that a lane holds; taken or given back
  uint32_t a_bytes = 0, bytes = 0;  // of shared memory of each SM that takes part: A's, the rest
};

// Room for the operands of one memory instruction of a program that computes, until the LSU has taken it. By
// lane; up to 16 bytes each, little end first.
struct LaneRoom {
  static constexpr uint32_t kLanes = 32, kBytes = 16;
  uint64_t address[kLanes];                    // of the k-th set lane
  uint64_t second[kLanes];                     // the same of a copy's destination
  alignas(8) uint8_t data[kLanes][kBytes];     // stores; first operand of atomics
  alignas(8) uint8_t compare[kLanes][kBytes];  // second operand (CAS)
};

// The operands of an instruction that issues: what its class has of them.
struct Operands {
  uint64_t now = 0;       // given: the core cycle at which it issues
  LaneAddresses address;  // memory instructions
  LaneAddresses copy_to;  // LDGSTS: where in shared memory; recorded STAS, REDAS: their barrier object
  BarrierOp barrier;
  MbarrierOp mbarrier;
  // Of lanes whose barrier objects are others, behind `mbarrier`. Until the next call.
  std::span<const MbarrierOp> more_mbarriers;
  BulkOp bulk;
  TensorOp tensor;
  // Of a tensor copy: `bulk` has its bytes. Until the next call.
  const TensorTile* tile = nullptr;
  uint64_t descriptor = 0;  // its tensor map's address
  bool descriptor_is_parameter = false;
  bool assumed_map = false;
  bool unknown_copy = false;  // a recording that does not say what it moves
  AtomicOp atomic;
  // Programs that compute: lanes that are active, whatever the predicate; and a number that comes back with
  // the values.
  uint32_t active = ~0u;
  uint32_t ticket = 0;
  LaneRoom* room = nullptr;  // where to write; set for memory instructions of programs that compute
  // The machine performs the access; false: the program has, and the machine is to give it its time.
  bool served = true;
};

// The values of a load or atomic, by lane.
struct LaneValues {
  alignas(8) uint8_t data[LaneRoom::kLanes][LaneRoom::kBytes];
};

// What a program can find out about the device that it is on.
struct Device {
  double core_mhz = 1000;
  uint32_t sms = 1;
};

class WarpProgram {
 public:
  virtual ~WarpProgram() = default;
  // What it issues from here on, asked at core cycle `now`, once all that was given before has issued; empty
  // when it has ended, or waits(). Valid until the next call.
  virtual std::span<const Run> next(uint64_t now) = 0;
  // Behind a next() that gave nothing: it has not ended, what it does next hangs on what other warps do. It
  // is to be asked again.
  virtual bool waits() const { return false; }
  // Instruction `code` of the last run given issues, with the run's mask. Called in order; for recordings
  // only for those with memory references, and for barriers, and a mask that is not 0. Whoever computes does
  // it here: the values of all registers that it reads have come back.
  virtual void issue(uint32_t code, uint32_t mask, Operands& out) = 0;
  // The values of the load or atomic with that ticket, lanes of `mask`.
  virtual void complete(uint32_t ticket, uint32_t mask, const LaneValues& values) {}
  // Where its lanes are in its source, and what they wait for; for messages.
  virtual std::string place() const { return {}; }
  // Where it is: `hash` is the same whenever it would go on in the same way if it found the same in global
  // memory, for which the block's shared memory counts too.
  struct State {
    bool known = false;
    uint64_t hash = 0;
    uint64_t executed = 0;  // instructions so far
  };
  virtual State state() const { return {}; }
  // Writes where it is, or, of a program that was made anew, goes there. Returns the runs that next() gave
  // last, valid until its next call; nothing: it cannot be saved.
  virtual std::optional<std::span<const Run>> serialize(Archive& /*ar*/) { return std::nullopt; }
};

class BlockProgram {
 public:
  virtual ~BlockProgram() = default;
  virtual uint32_t warps() const = 0;
  virtual WarpProgram& warp(uint32_t i) = 0;
  // It begins on that SM; before its warps' programs are asked.
  virtual void begins_on(uint32_t /*sm*/) {}
  // Once it has ended, or before if that is known.
  virtual BlockWork work() const = 0;
  // BarrierOp::kOfPhase: threads of the phase, counted from 0, of a named barrier; multiples of 32.
  virtual uint32_t barrier_threads(uint32_t number, uint32_t phase) const { return 0; }
  // Once it has ended: instructions of its recording that were not executed, turns of loops that wait for a
  // barrier object or for a flag in memory.
  virtual uint64_t left_out() const { return 0; }
  // Data of a bulk copy of a program that computes has come, for that address of its shared memory.
  virtual void deliver(uint64_t shared_address, std::span<const uint8_t> bytes) {}
  // Of a program that computes: its shared memory, which other blocks of the cluster read and write.
  virtual std::span<uint8_t> shared_memory() { return {}; }
  // What it has beside where its warps are. Reading: it was made anew, and its warps come behind.
  virtual void serialize(Archive& /*ar*/) {}

  Dim3 index;           // blockIdx
  uint64_t linear = 0;  // position in launch order
};

// Memory that accesses of programs that compute are performed in.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  // These bytes; null unless all of them are there. Any thread while kernels run.
  virtual uint8_t* find(uint64_t address, uint64_t bytes) = 0;
};

class GridProgram {
 public:
  virtual ~GridProgram() = default;
  virtual const KernelImage& image() const = 0;
  // The next block in launch order; null when all were given. Throws heddle::Error (sim/base/error.h) on
  // malformed input.
  virtual std::unique_ptr<BlockProgram> next() = 0;
  // What its warps compute depends on the order in which they are asked, whichever SM they are on: one thread
  // asks them, SM after SM in short steps of time.
  virtual bool in_order() const { return false; }
  // Some of its accesses read global memory when they issue: what has been stored before has to be there.
  virtual bool reads_at_once() const { return false; }
  // Where its accesses are served. Null: where RunOptions::image says.
  virtual GlobalMemory* memory() { return nullptr; }
  // It has ended; its storage may be used again.
  virtual void recycle(std::unique_ptr<BlockProgram> block) {}
  // Why a machine on which it runs cannot be saved, and what can be; empty: it can.
  virtual std::string cannot_be_saved() const {
    return "a program that computes before its instructions issue, or in a way of its own, cannot be saved "
           "(legal: recordings, code that is executed when it issues)";
  }
  // What it has beside its blocks. Reading: behind them, which were asked for again, those that are done too.
  virtual void serialize(Archive& /*ar*/) {}
};

}  // namespace heddle::isa
