#include "sim/base/dominators.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

// The nodes that can be reached, each before those behind it (but for loops).
std::vector<uint32_t> reverse_postorder(const Graph& graph, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(graph.size());
  std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
  seen[root] = true;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == graph[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const uint32_t to = graph[node][next++];
    if (!seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

Graph reversed(const Graph& graph) {
  Graph out(graph.size());
  for (uint32_t from = 0; from < graph.size(); ++from) {
    for (const uint32_t to : graph[from]) {
      out[to].push_back(from);
    }
  }
  return out;
}

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
std::vector<uint32_t> dominators(const Graph& graph, uint32_t root) {
  const std::vector<uint32_t> order = reverse_postorder(graph, root);
  const Graph before = reversed(graph);
  std::vector<uint32_t> rank(graph.size(), kNoNode), out(graph.size(), kNoNode);
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
  }
  out[root] = root;
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
      uint32_t found = kNoNode;
      for (const uint32_t p : before[order[i]]) {
        if (out[p] != kNoNode) {
          found = found == kNoNode ? p : meet(found, p);
        }
      }
      changed |= found != out[order[i]];
      out[order[i]] = found;
    }
  }
  return out;
}

}  // namespace heddle
