// The kernels of the metamorphic tests: shipped traces and generated ones, with all their blocks in memory,
// so that they can be changed and run many times.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/accelsim/static_code.h"
#include "sim/isa/recording.h"

namespace heddle::metamorphic {

struct Recording {
  std::string name;
  isa::KernelImage image;
  accelsim::Listing listing;  // what the code was decoded from
  std::vector<isa::BlockTrace> blocks;

  size_t cluster() const { return std::max<uint64_t>(1, image.shape.cluster.count()); }
  bool has(const std::function<bool(const isa::Instr&)>& what) const;  // static code
};

// Under sanitizers (HEDDLE_METAMORPHIC_BRIEF): every relation is run, on some kernels and the first blocks of
// these. What depends on how full the machine is proves nothing there; work and sums must be equal all the
// same.
bool brief();

// All of them; read once.
const std::vector<Recording>& kernels();

// `kernel` with these blocks, which are numbered anew, as a grid of one dimension.
Recording with_blocks(const Recording& kernel, std::vector<isa::BlockTrace> blocks);

// The blocks of a recording, which must outlive it.
class Replay : public isa::BlockSource {
 public:
  explicit Replay(const Recording& recording) : recording_(recording) {}
  const isa::KernelImage& image() const override { return recording_.image; }
  bool next(isa::BlockTrace& out) override {
    if (next_ == recording_.blocks.size()) {
      return false;
    }
    out = recording_.blocks[next_++];
    return true;
  }

 private:
  const Recording& recording_;
  size_t next_ = 0;
};

}  // namespace heddle::metamorphic
