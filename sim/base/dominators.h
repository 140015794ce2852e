// What every way through a graph goes through.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

// By node: where its edges lead to.
using Graph = std::vector<std::vector<uint32_t>>;

// With each edge turned round.
Graph reversed(const Graph& graph);

inline constexpr uint32_t kNoNode = UINT32_MAX;

// The immediate dominator of each node: of the nodes that every way from the root to it goes through, the
// last one; kNoNode where no way leads to it, the root's is itself. Of the reversed graph, from its exit:
// post-dominators.
std::vector<uint32_t> dominators(const Graph& graph, uint32_t root);

}  // namespace heddle
