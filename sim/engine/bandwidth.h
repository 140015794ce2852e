// A resource of limited bandwidth whose users are not known in the order of their arrival.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/engine/time.h"
#include "sim/engine/zeroed.h"

namespace heddle {

// The memory side works a request through all its stages at once, so a stage hears of arrivals out of order:
// a DRAM fill that passes a port in 600 cycles is booked before an L2 hit that passes it in 100. Time is
// therefore divided into buckets, each with a bucket's width of service to give; a request takes what is left
// from its arrival on. That is work-conserving whatever the order of the calls, and exact to a bucket.
class Bandwidth {
 public:
  // `width`: ticks of a bucket. `buckets`: how far ahead bookings may reach (a power of two).
  explicit Bandwidth(Ticks width = to_ticks(16), uint32_t buckets = 1024)
      : width_(width),
        shift_(std::has_single_bit(width.count()) ? static_cast<uint32_t>(std::countr_zero(width.count()))
                                                  : kNoShift),
        mask_(buckets - 1),
        ring_shift_(static_cast<uint32_t>(std::countr_zero(buckets))),
        buckets_(buckets) {}

  // Books `service` from `at` on; returns when it ends.
  Ticks reserve(Ticks at, Ticks service) {
    uint64_t b = bucket_of(at);
    if (b >= full_from_ && b < full_to_) {
      b = full_to_;
    }
    Ticks left = service;
    used_ = true;
    for (;;) {
      uint32_t& used = bucket(b);
      const Ticks take = std::min(left, width_ - Ticks(used));
      used += static_cast<uint32_t>(take.count());
      left -= take;
      note_full(b, Ticks(used));
      if (left == Ticks()) {
        return std::max(at + service, b * width_ + Ticks(used) - offset_);
      }
      ++b;
      if (b >= full_from_ && b < full_to_) {
        b = full_to_;
      }
    }
  }

  // A hint that something will be booked from `at` on.
  void prefetch(Ticks at) const {
    __builtin_prefetch(&buckets_[static_cast<uint32_t>(bucket_of(at)) & mask_], 1);
  }

  // Nothing is booked. Buckets begin at `origin`, so that times count from there.
  void reset(Ticks origin = {}) {
    if (used_) {
      std::fill(buckets_.begin(), buckets_.end(), Bucket{});
      used_ = false;
    }
    full_from_ = full_to_ = 0;
    offset_ = (width_ - origin % width_) % width_;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    if (ar.reading()) {
      reset();
    }
    ar(offset_, used_, full_from_, full_to_);
    ar.expect("buckets", buckets_.size());
    if (!used_) {
      return;
    }
    for (Bucket& b : buckets_) {
      ar(b.lap, b.used);
    }
  }

 private:
  struct Bucket {
    uint32_t lap = 0;   // of the ring, and 1; 0: never used
    uint32_t used = 0;  // ticks, at most a bucket's width
  };
  // A processor divides for as long as it takes to do the rest.
  uint64_t bucket_of(Ticks at) const {
    return shift_ != kNoShift ? (at + offset_).count() >> shift_ : (at + offset_) / width_;
  }
  uint32_t& bucket(uint64_t b) {
    Bucket& slot = buckets_[static_cast<uint32_t>(b) & mask_];
    const auto lap = static_cast<uint32_t>(b >> ring_shift_) + 1;
    if (slot.lap != lap) {
      // A bucket a whole ring ahead replaces one that lies in the past.
      slot = {lap, 0};
    }
    return slot.used;
  }
  // Remembers one run of full buckets, so that a saturated resource is not searched bucket by bucket.
  void note_full(uint64_t b, Ticks used) {
    if (used < width_) {
      return;
    }
    if (b == full_to_) {
      ++full_to_;
    } else if (b + 1 == full_from_) {
      --full_from_;
    } else if (b > full_to_) {
      full_from_ = b;
      full_to_ = b + 1;
    }
  }

  static constexpr uint32_t kNoShift = ~0u;

  Ticks width_{};
  uint32_t shift_;  // width_ is 2 to the power of it, or kNoShift
  Ticks offset_{};  // from the beginning of a bucket to time 0
  uint32_t mask_;
  uint32_t ring_shift_;  // 2 to the power of it: how many buckets
  bool used_ = false;
  Zeroed<Bucket> buckets_;
  uint64_t full_from_ = 0, full_to_ = 0;  // buckets known to be full
};

}  // namespace heddle
