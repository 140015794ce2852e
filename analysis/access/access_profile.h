// The memory accesses of a kernel by static instruction, from its trace alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/access/access_cost.h"
#include "analysis/access/memory_walk.h"
#include "sim/isa/kernel.h"

namespace heddle::analysis {

// One warp's access.
struct AccessPattern {
  AccessCost cost;
  uint32_t mask = 0;
  std::array<uint64_t, 32> address{};  // of the side; for the lanes of `mask`
  std::array<uint64_t, 32> from{};     // copies: where the data come from, when `address` is where they go
  uint64_t block = 0;                  // in launch order
  uint32_t warp = 0;
};

struct InstrAccesses {
  uint32_t index = 0;  // in KernelImage::code
  AccessKind kind = AccessKind::kNone;
  uint64_t requests = 0;
  uint64_t total = 0;  // wavefronts, or sectors
  uint64_t ideal = 0;
  uint64_t lowest = ~uint64_t{0};  // address
  uint64_t highest = 0;            // behind the last byte
  AccessPattern worst;             // the first with the most beyond its ideal
  uint64_t as_bad = 0;             // accesses that cost as much beyond their ideal

  uint64_t excess() const { return total - ideal; }
};

// Adds up blocks as they come. Costs of shapes seen before are remembered: a cost does not change when all
// addresses move by a multiple of 128 bytes.
class AccessProfile {
 public:
  // `image` must outlive the object.
  AccessProfile(const isa::KernelImage& image, AccessSide side);

  void add(const isa::BlockTrace& block);
  // What another one of the same image counted, of blocks behind those of this.
  void append(const AccessProfile& later);

  uint64_t accesses() const { return accesses_; }  // warp accesses that were counted
  // Of the instructions that made an access, those with the most beyond the ideal first, then by address.
  std::vector<InstrAccesses> by_excess() const;

 private:
  // What a shape costs, and how far it reaches to both sides of its first address.
  struct Shape {
    AccessCost cost;
    int32_t least = 0, most = 0;
  };
  // A cost by the content of the address list.
  struct Remembered {
    uint32_t counted = ~0u, mask = 0, phase = 0, deltas = 0;
    std::array<int32_t, 31> delta{};
    Shape result;
  };
  // A cost by the stride, or by the place of the list, which says the same within one warp.
  struct Recent {
    uint64_t warp = ~uint64_t{0};  // warps before it; 0 for strides
    uint32_t counted = 0, mask = 0, phase = 0, shape = 0;
    Shape result;
  };

  void access(const isa::BlockTrace& block, const isa::WarpTrace& w, uint32_t counted, const isa::MemRef* ref,
              uint32_t mask);
  bool known_list(const isa::WarpTrace& w, uint32_t counted, const isa::MemRef& r, uint32_t mask,
                  Remembered*& slot);
  void count(const isa::BlockTrace& block, const isa::WarpTrace& w, InstrAccesses& n, const isa::MemRef* ref,
             uint32_t mask, uint64_t base, const Shape& shape);

  const isa::KernelImage& image_;
  const AccessSide side_;
  const MemoryWalk walk_;
  std::vector<InstrAccesses> counts_;
  std::vector<Remembered> remembered_;
  std::vector<Recent> recent_;
  uint64_t warps_ = 0;
  uint64_t accesses_ = 0;
};

}  // namespace heddle::analysis
