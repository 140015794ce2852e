// Text traces have their blocks x fastest in the grid; clusters that extend in y or z are launched block by
// block of a cluster.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "sim/isa/launch_order.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim {

class ClusterOrder {
 public:
  explicit ClusterOrder(const isa::LaunchShape& shape) : shape_(shape) {}

  // Whether blocks have to be put in order.
  bool needed() const { return shape_.cluster.y > 1 || shape_.cluster.z > 1; }
  // The next block in the order of launch. `read(block)` gives the trace's next one, false behind the last.
  // Holds the blocks that were read too early: at most those of a row of clusters when the trace goes x
  // fastest.
  template <class Read>
  bool next(isa::BlockTrace& out, Read read) {
    const uint64_t wanted =
        isa::linear_of(isa::block_at(position_, shape_.grid, shape_.cluster), shape_.grid);
    auto found = early_.find(wanted);
    while (found == early_.end()) {
      if (!read(out)) {
        return false;
      }
      const uint64_t have = isa::linear_of(out.index, shape_.grid);
      if (have == wanted) {
        break;
      }
      early_[have] = std::move(out);
      out = {};
    }
    if (found != early_.end()) {
      out = std::move(found->second);
      early_.erase(found);
    }
    out.linear = position_++;
    return true;
  }

 private:
  const isa::LaunchShape shape_;
  uint64_t position_ = 0;
  std::unordered_map<uint64_t, isa::BlockTrace> early_;  // by position in the grid
};

}  // namespace heddle::accelsim
