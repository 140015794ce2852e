// A program that refers to nothing that it does not have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/host/program/program.h"

namespace heddle::host {

// Throws heddle::Error "thread NAME, call N (cudaMemcpyAsync): ..." or "stream NAME: ...".
void check_program(const Program& program);
// How many of each a program had before it grew.
struct Sizes {
  explicit Sizes(const Program& p)
      : streams(p.streams.size()),
        events(p.events.size()),
        buffers(p.buffers.size()),
        pools(p.pools.size()),
        kernels(p.kernels.size()),
        graphs(p.graphs.size()) {}
  size_t streams, events, buffers, pools, kernels, graphs;
};
// The same of what has come to a program since `before`, while it runs.
void check_more(const Program& program, const Sizes& before);
// And of the call `call` of `thread`.
void check_more(const Program& program, uint32_t thread, size_t call);

}  // namespace heddle::host
