#include "sim/host/graph_plan.h"

#include <algorithm>

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

Order order_of(const Definition& d) {
  Order o;
  o.successors.resize(d.nodes.size());
  std::vector<uint32_t> open(d.nodes.size(), 0);
  for (uint32_t i = 0; i < d.nodes.size(); ++i) {
    for (uint32_t from : d.nodes[i].after) {
      o.successors[from].push_back(i);
      ++open[i];
    }
  }
  for (uint32_t i = 0; i < d.nodes.size(); ++i) {
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
  explicit Planner(Core& core) : core_(core) {}

  // Appends the definition's nodes. `after`: what its roots wait for. Returns its sinks.
  std::vector<uint32_t> add(const Definition& d, const std::vector<bool>* enabled,
                            const std::vector<uint32_t>& after, std::vector<uint32_t>* place) {
    const Order o = order_of(d);
    std::vector<std::vector<uint32_t>> ends(d.nodes.size());  // in the plan, of each node
    std::vector<uint32_t> sinks;
    for (uint32_t i : o.sorted) {
      std::vector<uint32_t> before;
      for (uint32_t from : d.nodes[i].after) {
        before.insert(before.end(), ends[from].begin(), ends[from].end());
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
    uint32_t starts = 0;
    for (uint32_t to = 0; to < plan->nodes.size(); ++to) {
      const bool none = plan->nodes[to].work == Work::kBarrier;  // takes no time and has no successor's start
      const Ps join = befores_[to].size() > 1 ? g.join : 0;
      for (uint32_t from : befores_[to]) {
        const Ps start = none ? 0 : g.node + g.branch * branches[from] + join;
        plan->arcs.push_back({from, to, start + after_copy(plan->nodes[from], plan->nodes[to])});
        branches[from] += none ? 0 : 1;
      }
      if (befores_[to].empty()) {
        plan->roots.push_back({kNone, to, g.start + (none ? 0 : g.branch * starts)});
        starts += none ? 0 : 1;
      }
    }
    for (uint32_t from : sinks) {
      plan->sinks.push_back(
          {from, kNone, plan->nodes[from].work == Work::kKernel ? core_.params.kernel_end : 0});
    }
  }

  std::shared_ptr<Plan> plan = std::make_shared<Plan>();

 private:
  Ps after_copy(const PlanNode& from, const PlanNode& to) const {
    if (from.work != Work::kCopy || to.work != Work::kKernel) {
      return 0;
    }
    return from.path == Path::kDeviceToHost   ? core_.params.d2h_to_kernel
           : from.path == Path::kHostToDevice ? core_.params.h2d_to_kernel
                                              : 0;
  }

  Core& core_;
  std::vector<std::vector<uint32_t>> befores_;
};

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
  switch (n.kind) {
    case NodeKind::kKernel:
      p.work = Work::kKernel;
      p.device = n.device == kNone ? device : n.device;
      p.has_priority = n.has_priority;
      p.priority = n.priority;
      p.label = label(core.program.kernels[n.object].name);
      break;
    case NodeKind::kMemcpy: {
      const BufferDesc& to = core.program.buffers[n.object];
      const BufferDesc& from = core.program.buffers[n.source];
      p.path = path_of(core.program, to, from);
      p.bytes = n.bytes;
      p.rows = n.rows;
      p.label = label(path_name(p.path));
      p.object = kNone;
      if (p.path == Path::kHostToHost) {
        p.work = Work::kHostFunc;
        p.duration = static_cast<Ps>(static_cast<double>(n.bytes) / core.params.to_device_rate);
        break;
      }
      p.work = Work::kCopy;
      p.device = from.memory == Memory::kDevice ? from.device : to.device;
      p.peer = to.device;
      p.with_command = from.memory == Memory::kPageable;
      p.write_combined = from.memory == Memory::kWriteCombined;
      break;
    }
    case NodeKind::kMemset:
      p.work = Work::kCopy;
      p.path = Path::kMemset;
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
      p.duration = core.program.events[n.object].timing ? core.params.event : 0;
      p.label = label("cudaEventRecord");
      break;
    case NodeKind::kEventWait:
      p.work = Work::kWait;
      p.label = label("cudaStreamWaitEvent");
      break;
    case NodeKind::kEmpty:
    case NodeKind::kChild:
      p.label = label("empty node");
      break;
  }
  return p;
}

std::optional<Refusal> refuse_graph(const Core& core, const Definition& d) {
  const auto name = [&](const GraphNode& n) {
    return "graph " + d.name + (n.name.empty() ? "" : ", node " + n.name);
  };
  if (order_of(d).sorted.size() != d.nodes.size()) {
    return Refusal{"cudaErrorInvalidValue", "graph " + d.name + ": its edges make a cycle"};
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const GraphNode& n = d.nodes[i];
    if (n.kind == NodeKind::kKernel) {
      if (auto no = refuse_launch(core.program.kernels[n.object], core.params)) {
        no->why = name(n) + ": " + no->why;
        return no;
      }
    }
    if (n.kind == NodeKind::kMemcpy || n.kind == NodeKind::kMemset) {
      for (uint32_t b : {n.object, n.kind == NodeKind::kMemcpy ? n.source : n.object}) {
        if (n.bytes > core.program.buffers[b].bytes) {
          return Refusal{"cudaErrorInvalidValue", name(n) + ": " + std::to_string(n.bytes) +
                                                      " bytes are more than " + core.program.buffers[b].name +
                                                      " has"};
        }
      }
    }
    if (d.children[i] != nullptr) {
      if (auto no = refuse_graph(core, *d.children[i])) {
        return no;
      }
    }
  }
  return std::nullopt;
}

std::shared_ptr<const Plan> make_plan(Core& core, const Definition& d, const std::vector<bool>& enabled) {
  Planner p(core);
  p.plan->label = core.recorder.name("graph " + d.name);
  p.plan->place.assign(d.nodes.size(), kNone);
  p.connect(p.add(d, &enabled, {}, &p.plan->place));
  return p.plan;
}

}  // namespace heddle::host
