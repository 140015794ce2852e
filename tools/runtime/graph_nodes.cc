#include "tools/runtime/graph_nodes.h"

#include <algorithm>

#include "tools/runtime/copies.h"
#include "tools/runtime/launches.h"

namespace heddle::runtime {

cuda::Node& node_of(const cuda::Graph& g, void* handle) {
  cuda::Node* n = g.find(handle);
  cuda::require(n != nullptr, Status::kInvalidValue, "no node of this graph");
  return *n;
}

std::vector<cuda::Node*> nodes_of(const cuda::Graph& g, Given<void* const> handles, size_t count) {
  std::vector<cuda::Node*> out;
  for (size_t i = 0; i < count; ++i) {
    cuda::Node* n = &node_of(g, handles[i]);
    cuda::require(std::find(out.begin(), out.end(), n) == out.end(), Status::kInvalidValue,
                  "a node named twice");
    out.push_back(n);
  }
  return out;
}

int32_t add_node(Given<void*> out, void* graph, Given<void* const> after, size_t count, const WorkOf& work) {
  return call_into(out, [&](Context& c) {
    const auto g = c.graph(graph);
    std::vector<cuda::Node*> nodes = nodes_of(*g, after, count);
    cuda::Node& n = g->add(work(c), std::move(nodes));
    c.timeline().threads().spend(c.params().graph.add_node);
    return &n;
  });
}

int32_t change_node(void* exec, void* node, const WorkOf& work) {
  return call([&](Context& c) { c.change(c.exec(exec), c.node(node), work(c)); });
}

int32_t set_node(void* node, const WorkOf& work) {
  return call([&](Context& c) {
    cuda::Node& n = c.node(node);
    cuda::Work w = work(c);
    cuda::require(w.index() == n.work.index(), Status::kInvalidValue, "another kind of node");
    n.work = std::move(w);
  });
}

cuda::Work kernel_work(Context& c, const abi::KernelNode& p) {
  cuda::require(p.extra == nullptr, Status::kNotSupported, "kernel nodes with `extra`");
  cuda::KernelWork k = launch_of(c.library().function(p.function), p.grid, p.block, p.shared, p.parameters);
  c.check(k);
  return k;
}

cuda::Work memset_work(const abi::MemsetNode& p) {
  cuda::require(p.element == 1 || p.element == 2 || p.element == 4, Status::kInvalidValue);
  cuda::MemsetWork m = memset_of(number(p.to), p.pitch, static_cast<int32_t>(p.value), p.width, p.height);
  m.element = p.element;
  return m;
}

cuda::Work host_work(const abi::HostNode& p) {
  cuda::require(p.function != nullptr, Status::kInvalidValue, "no function");
  return cuda::HostWork{p.function, p.data};
}

void list_nodes(const std::vector<cuda::Node*>& nodes, void** out, Given<size_t> count) {
  if (out != nullptr) {
    for (size_t i = 0; i < *count; ++i) {
      out[i] = i < nodes.size() ? nodes[i] : nullptr;
    }
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

}  // namespace heddle::runtime
