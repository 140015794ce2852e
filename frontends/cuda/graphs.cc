#include "frontends/cuda/graphs.h"

#include <algorithm>
#include <string>

#include "frontends/cuda/status.h"

namespace heddle::cuda {

Node& Graph::add(Work work, std::vector<Node*> after) {
  auto n = std::make_unique<Node>();
  n->work = std::move(work);
  n->after = std::move(after);
  n->graph = this;
  nodes.push_back(std::move(n));
  by_handle_[nodes.back().get()] = nodes.back().get();
  return *nodes.back();
}

void Graph::remove(Node* node) {
  for (const auto& n : nodes) {
    std::erase(n->after, node);
  }
  by_handle_.erase(node);
  std::erase_if(nodes, [&](const auto& n) { return n.get() == node; });
}

Node* Graph::find(const void* handle) const {
  const auto it = by_handle_.find(handle);
  return it == by_handle_.end() ? nullptr : it->second;
}

ChildWork child_of(const Graph& g) {
  constexpr uint64_t kMostNodes = 1 << 20;
  constexpr uint32_t kMostDepth = 512;  // the stack here
  ChildWork out{g.clone(), g.nodes.size(), 1};
  for (const auto& n : g.nodes) {
    if (const auto* c = std::get_if<ChildWork>(&n->work)) {
      out.nodes += c->nodes;
      out.depth = std::max(out.depth, c->depth + 1);
    } else if (std::holds_alternative<ConditionalWork>(n->work)) {
      throw CallFailed(Status::kNotSupported, "a child graph with conditional nodes");
    }
  }
  if (out.nodes > kMostNodes || out.depth > kMostDepth) {
    throw CallFailed(Status::kNotSupported,
                     "graphs within graphs of " + std::to_string(out.nodes) + " nodes, " +
                         std::to_string(out.depth) + " deep, are not supported (legal: up to " +
                         std::to_string(kMostNodes) + " nodes, " + std::to_string(kMostDepth) + " deep)");
  }
  return out;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto out = std::make_shared<Graph>();
  out->users = users;
  std::map<const Node*, Node*> copies;
  for (const auto& n : nodes) {
    Node& c = out->add(n->work, {});
    c.original = n->original != nullptr ? n->original : n.get();
    if (auto* conditional = std::get_if<ConditionalWork>(&c.work)) {
      for (auto& body : conditional->bodies) {
        body = body->clone();
      }
    }
    copies[n.get()] = &c;
  }
  for (const auto& n : nodes) {
    for (const Node* a : n->after) {
      copies[n.get()]->after.push_back(copies.at(a));
    }
  }
  return out;
}

std::vector<Node*> Graph::order() const {
  std::vector<Node*> out;
  std::map<const Node*, size_t> open;  // how many it still waits for
  std::map<const Node*, std::vector<Node*>> behind;
  std::map<size_t, Node*> ready;  // by place in `nodes`
  std::map<const Node*, size_t> places;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node* n = nodes[i].get();
    places[n] = i;
    open[n] = n->after.size();
    for (const Node* a : n->after) {
      behind[a].push_back(n);
    }
    if (n->after.empty()) {
      ready.emplace(i, n);
    }
  }
  while (!ready.empty()) {
    Node* n = ready.begin()->second;
    ready.erase(ready.begin());
    out.push_back(n);
    for (Node* b : behind[n]) {
      if (--open[b] == 0) {
        ready.emplace(places[b], b);
      }
    }
  }
  require(out.size() == nodes.size(), Status::kInvalidValue, "the graph has a circle");
  return out;
}

size_t GraphExec::place(const Node* original) const {
  const Node* made = original->original != nullptr ? original->original : original;
  const auto it =
      std::find_if(order.begin(), order.end(), [&](const Node* n) { return n->original == made; });
  require(it != order.end(), Status::kInvalidValue, "the node is not of the graph that was instantiated");
  return static_cast<size_t>(it - order.begin());
}

}  // namespace heddle::cuda
