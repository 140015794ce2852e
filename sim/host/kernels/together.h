// Kernels given as traces, simulated on the machine of sim/device together with what else runs then.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/run_options.h"
#include "sim/host/core/kernel_model.h"
#include "sim/host/kernels/period.h"

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

 private:
  const spec::GpuConfig gpu_;
  const Options options_;
  std::vector<std::unique_ptr<Period>> devices_;  // by number; null while nothing was launched
  uint64_t ended_ = 0;
};

}  // namespace heddle::host
