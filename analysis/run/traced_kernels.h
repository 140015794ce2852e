// Kernels of a host program that are given as traces, or as launches of modules, which are executed while
// they are simulated.
#pragma once

#include <atomic>
#include <deque>
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
#include "sim/exec/memory.h"
#include "sim/host/kernels/together.h"
#include "sim/host/program/program.h"
#include "sim/memory/access_policy.h"

namespace heddle::analysis {

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

  // `buffers`: arguments of a module's kernel that are addresses in memory(), by their places. With any, and
  // not together, the kernel has no duration: execute() gives it. Gives the kernel's number here.
  using Buffers = std::map<size_t, uint64_t>;
  uint32_t fill(const Source& source, const Buffers& buffers, host::KernelDesc& k);
  // What modules' kernels share, when together or on buffers; others have memory of their own each.
  exec::Memory& memory() { return memory_; }
  // Executes and simulates a launch of that number by itself. Throws Error, Cancelled.
  host::Ps execute(uint32_t number);
  // What kernels in memory() have printed, in the order of their launches, since the last call.
  std::string output();
  // The stream that the trace names: opens it, and simulates nothing.
  uint64_t stream(const std::filesystem::path& trace);
  // The duration of that kernel (KernelDesc::trace) under a policy of the L2, which it finds empty.
  host::Ps under(uint32_t number, const memory::L2Policy& policy) const;
  // Null when kernels are not simulated together.
  host::Together* model() { return model_.get(); }

 private:
  // A module's kernel in memory().
  struct Bound {
    modules::Program* program;
    const modules::Kernel* kernel;
    std::vector<uint64_t> arguments;  // the bits of each
  };
  struct Known {
    Source source;
    Buffers buffers;
    std::optional<Bound> bound = {};
    std::optional<isa::LaunchShape> shape = {};
    std::optional<host::Ps> duration = {};  // by itself; never when together
  };
  // Its memory is memory().
  bool shares(const Known& k) const { return model_ != nullptr || !k.buffers.empty(); }
  uint32_t number(const Source& source, const Buffers& buffers);
  const Bound& bound(Known& k);
  PlannedLaunch planned(Known& k);
  const host::CodeDesc& code(Known& k);
  const isa::LaunchShape& shape(Known& k);
  LaunchRecord simulate(const PlannedLaunch& plan, const memory::L2Policy& policy) const;
  std::shared_ptr<std::string> printed();
  // Traces of one folder are of one capture and share their addresses, and so do all modules; others do not.
  uint64_t address_offset(uint32_t number);

  const config::GpuConfig& gpu_;
  const Options options_;
  std::unique_ptr<host::Together> model_;
  exec::Memory memory_;
  std::map<std::filesystem::path, std::unique_ptr<modules::Program>> programs_;  // in memory_
  std::deque<Known> known_;                                                      // by KernelDesc::trace
  std::map<std::filesystem::path, uint64_t> address_spaces_;                     // by folder; modules: none
  std::map<std::filesystem::path, uint32_t> modules_;                            // numbers, from 1 on
  std::map<std::pair<uint32_t, std::string>, host::CodeDesc> code_;              // of modules' kernels
  std::deque<std::shared_ptr<std::string>> printing_;  // by launches, in their order
  std::string printed_;
};

}  // namespace heddle::analysis
