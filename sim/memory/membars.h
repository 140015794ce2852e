// The memory barriers that end a kernel: every SM sends one to each L2 slice it has used, and the slice
// passes it to its partner in the other partition. They move no data, but are look-ups in the counters.
// (FINDINGS.md 17)
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class Membars {
 public:
  explicit Membars(const spec::GpuConfig& g)
      : sms_(g.topology().sms()),
        slices_(g.l2().slices()),
        partitions_(g.l2().partitions()),
        per_slice_(g.launch().slice_membars()),
        idle_(g.launch().idle_membars()),
        words_((slices_ + 63) / 64),
        used_(size_t{sms_} * words_) {}

  void reset() { std::fill(used_.begin(), used_.end(), 0); }

  // `sm` has sent something for the slice, numbered over the device.
  void use(uint32_t sm, uint32_t slice) {
    used_[size_t{sm} * words_ + slice / 64] |= uint64_t{1} << (slice % 64);
  }

  // The end of the kernel.
  void count(stats::CounterSet& n) const {
    if (per_slice_ == 0) {
      return;
    }
    uint64_t pairs = 0;
    for (uint64_t w : used_) {
      pairs += std::popcount(w);
    }
    uint64_t passed_on = partitions_ > 1 ? pairs : 0;
    uint64_t sectors = uint64_t{per_slice_} * slices_ + pairs + passed_on;
    uint64_t all = uint64_t{sms_} * slices_;
    // Barriers to the slices an SM has not used travel together.
    uint64_t idle = idle_ * (all - pairs) / all;
    using stats::Counter;
    n[Counter::kL2Membars] += sectors;
    n[Counter::kL2Sectors] += sectors;
    n[Counter::kL2SectorHits] += sectors + idle;
    n[Counter::kL2Requests] += sectors + idle;
    n[Counter::kL2FromGpc] += pairs;
    n[Counter::kL2FromFabric] += passed_on;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(used_);
  }

 private:
  const uint32_t sms_, slices_, partitions_, per_slice_;
  const uint64_t idle_;
  const uint32_t words_;
  std::vector<uint64_t> used_;  // a bit per slice, SM after SM
};

}  // namespace heddle::memory
