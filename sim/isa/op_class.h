// What kind of work an instruction is. A class names a behaviour the machine model distinguishes; which pipe
// executes it, with what latency and issue interval, is the architecture's choice and comes from the
// configuration.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::isa {

// X(enumerator, config name). The config name is what `sm.op` entries in configs/ use.
#define HEDDLE_OP_CLASSES(X)                                                                           \
  X(kUnknown, "unknown")            /* classified by nothing: treated as kAlu, counted and reported */ \
  X(kNop, "nop")                    /* NOP and other instructions that only take an issue slot */      \
  X(kAlu, "alu")                    /* IADD3, LOP3, SHF, LEA, SEL, PRMT, MOV, IABS, VIADD, ... */      \
  X(kAluPredicate, "alu_predicate") /* ISETP, FSETP, PLOP3, ...: result is a predicate */              \
  X(kFp32, "fp32")                  /* FADD, FMUL, FFMA */                                             \
  X(kFp32x2, "fp32x2")              /* FADD2, FMUL2, FFMA2: two of FP32 in each lane */                \
  X(kImad, "imad")                  /* IMAD and its MOV/SHL/IADD forms, VIADD */                       \
  X(kImadWide, "imad_wide")         /* IMAD.WIDE, IMAD.HI: 64-bit product */                           \
  X(kIdp, "idp")                    /* IDP.4A, IDP.2A */                                               \
  X(kHalfMma, "half_mma")           /* HFMA2.MMA: packed half arithmetic on the matrix unit */         \
  X(kHalf, "half")                  /* HADD2, HMUL2, HFMA2 and bf16 forms */                           \
  X(kFp64, "fp64")                  /* DADD, DMUL, DFMA, DSETP */                                      \
  X(kMufu, "mufu")                  /* MUFU.* */                                                       \
  X(kMufuExp, "mufu_exp")           /* MUFU.EX2 */                                                     \
  X(kConvert, "convert")            /* I2F, F2I, F2F, FRND up to 32 bits */                            \
  X(kConvert64, "convert64")        /* conversions from or to 64-bit types */                          \
  X(kBitCount, "bit_count")         /* POPC, FLO, BREV */                                              \
  X(kVote, "vote")                  /* VOTE */                                                         \
  X(kVoteUniform, "vote_uniform")   /* VOTEU */                                                        \
  X(kMatch, "match")                /* MATCH.ANY, MATCH.ALL */                                         \
  X(kRedux, "redux")                /* REDUX */                                                        \
  X(kShuffle, "shuffle")            /* SHFL */                                                         \
  X(kS2R, "s2r")                    /* S2R: special register of the block or the SM */                 \
  X(kS2RThread, "s2r_thread")       /* S2R of a register that differs from lane to lane */             \
  X(kCs2r, "cs2r")                  /* CS2R: fixed-latency special register */                         \
  X(kS2ur, "s2ur")                  /* S2UR */                                                         \
  X(kR2ur, "r2ur")                  /* R2UR, REDUX into uniform registers */                           \
  X(kLdc, "ldc")                    /* LDC: constant load to a vector register */                      \
  X(kUldc, "uldc")                  /* ULDC */                                                         \
  X(kUniform, "uniform")            /* uniform datapath arithmetic */                                  \
  X(kUniformMove, "uniform_move")   /* UMOV */                                                         \
  X(kHmma, "hmma")                  /* HMMA */                                                         \
  X(kImma, "imma")                  /* IMMA, BMMA */                                                   \
  X(kDmma, "dmma")                  /* DMMA */                                                         \
  X(kMovm, "movm")                  /* MOVM: matrix transpose in registers */                          \
  X(kGmma, "gmma")                  /* HGMMA, IGMMA, QGMMA, BGMMA: asynchronous warp-group MMA */      \
  X(kWarpgroupArrive, "warpgroup_arrive")                                                              \
  X(kWarpgroupDepbar, "warpgroup_depbar")                                                              \
  X(kBranch, "branch")     /* BRA, BRX, JMP */                                                         \
  X(kCall, "call")         /* CALL, RET */                                                             \
  X(kConverge, "converge") /* BSSY, BSYNC, BREAK, BMOV, WARPSYNC, ENDCOLLECTIVE, YIELD */              \
  X(kExit, "exit")         /* EXIT, KILL */                                                            \
  X(kNanosleep, "nanosleep")                                                                           \
  X(kBarrier, "barrier")     /* BAR.* */                                                               \
  X(kDepbar, "depbar")       /* DEPBAR */                                                              \
  X(kLdgdepbar, "ldgdepbar") /* LDGDEPBAR: closes an LDGSTS group */                                   \
  X(kMembar, "membar")       /* MEMBAR.*, FENCE.* */                                                   \
  X(kErrbar, "errbar")       /* CGAERRBAR */                                                           \
  X(kCctl, "cctl")           /* CCTL.*: cache control */                                               \
  X(kLdGlobal, "ld_global")                                                                            \
  X(kStGlobal, "st_global")                                                                            \
  X(kAtomGlobal, "atom_global") /* ATOMG: returns a value */                                           \
  X(kRedGlobal, "red_global")   /* RED, REDG */                                                        \
  X(kLdShared, "ld_shared")                                                                            \
  X(kStShared, "st_shared")                                                                            \
  X(kAtomShared, "atom_shared") /* ATOMS */                                                            \
  X(kLdMatrix, "ld_matrix")     /* LDSM */                                                             \
  X(kStMatrix, "st_matrix")     /* STSM */                                                             \
  X(kLdLocal, "ld_local")                                                                              \
  X(kStLocal, "st_local")                                                                              \
  X(kLdGeneric, "ld_generic") /* LD: space found from the address */                                   \
  X(kStGeneric, "st_generic")                                                                          \
  X(kAtomGeneric, "atom_generic")                                                                      \
  X(kLdgsts, "ldgsts")                  /* LDGSTS: asynchronous global-to-shared copy */               \
  X(kTexture, "texture")                /* TEX, TLD, TLD4, SULD, SUST, ... */                          \
  X(kClusterBarrier, "cluster_barrier") /* UCGABAR_ARV */                                              \
  X(kClusterWait, "cluster_wait")       /* UCGABAR_WAIT */                                             \
  X(kMbarrier, "mbarrier")              /* SYNCS.* */                                                  \
  X(kBulkCopy, "bulk_copy")             /* UBLKCP, UBLKRED, UTMALDG, UTMASTG, ... */                   \
  X(kElect, "elect")                    /* ELECT */                                                    \
  X(kTensorMma, "tensor_mma")           /* UTCHMMA, UTCQMMA, ...: a product in tensor memory */        \
  X(kTensorCopy, "tensor_copy")         /* UTCCP, UTCSHIFT: shared to tensor memory, within it */      \
  X(kTensorCommit, "tensor_commit")     /* UTCBAR: the unit's work so far arrives at a barrier */      \
  X(kTensorAlloc, "tensor_alloc")       /* UTCATOMSWS: columns of tensor memory, taken or given */     \
  X(kTensorLd, "tensor_ld")             /* LDTM: tensor memory to registers */                         \
  X(kTensorSt, "tensor_st")             /* STTM */

