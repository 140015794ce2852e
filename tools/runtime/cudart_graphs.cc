// Graphs: captures, nodes, instantiation, updates.
#include <algorithm>
#include <cstring>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

enum CaptureStatus : int32_t { kNotCapturing = 0, kCapturing = 1, kInvalidated = 2 };

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

int32_t add(Given<void*> out, void* graph, Given<void* const> after, size_t count,
            const std::function<cuda::Work(Context&)>& work) {
  return call_into(out, [&](Context& c) {
    const auto g = c.graph(graph);
    std::vector<cuda::Node*> nodes = nodes_of(*g, after, count);
    cuda::Node& n = g->add(work(c), std::move(nodes));
    c.timeline().threads().spend(c.params().graph.add_node);
    return &n;
  });
}

int32_t change(void* exec, void* node, const std::function<cuda::Work(Context&)>& work) {
  return call([&](Context& c) { c.change(c.exec(exec), c.node(node), work(c)); });
}

int32_t set(void* node, const std::function<cuda::Work(Context&)>& work) {
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

void require_mode(int32_t mode) {
  cuda::require(mode >= 0 && mode <= 2, Status::kInvalidValue, "a mode of captures");
}

cuda::Work host_work(const abi::HostNode& p) {
  cuda::require(p.function != nullptr, Status::kInvalidValue, "no function");
  return cuda::HostWork{p.function, p.data};
}

// Handles into an array of so many, as CUDA gives lists: how many there are when there is no array.
void list(const std::vector<cuda::Node*>& nodes, void** out, Given<size_t> count) {
  if (out != nullptr) {
    for (size_t i = 0; i < *count; ++i) {
      out[i] = i < nodes.size() ? nodes[i] : nullptr;
    }
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

}  // namespace

// ---- captures

HEDDLE_CUDA int32_t cudaStreamBeginCapture(void* stream, int32_t mode) {
  return call([&](Context& c) {
    require_mode(mode);
    c.begin_capture(c.stream(stream), nullptr, {});
  });
}
HEDDLE_CUDA int32_t cudaStreamBeginCaptureToGraph(void* stream, void* graph, Given<void* const> after,
                                                  const void* /*edges*/, size_t count, int32_t mode) {
  return call([&](Context& c) {
    require_mode(mode);
    c.begin_capture(c.stream(stream), c.graph(graph), nodes_of(*c.graph(graph), after, count));
  });
}
HEDDLE_CUDA int32_t cudaStreamEndCapture(void* stream, Given<void*> graph) {
  return call([&](Context& c) {
    void*& out = *graph;
    out = nullptr;
    out = &c.keep(c.end_capture(c.stream(stream)));
  });
}
HEDDLE_CUDA int32_t cudaStreamIsCapturing(void* stream, Given<int32_t> status) {
  return call([&](Context& c) {
    const auto& capture = c.stream(stream).capture;
    *status = !capture ? kNotCapturing : capture->invalid ? kInvalidated : kCapturing;
  });
}
HEDDLE_CUDA int32_t cudaStreamGetCaptureInfo(void* stream, Given<int32_t> status, unsigned long long* id,
                                             void** graph, void*** after, const void** edges, size_t* count) {
  return call([&](Context& c) {
    cuda::Stream& s = c.stream(stream);
    *status = !s.capture ? kNotCapturing : s.capture->invalid ? kInvalidated : kCapturing;
    if (!s.capture) {
      return;
    }
    if (id != nullptr) {
      *id = s.capture->id;
    }
    if (graph != nullptr) {
      *graph = &c.keep(s.capture->graph);
    }
    if (after != nullptr) {
      *after = reinterpret_cast<void**>(s.front.data());
    }
    if (edges != nullptr) {
      *edges = nullptr;
    }
    if (count != nullptr) {
      *count = s.front.size();
    }
  });
}
HEDDLE_CUDA int32_t cudaThreadExchangeStreamCaptureMode(Given<int32_t> mode) {
  return call([&](Context&) { require_mode(*mode); });
}

// ---- graphs

HEDDLE_CUDA int32_t cudaGraphCreate(Given<void*> out, uint32_t /*flags*/) {
  return call_into(out, [&](Context& c) { return &c.create_graph(); });
}
HEDDLE_CUDA int32_t cudaGraphDestroy(void* graph) {
  return call([&](Context& c) { c.destroy(*c.graph(graph)); });
}
HEDDLE_CUDA int32_t cudaGraphClone(Given<void*> out, void* graph) {
  return call_into(out, [&](Context& c) { return &c.keep(c.graph(graph)->clone()); });
}
HEDDLE_CUDA int32_t cudaGraphNodeFindInClone(Given<void*> out, void* node, void* clone) {
  return call_into(out, [&](Context& c) {
    const cuda::Node& n = c.node(node);
    const cuda::Node* made = n.original != nullptr ? n.original : &n;
    const auto g = c.graph(clone);
    const auto it =
        std::find_if(g->nodes.begin(), g->nodes.end(), [&](const auto& m) { return m->original == made; });
    cuda::require(it != g->nodes.end(), Status::kInvalidValue, "not in the clone");
    return it->get();
  });
}
HEDDLE_CUDA int32_t cudaGraphGetNodes(void* graph, void** nodes, Given<size_t> count) {
  return call([&](Context& c) {
    std::vector<cuda::Node*> all;
    for (const auto& n : c.graph(graph)->nodes) {
      all.push_back(n.get());
    }
    list(all, nodes, count);
  });
}
HEDDLE_CUDA int32_t cudaGraphGetRootNodes(void* graph, void** nodes, Given<size_t> count) {
  return call([&](Context& c) {
    std::vector<cuda::Node*> all;
    for (const auto& n : c.graph(graph)->nodes) {
      if (n->after.empty()) {
        all.push_back(n.get());
      }
    }
    list(all, nodes, count);
  });
}
HEDDLE_CUDA int32_t cudaGraphGetEdges(void* graph, void** from, void** to, void* edges, Given<size_t> count) {
  return call([&](Context& c) {
    std::vector<cuda::Node*> first, second;
    for (const auto& n : c.graph(graph)->nodes) {
      for (cuda::Node* a : n->after) {
        first.push_back(a);
        second.push_back(n.get());
      }
    }
    constexpr size_t kEdgeBytes = 8;
    if (edges != nullptr) {
      std::memset(edges, 0, kEdgeBytes * std::min(*count, first.size()));
    }
    size_t same = *count;
    list(first, from, &same);
    list(second, to, count);
  });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetDependencies(void* node, void** out, void* /*edges*/,
                                                 Given<size_t> count) {
  return call([&](Context& c) { list(c.node(node).after, out, count); });
}
HEDDLE_CUDA int32_t cudaGraphAddDependencies(void* graph, Given<void* const> from, Given<void* const> to,
                                             const void* /*edges*/, size_t count) {
  return call([&](Context& c) {
    const auto g = c.graph(graph);
    // All or none of them.
    for (size_t i = 0; i < count; ++i) {
      const cuda::Node &f = node_of(*g, from[i]), &n = node_of(*g, to[i]);
      cuda::require(&f != &n && std::find(n.after.begin(), n.after.end(), &f) == n.after.end(),
                    Status::kInvalidValue, "the edge is there already, or leads from a node to itself");
    }
    for (size_t i = 0; i < count; ++i) {
      node_of(*g, to[i]).after.push_back(&node_of(*g, from[i]));
    }
  });
}
HEDDLE_CUDA int32_t cudaGraphRemoveDependencies(void* graph, Given<void* const> from, Given<void* const> to,
                                                const void* /*edges*/, size_t count) {
  return call([&](Context& c) {
    const auto g = c.graph(graph);
    for (size_t i = 0; i < count; ++i) {
      cuda::require(std::erase(node_of(*g, to[i]).after, &node_of(*g, from[i])) != 0, Status::kInvalidValue,
                    "no such edge");
    }
  });
}
HEDDLE_CUDA int32_t cudaGraphDestroyNode(void* node) {
  return call([&](Context& c) { c.destroy(c.node(node)); });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetType(void* node, Given<int32_t> type) {
  return call([&](Context& c) {
    // By the alternatives of Work.
    constexpr int32_t kTypes[] = {0, 1, 2, 3, 5, 7, 6, 4, 10, 11};
    *type = kTypes[c.node(node).work.index()];
  });
}

// ---- nodes

HEDDLE_CUDA int32_t cudaGraphAddKernelNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::KernelNode> p) {
  return add(out, graph, after, count, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::Copy3D> p) {
  return add(out, graph, after, count, [&](Context& c) { return copy_3d(*p, c); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNode1D(Given<void*> out, void* graph, Given<void* const> after,
                                             size_t count, void* to, const void* from, size_t bytes,
                                             int32_t kind) {
  return add(out, graph, after, count,
             [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemsetNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::MemsetNode> p) {
  return add(out, graph, after, count, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphAddHostNode(Given<void*> out, void* graph, Given<void* const> after,
                                         size_t count, Given<const abi::HostNode> p) {
  return add(out, graph, after, count, [&](Context&) { return host_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphAddEmptyNode(Given<void*> out, void* graph, Given<void* const> after,
                                          size_t count) {
  return add(out, graph, after, count, [](Context&) { return cuda::EmptyWork{}; });
}
HEDDLE_CUDA int32_t cudaGraphAddChildGraphNode(Given<void*> out, void* graph, Given<void* const> after,
                                               size_t count, void* child) {
  return add(out, graph, after, count, [&](Context& c) { return cuda::child_of(*c.graph(child)); });
}
HEDDLE_CUDA int32_t cudaGraphAddEventRecordNode(Given<void*> out, void* graph, Given<void* const> after,
                                                size_t count, void* event) {
  return add(out, graph, after, count,
             [&](Context& c) { return cuda::RecordWork{c.event(event).shared_from_this()}; });
}
HEDDLE_CUDA int32_t cudaGraphAddEventWaitNode(Given<void*> out, void* graph, Given<void* const> after,
                                              size_t count, void* event) {
  return add(out, graph, after, count,
             [&](Context& c) { return cuda::WaitWork{c.event(event).shared_from_this()}; });
}

HEDDLE_CUDA int32_t cudaGraphKernelNodeGetParams(void* node, Given<abi::KernelNode> out) {
  return call([&](Context& c) {
    const auto* k = std::get_if<cuda::KernelWork>(&c.node(node).work);
    cuda::require(k != nullptr, Status::kInvalidValue, "no kernel");
    *out = {};
    out->function = k->function;
    out->grid = {k->grid.x, k->grid.y, k->grid.z};
    out->block = {k->block.x, k->block.y, k->block.z};
    out->shared = k->shared;
    out->parameters = c.parameter_pointers(c.node(node));
  });
}
HEDDLE_CUDA int32_t cudaGraphKernelNodeSetParams(void* node, Given<const abi::KernelNode> p) {
  return set(node, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from, size_t bytes,
                                                   int32_t kind) {
  return set(node, [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphMemsetNodeSetParams(void* node, Given<const abi::MemsetNode> p) {
  return set(node, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphHostNodeSetParams(void* node, Given<const abi::HostNode> p) {
  return set(node, [&](Context&) { return host_work(*p); });
}

// ---- instantiated graphs

HEDDLE_CUDA int32_t cudaGraphInstantiate(Given<void*> out, void* graph, unsigned long long flags) {
  return call_into(out,
                   [&](Context& c) { return &c.instantiate(*c.graph(graph), static_cast<uint32_t>(flags)); });
}
HEDDLE_CUDA int32_t cudaGraphInstantiateWithFlags(Given<void*> out, void* graph, unsigned long long flags) {
  return cudaGraphInstantiate(out, graph, flags);
}
HEDDLE_CUDA int32_t cudaGraphInstantiateWithParams(Given<void*> out, void* graph,
                                                   Given<abi::InstantiateParameters> p) {
  if (p.pointer() == nullptr) {
    return call([](Context&) { return Status::kInvalidValue; });
  }
  const int32_t status = cudaGraphInstantiate(out, graph, p->flags);
  p->result = status == 0 ? 0 : 1;
  p->error_node = nullptr;
  return status;
}
HEDDLE_CUDA int32_t cudaGraphExecDestroy(void* exec) {
  return call([&](Context& c) { c.destroy(c.exec(exec)); });
}
HEDDLE_CUDA int32_t cudaGraphExecGetFlags(void* exec, Given<unsigned long long> flags) {
  return call_into(flags, [&](Context& c) { return c.exec(exec).flags; });
}
HEDDLE_CUDA int32_t cudaGraphLaunch(void* exec, void* stream) {
  return call([&](Context& c) { c.launch(c.exec(exec), c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaGraphUpload(void* exec, void* stream) {
  return call([&](Context& c) {
    c.timeline().call([&](auto& t) { t.graphUpload(c.exec(exec).exec, c.stream(stream).model); });
  });
}
HEDDLE_CUDA int32_t cudaGraphExecUpdate(void* exec, void* graph, Given<abi::UpdateResult> result) {
  return call([&](Context& c) {
    abi::UpdateResult& said = *result;
    constexpr int32_t kError = 1, kTopologyChanged = 2;
    said = {kError, nullptr, nullptr};
    cuda::GraphExec& x = c.exec(exec);
    const auto g = c.graph(graph);
    said.result = kTopologyChanged;
    c.update(x, *g);
    said.result = 0;
  });
}
HEDDLE_CUDA int32_t cudaGraphExecKernelNodeSetParams(void* exec, void* node, Given<const abi::KernelNode> p) {
  return change(exec, node, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParams1D(void* exec, void* node, void* to, const void* from,
                                                       size_t bytes, int32_t kind) {
  return change(exec, node, [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParams(void* exec, void* node, Given<const abi::Copy3D> p) {
  return change(exec, node, [&](Context& c) { return copy_3d(*p, c); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemsetNodeSetParams(void* exec, void* node, Given<const abi::MemsetNode> p) {
  return change(exec, node, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphExecHostNodeSetParams(void* exec, void* node, Given<const abi::HostNode> p) {
  return change(exec, node, [&](Context&) { return host_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphNodeSetEnabled(void* exec, void* node, uint32_t on) {
  return call([&](Context& c) { c.enable(c.exec(exec), c.node(node), on != 0); });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetEnabled(void* exec, void* node, Given<uint32_t> on) {
  return call([&](Context& c) {
    const cuda::GraphExec& x = c.exec(exec);
    *on = x.enabled[x.place(&c.node(node))] ? 1 : 0;
  });
}
