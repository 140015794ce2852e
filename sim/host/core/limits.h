// How much a run may take before it is refused, and how much of what it tells is kept. A program that goes on
// for ever within them runs for ever: who runs it can cancel it (PlatformOptions::cancel).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/error.h"
#include "sim/host/program/time.h"

namespace heddle::host {

struct Limits {
  uint64_t steps = 0;             // calls, and events of devices; 0: any number
  uint64_t commands = 2'000'000;  // under way at once; 1 GB
  uint64_t nodes = 500'000;       // of an instantiated graph, with those inside it
  // Kept; the rest is counted.
  uint64_t spans = 4'000'000;  // of the timeline; 56 bytes each, and as much again while they are sorted;
                               // steps (steps.h), 24 each
  uint64_t records = 100'000;  // of errors of calls, of answers, of times between events: so many of each
  uint64_t findings = 10'000;  // pairs of calls
};

// The latest time of a run: 53 days. Whole picoseconds end not far behind it.
inline constexpr Ps kLatest = Ps(uint64_t{1} << 62);

// A program goes beyond one of the limits.
class LimitReached : public Error {
 public:
  using Error::Error;
};

// "more than 2000000 commands under way at once (limit commands)".
std::string beyond(uint64_t limit, const std::string& what, const char* name);

// By name: "spans". Error: no such limit, with the names that there are.
void set_limit(Limits& limits, std::string_view name, uint64_t value);

}  // namespace heddle::host
