// The access profile of a whole trace, on several threads where it is a .heddle, and what would remove its
// conflicts.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/access/access_profile.h"
#include "analysis/access/remedy_check.h"
#include "sim/isa/recording.h"

namespace heddle::analysis {

// What to do about one instruction's conflicts: the padding and the swizzle with the fewest conflicts left.
struct Advice {
  uint32_t index = 0;  // in KernelImage::code
  std::optional<RemedyEffect> padding, swizzle;
};

struct KernelAccesses {
  std::unique_ptr<isa::BlockSource> source;  // at its end; holds the image
  uint64_t accesses = 0;                     // warp accesses that were counted
  std::vector<InstrAccesses> all;            // AccessProfile::by_excess()
  std::vector<Advice> advice;                // of those with conflicts that have any, in the same order

  const isa::KernelImage& image() const { return source->image(); }
  const Advice* advice_for(uint32_t index) const;
};

// Throws heddle::Error when the trace cannot be read. With `cancel` set it returns soon, with an incomplete
// result.
KernelAccesses profile_kernel(const std::filesystem::path& trace, const std::optional<isa::Dim3>& cluster,
                              AccessSide side, uint32_t threads, const std::atomic<bool>& cancel);

// The same of blocks that can be read once, as those of a kernel that is executed. Without advice when there
// are more patterns of accesses than are kept.
KernelAccesses profile_kernel(std::unique_ptr<isa::BlockSource> source, AccessSide side,
                              const std::atomic<bool>& cancel);

}  // namespace heddle::analysis
