// A probe that is a kernel.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/configs/effect/probe.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::config::effect {

// Cycles, counters, stall reasons, occupancy, and the cycle of every issue.
std::string told(const simtest::Outcome& o);

Probe kernel_probe(std::string name, std::function<simtest::Kernel()> make,
                   std::vector<std::string> setup = {}, device::RunOptions options = {});

}  // namespace heddle::config::effect
