// A share of the machine with a share of the grid: some SMs, and so much of every bandwidth and capacity that
// they have in common with the others as they would use. What they take for their blocks, the whole machine
// takes for all.
//
// Slices of the L2 stay as many as they are, each slower: a hot line then meets the delay that all SMs
// together would cause. DRAM channels become fewer: their load is even, and many slow ones would queue more.
// What blocks read in common is read for fewer of them, so kernels that live from each other's lines in L2
// come out slow: see traces/h200/SAMPLING.md.
#pragma once

#include <cstdint>
#include <optional>

#include "configs/schema/spec.h"
#include "sim/isa/recording.h"
#include "sim/stats/result.h"

namespace heddle::sampling {

// `gpu` with about `sms` SMs, in one GPC for each L2 partition or in several when they would be too large.
// Nothing when that is no fewer than it has.
std::optional<spec::GpuConfig> share_of(const spec::GpuConfig& gpu, uint32_t sms);

// So many of a grid's clusters (of blocks, where there are none) belong on the share: in proportion, rounded.
inline uint64_t clusters_of_share(uint64_t clusters, uint32_t share_sms, uint32_t all_sms) {
  return (clusters * share_sms + all_sms / 2) / all_sms;
}

// The blocks of a grid that belong on the share, evenly from all of it; neighbours that would be on one TPC
// stay together.
class BlockShare final : public isa::BlockSource {
 public:
  // Keeps `kept` clusters of the grid of `inner`.
  BlockShare(isa::BlockSource& inner, uint64_t kept, uint32_t sms_per_tpc);

  // The shape's grid is a row of the blocks kept.
  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override;

  // Turns the share's result into one of the whole `gpu`. Instructions, thread instructions with a true
  // predicate and blocks are those of the whole grid, exactly; other counts grow with the work.
  void complete(stats::KernelResult& result, const spec::GpuConfig& gpu) const;

 private:
  bool keeps(uint64_t cluster) const;

  isa::BlockSource& inner_;
  isa::KernelImage image_;
  const uint64_t blocks_per_cluster_, kept_, together_;
  const uint64_t units_, units_kept_;  // of `together_` clusters
  uint64_t position_ = 0;              // blocks read
  isa::BlockWork all_, own_;
};

}  // namespace heddle::sampling
