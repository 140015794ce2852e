// The raw counters the model increments. Names are Nsight Compute's where the meaning is the same; counters
// of our own start with heddle__. The unit and meaning given here end up in the result database's `metrics`
// table.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace heddle::stats {

// What a count follows from: the instructions and addresses of the blocks, whatever happens at the same time,
// or also what the caches hold and who waits for whom. For those who leave out blocks.
enum class Follows : uint8_t { kBlocks, kMachine };

// X(enumerator, what it follows from, name, unit, meaning)
#define HEDDLE_COUNTERS(X)                                                                                   \
  X(kInstExecuted, kBlocks, "smsp__inst_executed.sum", "inst", "warp instructions executed")                 \
  X(kThreadInstExecuted, kBlocks, "smsp__thread_inst_executed.sum", "inst",                                  \
    "thread instructions executed, predicated off too")                                                      \
  X(kThreadInstPredOn, kBlocks, "smsp__thread_inst_executed_pred_on.sum", "inst",                            \
    "thread instructions with a true predicate")                                                             \
  X(kIssueActive, kBlocks, "smsp__issue_active.sum", "cycle",                                                \
    "cycles in which a sub-core issued an instruction")                                                      \
  X(kDualIssued, kBlocks, "heddle__inst_dual_issued.sum", "inst",                                            \
    "instructions issued in the cycle of the one before (Maxwell, Pascal)")                                  \
  X(kWarpsActive, kMachine, "sm__warps_active.sum", "warp*cycle", "warps resident, summed over SM cycles")   \
  X(kBlocksLaunched, kBlocks, "sm__ctas_launched.sum", "block", "thread blocks launched")                    \
  X(kPipeAlu, kBlocks, "sm__inst_executed_pipe_alu.sum", "inst", "instructions executed by the ALU pipe")    \
  X(kPipeFma, kBlocks, "sm__inst_executed_pipe_fma.sum", "inst",                                             \
    "instructions executed by the FMA pipe, both halves")                                                    \
  X(kPipeFmaHeavy, kBlocks, "sm__inst_executed_pipe_fmaheavy.sum", "inst",                                   \
    "instructions executed by the heavy FMA half")                                                           \
  X(kPipeFmaLite, kBlocks, "sm__inst_executed_pipe_fmalite.sum", "inst",                                     \
    "instructions executed by the light FMA half")                                                           \
  X(kPipeFp16, kBlocks, "sm__inst_executed_pipe_fp16.sum", "inst",                                           \
    "packed half instructions executed on the FMA pipe")                                                     \
  X(kPipeFp64, kBlocks, "sm__inst_executed_pipe_fp64.sum", "inst", "instructions executed by the FP64 pipe") \
  X(kPipeXu, kBlocks, "sm__inst_executed_pipe_xu.sum", "inst", "instructions executed by the XU pipe")       \
  X(kPipeLsu, kBlocks, "sm__inst_executed_pipe_lsu.sum", "inst", "instructions executed by the LSU pipe")    \
  X(kPipeAdu, kBlocks, "sm__inst_executed_pipe_adu.sum", "inst", "instructions executed by the ADU pipe")    \
  X(kPipeCbu, kBlocks, "sm__inst_executed_pipe_cbu.sum", "inst", "instructions executed by the branch unit") \
  X(kPipeUniform, kBlocks, "sm__inst_executed_pipe_uniform.sum", "inst",                                     \
    "instructions executed by the uniform datapath")                                                         \
  X(kPipeTensor, kBlocks, "sm__inst_executed_pipe_tensor.sum", "inst",                                       \
    "instructions executed by the tensor pipe")                                                              \
  X(kTensorBusy, kBlocks, "heddle__tensor_busy_cycles.sum", "cycle",                                         \
    "cycles in which a sub-core's tensor array works")                                                       \
  X(kPipeTex, kBlocks, "sm__inst_executed_pipe_tex.sum", "inst",                                             \
    "instructions executed by the texture pipe")                                                             \
  X(kGlobalLdRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",                \
    "global load requests at L1")                                                                            \
  X(kGlobalLdSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",                   \
    "global load sectors at L1")                                                                             \
  X(kGlobalLdHits, kMachine, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector",          \
    "global load sectors hit")                                                                               \
  X(kGlobalLdMisses, kMachine, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector",       \
    "global load sectors missed")                                                                            \
  X(kGlobalStRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",                \
    "global store requests at L1")                                                                           \
  X(kGlobalStSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",                   \
    "global store sectors at L1")                                                                            \
  X(kGlobalStHits, kMachine, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sector",          \
    "global store sectors hit")                                                                              \
  X(kGlobalRedRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",              \
    "global reduction requests")                                                                             \
  X(kGlobalRedSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",                 \
    "global reduction sectors")                                                                              \
  X(kGlobalAtomRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",            \
    "global atomic requests")                                                                                \
  X(kGlobalAtomSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",               \
    "global atomic sectors")                                                                                 \
  X(kLocalLdRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request",                  \
    "local load requests at L1")                                                                             \
  X(kLocalLdSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector",                     \
    "local load sectors at L1")                                                                              \
  X(kLocalLdHits, kMachine, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", "sector",            \
    "local load sectors hit")                                                                                \
  X(kLocalStRequests, kBlocks, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request",                  \
    "local store requests at L1")                                                                            \
  X(kLocalStSectors, kBlocks, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector",                     \
    "local store sectors at L1")                                                                             \
  X(kLocalStHits, kMachine, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", "sector",            \
    "local store sectors hit")                                                                               \
  X(kSharedLdWavefronts, kBlocks, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",       \
    "shared-memory wavefronts of loads, LDSM included")                                                      \
  X(kSharedStWavefronts, kBlocks, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",       \
    "shared-memory wavefronts of stores")                                                                    \
  X(kSharedAtomWavefronts, kBlocks, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",   \
    "shared-memory wavefronts of atomics")                                                                   \
  X(kSharedLdConflicts, kBlocks, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",     \
    "wavefronts of shared loads beyond the conflict-free number")                                            \
  X(kSharedStConflicts, kBlocks, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",     \
    "wavefronts of shared stores beyond the conflict-free number")                                           \
  X(kSharedAtomConflicts, kBlocks, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict", \
    "wavefronts of shared atomics beyond the conflict-free number")                                          \
  X(kSharedMiscWavefronts, kBlocks, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", "wavefront",   \
    "shared-memory wavefronts of LSU instructions without addresses: shuffles, special registers, "          \
    "predicated-off "                                                                                        \
    "accesses, fences, barriers behind LSU work")                                                            \
  X(kSharedGmmaWavefronts, kBlocks, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", "wavefront",   \
    "shared-memory wavefronts of warp-group products' operands")                                             \
  X(kSharedCopyWavefronts, kBlocks, "heddle__shared_copy_wavefronts.sum", "wavefront",                       \
    "shared-memory wavefronts of asynchronous copies through L1")                                            \
  X(kSharedRequests, kBlocks, "heddle__shared_requests.sum", "request", "shared-memory warp instructions")   \
  X(kL1Sectors, kBlocks, "l1tex__t_sectors.sum", "sector", "sectors looked up in L1, all kinds")             \
  X(kL1SectorHits, kMachine, "l1tex__t_sectors_lookup_hit.sum", "sector",                                    \
    "sectors that hit in L1, all kinds")                                                                     \
  X(kL2Sectors, kMachine, "lts__t_sectors.sum", "sector", "L2 sector look-ups, fabric included")             \
  X(kL2SectorHits, kMachine, "lts__t_sectors_lookup_hit.sum", "sector", "L2 sector look-ups that hit")       \
  X(kL2Reads, kMachine, "lts__t_sectors_op_read.sum", "sector", "L2 sector reads")                           \
  X(kL2Writes, kMachine, "lts__t_sectors_op_write.sum", "sector", "L2 sector writes")                        \
  X(kL2Reds, kMachine, "lts__t_sectors_op_red.sum", "sector", "L2 sector reductions")                        \
  X(kL2Atoms, kMachine, "lts__t_sectors_op_atom.sum", "sector", "L2 sector atomics")                         \
  X(kL2FromSm, kMachine, "lts__t_sectors_srcunit_tex.sum", "sector", "L2 sector look-ups for L1")            \
  X(kL2FromSmHits, kMachine, "lts__t_sectors_srcunit_tex_lookup_hit.sum", "sector", "of these, hits")        \
  X(kL2FromSmMisses, kMachine, "lts__t_sectors_srcunit_tex_lookup_miss.sum", "sector", "of these, misses")   \
  X(kL2FromFabric, kMachine, "lts__t_sectors_srcunit_ltcfabric.sum", "sector",                               \
    "L2 sector look-ups for the other partition")                                                            \
  X(kL2FromGcc, kMachine, "lts__t_sectors_srcunit_gcc.sum", "sector",                                        \
    "L2 sector look-ups for instructions and constants")                                                     \
  X(kL2FromGpc, kMachine, "lts__t_sectors_srcnode_gpc.sum", "sector",                                        \
    "L2 sector look-ups for the GPCs: L1, instructions, constants, memory barriers")                         \
  X(kL2Membars, kMachine, "lts__t_sectors_op_membar.sum", "sector", "L2 sector look-ups of memory barriers") \
  X(kL2Requests, kMachine, "lts__t_requests.sum", "request", "requests to L2 slices, each for one line")     \
  X(kDramReadBytes, kMachine, "dram__bytes_read.sum", "byte", "bytes read from DRAM")                        \
  X(kDramWriteBytes, kMachine, "dram__bytes_write.sum", "byte", "bytes written to DRAM")                     \
  X(kDramRowHits, kMachine, "heddle__dram_row_hits.sum", "access",                                           \
    "DRAM accesses that found their row open")                                                               \
  X(kDramRowMisses, kMachine, "heddle__dram_row_misses.sum", "access", "DRAM accesses that opened a row")    \
  X(kTlbL1Misses, kMachine, "heddle__tlb_l1_misses.sum", "access", "look-ups that missed the SM's TLB")      \
  X(kTlbWalks, kMachine, "heddle__tlb_walks.sum", "walk", "page walks")                                      \
  X(kFetchL0Misses, kMachine, "heddle__icache_l0_misses.sum", "line",                                        \
    "instruction lines not in the L0 when wanted")                                                           \
  X(kFetchL1Misses, kMachine, "heddle__icache_l1_misses.sum", "line",                                        \
    "instruction lines not in the SM's cache either")                                                        \
  X(kFetchGccMisses, kMachine, "heddle__icache_gcc_misses.sum", "line",                                      \
    "instruction lines fetched from L2 or memory")                                                           \
  X(kConstMisses, kMachine, "heddle__constant_l0_misses.sum", "line",                                        \
    "constant lines not in the first level")                                                                 \
  X(kRegPortStalls, kMachine, "heddle__register_port_stalls.sum", "cycle",                                   \
    "issue cycles lost to register read ports")                                                              \
  X(kReuseHits, kMachine, "heddle__register_reuse_hits.sum", "operand",                                      \
    "source operands served by the reuse cache")                                                             \
  X(kDsmRequests, kBlocks, "heddle__dsm_requests.sum", "request",                                            \
    "requests to another block's shared memory")                                                             \
  X(kBarriersByOrder, kBlocks, "heddle__barriers_by_order.sum", "inst",                                      \
    "barriers matched by the order of arrivals")                                                             \
  X(kBulkBytes, kBlocks, "heddle__bulk_copy_bytes.sum", "byte", "bytes moved by bulk copies")                \
  X(kTensorCopiesUnknown, kBlocks, "heddle__tensor_copies_unknown.sum", "inst",                              \
    "tensor copies that move nothing: the recording lacks their tensor map")                                 \
  X(kTensorCopiesAssumed, kBlocks, "heddle__tensor_copies_assumed.sum", "inst",                              \
    "tensor copies by a map that was not recorded but put together from what was")                           \
  X(kMbarrierAnyPhase, kBlocks, "heddle__mbarrier_waits_any_phase.sum", "inst",                              \
    "waits for a phase that the recording does not tell: they end when no bytes are expected")               \
  X(kMbarrierForced, kBlocks, "heddle__mbarrier_waits_forced.sum", "inst",                                   \
    "recorded waits for a phase that were ended because nothing else could go on")                           \
  X(kSpinsLeftOut, kBlocks, "heddle__recorded_spins_left_out.sum", "inst",                                   \
    "recorded instructions of loops that wait for a barrier object or a flag in memory, not executed")       \
  X(kUnknownOpcodes, kBlocks, "heddle__unknown_opcodes.sum", "inst",                                         \
    "executed instructions classified by prefix only")

enum class Counter : uint16_t {
#define HEDDLE_X(e, f, n, u, m) e,
  HEDDLE_COUNTERS(HEDDLE_X)
#undef HEDDLE_X
};

struct CounterInfo {
  std::string_view name, unit, meaning;
  Follows follows;
};

inline constexpr std::array kCounterInfo = {
#define HEDDLE_X(e, f, n, u, m) CounterInfo{n, u, m, Follows::f},
    HEDDLE_COUNTERS(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr int kCounterCount = static_cast<int>(kCounterInfo.size());

// Warp states, with Nsight Compute's vocabulary
// (smsp__average_warps_issue_stalled_<name>_per_issue_active.ratio). Every resident warp is in exactly one of
// them in every cycle.
#define HEDDLE_STALLS(X)                                                                         \
  X(kSelected, "selected", "issued an instruction")                                              \
  X(kNotSelected, "not_selected", "could issue, another warp was chosen")                        \
  X(kWait, "wait", "fixed latency: the stall count of the previous instruction")                 \
  X(kLongScoreboard, "long_scoreboard", "waits for L1TEX: global, local, texture data")          \
  X(kShortScoreboard, "short_scoreboard", "waits for MIO: shared memory, XU, special registers") \
  X(kBarrier, "barrier", "waits at a block barrier")                                             \
  X(kMathPipeThrottle, "math_pipe_throttle", "its math pipe is busy")                            \
  X(kMioThrottle, "mio_throttle", "the MIO queue is full")                                       \
  X(kLgThrottle, "lg_throttle", "the local/global queue is full")                                \
  X(kTexThrottle, "tex_throttle", "a texture instruction finds the LG queue full")               \
  X(kNoInstruction, "no_instruction", "its next instruction has not been fetched")               \
  X(kBranchResolve, "branch_resolve", "waits for a branch target")                               \
  X(kDispatchStall, "dispatch_stall", "register ports or the dispatch stage hold it back")       \
  X(kDrain, "drain", "has exited, its stores are still on their way")                            \
  X(kImcMiss, "imc_miss", "waits for an immediate constant")                                     \
  X(kMembar, "membar", "waits at a memory barrier")                                              \
  X(kSleeping, "sleeping", "sleeps (NANOSLEEP)")                                                 \
  X(kGmma, "gmma", "waits for an asynchronous warp-group MMA")

enum class Stall : uint8_t {
#define HEDDLE_X(e, n, m) e,
  HEDDLE_STALLS(HEDDLE_X)
#undef HEDDLE_X
};

struct StallInfo {
  std::string_view name, meaning;
};

inline constexpr std::array kStallInfo = {
#define HEDDLE_X(e, n, m) StallInfo{n, m},
    HEDDLE_STALLS(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr int kStallCount = static_cast<int>(kStallInfo.size());

// One unit's counts. Addition is the only way they combine, so the order of merging does not matter.
struct CounterSet {
  std::array<uint64_t, kCounterCount> count{};
  std::array<uint64_t, kStallCount> stall{};  // warp-cycles

  uint64_t& operator[](Counter c) { return count[static_cast<size_t>(c)]; }
  uint64_t operator[](Counter c) const { return count[static_cast<size_t>(c)]; }
  uint64_t& operator[](Stall s) { return stall[static_cast<size_t>(s)]; }
  uint64_t operator[](Stall s) const { return stall[static_cast<size_t>(s)]; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(count, stall);
  }

  void add(const CounterSet& o) {
    for (int i = 0; i < kCounterCount; ++i) {
      count[i] += o.count[i];
    }
    for (int i = 0; i < kStallCount; ++i) {
      stall[i] += o.stall[i];
    }
  }
};

// A count that grows with the work, for `factor` times the work.
inline uint64_t scaled(uint64_t count, double factor) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(count) * factor));
}

}  // namespace heddle::stats