enum class OpClass : uint8_t {
#define HEDDLE_X(e, n) e,
  HEDDLE_OP_CLASSES(HEDDLE_X)
#undef HEDDLE_X
};

// Stores; and atomics, but for those that name shared memory themselves (ATOMS).
constexpr bool is_store(OpClass c) {
  return c == OpClass::kStGlobal || c == OpClass::kStLocal || c == OpClass::kStGeneric ||
         c == OpClass::kStShared;
}
constexpr bool is_atomic(OpClass c) {
  return c == OpClass::kAtomGlobal || c == OpClass::kRedGlobal || c == OpClass::kAtomGeneric;
}

// Handled by the unit of tensor memory.
constexpr bool uses_tensor_memory(OpClass c) { return c >= OpClass::kTensorMma && c <= OpClass::kTensorSt; }

inline constexpr std::array kOpClassNames = {
#define HEDDLE_X(e, n) std::string_view(n),
    HEDDLE_OP_CLASSES(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr int kOpClassCount = static_cast<int>(kOpClassNames.size());

constexpr std::string_view name(OpClass c) { return kOpClassNames[static_cast<int>(c)]; }

constexpr std::optional<OpClass> op_class_from_name(std::string_view n) {
  for (int i = 0; i < kOpClassCount; ++i) {
    if (kOpClassNames[i] == n) {
      return static_cast<OpClass>(i);
    }
  }
  return std::nullopt;
}

// Execution pipes, with Nsight Compute's names (sm__inst_executed_pipe_<name>).
#define HEDDLE_PIPES(X)                                                      \
  X(kNone, "none")         /* consumed by the issue stage */                 \
  X(kAlu, "alu")           /* integer, logic, compare, select */             \
  X(kFma, "fma")           /* FP32: either half below, chosen at run time */ \
  X(kFmaHeavy, "fmaheavy") /* the half that also multiplies integers */      \
  X(kFmaLite, "fmalite")                                                     \
  X(kFp16, "fp16")                                                           \
  X(kFp64, "fp64")                                                           \
  X(kXu, "xu") /* transcendental, conversion, bit counting */                \
  X(kTensor, "tensor")                                                       \
  X(kUniform, "uniform")                                                     \
  X(kCbu, "cbu") /* branch and convergence */                                \
  X(kAdu, "adu") /* address divergence: LDC, BAR, special registers */       \
  X(kLsu, "lsu")                                                             \
  X(kTex, "tex")                                                             \
  X(kTma, "tma")

enum class Pipe : uint8_t {
#define HEDDLE_X(e, n) e,
  HEDDLE_PIPES(HEDDLE_X)
#undef HEDDLE_X
};

inline constexpr std::array kPipeNames = {
#define HEDDLE_X(e, n) std::string_view(n),
    HEDDLE_PIPES(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr int kPipeCount = static_cast<int>(kPipeNames.size());

constexpr std::string_view name(Pipe p) { return kPipeNames[static_cast<int>(p)]; }

constexpr std::optional<Pipe> pipe_from_name(std::string_view n) {
  for (int i = 0; i < kPipeCount; ++i) {
    if (kPipeNames[i] == n) {
      return static_cast<Pipe>(i);
    }
  }
  return std::nullopt;
}

enum class MemSpace : uint8_t {
  kNone,
  kGlobal,
  kShared,
  kLocal,
  kGeneric,
  kConstant,
  kTexture,
  kDistributedShared
};

}  // namespace heddle::isa
