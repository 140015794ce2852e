#include "frontends/workload/graph_builder.h"

#include <algorithm>
#include <utility>

namespace heddle::workload {

using host::NodeKind;
using host::Op;

Graph add_graph(Builder& w, const std::string& name, uint32_t device) {
  w.program().graphs.push_back({name, device, {}});
  return {static_cast<uint32_t>(w.program().graphs.size() - 1)};
}

GraphExec add_graph_exec(Builder& w, const std::string& name) {
  w.program().graph_execs.push_back(name);
  return {static_cast<uint32_t>(w.program().graph_execs.size() - 1)};
}

Node add_node(Builder& w, Graph g, host::GraphNode node, const Nodes& after) {
  for (const Node n : after) {
    node.after.push_back(n.id);
  }
  std::vector<host::GraphNode>& nodes = w.program().graphs[g.id].nodes;
  nodes.push_back(std::move(node));
  return {static_cast<uint32_t>(nodes.size() - 1)};
}

namespace {

host::GraphNode node_of(NodeKind kind, uint32_t object) {
  host::GraphNode n;
  n.kind = kind;
  n.object = object;
  return n;
}

}  // namespace

Node kernel_node(Builder& w, Graph g, Kernel k, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kKernel, k.id), after);
}

Node kernel_node(Builder& w, Graph g, Kernel k, int32_t priority, const Nodes& after) {
  host::GraphNode n = node_of(NodeKind::kKernel, k.id);
  n.has_priority = true;
  n.priority = priority;
  return add_node(w, g, n, after);
}

host::GraphNode kernel_params(Kernel k) { return node_of(NodeKind::kKernel, k.id); }

host::GraphNode memcpy_params(const Builder& w, Buffer to, Buffer from, uint64_t bytes) {
  host::GraphNode n = node_of(NodeKind::kMemcpy, to.id);
  n.source = from.id;
  n.bytes = bytes ? bytes : std::min(w.program().buffers[to.id].bytes, w.program().buffers[from.id].bytes);
  return n;
}

host::GraphNode memset_params(const Builder& w, Buffer to, uint64_t bytes) {
  host::GraphNode n = node_of(NodeKind::kMemset, to.id);
  n.bytes = bytes ? bytes : w.program().buffers[to.id].bytes;
  return n;
}

Change add_change(Builder& w, Node n, const host::GraphNode& to) {
  w.program().node_changes.push_back({n.id, to});
  return {static_cast<uint32_t>(w.program().node_changes.size() - 1)};
}

Node memcpy_node(Builder& w, Graph g, Buffer to, Buffer from, const Nodes& after, uint64_t bytes) {
  return add_node(w, g, memcpy_params(w, to, from, bytes), after);
}

Node memset_node(Builder& w, Graph g, Buffer to, const Nodes& after, uint64_t bytes) {
  return add_node(w, g, memset_params(w, to, bytes), after);
}

Node host_node(Builder& w, Graph g, double us, const Nodes& after) {
  host::GraphNode n = node_of(NodeKind::kHost, host::kNone);
  n.duration = host::from_us(us);
  return add_node(w, g, n, after);
}

Node empty_node(Builder& w, Graph g, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kEmpty, host::kNone), after);
}

Node event_record_node(Builder& w, Graph g, Event e, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kEventRecord, e.id), after);
}

Node event_wait_node(Builder& w, Graph g, Event e, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kEventWait, e.id), after);
}

Node child_node(Builder& w, Graph g, Graph child, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kChild, child.id), after);
}

Node mem_alloc_node(Builder& w, Graph g, Buffer b, const Nodes& after, const std::vector<uint32_t>& access) {
  host::GraphNode n = node_of(NodeKind::kMemAlloc, b.id);
  n.access = access;
  return add_node(w, g, n, after);
}

Node mem_free_node(Builder& w, Graph g, Buffer b, const Nodes& after) {
  return add_node(w, g, node_of(NodeKind::kMemFree, b.id), after);
}

Kernel setting_kernel(Builder& w, const std::string& name, double us, Handle h,
                      std::vector<uint32_t> values) {
  const Kernel k = w.kernel_us(name, us);
  w.program().kernels[k.id].sets_handle = h.id;
  w.program().kernels[k.id].handle_values = std::move(values);
  return k;
}

void launches(Builder& w, Kernel k, const DeviceLaunch& what) {
  w.program().kernels[k.id].launches.push_back({what.into, what.x ? what.x->id : host::kNone,
                                                host::from_us(what.after_us), what.times, what.executions});
}

