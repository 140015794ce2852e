#include "frontends/cuda/assumptions.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cuda {

void Assumptions::kernel_on_host_memory(const std::string& kernel) {
  if (std::find(on_host_memory_.begin(), on_host_memory_.end(), kernel) == on_host_memory_.end()) {
    on_host_memory_.push_back(kernel);
  }
}

std::vector<std::string> Assumptions::lines() const {
  constexpr size_t kNamed = 3;
  std::vector<std::string> out = {
      simulated_clocks_
          ? "the host's own work takes no time, but for looks at its clocks, 25 ns each"
          : "the host's own work takes no time; clocks that the program reads are this computer's"};
  if (!on_host_memory_.empty()) {
    std::string names = on_host_memory_[0];
    for (size_t i = 1; i < std::min(kNamed, on_host_memory_.size()); ++i) {
      names += ", " + on_host_memory_[i];
    }
    if (on_host_memory_.size() > kNamed) {
      names += fmt::format(" and {} more", on_host_memory_.size() - kNamed);
    }
    out.push_back(
        "kernels access pinned memory of the host as fast as the device's own, which PCI Express does not "
        "allow: " +
        names);
  }
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
