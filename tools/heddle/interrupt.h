// Ctrl-C and SIGTERM: the simulation stops soon, finished launches are kept.
#pragma once

#include <atomic>

namespace heddle::cli {

// The first signal sets the flag; a second one ends the process at once, as if there were no handler.
void catch_signals();

// True when the work should stop: a signal came, or another launch failed.
std::atomic<bool>& cancel_flag();

// The signal that came, 0 when none did.
int caught_signal();

}  // namespace heddle::cli
