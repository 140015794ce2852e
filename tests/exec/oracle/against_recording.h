// Whether an executed launch is what was recorded of it on a GPU: blocks' warps, program counters, masks,
// addresses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/isa/recording.h"

namespace heddle::oracle {

struct Agreement {
  uint64_t warps = 0;
  uint64_t streams = 0;  // warps whose program counters and masks are the recorded ones, in order
  uint64_t lanes = 0;    // warps each of whose lanes has executed what it did in the recording, in its order
  uint64_t addresses = 0;  // warps with all global addresses, where the streams are the same
  uint64_t apart = 0;      // what the recording's addresses are more: its memory lay elsewhere
  std::string first;       // where the first other one differs
};

// `recording`: a trace of the same launch.
Agreement compare(isa::BlockSource& executed, const std::filesystem::path& recording);

}  // namespace heddle::oracle
