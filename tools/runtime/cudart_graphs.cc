// Graphs: captures, nodes, instantiation, updates.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/graph_nodes.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

enum CaptureStatus : int32_t { kNotCapturing = 0, kCapturing = 1, kInvalidated = 2 };

void require_mode(int32_t mode) {
  cuda::require(mode >= 0 && mode <= 2, Status::kInvalidValue, "a mode of captures");
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
HEDDLE_CUDA int32_t cudaStreamUpdateCaptureDependencies(void* stream, Given<void* const> nodes,
                                                        const void* /*edges*/, size_t count, uint32_t flags) {
  return call([&](Context& c) {
    constexpr uint32_t kAdd = 0, kSet = 1;
    cuda::Stream& s = c.stream(stream);
    cuda::require(s.capture != nullptr, Status::kIllegalState, "the stream does not capture");
    cuda::require(flags == kAdd || flags == kSet, Status::kInvalidValue, "flags of dependencies");
    std::vector<cuda::Node*> front = nodes_of(*s.capture->graph, nodes, count);
    if (flags == kAdd) {
      for (cuda::Node* n : s.front) {
        if (std::find(front.begin(), front.end(), n) == front.end()) {
          front.push_back(n);
        }
      }
    }
    s.front = std::move(front);
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
    list_nodes(all, nodes, count);
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
    list_nodes(all, nodes, count);
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
    list_nodes(first, from, &same);
    list_nodes(second, to, count);
  });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetDependencies(void* node, void** out, void* /*edges*/,
                                                 Given<size_t> count) {
  return call([&](Context& c) { list_nodes(c.node(node).after, out, count); });
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
    constexpr int32_t kTypes[] = {0, 1, 2, 3, 5, 7, 6, 4, 10, 11, 13};
    *type = kTypes[c.node(node).work.index()];
  });
}

// ---- as a picture's text (Graphviz)

namespace {

std::string name_of(const cuda::Node& n) {
  constexpr const char* kNames[] = {"kernel",   "memcpy",       "memset",     "host",
                                    "empty",    "event record", "event wait", "child graph",
                                    "allocate", "free",         "conditional"};
  const auto* k = std::get_if<cuda::KernelWork>(&n.work);
  return k != nullptr ? k->function->kernel->name : kNames[n.work.index()];
}

}  // namespace

HEDDLE_CUDA int32_t cudaGraphDebugDotPrint(void* graph, Given<const char> path, uint32_t /*flags*/) {
  return call([&](Context& c) {
    const auto g = c.graph(graph);
    std::map<const cuda::Node*, size_t> numbers;
    std::string text = "digraph graph_1 {\n";
    for (const auto& n : g->nodes) {
      const size_t number = numbers.emplace(n.get(), numbers.size()).first->second;
      text += "\"node_" + std::to_string(number) + "\" [label=\"" + name_of(*n) + "\"];\n";
    }
    for (const auto& n : g->nodes) {
      for (const cuda::Node* a : n->after) {
        text += "\"node_" + std::to_string(numbers.at(a)) + "\" -> \"node_" +
                std::to_string(numbers.at(n.get())) + "\";\n";
      }
    }
    std::ofstream out(path.get(), std::ios::binary);
    out << text << "}\n";
    out.close();
    cuda::require(static_cast<bool>(out), Status::kInvalidValue, "the file cannot be written");
  });
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
HEDDLE_CUDA int32_t cudaGraphNodeSetEnabled(void* exec, void* node, uint32_t on) {
  return call([&](Context& c) { c.enable(c.exec(exec), c.node(node), on != 0); });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetEnabled(void* exec, void* node, Given<uint32_t> on) {
  return call([&](Context& c) {
    const cuda::GraphExec& x = c.exec(exec);
    *on = x.enabled[x.place(&c.node(node))] ? 1 : 0;
  });
}
