// What remedies against bank conflicts do to all accesses of a kernel, not only to the pattern they were made
// for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/access/access_profile.h"
#include "analysis/access/pattern_counts.h"
#include "analysis/access/remedy.h"

namespace heddle::analysis {

// Sums over the accesses to the rows of a remedy.
struct RemedyEffect {
  Remedy remedy;
  uint64_t requests = 0;
  uint64_t wavefronts = 0, conflicts = 0;            // now
  uint64_t wavefronts_with = 0, conflicts_with = 0;  // with the remedy
};

// Adds up patterns, or blocks as they come: a second reading of the trace, where the first did not keep its
// patterns, since remedies follow from that.
class RemedyCheck {
 public:
  // `image` must outlive the object; `all` are the instructions of its profile.
  RemedyCheck(const isa::KernelImage& image, const std::vector<InstrAccesses>& all,
              const std::vector<Remedy>& remedies);

  void add(const PatternCounts& patterns);
  template <typename Block>
  void add(const Block& block) {
    profile_.add(block, seen_);
    if (seen_.full()) {
      flush();
    }
  }
  // Of the remedies in their order.
  std::vector<RemedyEffect> effects();

 private:
  void flush();

  const isa::KernelImage& image_;
  std::vector<std::vector<uint32_t>> touched_;  // by number: the remedies whose rows it accesses
  std::vector<RemedyEffect> effects_;
  AccessProfile profile_;  // reads blocks
  PatternCounts seen_;
};

}  // namespace heddle::analysis
