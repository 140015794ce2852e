// Who waits for whom when nothing can go on.
#pragma once

#include <string>
#include <vector>

#include "sim/host/calls/threads.h"
#include "sim/host/core/core.h"
#include "sim/host/streams/connections.h"

namespace heddle::host {

// One line for each thread that waits and each command that has not ended, those that wait for nothing else
// last. `stuck`: the host function that calls CUDA, or kNone.
std::vector<std::string> explain_deadlock(const Core& core, const std::vector<Threads::Blocked>& threads,
                                          const Connections& connections, uint32_t stuck);

}  // namespace heddle::host
