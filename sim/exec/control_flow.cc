#include "sim/exec/control_flow.h"

#include <algorithm>
#include <vector>

#include "sim/base/dominators.h"

namespace heddle::exec {
namespace {

// Basic blocks of a function, with one more at the end to which all that leaves goes.
class Blocks {
 public:
  Blocks(const Code& code, uint32_t first, uint32_t end);

  uint32_t exit() const { return static_cast<uint32_t>(starts_.size()); }
  uint32_t blocks() const { return exit() + 1; }
  uint32_t start(uint32_t block) const { return block == exit() ? kNoPc : starts_[block]; }
  uint32_t last(uint32_t block) const { return block + 1 < exit() ? starts_[block + 1] - 1 : end_ - 1; }
  // The immediate post-dominator of each block; kNoNode where no path leads to the exit.
  std::vector<uint32_t> post_dominators() const { return dominators(reversed(successors_), exit()); }

 private:
  uint32_t block_of(uint32_t pc) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), pc);
    return pc >= end_ ? exit() : static_cast<uint32_t>(next - starts_.begin()) - 1;
  }

  uint32_t end_;
  std::vector<uint32_t> starts_;
  Graph successors_;
};

bool ends_block(Kind kind) {
  return kind == Kind::kBranch || kind == Kind::kBranchIndex || kind == Kind::kReturn ||
         kind == Kind::kExit || kind == Kind::kTrap;
}

Blocks::Blocks(const Code& code, uint32_t first, uint32_t end) : end_(end) {
  starts_.push_back(first);
  const auto begin_at = [&](uint32_t pc) {
    if (pc < end) {
      starts_.push_back(pc);
    }
  };
  for (uint32_t pc = first; pc < end; ++pc) {
    const Inst& in = code.insts[pc];
    if (in.kind == Kind::kBranch) {
      begin_at(in.target);
    } else if (in.kind == Kind::kBranchIndex) {
      std::for_each(code.targets[in.target].begin(), code.targets[in.target].end(), begin_at);
    }
    if (ends_block(in.kind)) {
      begin_at(pc + 1);
    }
  }
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  successors_.resize(blocks());
  for (uint32_t b = 0; b < exit(); ++b) {
    const Inst& in = code.insts[last(b)];
    std::vector<uint32_t>& out = successors_[b];
    if (in.kind == Kind::kBranch) {
      out.push_back(block_of(in.target));
    } else if (in.kind == Kind::kBranchIndex) {
      for (const uint32_t target : code.targets[in.target]) {
        out.push_back(block_of(target));
      }
    } else if (ends_block(in.kind)) {
      out.push_back(exit());
    }
    if (!ends_block(in.kind) || in.guard != kNoSlot) {
      out.push_back(block_of(last(b) + 1));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
}

}  // namespace

void find_reconvergence(Code& code, uint32_t first, uint32_t end) {
  if (first >= end) {
    return;
  }
  const Blocks blocks(code, first, end);
  const std::vector<uint32_t> after = blocks.post_dominators();
  for (uint32_t b = 0; b < blocks.exit(); ++b) {
    Inst& in = code.insts[blocks.last(b)];
    if (in.kind == Kind::kBranch || in.kind == Kind::kBranchIndex) {
      in.reconverge = after[b] == kNoNode ? kNoPc : blocks.start(after[b]);
    }
  }
}

}  // namespace heddle::exec
