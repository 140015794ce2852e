#include "sim/host/graphs/graph_plan.h"

#include <algorithm>

#include "sim/host/core/engine_gap.h"
#include "sim/host/kernels/resources.h"
#include "sim/host/memory/l2_control.h"
#include "sim/host/nested/nested.h"

namespace heddle::host {
namespace {

Path path_of(const Program& p, const BufferDesc& to, const BufferDesc& from) {
  const bool to_device = to.memory == Memory::kDevice, from_device = from.memory == Memory::kDevice;
  if (to_device && from_device) {
    return to.device == from.device ? Path::kDeviceToDevice : p.peer_access ? Path::kPeer : Path::kPeerStaged;
  }
  return to_device ? Path::kHostToDevice : from_device ? Path::kDeviceToHost : Path::kHostToHost;
}

const char* path_name(Path p) {
  switch (p) {
    case Path::kHostToDevice:
      return "copy H2D";
    case Path::kDeviceToHost:
      return "copy D2H";
    case Path::kDeviceToDevice:
      return "copy D2D";
    default:
      return "copy peer";
  }
}

// What the definition's nodes wait for, the other way round, and an order that respects it; empty if there is
// none.
struct Order {
  std::vector<std::vector<uint32_t>> successors;
  std::vector<uint32_t> sorted;
};

Order order_of(const std::vector<GraphNode>& nodes) {
  Order o;
  o.successors.resize(nodes.size());
  std::vector<uint32_t> open(nodes.size(), 0);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    for (uint32_t from : nodes[i].after) {
      o.successors[from].push_back(i);
      ++open[i];
    }
  }
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (open[i] == 0) {
      o.sorted.push_back(i);
    }
  }
  for (size_t k = 0; k < o.sorted.size(); ++k) {
    for (uint32_t next : o.successors[o.sorted[k]]) {
      if (--open[next] == 0) {
        o.sorted.push_back(next);
      }
    }
  }
  return o;
}

class Planner {
 public:
  struct Before {  // a node of the plan that another waits for
    uint32_t node;
    Port port;
  };
  // `body`: of a conditional node.
  Planner(Core& core, bool body) : core_(core), body_(body) {}

  // Appends the definition's nodes. `after`: what its roots wait for. Returns its sinks.
  std::vector<uint32_t> add(const Definition& d, const std::vector<bool>* enabled,
                            const std::vector<Before>& after, std::vector<uint32_t>* place) {
    const Order o = order_of(d.nodes);
    std::vector<std::vector<uint32_t>> ends(d.nodes.size());  // in the plan, of each node
    std::vector<uint32_t> sinks;
    for (uint32_t i : o.sorted) {
      std::vector<Before> before;
      for (size_t k = 0; k < d.nodes[i].after.size(); ++k) {
        for (uint32_t from : ends[d.nodes[i].after[k]]) {
          before.push_back({from, static_cast<Port>(d.nodes[i].edge(k).from_port)});
        }
      }
      if (d.nodes[i].after.empty()) {
        before = after;
      }
      const bool child = d.children[i] != nullptr && !d.children[i]->nodes.empty();
      if (child) {
        ends[i] = add(*d.children[i], nullptr, before, nullptr);
      } else {
        const auto at = static_cast<uint32_t>(plan->nodes.size());
        plan->nodes.push_back(plan_node(core_, d.nodes[i], d.device, enabled == nullptr || (*enabled)[i]));
        befores_.push_back(before);
        if (d.nodes[i].kind == NodeKind::kConditional) {
          add_bodies(d, i, plan->nodes[at]);
        }
        ends[i] = {at};
        if (plan->nodes[at].work == Work::kRecord || plan->nodes[at].work == Work::kWait) {
          plan->prepared.push_back(at);
        }
      }
      if (place != nullptr) {
        (*place)[i] = child ? kNone : ends[i][0];
      }
      if (o.successors[i].empty()) {
        sinks.insert(sinks.end(), ends[i].begin(), ends[i].end());
      }
    }
    return sinks;
  }