Handle add_handle(Builder& w, const std::string& name) {
  w.program().handles.push_back({name, 0, false});
  return {static_cast<uint32_t>(w.program().handles.size() - 1)};
}

Handle add_handle(Builder& w, const std::string& name, uint32_t default_value) {
  w.program().handles.push_back({name, default_value, true});
  return {static_cast<uint32_t>(w.program().handles.size() - 1)};
}

Node conditional_node(Builder& w, Graph g, host::GraphNode::Condition c, Handle h,
                      const std::vector<Graph>& bodies, const Nodes& after) {
  host::GraphNode n = node_of(NodeKind::kConditional, h.id);
  n.condition = c;
  for (const Graph body : bodies) {
    n.bodies.push_back(body.id);
  }
  return add_node(w, g, n, after);
}

void add_dependency(Builder& w, Graph g, Node from, Node to, host::EdgeData edge) {
  host::GraphNode& n = w.program().graphs[g.id].nodes[to.id];
  n.edges.resize(n.after.size());
  n.after.push_back(from.id);
  n.edges.push_back(edge);
}

// ---- calls

Thread& Thread::streamBeginCapture(Stream s, host::CaptureMode mode) {
  add(Op::kStreamBeginCapture, host::kNone, s.id).mode = mode;
  return *this;
}

Thread& Thread::streamBeginCaptureToGraph(Stream s, Graph g, host::CaptureMode mode) {
  add(Op::kStreamBeginCapture, g.id, s.id).mode = mode;
  return *this;
}

Thread& Thread::streamEndCapture(Stream s, Graph g) {
  add(Op::kStreamEndCapture, g.id, s.id);
  return *this;
}

Thread& Thread::streamGetCaptureInfo(Stream s, bool edge_data) {
  add(Op::kStreamGetCaptureInfo, host::kNone, s.id).edge_data = edge_data;
  return *this;
}

Thread& Thread::eventRecordExternal(Event e, Stream s) {
  add(Op::kEventRecord, e.id, s.id).external = true;
  return *this;
}

Thread& Thread::streamWaitEventExternal(Stream s, Event e) {
  add(Op::kStreamWaitEvent, e.id, s.id).external = true;
  return *this;
}

Thread& Thread::graphInstantiate(GraphExec x, Graph g, const InstantiateFlags& flags) {
  host::Call& c = add(Op::kGraphInstantiate, x.id);
  c.source = g.id;
  c.node_priority = flags.use_node_priority;
  c.auto_free = flags.auto_free_on_launch;
  c.device_launch = flags.device_launch;
  return *this;
}

Thread& Thread::graphExecUpdate(GraphExec x, Graph g) {
  add(Op::kGraphExecUpdate, x.id).source = g.id;
  return *this;
}

Thread& Thread::graphExecNodeSetParams(GraphExec x, Change change) {
  add(Op::kGraphExecNodeSetParams, x.id).source = change.id;
  return *this;
}

Thread& Thread::graphNodeSetParams(Graph g, Change change) {
  add(Op::kGraphNodeSetParams, g.id).source = change.id;
  return *this;
}

Thread& Thread::graphNodeSetEnabled(GraphExec x, Node n, bool enabled) {
  host::Call& c = add(Op::kGraphNodeSetEnabled, x.id);
  c.source = n.id;
  c.enable = enabled;
  return *this;
}

Thread& Thread::graphLaunch(GraphExec x, Stream s) {
  add(Op::kGraphLaunch, x.id, s.id);
  return *this;
}

Thread& Thread::graphUpload(GraphExec x, Stream s) {
  add(Op::kGraphUpload, x.id, s.id);
  return *this;
}

Thread& Thread::graphExecDestroy(GraphExec x) {
  add(Op::kGraphExecDestroy, x.id);
  return *this;
}

Thread& Thread::graphDestroy(Graph g) {
  add(Op::kGraphDestroy, g.id);
  return *this;
}

Thread& Thread::graphGetEdges(Graph g, bool edge_data) {
  add(Op::kGraphGetEdges, g.id).edge_data = edge_data;
  return *this;
}

Thread& Thread::graphMemAllocNodeGetParams(Graph g, Node n) {
  add(Op::kGraphMemAllocNodeGetParams, g.id).source = n.id;
  return *this;
}

Thread& Thread::deviceGraphMemTrim() {
  add(Op::kGraphMemTrim);
  return *this;
}

Thread& Thread::deviceGraphMemStats() {
  add(Op::kGraphMemStats);
  return *this;
}

Thread& Thread::deviceGraphMemResetHigh() {
  add(Op::kGraphMemResetHigh);
  return *this;
}

}  // namespace heddle::workload
