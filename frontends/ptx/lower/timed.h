// Instructions whose results depend on when they are executed, and where a kernel with such instructions is
// cut so that it can be executed while it is simulated: what lies behind them is not known before they have
// issued.
#pragma once

#include <vector>

#include "frontends/ptx/module.h"

namespace heddle::ptx::lower {

// Clocks, atomics that return something, loads that look for what others do.
bool timed(const Module& module, const Function& f, uint32_t instr);

bool depends_on_time(const Module& module, const Function& f);  // some of it is timed

// By instruction: a block ends behind it, as it is timed or a barrier.
std::vector<bool> cuts(const Module& module, const Function& f);

}  // namespace heddle::ptx::lower
