// Kernels of a host program that are given as traces, or as launches of modules, which are executed while
// they are simulated.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "analysis/run/plan.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/modules/described_launch.h"
#include "sim/host/kernels/together.h"
#include "sim/host/program/program.h"
#include "sim/memory/access_policy.h"

namespace heddle::analysis {

// What the kernel of a launch takes of the device, from its first block's start to its last one's end: the
// launch's own start and end are the host model's.
host::Ps duration_on_device(const LaunchRecord& r, const config::GpuConfig& gpu);

// Grid, block and what a block needs, as a kernel of a host program has them.
void fill_shape(const isa::LaunchShape& launched, host::KernelDesc& k);

class TracedKernels {
 public:
  struct Options {
    // Each launch is simulated with what runs beside it; else each source once, by itself, for its duration.
    bool together = false;
    int threads = 1;                            // host threads; results do not depend on it
    const std::atomic<bool>* cancel = nullptr;  // when true: Cancelled
    Warn warn;
    std::function<void(host::Ps now, uint64_t ended)> progress;  // together: now and then; may be empty
  };
  using Source = std::variant<std::filesystem::path, modules::LaunchDescription>;

  // `gpu` and what the options point to must outlive the object.
  TracedKernels(const config::GpuConfig& gpu, Options options);

  // workload::KernelTimer. What a module's kernel prints is dropped.
  void fill(const Source& source, host::KernelDesc& k);
  // The stream that the trace names: opens it, and simulates nothing.
  uint64_t stream(const std::filesystem::path& trace);
  // The duration of that kernel (KernelDesc::trace) under a policy of the L2, which it finds empty.
  host::Ps under(uint32_t number, const memory::L2Policy& policy) const;
  // Null when kernels are not simulated together.
  host::Together* model() { return model_.get(); }

 private:
  struct Known {
    Source source;
    std::optional<isa::LaunchShape> shape = {};
    std::optional<host::Ps> duration = {};  // by itself; never when together
  };
  uint32_t number(const Source& source);
  const isa::LaunchShape& shape(const Source& source);
  LaunchRecord simulate(const Source& source, const memory::L2Policy& policy) const;
  // Traces of one folder are of one capture and share their addresses; others do not. Of a module, the same
  // launch finds its arguments where they were, and shares nothing with others.
  uint64_t address_offset(uint32_t number);

  const config::GpuConfig& gpu_;
  const Options options_;
  std::unique_ptr<host::Together> model_;
  std::vector<Known> known_;                                                          // by KernelDesc::trace
  std::map<std::variant<std::filesystem::path, uint32_t>, uint64_t> address_spaces_;  // by folder, launch
};

}  // namespace heddle::analysis
