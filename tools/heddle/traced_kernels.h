// Kernels of a host program that are given as traces.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"
#include "sim/host/program.h"
#include "sim/host/together.h"

namespace heddle::cli {

class TracedKernels {
 public:
  // `together`: each launch is simulated with what runs beside it; else each trace once, by itself, for its
  // duration. `gpu` must outlive the object.
  TracedKernels(const config::GpuConfig& gpu, bool together, int threads);

  // workload::KernelTimer.
  void fill(const std::filesystem::path& trace, host::KernelDesc& k);
  // The stream that the trace names.
  uint64_t stream(const std::filesystem::path& trace);
  // Null when kernels are not simulated together.
  host::Together* model() { return model_.get(); }

 private:
  struct Known {
    isa::LaunchShape shape;
    uint64_t cycles = 0;  // by itself; 0 when together
  };
  const Known& known(const std::filesystem::path& trace);
  // Traces of one folder are of one capture and share their addresses; others do not.
  uint64_t address_offset(const std::filesystem::path& trace);

  const config::GpuConfig& gpu_;
  const int threads_;
  std::unique_ptr<host::Together> model_;
  std::map<std::filesystem::path, Known> known_;
  std::map<std::filesystem::path, uint64_t> captures_;  // by folder
};

}  // namespace heddle::cli
