// One static instruction, decoded once per kernel by a frontend. Plain data.
#pragma once

#include <array>
#include <cstdint>

#include "sim/isa/async_op.h"
#include "sim/isa/op_class.h"

namespace heddle::isa {

// Register files of the SASS programming model.
enum class RegFile : uint8_t {
  kNone,
  kGpr,               // R0..R254 (RZ is never recorded)
  kUniform,           // UR0..UR62
  kPredicate,         // P0..P6
  kUniformPredicate,  // UP0..UP6
  kConvergence,       // B0..B15
  kScoreboard,        // SB0..SB5 named as an operand (DEPBAR)
};

struct Operand {
  RegFile file = RegFile::kNone;
  uint8_t index = 0;  // first register
  uint8_t count = 1;  // consecutive registers (2 for a 64-bit value, 4 for 128-bit)
  uint8_t slot =
      0;  // source operand position a=0, b=1, c=2 (decides the reuse-cache entry); 0 for destinations
};

// Control fields, bits 105..125 of the 128-bit encoding (reference/microarchitecture.md 3.1).
struct Control {
  uint8_t stall = 0;          // issue cycles before this warp may issue again, 0..15
  bool yield = false;         // decoded sense: true = prefer another warp in the next cycle
  uint8_t write_barrier = 7;  // SB index released at write-back; 7 = none
  uint8_t read_barrier = 7;   // SB index released when sources have been read; 7 = none
  uint8_t wait_mask = 0;      // bit b: wait until SBb is zero
  uint8_t reuse = 0;          // bit s: keep source operand slot s in the reuse cache
};

enum InstrFlag : uint32_t {
  kFlagHasControl = 1 << 0,          // `ctl` came from an encoding
  kFlagPredicated = 1 << 1,          // guarded by a predicate other than PT
  kFlagConstOperand = 1 << 2,        // a source is c[bank][offset] (fixed-latency constant port)
  kFlagBypassL1 = 1 << 3,            // .STRONG.GPU/.SYS, LDGSTS.BYPASS, volatile
  kFlagUnknownOpcode = 1 << 4,       // classified by prefix only
  kFlagBarrierArrive = 1 << 5,       // BAR.ARV / UCGABAR_ARV: does not wait
  kFlagUniformAddress = 1 << 6,      // address operand is a uniform register only
  kFlagBarrierRed = 1 << 7,          // BAR.RED
  kFlagScopeSys = 1 << 8,            // .SYS scope
  kFlagScopeCta = 1 << 9,            // .CTA scope (MEMBAR.ALL.CTA ...)
  kFlagEvictFirst = 1 << 10,         // .EF
  kFlagEvictLast = 1 << 11,          // .EL
  kFlagStrong = 1 << 12,             // .STRONG.*
  kFlagBarrierAllThreads = 1 << 13,  // BAR without a thread count: every warp of the block
  kFlagAsyncStore = 1 << 14,         // STAS, REDAS: their bytes count at a barrier object
  kFlagReconverges = 1 << 15,        // BSYNC
  kFlagGroupGoesOn = 1 << 16,        // warp-group MMA without gsb0: another one ends its group
  kFlagMergesSameWord = 1 << 17,     // ATOMS.POPC.INC: lanes that meet in a word are counted, not serialised
  kFlagReadOnly = 1 << 18,           // LDG.CONSTANT: nobody writes there while the kernel runs
  kFlagTensorFree = 1 << 19,         // UTCATOMSWS.AND: gives columns of tensor memory back
  kFlagPair = 1 << 20,               // UTC*.2CTA: both SMs of a pair take part
};

inline constexpr uint32_t kNamedBarriers = 16;
inline constexpr uint8_t kBarrierInRegister = 0xff;  // Instr::barrier_id
inline constexpr int kMaxSrc = 8;
inline constexpr int kMaxDst = 4;

struct Instr {
  uint32_t pc = 0;  // byte offset within the kernel's code
  OpClass op = OpClass::kUnknown;
  MemSpace space = MemSpace::kNone;
  uint8_t width = 0;     // bytes accessed per thread by a memory instruction (LDSM: bytes per matrix row, 16)
  uint8_t mem_refs = 0;  // address lists a dynamic instance with a non-zero mask carries (0, 1; 2 for LDGSTS)
  uint32_t flags = 0;    // InstrFlag
  Control ctl;
  uint8_t n_src = 0;
  uint8_t n_dst = 0;
  std::array<Operand, kMaxSrc> src{};
  std::array<Operand, kMaxDst> dst{};
  uint16_t opcode = 0;     // index into KernelImage::opcodes (full opcode text with modifiers)
  uint8_t barrier_id = 0;  // BAR: named barrier 0..15, or kBarrierInRegister
  uint8_t matrices = 0;    // LDSM/STSM: 1, 2 or 4; LDTM/STTM: registers of a lane
  // BAR with an immediate thread count. 0: the whole block or, without kFlagBarrierAllThreads, in a register.
  uint16_t barrier_threads = 0;
  uint8_t depbar_sb = 7;      // DEPBAR.LE SBx: x;  LDGSTS groups wait on SB0 (DEPBAR.LE SB0, n)
  uint8_t depbar_count = 0;   // DEPBAR.LE SBx, n: n;  WARPGROUP.DEPBAR.LE gsb0, n: n
  uint8_t depbar_mask = 0;    // DEPBAR {ids}: further counters that must be zero
  uint32_t mma_work = 0;      // HMMA/IMMA/DMMA/GMMA: M*N*K of the instruction
  uint8_t mma_bits = 0;       // bits of one A/B element (16 for fp16, 19 counts as 32 for TF32, 64 for FP64)
  uint8_t mma_acc_bits = 0;   // bits of one accumulator element (16 or 32; 64 for FP64)
  uint16_t const_bank = 0;    // c[bank][..] of LDC, ULDC or a constant operand
  uint32_t const_offset = 0;  // immediate offset into that bank
  AsyncOp async;              // kBulkCopy
  SyncsForm syncs;            // kMbarrier
  uint32_t target = 0;        // branch target pc where the text names one; 0 otherwise
};

// BAR with a count of threads: some of the block's warps.
inline bool has_thread_count(const Instr& in) {
  return in.op == OpClass::kBarrier && !(in.flags & kFlagBarrierAllThreads);
}
// BAR whose number or count is in a register: a recording does not have it.
inline bool in_register(const Instr& in) {
  return in.op == OpClass::kBarrier &&
         (in.barrier_id == kBarrierInRegister || (has_thread_count(in) && in.barrier_threads == 0));
}

}  // namespace heddle::isa