  // The costs of edges: a node's first successor costs node_ns, each further one branch_ns more, since the
  // driver puts it on another channel; a node that waits for several has to be told by each of those
  // channels, join_ns. Copies add what they add in a stream.
  void connect(const std::vector<uint32_t>& sinks) {
    const Params::Graph& g = core_.params.graph;
    std::vector<uint32_t> branches(plan->nodes.size(), 0);
    const bool launcher = std::any_of(plan->nodes.begin(), plan->nodes.end(), [&](const PlanNode& n) {
      return n.work == Work::kKernel && !core_.program.kernels[n.object].launches.empty();
    });
    const bool any = std::any_of(plan->nodes.begin(), plan->nodes.end(),
                                 [](const PlanNode& n) { return n.work != Work::kBarrier; });
    plan->begin = any ? g.start + (launcher ? g.device_launcher : Ps()) : Ps();
    for (uint32_t to = 0; to < plan->nodes.size(); ++to) {
      const Work work = plan->nodes[to].work;
      // Takes no time and is no successor's start; or the time is the copy's.
      const bool none = work == Work::kBarrier || work == Work::kMemAlloc || work == Work::kMemFree ||
                        (work == Work::kCopy && engine(plan->nodes[to]) == EngineKind::kKernels);
      const Ps join = befores_[to].size() > 1 ? g.join : Ps();
      for (const auto [from, port] : befores_[to]) {
        if (port != Port::kDefault && work == Work::kKernel && plan->nodes[from].work == Work::kKernel) {
          plan->arcs.push_back(
              {from, to, port == Port::kProgrammatic ? g.programmatic : g.launch_completion, port});
          continue;
        }
        const Ps start = (none ? Ps() : g.node + g.branch * branches[from] + join) + before(plan->nodes[to]);
        plan->arcs.push_back(
            {from, to, start + engine_gap(core_.params, plan->nodes[from], plan->nodes[to])});
        branches[from] += none ? 0 : 1;
      }
      if (befores_[to].empty()) {
        plan->roots.push_back({kNone, to, plan->begin + before(plan->nodes[to])});
      }
    }
    find_branches();
    find_launch_cost(branches, sinks.size());
    for (uint32_t from : sinks) {
      plan->sinks.push_back(
          {from, kNone, plan->nodes[from].work == Work::kKernel ? core_.params.kernel_end : Ps()});
    }
  }

  std::shared_ptr<Plan> plan = std::make_shared<Plan>();

 private:
  // A node goes on in the row of what it waits for, if no other has done so.
  void find_branches() {
    constexpr uint32_t kMost = 64;
    uint32_t branches = 0;
    std::vector<bool> goes_on(plan->nodes.size(), false);
    for (uint32_t to = 0; to < plan->nodes.size(); ++to) {
      const auto& all = befores_[to];
      const auto free =
          std::find_if(all.begin(), all.end(), [&](const Before& b) { return !goes_on[b.node]; });
      if (free != all.end()) {
        goes_on[free->node] = true;
        plan->nodes[to].branch = plan->nodes[free->node].branch;
      } else {
        plan->nodes[to].branch = branches++ % kMost;
      }
    }
  }

  void add_bodies(const Definition& d, uint32_t i, PlanNode& node) {
    node.bodies = static_cast<uint32_t>(plan->bodies.size());
    plan->bodies.emplace_back();
    plan->handles.push_back(node.object);
    for (const auto& body : d.bodies[i]) {
      auto p =
          std::make_shared<Plan>(*make_plan(core_, *body, std::vector<bool>(body->nodes.size(), true), true));
      for (PlanNode& n : p->nodes) {
        // GC10: by the engines of the graph's device, wherever the device memory is.
        if (n.work == Work::kCopy && (n.path == Path::kHostToDevice || n.path == Path::kDeviceToHost)) {
          n.device = body->device;
        }
      }
      plan->handles.insert(plan->handles.end(), p->handles.begin(), p->handles.end());
      plan->bodies.back().push_back(p);
    }
  }

