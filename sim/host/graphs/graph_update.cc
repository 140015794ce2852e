// What of an instantiated graph may change without another instantiation: cuda-model GR19 to GR23.
#include <algorithm>
#include <utility>

#include "sim/host/graphs/graphs.h"
#include "sim/host/kernels/resources.h"

namespace heddle::host {
namespace {

std::string place_of(const Definition& d, size_t node) {
  const std::string& name = d.nodes[node].name;
  return "graph " + d.name + ", node " + (name.empty() ? std::to_string(node) : name);
}

// GR23: what the new parameters of a node may not change. `why` is CUDA's cudaGraphExecUpdateResult.
std::optional<std::string> refuse_change(const Core& core, uint32_t device, const GraphNode& from,
                                         const GraphNode& to) {
  if (from.kind != to.kind) {
    return "cudaGraphExecUpdateErrorNodeTypeChanged";
  }
  if (from.kind == NodeKind::kConditional && (from.object != to.object || from.condition != to.condition ||
                                              from.bodies.size() != to.bodies.size())) {
    return "cudaGraphExecUpdateErrorParametersChanged: a conditional node's handle and kind are fixed";
  }
  if (from.kind == NodeKind::kKernel) {
    if (core.program.kernels[from.object].launches.empty() &&
        !core.program.kernels[to.object].launches.empty()) {
      return "cudaGraphExecUpdateErrorUnsupportedFunctionChange: it launches graphs from the device";
    }
    const auto of = [&](const GraphNode& n) { return n.device == kNone ? device : n.device; };
    if (of(from) != of(to)) {
      return "cudaGraphExecUpdateErrorParametersChanged: another device";
    }
    if (const auto no = refuse_launch(core.program.kernels[to.object], core.params)) {
      return "cudaGraphExecUpdateErrorParametersChanged: " + no->why;
    }
  }
  if (from.kind == NodeKind::kMemAlloc &&
      core.program.buffers[from.object].bytes != core.program.buffers[to.object].bytes) {
    return "cudaGraphExecUpdateErrorParametersChanged: another number of bytes";
  }
  if (from.kind == NodeKind::kMemcpy || from.kind == NodeKind::kMemset) {
    const auto& b = core.program.buffers;
    const auto same = [&](uint32_t x, uint32_t y) {
      return b[x].memory == b[y].memory && b[x].device == b[y].device;
    };
    if (!same(from.object, to.object) || (from.kind == NodeKind::kMemcpy && !same(from.source, to.source))) {
      return "cudaGraphExecUpdateErrorParametersChanged: another kind of memory, or another device's";
    }
    if (from.rows != 1 || to.rows != 1) {
      return "cudaGraphExecUpdateErrorNotSupported: only copies in one dimension";
    }
    if (beyond_buffer(core.program, to) != kNone) {
      return "cudaGraphExecUpdateErrorParametersChanged: more bytes than the buffer has";
    }
  }
  return std::nullopt;
}

// GR20: why one definition cannot take the place of another; empty if it can.
std::string refuse_update(const Core& core, const Definition& from, const Definition& to) {
  if (from.nodes.size() != to.nodes.size()) {
    return "cudaGraphExecUpdateErrorTopologyChanged: " + std::to_string(to.nodes.size()) +
           " nodes instead of " + std::to_string(from.nodes.size());
  }
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    bool same = from.nodes[i].after == to.nodes[i].after;
    for (size_t k = 0; same && k < to.nodes[i].after.size(); ++k) {
      same = from.nodes[i].edge(k) == to.nodes[i].edge(k);
    }
    if (!same) {
      return "cudaGraphExecUpdateErrorTopologyChanged: " + place_of(to, i) +
             " waits for others, in another order, or at other ports";
    }
    if (const auto why = refuse_change(core, from.device, from.nodes[i], to.nodes[i])) {
      return *why + " (" + place_of(to, i) + ")";
    }
    for (size_t k = 0; k < from.bodies[i].size(); ++k) {
      std::string why = refuse_update(core, *from.bodies[i][k], *to.bodies[i][k]);
      if (!why.empty()) {
        return why;
      }
    }
    if (from.children[i] != nullptr) {
      std::string why = refuse_update(core, *from.children[i], *to.children[i]);
      if (!why.empty()) {
        return why;
      }
    }
  }
  return "";
}

Refusal no_exec(const std::string& name) {
  return {"cudaErrorInvalidValue", "graph exec " + name + " does not exist now"};
}

// The node's new parameters, in its old place.
GraphNode changed(const GraphNode& old, const GraphNode& to) {
  GraphNode n = to;
  n.name = old.name;
  n.after = old.after;
  n.edges = old.edges;
  return n;
}

}  // namespace

