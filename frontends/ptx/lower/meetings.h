// Where lanes of a warp may part, and where they meet again: BSSY and BSYNC.
#pragma once

#include <vector>

#include "frontends/ptx/lower/uses.h"

namespace heddle::ptx::lower {

// By block.
struct Meetings {
  std::vector<bool> parts;  // its end is a branch behind which lanes may part: BSSY before it
  std::vector<bool> meets;  // they wait for each other at its beginning: BSYNC
};

// Of branches forward, on what is not the same for all lanes, whose ways come together before the end. Loops
// that lanes leave at different times are not among them.
Meetings find_meetings(const Module& module, const Lowered& f, const Uses& uses);

}  // namespace heddle::ptx::lower