  // What the call that launches takes besides its fixed part: for nodes and edges; then, while the first
  // nodes start already, for what the host gives to other engines, and for each further root.
  void find_launch_cost(const std::vector<uint32_t>& branches, size_t sinks) {
    const Params::Graph& g = core_.params.graph;
    Ps cost = Ps::truncated(g.launch_node * static_cast<double>(plan->nodes.size()));
    bool conditions = false;
    for (size_t i = 0; i < plan->nodes.size(); ++i) {
      const PlanNode& n = plan->nodes[i];
      cost += g.launch_branch * (branches[i] - std::min(branches[i], 1u));
      const bool link = n.work == Work::kCopy && engine(n) != EngineKind::kKernels;
      plan->rest += link                                               ? g.launch_copy
                    : n.work == Work::kRecord || n.work == Work::kWait ? g.launch_event
                    : n.work == Work::kHostFunc                        ? g.launch_host
                                                                       : Ps();
      cost += n.work == Work::kConditional ? g.launch_condition : Ps();
      conditions |= n.work == Work::kConditional;
    }
    plan->launch = cost + (conditions ? g.launch_conditions : Ps()) +
                   g.launch_sink * (sinks - std::min<size_t>(sinks, 1));
    plan->rest += g.launch_root * (plan->roots.size() - std::min<size_t>(plan->roots.size(), 1));
  }

  // The decision of a conditional node.
  Ps before(const PlanNode& n) const {
    const Params::Graph& g = core_.params.graph;
    return n.work != Work::kConditional ? Ps() : body_ ? g.inner_condition : g.condition;
  }

  EngineKind engine(const PlanNode& n) const {
    return engine_of(n.work, n.path, n.bytes, core_.params.inline_copy_bytes);
  }

  Core& core_;
  const bool body_;
  std::vector<std::vector<Before>> befores_;
};

}  // namespace

std::vector<uint32_t> sorted_nodes(const std::vector<GraphNode>& nodes) { return order_of(nodes).sorted; }

uint32_t beyond_buffer(const Program& p, const GraphNode& n) {
  const auto beyond = [&](uint32_t buffer, uint64_t offset) {
    const uint64_t size = p.buffers[buffer].bytes;
    return offset > size || n.bytes > size - offset;
  };
  return beyond(n.object, n.offset)                                         ? n.object
         : n.kind == NodeKind::kMemcpy && beyond(n.source, n.source_offset) ? n.source
                                                                            : kNone;
}

namespace {

// All of a copy but its label.
void plan_copy(const Core& core, const GraphNode& n, PlanNode& p) {
  const BufferDesc& to = core.program.buffers[n.object];
  const BufferDesc& from = core.program.buffers[n.source];
  p.path = path_of(core.program, to, from);
  p.accesses = {{n.source, true, false, false, n.source_offset, n.bytes},
                {n.object, false, true, false, n.offset, n.bytes}};
  p.bytes = n.bytes;
  p.rows = n.rows;
  p.object = kNone;
  if (p.path == Path::kHostToHost) {
    p.work = Work::kHostFunc;
    p.duration = Ps::truncated(static_cast<double>(n.bytes) / core.params.to_device_rate);
    return;
  }
  p.work = Work::kCopy;
  p.device = from.memory == Memory::kDevice ? from.device : to.device;
  p.peer = to.device;
  p.with_command = core.memory(n.source) == Memory::kPageable;
  p.write_combined = from.memory == Memory::kWriteCombined;
}

void plan_kernel(const Core& core, const GraphNode& n, PlanNode& p) {
  p.work = Work::kKernel;
  p.device = n.device == kNone ? p.device : n.device;
  p.has_priority = n.has_priority;
  p.priority = n.priority;
  p.window = n.window;
  p.domain = n.domain.of_device(core.params.compute_capability);
}

}  // namespace

