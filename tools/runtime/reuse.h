// Which launches of a program need not be timed again (`heddle exec --reuse`): those whose like took the same
// time again and again. They are executed, so what they compute is right; their time is likely and not
// simulated.
//
// Alike: the same kernel, grid, block, cluster, shared memory and parameters, whatever memory the pointers
// among these lead to. Two timed launches in a row of a likeness whose cycles are within 2 % of each other
// settle it: the next 2 take the time of the last one; then one is timed again, and as long as it still
// agrees, 4, 8, 16 ... follow.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "analysis/store/record.h"
#include "frontends/cuda/library.h"
#include "sim/exec/launch.h"

namespace heddle::runtime {

struct Likeness {
  Likeness(const cuda::LoadedFunction& function, const exec::Launch& launch);
  auto operator<=>(const Likeness&) const = default;

  const cuda::LoadedFunction* function;
  std::vector<uint32_t> shape;
  std::vector<uint8_t> parameters;
};

class Reuse {
 public:
  static constexpr double kSame = 0.02;

  // What the launch whose time this one takes has left; null: it is to be timed.
  std::shared_ptr<const analysis::LaunchRecord> take(const Likeness& of);
  // One has been timed, alone on the device.
  void timed(const Likeness& of, std::shared_ptr<const analysis::LaunchRecord> record);
  // One that took another's time has executed so many instructions of warps. False: not as many as the other,
  // so the two are not alike after all, and it has to settle anew.
  bool executed(const Likeness& of, uint64_t instructions);

 private:
  struct Seen {
    std::shared_ptr<const analysis::LaunchRecord> last;
    uint64_t run = 0, left = 0;  // launches that may take its time in a row
  };
  std::map<Likeness, Seen> seen_;
};

}  // namespace heddle::runtime
