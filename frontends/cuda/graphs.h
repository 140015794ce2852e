// Graphs as the program makes them, by nodes or by capture, and what it has instantiated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/user_objects.h"
#include "frontends/cuda/work.h"
#include "frontends/workload/builder.h"

namespace heddle::cuda {

struct Node {
  Work work;
  std::vector<Node*> after;
  Graph* graph = nullptr;
  const Node* original = nullptr;  // of a copy: where it comes from, back to what the program made
  std::vector<void*> pointers;     // to a kernel's parameters, for who asks
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  UserReferences users;

  Node& add(Work work, std::vector<Node*> after);
  void remove(Node* node);
  // Null for what is none of its nodes' handles.
  Node* find(const void* handle) const;
  // With nodes of its own, whose `original`s are these ones' (or theirs), and references of its own.
  std::shared_ptr<Graph> clone() const;
  // So that each comes behind those it waits for, else as they were added. Throws CallFailed for a circle.
  std::vector<Node*> order() const;

 private:
  std::unordered_map<const void*, Node*> by_handle_;
};

// The graph as it is now, for a node of another one. Throws CallFailed where graphs lie in graphs in graphs
// without end.
ChildWork child_of(const Graph& g);

// An instantiated graph.
struct GraphExec {
  std::shared_ptr<Graph> graph;  // its own
  std::vector<Node*> order;
  std::vector<bool> enabled;
  workload::Graph model;
  workload::GraphExec exec;
  std::vector<uint64_t> values;  // what its nodes do, and did before they were changed
  uint32_t flags = 0;

  // The place in `order` of the node that the program made. Throws CallFailed when it is not in it.
  size_t place(const Node* original) const;
};

}  // namespace heddle::cuda
