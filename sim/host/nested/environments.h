// Execution environments: what work on the device launches, and when all of it counts as ended. Work that is
// launched into an environment must end before the environment is complete (GD08). What is launched as a tail
// runs when it is complete, one after the other, each in the environment's place (GD09); the tails of a tail
// come before those that were queued earlier (GD10).
//
// Graphs launched from the device use it (graph_device.cc), and kernels (nested.h); it knows nothing of
// either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/host/program/program.h"

namespace heddle::host {

class Environments {
 public:
  class Owner {
   public:
    // It, and everything launched into it, has ended; its tails have not begun.
    virtual void complete(uint32_t environment) = 0;
    // A tail's turn has come: its environment is open, its work is to be begun.
    virtual void run_tail(uint32_t work, uint32_t environment) = 0;

   protected:
    ~Owner() = default;
  };
  explicit Environments(Owner& owner) : owner_(owner) {}

  // For work that begins now. `parent`: the environment that waits for it; kNone: nothing does.
  uint32_t open(uint32_t parent);
  // `work`: whatever the owner knows it by.
  void add_tail(uint32_t environment, uint32_t work) { all_[environment].tails.push_back(work); }
  size_t tails(uint32_t environment) const { return all_[environment].tails.size(); }
  // Its own, or those of the environment whose place it has taken.
  bool more_tails(uint32_t environment) const {
    return !all_[environment].tails.empty() || !all_[environment].inherited.empty();
  }
  uint32_t parent(uint32_t environment) const { return all_[environment].parent; }
  // The environment's own work has ended.
  void ended(uint32_t environment);

 private:
  struct Environment {
    uint32_t parent = kNone;
    uint32_t children = 0;
    bool ended = false;
    std::deque<uint32_t> tails;
    std::deque<uint32_t> inherited;  // tails of the environment whose place it took
  };
  uint32_t add();
  void look(uint32_t environment);
  uint32_t leave(uint32_t environment);

  Owner& owner_;
  std::vector<Environment> all_;
  std::vector<uint32_t> free_;
};

}  // namespace heddle::host
