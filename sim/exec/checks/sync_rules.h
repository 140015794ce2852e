// What Checks::sync asks of barriers of a block: all threads of a warp that have not ended come to an aligned
// barrier, together and as often (PTX ISA, bar; CUDA Programming Guide, __syncthreads()); of 7.0 on those
// that have ended are not missed (CUDA Programming Guide, "Independent Thread Scheduling"). To tell those who
// skip a barrier and end later from those who end early, it is noted what lanes do since they parted from
// others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/exec/checks/flow.h"
#include "sim/exec/code.h"

namespace heddle::exec {

class SyncRules {
 public:
  // Of a block of so many threads.
  SyncRules(const Code& code, uint32_t threads);

  // An instruction in a frame.
  struct Where {
    uint32_t pc = kNoPc, base = 0;
  };
  // The lanes go different ways at `pc`; `left`: those of them that leave a loop there, in which others stay.
  void part(uint32_t warp, uint32_t lanes, uint32_t pc, uint32_t left);
  void access(uint32_t warp, uint32_t lanes, Where at);

  // The lanes of a warp that wait at an aligned barrier, where all that have not ended have come. Why others
  // should have come, too: who has ended and did what lies behind the barrier, or made fewer turns of its
  // loop.
  struct Missing {
    uint32_t lanes = 0;
    uint32_t at = kNoPc;     // what they did instead
    bool left_loop = false;  // they left the barrier's loop there
  };
  Missing missing_lanes(uint32_t warp, uint32_t here, Where barrier);

  // A warp has come; what is wrong with that. `threads`: how many the barrier is for, 0: all.
  std::string arrive(uint32_t number, uint32_t warp, uint32_t pc, uint32_t threads, BarrierKind kind);
  void complete(uint32_t number) { phases_[number] = {}; }

  // Barrier objects in shared memory that were initialised, and not invalidated since.
  std::set<uint64_t> objects;

 private:
  struct Lane {
    uint32_t parted = kNoPc;  // where it last parted from others
    bool left_loop = false;   // it left a loop there in which others stayed
    Where did;                // its last access of memory since
  };
  struct Warp {
    uint32_t lanes = 0;  // that have a thread
    std::array<Lane, kLanes> lane;
  };
  struct Phase {
    bool any = false;
    uint32_t threads = 0, pc = kNoPc, warp = 0;
    BarrierKind kind = BarrierKind::kSync;
  };

  const Code& code_;
  Flow flow_;
  uint32_t all_threads_;  // of whole warps
  std::vector<Warp> warps_;
  std::array<Phase, 16> phases_;
};

}  // namespace heddle::exec
