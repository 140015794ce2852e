// The device's machine under a program: kernels run on it when the model of the host starts them, beside each
// other, and each leaves its record.
//
// While one runs alone all is as `heddle run` has it: from the start of the first launch that finds the
// machine idle to the end of the last one is a period of the engine (device::DetailedEngine), whose L2 is as
// the one before left it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/run/opened_launch.h"
#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/context.h"
#include "sim/device/detailed_engine.h"
#include "sim/host/core/params.h"
#include "sim/host/kernels/period.h"
#include "tools/runtime/reuse.h"

namespace heddle::runtime {

class RunningKernels final : public cuda::KernelMachine {
 public:
  struct Options {
    analysis::RunSettings settings;
    bool cold = false;  // every period finds empty caches
    // What is left of a launch to be filled in, and its number.
    std::function<uint32_t(exec::Launch&)> prepare;
    std::function<void(const analysis::LaunchRecord&)> record;
    analysis::Warn warn;
    bool reuse = false;  // a launch whose like has settled is executed and takes its time (reuse.h)
  };
  // `gpu` outlives this.
  RunningKernels(const config::GpuConfig& gpu, Options options);

  void serve(cuda::KernelSource& source) override { source_ = &source; }
  void launch(const Launch& launch) override;
  std::optional<End> advance(host::Ps until) override;
  std::vector<Fault> faults() override;
  void place(uint32_t device, uint32_t buffer, uint64_t page, host::Reach reach, host::Ps at) override;

  // Beside those that run by themselves.
  host::Ps run(const cuda::LoadedFunction& function, const exec::Launch& launch,
               std::shared_ptr<std::string> output) override;

 private:
  struct Running {
    cuda::KernelSource::Opened opened;
    std::shared_ptr<std::string> output = std::make_shared<std::string>();
    std::unique_ptr<analysis::OpenedLaunch> launch;
    Launch of;
    std::optional<Likeness> likeness;  // while nothing else runs with it
  };
  analysis::PlannedLaunch planned(const cuda::LoadedFunction& function, const exec::Launch& launch,
                                  uint32_t number, std::shared_ptr<std::string> output) const;
  device::RunOptions run_options() const;
  void begin(Running& r);
  bool reused(Running& r);
  void execute(Running& r, const Likeness& likeness, const analysis::LaunchRecord& like);
  std::optional<End> simulate(host::Ps until);
  End end(size_t which, host::Ps start, host::Ps end);
  void fail(std::exception_ptr failure);
  host::Period& period();
  bool is_main(const device::DetailedEngine& e) const { return period_ && &e == &period_->engine(); }
  void find_host_memory(device::DetailedEngine& e);
  void tell_memory(device::DetailedEngine& e);
  void hold_pages(device::DetailedEngine& e, bool on) const;

  const config::GpuConfig& gpu_;
  const Options options_;
  cuda::KernelSource* source_ = nullptr;
  std::unique_ptr<host::Period> period_;
  uint64_t host_version_ = 0;  // of what it knows
  struct Unified {
    uint64_t address = 0, page_bytes = 0;  // 0: the machine does not know of it yet
    std::vector<host::Reach> pages;
  };
  std::map<uint32_t, Unified> unified_;            // by the model's buffer
  std::vector<std::unique_ptr<Running>> running_;  // those on the machine
  std::vector<End> over_;                          // without having run on it
  Reuse reuse_;
};

}  // namespace heddle::runtime
