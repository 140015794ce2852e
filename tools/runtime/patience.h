// A thread of the program that has the turn and makes no call, while the device or other threads wait for it:
// it spins on memory that they are to change, or waits by means that nobody sees. After a while of this
// computer's time the others go on without it, and the device in small steps, so that it sees what it waits
// for soon after it has happened. A run in which that was needed says so.
#pragma once

#include "frontends/cuda/host_threads.h"

namespace heddle::runtime {

// From now on, until the process ends.
void watch(cuda::HostThreads& threads);

}  // namespace heddle::runtime
