#include "sim/exec/control_flow.h"

#include <algorithm>
#include <vector>

namespace heddle::exec {
namespace {

constexpr uint32_t kUnknown = UINT32_MAX;

// Basic blocks of a function, with one more at the end to which all that leaves goes.
class Graph {
 public:
  Graph(const Code& code, uint32_t first, uint32_t end);

  uint32_t exit() const { return static_cast<uint32_t>(starts_.size()); }
  uint32_t blocks() const { return exit() + 1; }
  uint32_t start(uint32_t block) const { return block == exit() ? kNoPc : starts_[block]; }
  uint32_t last(uint32_t block) const { return block + 1 < exit() ? starts_[block + 1] - 1 : end_ - 1; }
  const std::vector<uint32_t>& successors(uint32_t block) const { return successors_[block]; }
  // The immediate post-dominator of each block; kUnknown where no path leads to the exit.
  std::vector<uint32_t> post_dominators() const;

 private:
  uint32_t block_of(uint32_t pc) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), pc);
    return pc >= end_ ? exit() : static_cast<uint32_t>(next - starts_.begin()) - 1;
  }
  std::vector<uint32_t> reverse_postorder() const;

  uint32_t end_;
  std::vector<uint32_t> starts_;
  std::vector<std::vector<uint32_t>> successors_, predecessors_;
};

bool ends_block(Kind kind) {
  return kind == Kind::kBranch || kind == Kind::kBranchIndex || kind == Kind::kReturn ||
         kind == Kind::kExit || kind == Kind::kTrap;
}

Graph::Graph(const Code& code, uint32_t first, uint32_t end) : end_(end) {
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
  predecessors_.resize(blocks());
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
    for (const uint32_t s : out) {
      predecessors_[s].push_back(b);
    }
  }
}

// Of the graph with its edges turned round, from the exit.
std::vector<uint32_t> Graph::reverse_postorder() const {
  std::vector<uint32_t> order;
  std::vector<bool> seen(blocks());
  std::vector<std::pair<uint32_t, size_t>> path = {{exit(), 0}};
  seen[exit()] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == predecessors_[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const uint32_t p = predecessors_[block][next++];
    if (!seen[p]) {
      seen[p] = true;
      path.emplace_back(p, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
std::vector<uint32_t> Graph::post_dominators() const {
  const std::vector<uint32_t> order = reverse_postorder();
  std::vector<uint32_t> rank(blocks(), kUnknown), out(blocks(), kUnknown);
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
  }
  out[exit()] = exit();
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) {
        a = out[a];
      }
      while (rank[b] > rank[a]) {
        b = out[b];
      }
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      uint32_t found = kUnknown;
      for (const uint32_t s : successors_[order[i]]) {
        if (out[s] != kUnknown) {
          found = found == kUnknown ? s : meet(found, s);
        }
      }
      changed |= found != out[order[i]];
      out[order[i]] = found;
    }
  }
  return out;
}

}  // namespace

void find_reconvergence(Code& code, uint32_t first, uint32_t end) {
  if (first >= end) {
    return;
  }
  const Graph graph(code, first, end);
  const std::vector<uint32_t> after = graph.post_dominators();
  for (uint32_t b = 0; b < graph.exit(); ++b) {
    Inst& in = code.insts[graph.last(b)];
    if (in.kind == Kind::kBranch || in.kind == Kind::kBranchIndex) {
      in.reconverge = after[b] == kUnknown ? kNoPc : graph.start(after[b]);
    }
  }
}

}  // namespace heddle::exec