PlanNode plan_node(Core& core, const GraphNode& n, uint32_t device, bool enabled) {
  PlanNode p;
  p.device = device;
  const auto label = [&](const std::string& text) {
    return core.recorder.name(n.name.empty() ? text : n.name);
  };
  if (!enabled) {
    p.label = label("disabled node");
    return p;
  }
  p.object = n.object;
  p.values = n.values;
  switch (n.kind) {
    case NodeKind::kKernel:
      plan_kernel(core, n, p);
      p.label = label(core.program.kernels[n.object].name);
      break;
    case NodeKind::kMemcpy:
      plan_copy(core, n, p);
      p.label = label(path_name(p.path));
      break;
    case NodeKind::kMemset:
      p.work = Work::kCopy;
      p.path = Path::kMemset;
      p.accesses = {{n.object, false, true, false, n.offset, n.bytes}};
      p.bytes = n.bytes;
      p.device = core.program.buffers[n.object].device;
      p.label = label("cudaMemset");
      p.object = kNone;
      break;
    case NodeKind::kHost:
      p.work = Work::kHostFunc;
      p.duration = n.duration;
      p.calls_cuda = n.calls_cuda;
      p.label = label("cudaLaunchHostFunc");
      break;
    case NodeKind::kEventRecord:
      p.work = Work::kRecord;
      p.duration = core.program.events[n.object].timing ? core.params.event : Ps();
      p.label = label("cudaEventRecord");
      break;
    case NodeKind::kEventWait:
      p.work = Work::kWait;
      p.label = label("cudaStreamWaitEvent");
      break;
    case NodeKind::kConditional:
      p.work = Work::kConditional;
      p.condition = n.condition;
      p.label = label("conditional node");
      break;
    case NodeKind::kMemAlloc:
      p.work = Work::kMemAlloc;
      p.label = label("alloc " + core.program.buffers[n.object].name);
      break;
    case NodeKind::kMemFree:
      p.work = Work::kMemFree;
      p.label = label("free " + core.program.buffers[n.object].name);
      break;
    case NodeKind::kEmpty:
    case NodeKind::kChild:
      p.label = label("empty node");
      break;
  }
  return p;
}

