// Where the spaces lie in the generic one, and what is limited. Distances are those of isa::space_of
// (sim/access/space.h); the places are such as a process on an H200 has them.
#pragma once

#include <cstdint>

namespace heddle::exec {

inline constexpr uint64_t kWindowBytes = uint64_t{1} << 24;
inline constexpr uint64_t kConstWindow = 0x7f0300000000;
inline constexpr uint64_t kParamWindow = 0x7f0340000000;
// Machine code knows the parameters by their place in constant bank 0, which lies there.
inline constexpr uint64_t kBankWindow = kParamWindow + (1 << 16);
inline constexpr uint64_t kLocalWindow = 0x7f0375000000;
inline constexpr uint64_t kSharedWindow = 0x7f0400000000;  // one for each block of a cluster, by rank
inline constexpr uint32_t kMostClusterBlocks = 16;         // not portable beyond 8 (CUDA guide)
inline constexpr uint64_t kSharedWindows = kMostClusterBlocks * kWindowBytes;
inline constexpr uint64_t kGlobalBase = 0x7f1000000000;    // first allocation
inline constexpr uint64_t kFunctionBase = 0x7f0200000000;  // "addresses" of functions: 16 apart

inline constexpr uint32_t kSharedReserve = 1024;         // bytes of shared memory below a block's own
inline constexpr uint32_t kMostLocalBytes = 512 << 10;   // of a thread (CUDA guide, table of limits)
inline constexpr uint32_t kStackBase = kMostLocalBytes;  // alloca: behind the frames; as many bytes again
inline constexpr uint32_t kMostRegisters = 256 << 10;    // of a warp's frames: 64 MiB
inline constexpr uint32_t kMostOutputBytes = 1 << 20;    // printf of a launch, as CUDA's buffer
inline constexpr uint32_t kMultiprocessors = 132;        // as an H200: %nsmid
inline constexpr uint32_t kWarpsOfSm = 64;               // as an H200: %nwarpid
inline constexpr uint32_t kSharedUnit = 128;             // of allocations, bytes (PTX ISA, %total_smem_size)
inline constexpr uint32_t kStackLimit = 1024;  // cudaLimitStackSize, as an H200 has it without asking
inline constexpr uint32_t kMostSharedBytes = 227 << 10;  // of a block (CUDA guide, CC 9.0)

}  // namespace heddle::exec
