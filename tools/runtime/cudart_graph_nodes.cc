// Nodes of graphs: made, asked, changed.
#include <algorithm>
#include <cstring>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/graph_nodes.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- made, by kind

HEDDLE_CUDA int32_t cudaGraphAddKernelNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::KernelNode> p) {
  return add_node(out, graph, after, count, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::Copy3D> p) {
  return add_node(out, graph, after, count, [&](Context& c) { return copy_3d(*p, c); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNode1D(Given<void*> out, void* graph, Given<void* const> after,
                                             size_t count, void* to, const void* from, size_t bytes,
                                             int32_t kind) {
  return add_node(out, graph, after, count,
                  [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemsetNode(Given<void*> out, void* graph, Given<void* const> after,
                                           size_t count, Given<const abi::MemsetNode> p) {
  return add_node(out, graph, after, count, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphAddHostNode(Given<void*> out, void* graph, Given<void* const> after,
                                         size_t count, Given<const abi::HostNode> p) {
  return add_node(out, graph, after, count, [&](Context&) { return host_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphAddEmptyNode(Given<void*> out, void* graph, Given<void* const> after,
                                          size_t count) {
  return add_node(out, graph, after, count, [](Context&) { return cuda::EmptyWork{}; });
}
HEDDLE_CUDA int32_t cudaGraphAddChildGraphNode(Given<void*> out, void* graph, Given<void* const> after,
                                               size_t count, void* child) {
  return add_node(out, graph, after, count, [&](Context& c) { return cuda::child_of(*c.graph(child)); });
}
HEDDLE_CUDA int32_t cudaGraphAddEventRecordNode(Given<void*> out, void* graph, Given<void* const> after,
                                                size_t count, void* event) {
  return add_node(out, graph, after, count,
                  [&](Context& c) { return cuda::RecordWork{c.event(event).shared_from_this()}; });
}
HEDDLE_CUDA int32_t cudaGraphAddEventWaitNode(Given<void*> out, void* graph, Given<void* const> after,
                                              size_t count, void* event) {
  return add_node(out, graph, after, count,
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
  return set_node(node, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from, size_t bytes,
                                                   int32_t kind) {
  return set_node(node, [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphMemsetNodeSetParams(void* node, Given<const abi::MemsetNode> p) {
  return set_node(node, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphHostNodeSetParams(void* node, Given<const abi::HostNode> p) {
  return set_node(node, [&](Context&) { return host_work(*p); });
}

// ---- changed, in instantiated graphs

HEDDLE_CUDA int32_t cudaGraphExecKernelNodeSetParams(void* exec, void* node, Given<const abi::KernelNode> p) {
  return change_node(exec, node, [&](Context& c) { return kernel_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParams1D(void* exec, void* node, void* to, const void* from,
                                                       size_t bytes, int32_t kind) {
  return change_node(exec, node, [&](Context&) { return plain_copy(number(to), number(from), bytes, kind); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParams(void* exec, void* node, Given<const abi::Copy3D> p) {
  return change_node(exec, node, [&](Context& c) { return copy_3d(*p, c); });
}
HEDDLE_CUDA int32_t cudaGraphExecMemsetNodeSetParams(void* exec, void* node, Given<const abi::MemsetNode> p) {
  return change_node(exec, node, [&](Context&) { return memset_work(*p); });
}
HEDDLE_CUDA int32_t cudaGraphExecHostNodeSetParams(void* exec, void* node, Given<const abi::HostNode> p) {
  return change_node(exec, node, [&](Context&) { return host_work(*p); });
}

// ---- events, children, memory of graphs

namespace {

template <class T>
const T& work_of(Context& c, void* node) {
  const T* w = std::get_if<T>(&c.node(node).work);
  cuda::require(w != nullptr, Status::kInvalidValue, "a node of another kind");
  return *w;
}

WorkOf record_of(void* event) {
  return [=](Context& c) { return cuda::RecordWork{c.event(event).shared_from_this()}; };
}
WorkOf wait_of(void* event) {
  return [=](Context& c) { return cuda::WaitWork{c.event(event).shared_from_this()}; };
}
WorkOf child_work(void* graph) {
  return [=](Context& c) { return cuda::child_of(*c.graph(graph)); };
}
WorkOf symbol_work(const void* symbol, const void* other, size_t bytes, size_t offset, int32_t kind,
                   bool to_symbol) {
  return [=](Context& c) {
    cuda::require(kind >= 0 && kind <= 4, Status::kInvalidMemcpyDirection);
    cuda::CopyWork w = c.symbol_copy(symbol, offset, number(other), bytes, to_symbol);
    w.direction = static_cast<cuda::CopyWork::Direction>(kind);
    return w;
  };
}

cuda::Work allocate_work(Context& c, abi::AllocateNode& p) {
  cuda::require(
      p.bytes != 0 && p.pool.allocation == 1 && p.pool.location.type == 1 && p.pool.location.id == 0,
      Status::kInvalidValue, "memory of something else than the device");
  const uint64_t address = c.allocate_for_graph(p.bytes);
  p.address = pointer(address);
  return cuda::AllocateWork{address, p.bytes};
}
cuda::Work free_work(Context& c, const void* p) {
  const cuda::Allocation* a = c.space().at(number(p));
  cuda::require(a != nullptr && a->graph, Status::kInvalidValue, "no memory of a graph begins there");
  return cuda::FreeWork{number(p)};
}

}  // namespace

HEDDLE_CUDA int32_t cudaGraphAddMemAllocNode(Given<void*> out, void* graph, Given<void* const> after,
                                             size_t count, Given<abi::AllocateNode> p) {
  return add_node(out, graph, after, count, [&](Context& c) { return allocate_work(c, *p); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemFreeNode(Given<void*> out, void* graph, Given<void* const> after,
                                            size_t count, void* p) {
  return add_node(out, graph, after, count, [&](Context& c) { return free_work(c, p); });
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNodeToSymbol(Given<void*> out, void* graph, Given<void* const> after,
                                                   size_t count, const void* symbol, const void* from,
                                                   size_t bytes, size_t offset, int32_t kind) {
  return add_node(out, graph, after, count, symbol_work(symbol, from, bytes, offset, kind, true));
}
HEDDLE_CUDA int32_t cudaGraphAddMemcpyNodeFromSymbol(Given<void*> out, void* graph, Given<void* const> after,
                                                     size_t count, void* to, const void* symbol, size_t bytes,
                                                     size_t offset, int32_t kind) {
  return add_node(out, graph, after, count, symbol_work(symbol, to, bytes, offset, kind, false));
}

HEDDLE_CUDA int32_t cudaGraphMemcpyNodeSetParams(void* node, Given<const abi::Copy3D> p) {
  return set_node(node, [&](Context& c) { return copy_3d(*p, c); });
}
HEDDLE_CUDA int32_t cudaGraphMemcpyNodeSetParamsToSymbol(void* node, const void* symbol, const void* from,
                                                         size_t bytes, size_t offset, int32_t kind) {
  return set_node(node, symbol_work(symbol, from, bytes, offset, kind, true));
}
HEDDLE_CUDA int32_t cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, const void* symbol,
                                                           size_t bytes, size_t offset, int32_t kind) {
  return set_node(node, symbol_work(symbol, to, bytes, offset, kind, false));
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParamsToSymbol(void* exec, void* node, const void* symbol,
                                                             const void* from, size_t bytes, size_t offset,
                                                             int32_t kind) {
  return change_node(exec, node, symbol_work(symbol, from, bytes, offset, kind, true));
}
HEDDLE_CUDA int32_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* exec, void* node, void* to,
                                                               const void* symbol, size_t bytes,
                                                               size_t offset, int32_t kind) {
  return change_node(exec, node, symbol_work(symbol, to, bytes, offset, kind, false));
}

HEDDLE_CUDA int32_t cudaGraphEventRecordNodeGetEvent(void* node, Given<void*> event) {
  return call_into(event, [&](Context& c) { return work_of<cuda::RecordWork>(c, node).event.get(); });
}
HEDDLE_CUDA int32_t cudaGraphEventWaitNodeGetEvent(void* node, Given<void*> event) {
  return call_into(event, [&](Context& c) { return work_of<cuda::WaitWork>(c, node).event.get(); });
}
HEDDLE_CUDA int32_t cudaGraphEventRecordNodeSetEvent(void* node, void* event) {
  return set_node(node, record_of(event));
}
HEDDLE_CUDA int32_t cudaGraphEventWaitNodeSetEvent(void* node, void* event) {
  return set_node(node, wait_of(event));
}
HEDDLE_CUDA int32_t cudaGraphExecEventRecordNodeSetEvent(void* exec, void* node, void* event) {
  return change_node(exec, node, record_of(event));
}
HEDDLE_CUDA int32_t cudaGraphExecEventWaitNodeSetEvent(void* exec, void* node, void* event) {
  return change_node(exec, node, wait_of(event));
}

// The node's own graph, which the program may look at and not destroy.
HEDDLE_CUDA int32_t cudaGraphChildGraphNodeGetGraph(void* node, Given<void*> graph) {
  return call_into(graph, [&](Context& c) {
    return &c.keep(std::const_pointer_cast<cuda::Graph>(work_of<cuda::ChildWork>(c, node).graph));
  });
}
HEDDLE_CUDA int32_t cudaGraphExecChildGraphNodeSetParams(void* exec, void* node, void* child) {
  return change_node(exec, node, child_work(child));
}

// ---- asked

HEDDLE_CUDA int32_t cudaGraphMemcpyNodeGetParams(void* node, Given<abi::Copy3D> out) {
  return call_into(out, [&](Context& c) {
    const auto& w = work_of<cuda::CopyWork>(c, node);
    abi::Copy3D p{};
    // A place in memory is said by its address.
    const auto end = [&](const std::optional<cuda::ArrayPlace>& array, uint64_t address, uint64_t pitch,
                         uint64_t plane, void*& handle, abi::Position& at, abi::PitchedPointer& memory) {
      if (array) {
        handle = const_cast<void*>(array->handle);
        at = {array->x / array->image.texel_bytes(), array->y, array->z};
      } else {
        memory = {pointer(address), pitch == 0 ? w.width : pitch, w.width,
                  pitch == 0 ? w.height : plane / pitch};
        memory.height = std::max<size_t>(memory.height, w.height);
      }
    };
    end(w.to_array, w.to, w.to_pitch, w.to_plane, p.to_array, p.to_at, p.to);
    end(w.from_array, w.from, w.from_pitch, w.from_plane, p.from_array, p.from_at, p.from);
    const uint32_t element = w.to_array     ? w.to_array->image.texel_bytes()
                             : w.from_array ? w.from_array->image.texel_bytes()
                                            : 1;
    p.extent = {w.width / element, w.height, w.depth};
    p.kind = static_cast<int32_t>(w.direction);
    return p;
  });
}
HEDDLE_CUDA int32_t cudaGraphMemsetNodeGetParams(void* node, Given<abi::MemsetNode> out) {
  return call_into(out, [&](Context& c) {
    const auto& w = work_of<cuda::MemsetWork>(c, node);
    return abi::MemsetNode{pointer(w.to), w.pitch, w.value, w.element, w.width, w.height};
  });
}
HEDDLE_CUDA int32_t cudaGraphHostNodeGetParams(void* node, Given<abi::HostNode> out) {
  return call_into(out, [&](Context& c) {
    const auto& w = work_of<cuda::HostWork>(c, node);
    return abi::HostNode{w.function, w.data};
  });
}
HEDDLE_CUDA int32_t cudaGraphMemAllocNodeGetParams(void* node, Given<abi::AllocateNode> out) {
  return call_into(out, [&](Context& c) {
    const auto& w = work_of<cuda::AllocateWork>(c, node);
    abi::AllocateNode p{};
    p.pool.allocation = p.pool.location.type = 1;
    p.bytes = w.bytes;
    p.address = pointer(w.address);
    return p;
  });
}
HEDDLE_CUDA int32_t cudaGraphMemFreeNodeGetParams(void* node, Given<void*> out) {
  return call_into(out, [&](Context& c) { return pointer(work_of<cuda::FreeWork>(c, node).address); });
}
HEDDLE_CUDA int32_t cudaGraphNodeGetDependentNodes(void* node, void** out, void* edges, Given<size_t> count) {
  return call([&](Context& c) {
    cuda::Node& n = c.node(node);
    std::vector<cuda::Node*> behind;
    for (const auto& m : n.graph->nodes) {
      if (std::find(m->after.begin(), m->after.end(), &n) != m->after.end()) {
        behind.push_back(m.get());
      }
    }
    constexpr size_t kEdgeBytes = 8;
    if (edges != nullptr && out != nullptr) {
      std::memset(edges, 0, kEdgeBytes * std::min(*count, behind.size()));
    }
    list_nodes(behind, out, count);
  });
}

// ---- attributes of kernels

HEDDLE_CUDA int32_t cudaGraphKernelNodeSetAttribute(void* node, int32_t attribute,
                                                    Given<const uint8_t> value) {
  return call([&](Context& c) {
    cuda::KernelWork k = work_of<cuda::KernelWork>(c, node);
    abi::LaunchAttribute a{};
    a.id = attribute;
    std::memcpy(&a.value, value.get(), sizeof a.value);
    add_attributes(k, &a, 1, c);
    c.check(k);
    c.node(node).work = std::move(k);
  });
}
HEDDLE_CUDA int32_t cudaGraphKernelNodeGetAttribute(void* node, int32_t attribute, Given<uint8_t> value) {
  return call([&](Context& c) {
    const auto& k = work_of<cuda::KernelWork>(c, node);
    abi::LaunchAttribute a{};
    switch (attribute) {
      case kCooperative:
        a.value.number = k.cooperative ? 1 : 0;
        break;
      case kCluster:
        a.value.cluster[0] = k.cluster.x;
        a.value.cluster[1] = k.cluster.y;
        a.value.cluster[2] = k.cluster.z;
        break;
      case kPriority:
        a.value.number = k.priority;
        break;
      default:
        throw cuda::CallFailed(Status::kNotSupported, "attribute " + std::to_string(attribute) +
                                                          " of a kernel node (legal: 2, 4, 8)");
    }
    std::memcpy(value.get(), &a.value, sizeof a.value);
  });
}
HEDDLE_CUDA int32_t cudaGraphKernelNodeCopyAttributes(void* to, void* from) {
  return call([&](Context& c) {
    const auto& k = work_of<cuda::KernelWork>(c, from);
    cuda::KernelWork w = work_of<cuda::KernelWork>(c, to);
    w.cooperative = k.cooperative;
    w.cluster = k.cluster;
    w.with_cluster = k.with_cluster;
    w.priority = k.priority;
    w.with_priority = k.with_priority;
    c.check(w);
    c.node(to).work = std::move(w);
  });
}

// ---- of any kind

namespace {

// cudaGraphNodeType.
enum NodeType : int32_t {
  kKernelNode = 0,
  kCopyNode = 1,
  kMemsetNode = 2,
  kHostNode = 3,
  kChildNode = 4,
  kEmptyNode = 5,
  kWaitNode = 6,
  kRecordNode = 7,
  kAllocateNode = 10,
  kFreeNode = 11,
  kConditionalNode = 13
};

// `graph`: that it is for; null: the node is there already.
cuda::Work work_by_type(Context& c, abi::NodeParameters& p, const cuda::Graph* graph) {
  switch (p.type) {
    case kKernelNode:
      return kernel_work(c, p.kernel);
    case kCopyNode:
      return copy_3d(p.copy.copy, c);
    case kMemsetNode:
      return memset_work(p.memset);
    case kHostNode:
      return host_work(p.host);
    case kChildNode:
      return child_work(p.child.graph)(c);
    case kEmptyNode:
      return cuda::EmptyWork{};
    case kWaitNode:
      return wait_of(p.event)(c);
    case kRecordNode:
      return record_of(p.event)(c);
    default:
      break;
  }
  cuda::require(p.type == kAllocateNode || p.type == kFreeNode || p.type == kConditionalNode,
                p.type == 8 || p.type == 9 ? Status::kNotSupported : Status::kInvalidValue,
                "nodes of external semaphores, or of no type");
  cuda::require(graph != nullptr, Status::kInvalidValue, "memory and conditional nodes stay what they are");
  if (p.type == kAllocateNode) {
    return allocate_work(c, p.allocate);
  }
  if (p.type == kFreeNode) {
    return free_work(c, p.free);
  }
  cuda::require(p.conditional.type >= 0 && p.conditional.type <= 2, Status::kInvalidValue,
                "a conditional node's type");
  constexpr host::GraphNode::Condition kConditions[] = {host::GraphNode::Condition::kIf,
                                                        host::GraphNode::Condition::kWhile,
                                                        host::GraphNode::Condition::kSwitch};
  return c.conditional(*graph, p.conditional.handle, kConditions[p.conditional.type], p.conditional.size);
}

}  // namespace

HEDDLE_CUDA int32_t cudaGraphAddNode(Given<void*> out, void* graph, Given<void* const> after,
                                     const void* /*edges*/, size_t count, Given<abi::NodeParameters> p) {
  const int32_t status = add_node(out, graph, after, count,
                                  [&](Context& c) { return work_by_type(c, *p, c.graph(graph).get()); });
  if (status == 0 && p->type == kConditionalNode) {
    return call([&](Context& c) {
      p->conditional.bodies = std::get<cuda::ConditionalWork>(c.node(*out).work).body_handles.data();
    });
  }
  return status;
}
HEDDLE_CUDA int32_t cudaGraphNodeSetParams(void* node, Given<abi::NodeParameters> p) {
  return set_node(node, [&](Context& c) { return work_by_type(c, *p, nullptr); });
}
HEDDLE_CUDA int32_t cudaGraphExecNodeSetParams(void* exec, void* node, Given<abi::NodeParameters> p) {
  return change_node(exec, node, [&](Context& c) { return work_by_type(c, *p, nullptr); });
}

HEDDLE_CUDA int32_t cudaGraphConditionalHandleCreate(Given<unsigned long long> out, void* graph,
                                                     uint32_t value, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    cuda::require(flags <= 1, Status::kInvalidValue,
                  "flags of a handle (legal: 0, cudaGraphCondAssignDefault)");
    return c.create_condition(*c.graph(graph), value, flags == 1);
  });
}
