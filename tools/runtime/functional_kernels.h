// Kernels of a program that are executed and not timed: each when the model of the host starts it, beside
// those that have begun and not ended, in no time. One that waits for something goes on when the host, or
// another kernel, has had its turn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cuda/context.h"
#include "sim/exec/execute.h"

namespace heddle::runtime {

class FunctionalKernels final : public cuda::KernelMachine {
 public:
  struct Options {
    int threads = 1;
    std::function<void(exec::Launch&)> prepare;  // what is left of a launch to be filled in
    std::function<void(uint64_t)> executed;      // so many instructions of warps
  };
  explicit FunctionalKernels(Options options) : options_(std::move(options)) {}

  void serve(cuda::KernelSource& source) override { source_ = &source; }
  void launch(const Launch& launch) override;
  std::optional<End> advance(host::Ps until) override;
  host::Ps run(const cuda::LoadedFunction& function, const exec::Launch& launch,
               std::shared_ptr<std::string> output) override;

 private:
  struct Running {
    cuda::KernelSource::Opened opened;
    std::unique_ptr<exec::Execution> execution;  // null: it has failed, or is not to be run
    Launch of;
  };
  exec::ExecuteOptions options() const;
  End end(size_t which, std::exception_ptr failure);

  const Options options_;
  cuda::KernelSource* source_ = nullptr;
  std::vector<Running> running_;
};

}  // namespace heddle::runtime
