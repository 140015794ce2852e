#include "analysis/access/access_cost.h"

#include <algorithm>
#include <bit>

#include "sim/access/bank_conflicts.h"
#include "sim/access/coalesce.h"
#include "sim/access/space.h"

namespace heddle::analysis {
namespace {

using isa::MemSpace;
using isa::OpClass;

AccessCost cost(const memory::Wavefronts& w) { return {w.total, w.total - w.conflicts}; }

AccessCost bank_cost(const isa::Instr& in, AccessKind kind, const uint64_t from[32], const uint64_t to[32],
                     uint32_t mask) {
  const uint32_t width = std::max<uint32_t>(in.width, 1);
  switch (kind) {
    case AccessKind::kMatrix:
      return cost(memory::matrix_wavefronts(to, mask, std::max<uint32_t>(in.matrices, 1), kBanks));
    case AccessKind::kAtomic:
      return cost(memory::shared_atomic_wavefronts(to, mask, width, kBanks));
    case AccessKind::kCopy: {
      // Each line that is read needs a wavefront at least, and each 128 bytes.
      memory::Coalesced lines;
      memory::coalesce(from, mask, 1, lines);
      const uint32_t total = memory::copy_wavefronts(from, to, mask, width, kBanks);
      const uint32_t bytes = static_cast<uint32_t>(std::popcount(mask)) * width;
      return {total,
              std::min(total, std::max(lines.count, (bytes + memory::kLineBytes - 1) / memory::kLineBytes))};
    }
    default:
      return cost(memory::shared_wavefronts(to, mask, width, kBanks, kind == AccessKind::kLoad));
  }
}

AccessCost sector_cost(const isa::Instr& in, AccessKind kind, const uint64_t from[32], const uint64_t to[32],
                       uint32_t mask) {
  const uint32_t width = std::max<uint32_t>(in.width, 1);
  memory::Coalesced c;
  memory::coalesce(from, mask, width, c);
  uint32_t bytes = 0, operations = 0;
  for (uint32_t i = 0; i < c.count; ++i) {
    for (uint32_t part : c.lines[i].bytes) {
      bytes += std::popcount(part);
    }
    operations += kind == AccessKind::kAtomic ? memory::sector_operations(from, mask, c.lines[i].line) : 0;
  }
  const uint32_t ideal = (bytes + memory::kSectorBytes - 1) / memory::kSectorBytes;
  return {kind == AccessKind::kAtomic       ? operations
          : kind == AccessKind::kBypassCopy ? memory::bypass_sectors(from, to, mask, width)
                                            : c.sectors,
          ideal};
}

}  // namespace

AccessKind access_kind(const isa::KernelImage& image, const isa::Instr& in, AccessSide side) {
  if (in.mem_refs == 0) {
    return AccessKind::kNone;
  }
  const bool banks = side == AccessSide::kBanks;
  switch (in.op) {
    case OpClass::kLdShared:
      return banks ? AccessKind::kLoad : AccessKind::kNone;
    case OpClass::kStShared:
      return banks ? AccessKind::kStore : AccessKind::kNone;
    case OpClass::kAtomShared:
      // The hardware adds up ATOMS.POPC.INC of one word before it does it.
      return !banks                                                           ? AccessKind::kNone
             : image.opcodes[in.opcode].find("POPC.INC") != std::string::npos ? AccessKind::kMergingAtomic
                                                                              : AccessKind::kAtomic;
    case OpClass::kLdMatrix:
    case OpClass::kStMatrix:
      return banks ? AccessKind::kMatrix : AccessKind::kNone;
    case OpClass::kLdGlobal:
      return banks ? AccessKind::kNone : AccessKind::kLoad;
    case OpClass::kStGlobal:
      return banks ? AccessKind::kNone : AccessKind::kStore;
    case OpClass::kAtomGlobal:
    case OpClass::kRedGlobal:
      return banks ? AccessKind::kNone : AccessKind::kAtomic;
    case OpClass::kLdGeneric:
      return AccessKind::kLoad;
    case OpClass::kStGeneric:
      return AccessKind::kStore;
    case OpClass::kAtomGeneric:
      return AccessKind::kAtomic;
    case OpClass::kLdgsts:
      return in.mem_refs < 2                 ? AccessKind::kNone
             : in.flags & isa::kFlagBypassL1 ? AccessKind::kBypassCopy
                                             : AccessKind::kCopy;
    default:
      return AccessKind::kNone;
  }
}

bool on_side(const isa::KernelImage& image, AccessSide side, uint64_t block, const isa::Instr& in,
             const uint64_t addr[32], uint32_t mask) {
  const MemSpace space = isa::space_of(image.shape, in, addr[std::countr_zero(mask)]);
  if (side == AccessSide::kSectors) {
    return space == MemSpace::kGlobal;
  }
  if (space != MemSpace::kDistributedShared) {
    return space == MemSpace::kShared;
  }
  return isa::own_lanes(image.shape, block, addr, mask) == mask;
}

AccessCost access_cost(const isa::Instr& in, AccessKind kind, AccessSide side, const uint64_t from[32],
                       const uint64_t to[32], uint32_t mask) {
  return side == AccessSide::kBanks ? bank_cost(in, kind, from, to, mask)
                                    : sector_cost(in, kind, from, to, mask);
}

}  // namespace heddle::analysis
