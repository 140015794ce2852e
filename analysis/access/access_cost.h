// What one warp's access costs: wavefronts of shared memory, sectors of global memory. The rules are the
// simulator's (sim/memory), so the sums are the counters of a run.
#pragma once

#include <cstdint>

#include "sim/isa/kernel.h"

namespace heddle::analysis {

inline constexpr uint32_t kBanks = 32;  // of 4 bytes, in every GPU since Fermi

enum class AccessSide : uint8_t { kBanks, kSectors };

struct AccessCost {
  uint32_t total = 0;  // wavefronts, or sectors
  uint32_t ideal = 0;  // without conflicts; sectors if the bytes touched lay side by side

  uint32_t excess() const { return total - ideal; }
  bool operator==(const AccessCost&) const = default;
};

// How an instruction goes to memory.
enum class AccessKind : uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,
  kMergingAtomic,
  kMatrix,
  kCopy,
  kBypassCopy
};

// By side: a copy (LDGSTS) is on both. Instructions with generic addresses are of both sides too: the
// addresses decide.
AccessKind access_kind(const isa::KernelImage& image, const isa::Instr& in, AccessSide side);

// An LDGSTS: two address lists.
inline bool is_copy(AccessKind k) { return k == AccessKind::kCopy || k == AccessKind::kBypassCopy; }

// Whether the access is of the side. Distributed shared memory counts where all lanes name their own block,
// as in sim/sm.
bool on_side(const isa::KernelImage& image, AccessSide side, uint64_t block, const isa::Instr& in,
             const uint64_t addr[32], uint32_t mask);

// `from` are the instruction's addresses in global memory and `to` those in shared memory; only copies need
// both. They hold the lanes of `mask`, which is not 0.
AccessCost access_cost(const isa::Instr& in, AccessKind kind, AccessSide side, const uint64_t from[32],
                       const uint64_t to[32], uint32_t mask);

}  // namespace heddle::analysis
