// The experiments of hostbench.cu and host_calls.cu (tools/microbench), on the model: each row of their
// tables is a program that does what the benchmark did, timed as it did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::hostbench {

struct Row {
  std::string test, parameter;
  double value = 0;  // measured
  std::string unit;
};

// Kernel times that the model does not know: measured by the same benchmarks, in microseconds.
struct KernelTimes {
  double touch_64mib = 0, touch_32mib = 0, touch_16mib = 0, touch_8mib = 0;
};

// The simulated value in the row's unit; nothing if the row is none of the experiments that are modelled.
std::optional<double> simulate(const Row& row, const config::GpuConfig& gpu, const KernelTimes& times);

// The greatest error in per cent that is asked for, of rows that are modelled or will be; nothing for others.
std::optional<double> bound(const Row& row);

}  // namespace heddle::hostbench
