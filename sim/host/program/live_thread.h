// A host thread that decides what it calls while the program runs: it is asked for its next call when the one
// before has returned, at that simulated time. The program may grow meanwhile: calls of the thread, live
// threads, streams that calls create, pools, kernels, events, accesses, windows, graphs and what instantiates
// them, changes of their nodes, buffers that calls allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/host/program/time.h"

namespace heddle::host {

// How a call ended.
struct Returned {
  Ps now{};
  std::string_view error, why;      // empty: cudaSuccess
  std::string_view answer;          // of queries and the like
  Ps time{};                        // between two events
  std::span<const uint64_t> items;  // taken from a queue
};

class LiveThread {
 public:
  struct Next {
    size_t call;        // of the thread's ThreadDesc::calls; kEnd: none, the thread has ended; kLater, kAway
    uint64_t item = 0;  // of a put: what it puts
  };
  static constexpr size_t kEnd = SIZE_MAX;
  // None yet: an OpenRun stops, and asks again when it goes on. In others nothing can go on then.
  static constexpr size_t kLater = SIZE_MAX - 1;
  // None for now: the others go on without it, until OpenRun::come_back().
  static constexpr size_t kAway = SIZE_MAX - 2;

  virtual ~LiveThread() = default;
  // `last`: of the call before; at the start, of none. What it throws ends the run.
  virtual Next next(const Returned& last) = 0;
};

}  // namespace heddle::host
