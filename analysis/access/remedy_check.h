// What remedies against bank conflicts do to all accesses of a kernel, not only to the pattern they were made
// for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/access/memory_walk.h"
#include "analysis/access/remedy.h"

namespace heddle::analysis {

// Sums over the accesses to the rows of a remedy.
struct RemedyEffect {
  Remedy remedy;
  uint64_t requests = 0;
  uint64_t wavefronts = 0, conflicts = 0;            // now
  uint64_t wavefronts_with = 0, conflicts_with = 0;  // with the remedy
};

// Adds up blocks as they come; a second reading of the trace, since remedies follow from the first. Patterns
// come again and again, so those of the last ones are counted, and their costs computed once.
class RemedyCheck {
 public:
  // `image` must outlive the object; `all` are the instructions of its profile.
  RemedyCheck(const isa::KernelImage& image, const std::vector<InstrAccesses>& all,
              const std::vector<Remedy>& remedies);

  void add(const isa::BlockTrace& block);
  // Of the remedies in their order.
  std::vector<RemedyEffect> effects();

 private:
  struct Seen {
    uint32_t number = MemoryWalk::kNone, mask = 0;
    uint64_t base = 0;
    int32_t stride = 0;
    uint32_t deltas = 0;
    std::array<int32_t, 31> delta{};
    uint64_t times = 0;
  };

  void access(const isa::BlockTrace& block, const isa::WarpTrace& w, uint32_t number, const isa::MemRef* ref,
              uint32_t mask);
  void count(uint32_t number, const AccessPattern& p, uint64_t times);
  void flush(Seen& s);

  const isa::KernelImage& image_;
  const MemoryWalk walk_;
  std::vector<std::vector<uint32_t>> touched_;  // by number: the remedies whose rows it accesses
  std::vector<RemedyEffect> effects_;
  std::vector<Seen> seen_;
};

}  // namespace heddle::analysis
