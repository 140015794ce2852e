#include "sim/sm/barrier_counts.h"

#include <algorithm>
#include <numeric>

namespace heddle::sm {

uint32_t BarrierCount::at(uint32_t phase) const {
  return every ? every
               : static_cast<uint32_t>(
                     std::count_if(arrivals.begin(), arrivals.end(), [&](uint32_t n) { return n > phase; }));
}

std::vector<BarrierCount> recorded_barrier_counts(const isa::BlockTrace& block, const TimedKernel& kernel) {
  const std::vector<uint32_t>& barriers = kernel.counted_barriers;
  if (barriers.empty()) {
    return {};
  }
  std::vector<BarrierCount> counts(kNamedBarriers);
  for (BarrierCount& c : counts) {
    c.arrivals.resize(block.warps.size());
  }
  for (size_t w = 0; w < block.warps.size(); ++w) {
    uint32_t by_order = 0;
    for (const isa::Run& r : block.warps[w].runs) {
      auto i = std::lower_bound(barriers.begin(), barriers.end(), r.first);
      for (; r.mask && i != barriers.end() && *i < r.first + r.count; ++i) {
        ++counts[barrier_number(kernel.code[*i], by_order)].arrivals[w];
      }
    }
  }
  for (BarrierCount& c : counts) {
    const uint32_t phases = *std::max_element(c.arrivals.begin(), c.arrivals.end());
    const uint64_t all = std::accumulate(c.arrivals.begin(), c.arrivals.end(), uint64_t{0});
    if (phases > 0 && all % phases == 0) {
      c.every = static_cast<uint32_t>(all / phases);
    }
  }
  return counts;
}

}  // namespace heddle::sm
