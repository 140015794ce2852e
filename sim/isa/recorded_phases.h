// What the barrier objects (mbarrier) of a recorded block wait for, as far as its recording tells.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/isa/program.h"
#include "sim/isa/recording.h"
#include "sim/isa/rehearsal.h"

namespace heddle::isa {

// The instructions of a kernel that do something to barrier objects.
class RecordedSyncs {
 public:
  explicit RecordedSyncs(const KernelImage& image);

  const KernelImage& image() const { return image_; }
  bool waits() const { return waits_; }
  // It has copies or stores that count at barrier objects of other blocks.
  bool feeds_others() const { return feeds_others_; }
  // References of instructions first, ..., last - 1, each executed once.
  uint32_t references(uint32_t first, uint32_t last) const { return references_[last] - references_[first]; }
  // Whether one of them touches memory or waits for others, but for waits for a phase.
  bool touches(uint32_t first, uint32_t last) const { return touching_[last] != touching_[first]; }
  // The first wait for a phase from instruction n on; the code's size when there is none.
  uint32_t next_wait(uint32_t n) const { return next_wait_[n]; }

  // Calls f(code, mask, reference) for each SYNCS, ARRIVES, STAS, REDAS and copy with a barrier object that
  // `w` executes with a mask that is not 0.
  template <class F>
  void for_each(const WarpTrace& w, F f) const {
    size_t ref = 0;
    for (const Run& r : w.runs) {
      if (!r.mask) {
        continue;
      }
      const uint32_t end = r.first + r.count;
      for (uint32_t i = next_[r.first]; i < end; i = next_[i + 1]) {
        f(i, r.mask, w.refs[ref + references(r.first, i)]);
      }
      ref += references(r.first, end);
    }
  }

 private:
  const KernelImage& image_;
  std::vector<uint32_t> references_;  // of the first n instructions
  std::vector<uint32_t> touching_;    // among them
  std::vector<uint32_t> next_;        // the first such instruction from n on
  std::vector<uint32_t> next_wait_;
  bool waits_ = false;
  bool feeds_others_ = false;
};

// The barrier objects of a block. A phase needs as many arrivals as the object's initialisation says, where
// the recording has its value (SYNCS.EXCH); else all arrivals of the block's recording are shared out over
// the phases that the warp that comes most often has arrivals for, and whether the first phase is odd is
// found by a rehearsal (isa/rehearsal.h). Arrivals that the block sends to others of its cluster stand for
// those that it gets. Not known are the phases of an object whose arrivals or bytes come from something that
// is not followed: LDGSTS, copies between blocks, copies by tensor maps that were not recorded.
class RecordedPhases {
 public:
  using Barrier = RehearsedBarrier;
  void find(const RecordedSyncs& syncs, const BlockTrace& block);
  // Of the object at that offset in the block's shared memory.
  Barrier at(uint64_t offset) const {
    const auto it = barriers_.find(offset);
    return it == barriers_.end() ? Barrier{} : it->second;
  }

 private:
  std::map<uint64_t, Barrier> barriers_;
};

// The data operand of the k-th set lane of a SYNCS; 0 where it was not recorded.
inline uint64_t syncs_operand(const WarpTrace& w, const MemRef& r, uint32_t k) {
  return k < r.count ? w.values[r.list + (r.kind == MemRef::Kind::kFull ? r.count : 0) + k] : 0;
}
// Of a wait: the phase's parity is the operand's highest bit.
inline uint8_t parity_of(uint64_t operand) { return operand >> 31 & 1; }
// The lowest bit, of programs that are executed: it has not waited, and the phase was not complete.
inline uint64_t wait_operand(bool parity, bool in_vain) { return uint64_t{parity} << 31 | uint64_t{in_vain}; }
inline bool waits_in_vain(uint64_t operand) { return operand & 1; }
// The word of a barrier object: 2^20 less its arrivals, twice, and the parity of its phase (seen in the code
// that compilers write for mbarrier.init; ptx.md has no layout).
inline constexpr int kArrivalsAt = 43, kParityAt = 63;
inline constexpr uint64_t kMostArrivals = (uint64_t{1} << 20) - 1;
// What an initialisation for so many arrivals writes.
inline uint64_t initial_word(uint32_t arrivals) {
  const uint64_t left = kMostArrivals + 1 - arrivals;
  return left << 1 | left << kArrivalsAt;
}
inline uint32_t initial_arrivals(uint64_t word) {
  return static_cast<uint32_t>((kMostArrivals + 1 - (word >> kArrivalsAt & kMostArrivals)) & kMostArrivals);
}

}  // namespace heddle::isa
