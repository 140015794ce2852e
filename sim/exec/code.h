// A kernel and the functions it calls, decoded for execution: what a frontend produces. README.md tells how
// it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/exec/async/ops.h"
#include "sim/exec/atomics.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/matrix/fragment.h"
#include "sim/exec/matrix/product.h"
#include "sim/exec/slot.h"
#include "sim/exec/special.h"
#include "sim/exec/tensor_memory/ops.h"
#include "sim/exec/texture/ops.h"
#include "sim/exec/warp_fn.h"

namespace heddle::exec {

inline constexpr uint32_t kNoPc = UINT32_MAX;

enum class Kind : uint8_t {
  kCompute,  // fn; sub 1: of the warp, in all lanes if in any
  kBranch,   // to target, where the guard holds and s0, if there is one; sub 1: all, where one's guard holds
  kBranchIndex,  // to Code::targets[target][s0]
  kCall,         // Code::calls[target]
  kReturn,       // from function `target`
  kExit,
  kTrap,
  kMemory,      // Code::memory[target]
  kMatrix,      // Code::matrix[target]; all lanes of the warp together
  kSync,        // sub: a SyncKind; s: its operands, then the mask of lanes (none: those that are here)
  kBarrier,     // sub: a BarrierKind; s: number, threads or none, predicate; d0: result;
                // offset: 1 if it is aligned
  kActivemask,  // d0
  kFence,
  kClock,           // d0: instructions of the warp, or simulated time; sub: bits to shift it by, kOfNs
  kLocalAddress,    // d0 = s0 or nothing + offset + the frame's place in local memory
  kAlloca,          // d0: s0 bytes of the thread's stack, at a multiple of offset
  kSleep,           // s0: nanoseconds
  kClusterBarrier,  // sub: a ClusterBarrierKind
  kBarrierObject,   // Code::barrier_objects[target]; sub 1: by one lane; at s0 + offset; s1: its operand; d0:
                    // result
  kTransfer,        // Code::transfers[target]; sub 1: by one lane
  kMapField,        // Code::map_fields[target]
  kTexture,         // Code::textures[target]
  kTensorMemory,    // Code::tensor_memory[target]
  // Of machine code, whose lanes meet where it says (handlers/meeting_barrier.cc). A convergence barrier is a
  // register that holds, in each lane, the lanes that are to meet.
  kBarrierSet,  // d0: the lanes that are here
  kConverge,    // waits for the lanes of s0
  kBreak,       // these lanes are no longer waited for at s0
};
inline constexpr size_t kKinds = static_cast<size_t>(Kind::kBreak) + 1;

enum class SyncKind : uint8_t {
  // clang-format off
  kShflUp, kShflDown, kShflBfly, kShflIdx,
  kVoteAll, kVoteAny, kVoteUni, kVoteBallot,
  kMatchAny, kMatchAll,
  kAddU32, kMinU32, kMaxU32, kMinS32, kMaxS32, kAnd, kOr, kXor,  // redux
  kElect, kWarpBarrier,
  // clang-format on
};

// Of kClock: a timer in ns.
inline constexpr uint8_t kOfNs = 0x80;

enum class BarrierKind : uint8_t { kSync, kArrive, kPopc, kAnd, kOr };
enum class ClusterBarrierKind : uint8_t { kArrive, kWait };

// A load, store or atomic: its record besides the address, which is s0 + offset.
struct MemoryOp {
  enum class Kind : uint8_t { kLoad, kStore, kAtomic };
  Kind kind = Kind::kLoad;
  Space space = Space::kGeneric;
  uint8_t bytes = 4;           // of an element: 1, 2, 4, 8, 16
  uint8_t elements = 1;        // 1, 2, 4, 8
  bool in_frame = false;       // local: counted from the frame's place
  bool pair_base = false;      // s0 is two registers, the low word first
  Slot addend = kNoSlot;       // to the address
  bool sign = false;           // loads: narrower values are extended with their sign
  bool strong = false;         // an atomic, or said to be volatile, relaxed, acquire or release
  bool polls = false;          // a loop of these may wait for another thread
  uint8_t register_bytes = 8;  // of the registers of a load with sign
  Slot values[8] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot,
                    kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // of 16 bytes: two each
  Slot operands[8] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot,
                      kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // of atomics; values are results, or none
  Slot compare[2] = {kNoSlot, kNoSlot};                     // cas
  AtomicFn atomic = nullptr;                                // on global memory
  AtomicFn atomic_shared = nullptr;                         // on shared memory
};

// What the lanes of a warp do with matrices. Loads and stores have s0 + offset for an address.
struct MatrixOp {
  enum class Kind : uint8_t {
    kLoadTiles,      // ldmatrix: d from memory, 8x8 elements of 16 bits each
    kStoreTiles,     // stmatrix: a to memory
    kTransposeTile,  // movmatrix: d = a transposed
    kLoad,           // wmma.load: d; s1: elements from row to row, or none
    kStore,          // wmma.store: a
    kMultiply,       // d = a * b + c
  };
  struct Operand {
    std::vector<Slot> slots;  // of a matrix in shared memory: its descriptor
    matrix::Fragment fragment;
    bool in_shared = false;
    bool mn_major = false;  // see matrix/shared_operand.h
  };
  Kind kind = Kind::kMultiply;
  MemoryOp memory;          // loads and stores: one access of each lane
  bool transposed = false;  // loads and stores: columns lie behind one another
  uint8_t unit = 1;         // wmma: so many elements of the program are one of the fragment
  Operand a, b, c, d;
  matrix::Product product;
  bool widened = false;     // elements of 8 bits become f16 before they are multiplied
  Slot uses_c = kNoSlot;    // a predicate: otherwise c is 0
  Slot metadata = kNoSlot;  // of a sparse a, whose elements have type `picks`
  matrix::Element picks = matrix::Element::kF16;
  uint8_t selector = 0;
};

// A parameter or result of a function, or what a call gives for it.
struct ValuePlace {
  bool in_register = false;
  Slot slot = kNoSlot;  // kNoSlot: not wanted
  uint32_t offset = 0;  // otherwise in the frame's local memory
  uint32_t bytes = 0;
};

struct CallOp {
  uint32_t function = UINT32_MAX;  // else the address in `pointer`
  Slot pointer = kNoSlot;
  uint32_t frame_registers = 0;  // of the caller
  uint32_t frame_bytes = 0;
  std::vector<ValuePlace> arguments, returns;
};

// Functions of the system (ptx.md 1.5).
enum class Builtin : uint8_t { kNone, kPrintf, kMalloc, kFree, kAssertFail, kSetConditional, kRuntime };

struct FunctionInfo {
  std::string name;
  uint32_t first = kNoPc, end = kNoPc;  // instructions; kNoPc: not there
  uint32_t registers = 0;               // of its frame, with the first ones
  uint32_t local_bytes = 0;             // of its frame, a multiple of 16
  std::vector<ValuePlace> parameters, returns;
  Builtin builtin = Builtin::kNone;
  RuntimeFunction runtime = RuntimeFunction::kNone;  // of kRuntime
};

struct Inst {
  WarpFn fn = nullptr;
  Slot d[2] = {kNoSlot, kNoSlot};
  Slot s[5] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  Slot guard = kNoSlot;
  uint32_t target = kNoPc;
  uint32_t reconverge = kNoPc;  // branches: where lanes that part meet again (control_flow.h)
  int64_t offset = 0;
  Kind kind = Kind::kCompute;
  uint8_t sub = 0;
  bool guard_negated = false;
  bool counted = true;  // false: a part of the instruction behind or before it
};
static_assert(sizeof(Inst) == 64);

struct Code {
  std::string kernel;
  std::string file;  // for messages
  uint32_t entry = 0;
  std::vector<Inst> insts;
  std::vector<uint32_t> lines;  // of each instruction, in the file; of machine code bytes in its function
  // Of machine code: where each function begins among the instructions, in order, and its name.
  std::vector<std::pair<uint32_t, std::string>> stretches;
  std::vector<FunctionInfo> functions;
  std::vector<Register> constants;
  std::vector<Special> specials;  // from register kFirstSpecial of Bank::kWarp on
  // Constants that a launch says: the word at `offset` among its parameters.
  struct ParameterWord {
    uint32_t offset, constant;
  };
  std::vector<ParameterWord> parameter_words;
  std::vector<MemoryOp> memory;
  std::vector<MatrixOp> matrix;
  std::vector<BarrierObjectOp> barrier_objects;
  std::vector<TransferOp> transfers;
  std::vector<MapFieldOp> map_fields;
  std::vector<TextureOp> textures;
  std::vector<TensorMemoryOp> tensor_memory;
  std::vector<CallOp> calls;
  std::vector<std::vector<uint32_t>> targets;
  std::vector<uint8_t> const_data;           // the constant space
  uint32_t static_shared = 0;                // bytes, from kSharedReserve on
  bool system_shared = false;                // uses what is below: %reserved_smem_offset_0, _1
  uint32_t dynamic_shared_at = 0;            // offset of dynamic shared memory
  uint32_t parameter_bytes = 0;              // of the kernel
  uint32_t parameter_at = 0;                 // of machine code: their place in constant bank 0
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  uint32_t most_threads = 1024;              // of a block
  uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster; 0: none
  uint32_t most_cluster_blocks = 0;          // .maxclusterrank; 0: none
  bool explicit_cluster = false;             // .explicitcluster: a launch says the clusters' size
  bool grid_in_clusters = false;             // .blocksareclusters
  bool calls_system = false;                 // printf, malloc, the CUDA runtime
  bool stack_by_limit = false;        // how much stack calls need is not known: Launch::stack_limit more
  bool explicit_convergence = false;  // lanes meet at kConverge only
  bool reconvergence_stack = false;   // made for a capability below 7.0: no independent threads

  // For messages: "FILE:LINE", "FILE: FUNCTION+0xOFFSET".
  std::string place(uint32_t pc) const;
};

}  // namespace heddle::exec
