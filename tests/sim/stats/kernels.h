// Small launches of which each exercises a part of the machine; counters_test.cc and stalls_test.cc say what
// they count.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/sim/support/kernel_builder.h"

namespace heddle::simtest {

struct Sample {
  spec::GpuConfig gpu;
  Kernel kernel;
};

// By name; every one is built anew.
const std::map<std::string, std::function<Sample()>>& samples();

// Runs a sample; each is run once per process.
const Outcome& outcome(const std::string& name);

}  // namespace heddle::simtest
