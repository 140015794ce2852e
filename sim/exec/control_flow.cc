#include "sim/exec/control_flow.h"

#include <algorithm>
#include <vector>

namespace heddle::exec {
namespace {

bool ends_block(Kind kind) {
  return kind == Kind::kBranch || kind == Kind::kBranchIndex || kind == Kind::kReturn ||
         kind == Kind::kExit || kind == Kind::kTrap;
}

// Whether the instruction behind it may be the next. Of machine code a branch may have a condition besides
// its guard, and one that all take where one does (sub) has its condition in the guard.
bool goes_on(const Inst& in) {
  return !ends_block(in.kind) || in.guard != kNoSlot || (in.kind == Kind::kBranch && in.s[0] != kNoSlot);
}

}  // namespace

uint32_t Blocks::of(uint32_t pc) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), pc);
  return pc >= end_ || pc < starts_.front() ? exit() : static_cast<uint32_t>(next - starts_.begin()) - 1;
}

Blocks::Blocks(const Code& code, uint32_t first, uint32_t end) : end_(end) {
  starts_.push_back(first);
  const auto begin_at = [&](uint32_t pc) {
    if (pc >= first && pc < end) {
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
      out.push_back(of(in.target));
    } else if (in.kind == Kind::kBranchIndex) {
      for (const uint32_t target : code.targets[in.target]) {
        out.push_back(of(target));
      }
    } else if (ends_block(in.kind)) {
      out.push_back(exit());
    }
    if (goes_on(in)) {
      out.push_back(of(last(b) + 1));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
}

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
