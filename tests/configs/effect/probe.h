// Small programs that the simulator is asked about: does a value of the configuration change what happens?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::config::effect {

struct Probe {
  std::string name;
  // "path=value": makes the machine one in which the mechanism can be seen (a small L2, walks that take
  // time). Fields are changed from there.
  std::vector<std::string> setup;
  // All that the simulator says: times, counters, answers, or the error.
  std::function<std::string(const GpuConfig&)> run;
  bool host = false;  // fields below `host` are looked for only in such
};

std::vector<Probe> sm_probes();
std::vector<Probe> copy_probes();
std::vector<Probe> memory_probes();
std::vector<Probe> host_probes();

}  // namespace heddle::config::effect
