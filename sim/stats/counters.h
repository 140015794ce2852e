// The raw counters the model increments. Names are Nsight Compute's where the meaning is the same; counters
// of our own start with heddle__. The unit and meaning given here end up in the result database's `metrics`
// table.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace heddle::stats {

// X(enumerator, name, unit, meaning)
#define HEDDLE_COUNTERS(X)                                                                                   \
  X(kInstExecuted, "smsp__inst_executed.sum", "inst", "warp instructions executed")                          \
  X(kThreadInstExecuted, "smsp__thread_inst_executed.sum", "inst",                                           \
    "thread instructions executed, predicated off too")                                                      \
  X(kThreadInstPredOn, "smsp__thread_inst_executed_pred_on.sum", "inst",                                     \
    "thread instructions with a true predicate")                                                             \
  X(kIssueActive, "smsp__issue_active.sum", "cycle", "cycles in which a sub-core issued an instruction")     \
  X(kWarpsActive, "sm__warps_active.sum", "warp*cycle", "warps resident, summed over SM cycles")             \
  X(kBlocksLaunched, "sm__ctas_launched.sum", "block", "thread blocks launched")                             \
  X(kPipeAlu, "sm__inst_executed_pipe_alu.sum", "inst", "instructions executed by the ALU pipe")             \
  X(kPipeFma, "sm__inst_executed_pipe_fma.sum", "inst",                                                      \
    "instructions executed by the FMA pipe, both halves")                                                    \
  X(kPipeFmaHeavy, "sm__inst_executed_pipe_fmaheavy.sum", "inst",                                            \
    "instructions executed by the heavy FMA half")                                                           \
  X(kPipeFmaLite, "sm__inst_executed_pipe_fmalite.sum", "inst",                                              \
    "instructions executed by the light FMA half")                                                           \
  X(kPipeFp16, "sm__inst_executed_pipe_fp16.sum", "inst",                                                    \
    "packed half instructions executed on the FMA pipe")                                                     \
  X(kPipeFp64, "sm__inst_executed_pipe_fp64.sum", "inst", "instructions executed by the FP64 pipe")          \
  X(kPipeXu, "sm__inst_executed_pipe_xu.sum", "inst", "instructions executed by the XU pipe")                \
  X(kPipeLsu, "sm__inst_executed_pipe_lsu.sum", "inst", "instructions executed by the LSU pipe")             \
  X(kPipeAdu, "sm__inst_executed_pipe_adu.sum", "inst", "instructions executed by the ADU pipe")             \
  X(kPipeCbu, "sm__inst_executed_pipe_cbu.sum", "inst", "instructions executed by the branch unit")          \
  X(kPipeUniform, "sm__inst_executed_pipe_uniform.sum", "inst",                                              \
    "instructions executed by the uniform datapath")                                                         \
  X(kPipeTensor, "sm__inst_executed_pipe_tensor.sum", "inst", "instructions executed by the tensor pipe")    \
  X(kTensorBusy, "heddle__tensor_busy_cycles.sum", "cycle",                                                  \
    "cycles in which a sub-core's tensor array works")                                                       \
  X(kPipeTex, "sm__inst_executed_pipe_tex.sum", "inst", "instructions executed by the texture pipe")         \
  X(kGlobalLdRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",                         \
    "global load requests at L1")                                                                            \
  X(kGlobalLdSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",                            \
    "global load sectors at L1")                                                                             \
  X(kGlobalLdHits, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector",                    \
    "global load sectors hit")                                                                               \
  X(kGlobalLdMisses, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector",                 \
    "global load sectors missed")                                                                            \
  X(kGlobalStRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",                         \
    "global store requests at L1")                                                                           \
  X(kGlobalStSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",                            \
    "global store sectors at L1")                                                                            \
  X(kGlobalStHits, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sector",                    \
    "global store sectors hit")                                                                              \
  X(kGlobalRedRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",                       \
    "global reduction requests")                                                                             \
  X(kGlobalRedSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",                          \
    "global reduction sectors")                                                                              \
  X(kGlobalAtomRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",                     \
    "global atomic requests")                                                                                \
  X(kGlobalAtomSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",                        \
    "global atomic sectors")                                                                                 \
  X(kLocalLdRequests, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request",                           \
    "local load requests at L1")                                                                             \
  X(kLocalLdSectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector", "local load sectors at L1")  \
  X(kLocalLdHits, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", "sector",                      \
    "local load sectors hit")                                                                                \
  X(kLocalStRequests, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request",                           \
    "local store requests at L1")                                                                            \
  X(kLocalStSectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector", "local store sectors at L1") \
  X(kLocalStHits, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", "sector",                      \
    "local store sectors hit")                                                                               \
  X(kSharedLdWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",                \
    "shared-memory wavefronts of loads, LDSM included")                                                      \
  X(kSharedStWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",                \
    "shared-memory wavefronts of stores")                                                                    \
  X(kSharedAtomWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",            \
    "shared-memory wavefronts of atomics")                                                                   \
  X(kSharedLdConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",              \
    "wavefronts of shared loads beyond the conflict-free number")                                            \
  X(kSharedStConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",              \
    "wavefronts of shared stores beyond the conflict-free number")                                           \
  X(kSharedAtomConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict",          \
    "wavefronts of shared atomics beyond the conflict-free number")                                          \
  X(kSharedMiscWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", "wavefront",            \
    "shared-memory wavefronts of LSU instructions without addresses: shuffles, special registers, "          \
    "predicated-off "                                                                                        \
    "accesses, fences, barriers behind LSU work")                                                            \
  X(kSharedGmmaWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", "wavefront",            \
    "shared-memory wavefronts of warp-group products' operands")                                             \
  X(kSharedCopyWavefronts, "heddle__shared_copy_wavefronts.sum", "wavefront",                                \
    "shared-memory wavefronts of asynchronous copies through L1")                                            \
  X(kSharedRequests, "heddle__shared_requests.sum", "request", "shared-memory warp instructions")            \
  X(kL1Sectors, "l1tex__t_sectors.sum", "sector", "sectors looked up in L1, all kinds")                      \
  X(kL1SectorHits, "l1tex__t_sectors_lookup_hit.sum", "sector", "sectors that hit in L1, all kinds")         \
  X(kL2Sectors, "lts__t_sectors.sum", "sector", "L2 sector look-ups, fabric included")                       \
  X(kL2SectorHits, "lts__t_sectors_lookup_hit.sum", "sector", "L2 sector look-ups that hit")                 \
  X(kL2Reads, "lts__t_sectors_op_read.sum", "sector", "L2 sector reads")                                     \
  X(kL2Writes, "lts__t_sectors_op_write.sum", "sector", "L2 sector writes")                                  \
  X(kL2Reds, "lts__t_sectors_op_red.sum", "sector", "L2 sector reductions")                                  \
  X(kL2Atoms, "lts__t_sectors_op_atom.sum", "sector", "L2 sector atomics")                                   \
  X(kL2FromSm, "lts__t_sectors_srcunit_tex.sum", "sector", "L2 sector look-ups for L1")                      \
  X(kL2FromSmHits, "lts__t_sectors_srcunit_tex_lookup_hit.sum", "sector", "of these, hits")                  \
  X(kL2FromSmMisses, "lts__t_sectors_srcunit_tex_lookup_miss.sum", "sector", "of these, misses")             \
  X(kL2FromFabric, "lts__t_sectors_srcunit_ltcfabric.sum", "sector",                                         \
    "L2 sector look-ups for the other partition")                                                            \
  X(kL2FromGcc, "lts__t_sectors_srcunit_gcc.sum", "sector",                                                  \
    "L2 sector look-ups for instructions and constants")                                                     \
  X(kL2FromGpc, "lts__t_sectors_srcnode_gpc.sum", "sector",                                                  \
    "L2 sector look-ups for the GPCs: L1, instructions, constants, memory barriers")                         \
  X(kL2Membars, "lts__t_sectors_op_membar.sum", "sector", "L2 sector look-ups of memory barriers")           \
  X(kL2Requests, "lts__t_requests.sum", "request", "requests to L2 slices, each for one line")               \
  X(kDramReadBytes, "dram__bytes_read.sum", "byte", "bytes read from DRAM")                                  \
  X(kDramWriteBytes, "dram__bytes_write.sum", "byte", "bytes written to DRAM")                               \
  X(kDramRowHits, "heddle__dram_row_hits.sum", "access", "DRAM accesses that found their row open")          \
  X(kDramRowMisses, "heddle__dram_row_misses.sum", "access", "DRAM accesses that opened a row")              \
  X(kTlbL1Misses, "heddle__tlb_l1_misses.sum", "access", "look-ups that missed the SM's TLB")                \
  X(kTlbWalks, "heddle__tlb_walks.sum", "walk", "page walks")                                                \
  X(kFetchL0Misses, "heddle__icache_l0_misses.sum", "line", "instruction lines not in the L0 when wanted")   \
  X(kFetchL1Misses, "heddle__icache_l1_misses.sum", "line",                                                  \
    "instruction lines not in the SM's cache either")                                                        \
  X(kFetchGccMisses, "heddle__icache_gcc_misses.sum", "line", "instruction lines fetched from L2 or memory") \
  X(kConstMisses, "heddle__constant_l0_misses.sum", "line", "constant lines not in the first level")         \
  X(kRegPortStalls, "heddle__register_port_stalls.sum", "cycle", "issue cycles lost to register read ports") \
  X(kReuseHits, "heddle__register_reuse_hits.sum", "operand", "source operands served by the reuse cache")   \
  X(kDsmRequests, "heddle__dsm_requests.sum", "request", "requests to another block's shared memory")        \
  X(kBarriersByOrder, "heddle__barriers_by_order.sum", "inst", "barriers matched by the order of arrivals")  \
  X(kBulkBytes, "heddle__bulk_copy_bytes.sum", "byte", "bytes moved by bulk copies")                         \
  X(kUnknownOpcodes, "heddle__unknown_opcodes.sum", "inst", "executed instructions classified by prefix only")

enum class Counter : uint16_t {
#define HEDDLE_X(e, n, u, m) e,
  HEDDLE_COUNTERS(HEDDLE_X)
#undef HEDDLE_X
};

struct CounterInfo {
  std::string_view name, unit, meaning;
};

inline constexpr std::array kCounterInfo = {
#define HEDDLE_X(e, n, u, m) CounterInfo{n, u, m},
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
