// Whether the calls that kernels make themselves (device_calls.h) can be run at all.
#pragma once

#include "sim/host/program/program.h"

namespace heddle::host {

// Throws heddle::Error: a number that the program does not have, what a compiler refuses, what never ends.
void check_calls(const Program& p);

}  // namespace heddle::host
