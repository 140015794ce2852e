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
  if (ipc_) {
    out.emplace_back("to export, open and close memory and events of several processes takes no time");
  }
  if (shared_) {
    out.push_back(
        fmt::format("processes have the device's SMs one at a time, {:g} us each where several want them, "
                    "{:g} us to change; "
                    "they do not hold up each other's copies",
                    shared_->slice_us, shared_->change_us));
    if (shared_->outside > 0) {
      out.push_back(
          "now and then all processes on the device waited for something that none of them does: when that "
          "came "
          "depends on this computer, so the times of another run may be others");
    }
  }
  return out;
}

}  // namespace heddle::cuda
