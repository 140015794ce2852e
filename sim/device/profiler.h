// Collects stats::Profile while a launch runs: time series and spans between quanta, the instructions' counts
// at the end. It only looks at the machine, so results are the same with and without it.
#pragma once

#include "sim/device/build.h"
#include "sim/isa/kernel.h"
#include "sim/stats/profile.h"
#include "sim/stats/result.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::device {

class Profiler {
 public:
  // The references must outlive the object. Samples are taken from `start` on.
  Profiler(const stats::ProfileRequest& request, Machine& machine, const isa::KernelImage& image, Cycle start)
      : request_(request),
        machine_(machine),
        image_(image),
        interval_(request.series_interval),
        next_(start + interval_) {}

  // What the SM with that number has to note.
  static sm::Noting noting(const stats::ProfileRequest& request, uint32_t sm);

  // Between quanta: everything before `now` has happened. What is in flight to L2 and DRAM then is counted.
  void exchange(Cycle now);
  // When it wants to look next, and no quantum goes beyond: samples do not depend on the quantum. kNever: it
  // takes none.
  Cycle next() const { return interval_ ? next_ : kNever; }
  // The launch has ended: fills in result.profile.
  void complete(stats::KernelResult& result);
  void serialize(Archive& ar);

 private:
  using Values = std::array<uint64_t, stats::kSeriesCounters.size()>;

  Values values(Cycle now) const;
  void take_spans();
  void take_sample(Cycle now, const Values& at);
  void take_last_sample(const stats::KernelResult& result);

  const stats::ProfileRequest request_;
  Machine& machine_;
  const isa::KernelImage& image_;
  Cycle interval_;  // 0: no series
  Cycle next_;      // sample
  Values last_{};
  stats::Profile profile_;
};

}  // namespace heddle::device
