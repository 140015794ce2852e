// A program that refers to nothing that it does not have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/host/program/program.h"

namespace heddle::host {

// Throws heddle::Error "thread NAME, call N (cudaMemcpyAsync): ..." or "stream NAME: ...".
void check_program(const Program& program);
// The same of what has come to a program while it runs: the call `call` of `thread`, and kernels from the
// `first_kernel`-th on.
void check_more(const Program& program, uint32_t thread, size_t call, size_t first_kernel);

}  // namespace heddle::host
