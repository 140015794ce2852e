// Kernels of a process that shares the device: they go on while its context has it
// (sim/host/kernels/slices.h), and stand still meanwhile. To whoever runs them the time without the device
// does not exist.
#pragma once

#include <optional>
#include <vector>

#include "frontends/cuda/context.h"
#include "frontends/cuda/share.h"

namespace heddle::cuda {

class SharedKernels final : public KernelMachine {
 public:
  // `machine` outlives this. Until share() is called all is as without this.
  explicit SharedKernels(KernelMachine& machine) : machine_(machine) {}
  // From `now` on.
  void share(Share* share, host::Ps now);

  void serve(KernelSource& source) override { machine_.serve(source); }
  void launch(const Launch& launch) override;
  std::optional<End> advance(host::Ps until) override;
  std::vector<Fault> faults() override;
  void place(uint32_t device, uint32_t buffer, uint64_t page, host::Reach reach, host::Ps at) override;
  host::Ps run(const LoadedFunction& function, const exec::Launch& launch,
               std::shared_ptr<std::string> output) override {
    return machine_.run(function, launch, std::move(output));
  }

 private:
  KernelMachine& machine_;
  Share* share_ = nullptr;
  uint32_t running_ = 0;
};

}  // namespace heddle::cuda
