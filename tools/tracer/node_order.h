// Which of a graph's kernels NVBit announces: it names the function and the grid, not the node.
#pragma once

#include <stdint.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace heddle::capture {

class NodeOrder {
 public:
  using Grid = std::array<uint32_t, 3>;

  void clear() {
    nodes_.clear();
    announced_ = unknown_ = 0;
  }
  void add(std::string name, const Grid& grid) { nodes_.push_back({std::move(name), grid, false}); }

  // Number, from 1, of the first one like this that has not been taken: of several alike the order of the
  // graph. Where none has this grid, the name decides. 0: none.
  uint64_t take(const std::string& name, const Grid& grid) {
    ++announced_;
    for (const bool exact : {true, false}) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (Kernel& n = nodes_[i]; !n.taken && n.name == name && (!exact || n.grid == grid)) {
          n.taken = true;
          return i + 1;
        }
      }
    }
    ++unknown_;
    return 0;
  }

  // For messages.
  std::string state() const {
    return std::to_string(announced_) + " kernels announced of " + std::to_string(nodes_.size()) + ", " +
           std::to_string(unknown_) + " of them unknown";
  }

 private:
  struct Kernel {
    std::string name;
    Grid grid;
    bool taken;
  };
  std::vector<Kernel> nodes_;
  uint64_t announced_ = 0, unknown_ = 0;
};

}  // namespace heddle::capture
