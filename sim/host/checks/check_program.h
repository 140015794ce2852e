// A program that refers to nothing that it does not have.
#pragma once

#include "sim/host/program/program.h"

namespace heddle::host {

// Throws heddle::Error "thread NAME, call N (cudaMemcpyAsync): ..." or "stream NAME: ...".
void check_program(const Program& program);

}  // namespace heddle::host
