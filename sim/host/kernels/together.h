// Kernels given as traces, simulated on the machine of sim/device together with what else runs then.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/engine.h"
#include "sim/host/core/kernel_model.h"

namespace heddle::host {

class Together final : public KernelModel {
 public:
  struct Options {
    // Opens KernelDesc::trace; called once for each launch.
    std::function<std::unique_ptr<isa::BlockSource>(uint32_t trace)> open;
    // Of a trace: device::Launch::address_offset. Empty: all share one address space.
    std::function<uint64_t(uint32_t trace)> address_offset;
    int threads = 1;                                       // host threads; results do not depend on it
    const std::atomic<bool>* cancel = nullptr;             // may be null
    std::function<void(Ps now, uint64_t ended)> progress;  // now and then; may be empty
  };
  Together(const spec::GpuConfig& gpu, Options options);

  void launch(const Launch& launch) override;
  std::optional<End> advance(Ps until) override;

  uint64_t ended() const { return ended_; }
  // Of all devices: what the kernels did.
  stats::CounterSet counters() const;

 private:
  Cycle cycles(Ps at) const;  // the first that is not before
  Ps time(Cycle at) const;

  const spec::GpuConfig gpu_;
  const Options options_;
  const double ps_per_cycle_;
  std::vector<std::unique_ptr<device::Engine>> devices_;  // by number; null while nothing was launched
  uint64_t ended_ = 0;
};

}  // namespace heddle::host
