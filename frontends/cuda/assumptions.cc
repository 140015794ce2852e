#include "frontends/cuda/assumptions.h"

#include <fmt/format.h>

namespace heddle::cuda {

std::vector<std::string> Assumptions::lines() const {
  std::vector<std::string> out = {
      own_work_ > 0
          ? fmt::format("the host's own work is {:g} of what this computer's processor takes for it, so the "
                        "times of another run are others",
                        own_work_)
      : simulated_clocks_
          ? "the host's own work takes no time, but for looks at its clocks, 25 ns each"
          : "the host's own work takes no time; clocks that the program reads are this computer's"};
  if (threads_.size() > 1) {
    out.push_back(fmt::format(
        "calls of {} threads of the host stand one behind the other, in the order in which they came: the "
        "times of another run may be others",
        threads_.size()));
  }
  if (given_up_ > 0) {
    out.push_back(fmt::format(
        "{} times a thread of the host went on without a call while others, or the device, waited for it: "
        "they "
        "went on without it after some of this computer's time, so the times of another run may be others",
        given_up_));
  }
  return out;
}

}  // namespace heddle::cuda
