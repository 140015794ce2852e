// What the library that a program's clock calls come to (clocks.cc) asks the session, which registers itself
// there. In C, since neither is linked with the other.
#pragma once

#include <cstdint>

extern "C" {

struct HeddleHostClock {
  // ns of simulated time since the program began, of the calling thread.
  uint64_t (*now)();
  // So many ns of the calling thread's own pass.
  void (*spend)(uint64_t ns);
  // The calling thread is the simulator's, or in a call: it wants this computer's time.
  bool (*inside)();
};

// Returns how many ns had passed by then.
using HeddleUseHostClock = uint64_t (*)(const HeddleHostClock*);
}