namespace {

// GC09: what the body of a conditional node may hold.
std::optional<std::string> refuse_body(const Core& core, const Definition& d, uint32_t device) {
  if (d.device != device) {
    return "a body of another device";
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const GraphNode& n = d.nodes[i];
    if (n.kind == NodeKind::kHost || n.kind == NodeKind::kEventRecord || n.kind == NodeKind::kEventWait ||
        n.kind == NodeKind::kMemAlloc || n.kind == NodeKind::kMemFree) {
      return "a body holds kernels, empty nodes, copies, memsets, child graphs and conditional nodes only";
    }
    if (n.kind == NodeKind::kKernel && n.device != kNone && n.device != device) {
      return "a kernel of another device in a body";
    }
    if (n.kind == NodeKind::kKernel && !core.program.kernels[n.object].launches.empty()) {
      return "a kernel in a body that launches graphs";
    }
    if (n.kind == NodeKind::kMemcpy) {
      for (uint32_t b : {n.object, n.source}) {
        const Memory m = core.memory(b);
        if (m == Memory::kPageable || m == Memory::kWriteCombined) {
          return "a body copies device memory and pinned, mapped memory only";
        }
      }
    }
    if (d.children[i] != nullptr) {
      if (auto no = refuse_body(core, *d.children[i], device)) {
        return no;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> refuse_edge(const GraphNode& from, const GraphNode& to, EdgeData e) {
  if (e.full()) {
    return std::nullopt;
  }
  if (e.to_port != 0 || e.from_port > 2 || e.type > 1) {
    return "an edge with a port or a type that there is not";
  }
  if ((e.from_port == 0) != (e.type == 0)) {
    return "edges from a kernel's other ports are programmatic, and only those are";
  }
  if (from.kind != NodeKind::kKernel || to.kind != NodeKind::kKernel) {
    return "a programmatic edge is between two kernels";
  }
  return std::nullopt;
}

void handles_of(const Definition& d, std::vector<uint32_t>& out) {
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    if (d.nodes[i].kind == NodeKind::kConditional) {
      out.push_back(d.nodes[i].object);
    }
    if (d.children[i] != nullptr) {
      handles_of(*d.children[i], out);
    }
    for (const auto& body : d.bodies[i]) {
      handles_of(*body, out);
    }
  }
}

}  // namespace

std::optional<Refusal> refuse_graph(const Core& core, const Definition& d) {
  const auto name = [&](const GraphNode& n) {
    return "graph " + d.name + (n.name.empty() ? "" : ", node " + n.name);
  };
  if (sorted_nodes(d.nodes).size() != d.nodes.size()) {
    return Refusal{"cudaErrorInvalidValue", "graph " + d.name + ": its edges make a cycle"};
  }
  std::vector<uint32_t> handles;
  handles_of(d, handles);
  std::sort(handles.begin(), handles.end());
  if (std::adjacent_find(handles.begin(), handles.end()) != handles.end()) {
    return Refusal{"cudaErrorInvalidValue",
                   "graph " + d.name + ": two conditional nodes with one handle (GC02)"};
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const GraphNode& n = d.nodes[i];
    for (size_t k = 0; k < n.after.size(); ++k) {
      if (const auto why = refuse_edge(d.nodes[n.after[k]], n, n.edge(k))) {
        return Refusal{"cudaErrorInvalidValue", name(n) + ": " + *why + " (GR05)"};
      }
    }
    if (n.kind == NodeKind::kKernel) {
      if (auto no = refuse_launch(core.program.kernels[n.object], core.params)) {
        no->why = name(n) + ": " + no->why;
        return no;
      }
      if (auto no = refuse_device_code(core.program, n.object, core.params)) {
        return no;
      }
      if (!n.domain.legal(core.params.compute_capability)) {
        return Refusal{"cudaErrorInvalidValue", name(n) + ": no such memory synchronisation domain (MD05)"};
      }
      if (n.window != kNone) {
        if (auto no = refuse_window(core, n.window)) {
          return no;
        }
      }
    }
    if (n.kind == NodeKind::kMemcpy || n.kind == NodeKind::kMemset) {
      if (const uint32_t b = beyond_buffer(core.program, n); b != kNone) {
        return Refusal{"cudaErrorInvalidValue", name(n) + ": " + std::to_string(n.bytes) +
                                                    " bytes are more than " + core.program.buffers[b].name +
                                                    " has"};
      }
    }
    if (n.kind == NodeKind::kConditional) {
      const size_t most = n.condition == GraphNode::Condition::kIf      ? 2
                          : n.condition == GraphNode::Condition::kWhile ? 1
                                                                        : SIZE_MAX;
      if (n.bodies.empty() || n.bodies.size() > most) {
        return Refusal{"cudaErrorInvalidValue",
                       name(n) + ": IF has one or two bodies, WHILE one, SWITCH one or more"};
      }
      for (const auto& body : d.bodies[i]) {
        if (const auto why = refuse_body(core, *body, d.device)) {
          return Refusal{"cudaErrorNotSupported", name(n) + ": " + *why + " (GC09)"};
        }
        if (auto no = refuse_graph(core, *body)) {
          return no;
        }
      }
    }
    if (d.children[i] != nullptr) {
      if (d.children[i]->memory != nullptr) {
        return Refusal{"cudaErrorNotSupported", name(n) + ": a child graph with memory nodes"};
      }
      if (auto no = refuse_graph(core, *d.children[i])) {
        return no;
      }
    }
  }
  return std::nullopt;
}

std::shared_ptr<const Plan> make_plan(Core& core, const Definition& d, const std::vector<bool>& enabled,
                                      bool body) {
  Planner p(core, body);
  p.plan->label = core.recorder.name("graph " + d.name);
  p.plan->place.assign(d.nodes.size(), kNone);
  p.connect(p.add(d, &enabled, {}, &p.plan->place));
  return p.plan;
}

}  // namespace heddle::host