std::optional<Refusal> Graphs::update(uint32_t exec, uint32_t graph) {
  Exec& x = execs_[exec];
  if (x.plan == nullptr) {
    return no_exec(core_.program.graph_execs[exec]);
  }
  const auto d = take(graph, 0);
  if (d == nullptr) {
    return Refusal{"cudaErrorInvalidValue", "the graph does not exist now"};
  }
  const std::string why = refuse_update(core_, *x.definition, *d);
  if (!why.empty()) {
    return Refusal{"cudaErrorGraphExecUpdateFailure", why};
  }
  if (d->memory != x.definition->memory) {
    if (auto no = memory_.refuse(d->nodes, *d->memory)) {  // GR23: not if it has an instantiation
      return no;
    }
    --x.definition->memory->execs;
    ++d->memory->execs;
  }
  x.definition = d;
  x.plan = make_plan(core_, *d, x.enabled);
  x.uploaded = x.uploaded && !x.device_launch;  // GD03
  return std::nullopt;
}

// One node's parameters or whether it is enabled have changed: a plan like the old one but for this node. The
// edges' latencies are those of the instantiation (GR28).
void Graphs::renew(Exec& x, uint32_t node) {
  auto plan = std::make_shared<Plan>(*x.plan);
  plan->nodes[plan->place[node]] =
      plan_node(core_, x.definition->nodes[node], x.definition->device, x.enabled[node]);
  x.plan = std::move(plan);
  x.uploaded = x.uploaded && !x.device_launch;  // GD03
}

std::optional<Refusal> Graphs::set_exec_node(uint32_t exec, const NodeChange& change) {
  Exec& x = execs_[exec];
  if (x.plan == nullptr) {
    return no_exec(core_.program.graph_execs[exec]);
  }
  if (change.node >= x.definition->nodes.size()) {
    return Refusal{"cudaErrorInvalidValue", "no such node in the graph"};
  }
  const GraphNode& old = x.definition->nodes[change.node];
  if (const auto why = refuse_change(core_, x.definition->device, old, change.to)) {
    return Refusal{"cudaErrorInvalidValue", *why + " (" + place_of(*x.definition, change.node) + ")"};
  }
  if (old.kind == NodeKind::kConditional || old.kind == NodeKind::kMemAlloc ||
      old.kind == NodeKind::kMemFree) {
    return Refusal{"cudaErrorInvalidValue", "conditional and memory nodes have no parameters to set (GR23)"};
  }
  auto d = std::make_shared<Definition>(*x.definition);
  d->nodes[change.node] = changed(old, change.to);
  if (old.kind == NodeKind::kChild) {
    const auto child = take(change.to.object, 0);
    const std::string why = child == nullptr ? "the child graph does not exist now"
                                             : refuse_update(core_, *d->children[change.node], *child);
    if (!why.empty()) {
      return Refusal{"cudaErrorInvalidValue", why};
    }
    d->children[change.node] = child;
    x.definition = std::move(d);
    x.plan = make_plan(core_, *x.definition, x.enabled);
    return std::nullopt;
  }
  x.definition = std::move(d);
  renew(x, change.node);
  return std::nullopt;
}

std::optional<Refusal> Graphs::set_node(uint32_t graph, const NodeChange& change) {
  Graph& g = graphs_[graph];
  if (!g.alive || change.node >= g.desc.nodes.size() || g.desc.nodes[change.node].kind != change.to.kind) {
    return Refusal{"cudaErrorInvalidValue",
                   !g.alive ? "the graph does not exist now" : "no such node of that kind"};
  }
  if (change.to.kind == NodeKind::kMemAlloc || change.to.kind == NodeKind::kMemFree) {
    return Refusal{"cudaErrorInvalidValue", "memory nodes have no parameters to set (GN01)"};
  }
  g.desc.nodes[change.node] = changed(g.desc.nodes[change.node], change.to);
  return std::nullopt;
}

std::optional<Refusal> Graphs::enable(uint32_t exec, uint32_t node, bool on) {
  Exec& x = execs_[exec];
  if (x.plan == nullptr) {
    return no_exec(core_.program.graph_execs[exec]);
  }
  if (node >= x.enabled.size()) {
    return Refusal{"cudaErrorInvalidValue", "no such node in the graph"};
  }
  const NodeKind kind = x.definition->nodes[node].kind;
  if (kind != NodeKind::kKernel && kind != NodeKind::kMemcpy && kind != NodeKind::kMemset) {
    return Refusal{"cudaErrorInvalidValue", "only kernels, copies and memsets can be disabled (GR22)"};
  }
  x.enabled[node] = on;
  renew(x, node);
  return std::nullopt;
}

}  // namespace heddle::host
