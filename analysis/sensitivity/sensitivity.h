// Which numbers of a configuration matter: each is changed by a tenth, and launches are simulated.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/run/batch.h"
#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::analysis {

constexpr double kLeastChange = 0.0005;  // of the cycles; a smaller one is none

struct Sensitivity {
  std::string path;
  std::string value;  // as the configuration has it
  double change =
      0;  // of a launch's cycles, relative: the largest, when the number is a tenth larger or smaller
};

// A simulation to be done.
struct Trial {
  const config::GpuConfig& gpu;
  size_t launch = 0;
  std::string changed;  // for people: "l2.ways=18", "31 values up"; empty: nothing
};

struct SensitivityCalls {
  // Trial `i` of the round, in any of the threads. Throws heddle::Error when there is no such machine,
  // Cancelled when it was stopped.
  std::function<LaunchRecord(size_t i, const Trial& trial)> simulate;
  // Before each round of simulations, for progress; may be empty.
  std::function<void(size_t trials, size_t decided, size_t numbers)> round;
};

// The numbers, by path, that nothing but an assumption stands for, without those of the host's side. `files`
// is the configuration without a fidelity preset: what one sets is a choice, and none of them.
std::map<std::string, std::string> assumed_numbers(const config::GpuConfig& gpu,
                                                   const config::GpuConfig& files);

// Of each of the `numbers` of `gpu`, the largest change first. A number becomes a tenth larger and smaller,
// whole ones by 1 at least, where the loader accepts that. Groups of numbers that change next to nothing
// together are not looked at one by one, others are halved: numbers of one group that cancel each other are
// missed. The same for any number of jobs. Throws what the simulation of `gpu` itself throws, and Cancelled;
// of `options`, `keep_going` has no meaning.
std::vector<Sensitivity> sensitivities(const config::GpuConfig& gpu,
                                       const std::map<std::string, std::string>& numbers, size_t launches,
                                       const BatchOptions& options, const SensitivityCalls& calls);

}  // namespace heddle::analysis
