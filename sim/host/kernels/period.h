// The machine of one device in the host model's time. A period begins when a kernel comes to it while it is
// idle, and lasts until it is idle again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "configs/schema/spec.h"
#include "sim/device/detailed_engine.h"
#include "sim/host/program/time.h"

namespace heddle::host {

// What a launch of so many core cycles takes of the device, from its first block's start to its last one's
// end: its own start and end are the host model's.
Ps time_on_device(uint64_t cycles, const spec::GpuConfig& gpu);

class Period {
 public:
  // Made by so many host threads.
  Period(const spec::GpuConfig& gpu, int threads);

  device::DetailedEngine& engine() { return engine_; }
  bool idle() const { return launches_ == 0; }
  // Its blocks may start `at`. If a period begins, it is with these options. Throws as the engine does.
  void launch(device::Launch launch, Ps at, const device::RunOptions& options);
  struct Ended {
    uint64_t tag = 0;
    Ps start{}, end{};
    stats::KernelResult result;
  };
  // On to `until`, to a kernel's end or to a fault (DetailedEngine::has_faults). Throws as the engine does.
  std::optional<Ended> advance(Ps until);
  // Nothing is on it any more.
  void abandon();

  Cycle cycle(Ps at) const;  // the first that is not before
  Ps time(Cycle at) const;
  Ps now() const { return time(engine_.now()); }

 private:
  const spec::GpuConfig gpu_;
  const double ps_per_cycle_;
  device::DetailedEngine engine_;
  uint32_t launches_ = 0;
  bool alone_ = false;  // one launch in this period so far
  uint64_t tag_ = 0;    // its tag
  Ps origin_{};         // when the period began
  Cycle first_ = 0;     // the engine's cycle then
};

}  // namespace heddle::host
