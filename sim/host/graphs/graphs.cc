#include "sim/host/graphs/graphs.h"

#include <algorithm>
#include <utility>

#include "sim/host/core/effects.h"

namespace heddle::host {
namespace {

// A graph that contains itself has no end.
constexpr uint32_t kDeepest = 64;

Ps times(double per_node, size_t nodes) { return Ps::truncated(per_node * static_cast<double>(nodes)); }

Refusal gone(const std::string& what) { return {"cudaErrorInvalidValue", what + " does not exist now"}; }

}  // namespace

Graphs::Graphs(Core& core, Ordering& ordering, Allocations& memory)
    : core_(core), ordering_(ordering), memory_(core, memory), handles_(core.program.handles.size()) {
  grow();
}

// ---- definitions

void Graphs::check_size(uint32_t graph) const {
  struct Known {
    uint64_t nodes = 0;  // beyond the limit: that and one
    bool open = false, done = false;
  };
  const uint64_t most = core_.limits.nodes;
  std::vector<Known> known(graphs_.size());
  const auto size = [&](const auto& self, uint32_t g, uint32_t depth) -> uint64_t {
    Known& k = known[g];
    if (k.done || k.open || depth > kDeepest) {
      return k.nodes;  // one that contains itself is refused later
    }
    k.open = true;
    uint64_t nodes = 0;
    for (const GraphNode& n : graphs_[g].desc.nodes) {
      ++nodes;
      nodes += n.kind == NodeKind::kChild ? self(self, n.object, depth + 1) : 0;
      for (const uint32_t body : n.bodies) {
        nodes += self(self, body, depth + 1);
      }
      nodes = std::min(nodes, most + 1);
    }
    k = {nodes, false, true};
    return nodes;
  };
  if (size(size, graph, 0) > most) {
    throw LimitReached("graph " + graphs_[graph].desc.name + ": " + beyond(most, "nodes", "nodes"));
  }
}

std::shared_ptr<const Definition> Graphs::take(uint32_t graph, uint32_t depth) const {
  if (depth > kDeepest || !graphs_[graph].alive) {
    return nullptr;
  }
  if (depth == 0) {
    check_size(graph);
  }
  auto d = std::make_shared<Definition>();
  const GraphDesc& g = graphs_[graph].desc;
  d->name = g.name;
  d->device = g.device;
  d->nodes = g.nodes;
  d->memory = graphs_[graph].memory;
  d->children.resize(g.nodes.size());
  d->bodies.resize(g.nodes.size());
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    for (uint32_t body : g.nodes[i].bodies) {
      d->bodies[i].push_back(take(body, depth + 1));
      if (d->bodies[i].back() == nullptr) {
        return nullptr;
      }
    }
    if (g.nodes[i].kind == NodeKind::kChild) {
      d->children[i] = take(g.nodes[i].object, depth + 1);
      if (d->children[i] == nullptr) {
        return nullptr;
      }
    }
  }
  return d;
}

std::optional<Refusal> Graphs::instantiate(uint32_t exec, uint32_t graph, Flags flags) {
  if (!graphs_[graph].alive) {
    return gone("graph " + graphs_[graph].desc.name);
  }
  const auto d = take(graph, 0);
  if (d == nullptr) {
    return Refusal{"cudaErrorInvalidValue", "a graph inside it does not exist, or contains itself"};
  }
  if (auto no = refuse_graph(core_, *d)) {
    return no;
  }
  if (flags.device_launch) {
    const auto why = flags.auto_free ? std::optional<std::string>("not together with automatic frees")
                                     : refuse_for_device(core_, *d, d->device);
    if (why) {
      return Refusal{"cudaErrorInvalidValue", "for launches from the device: " + *why + " (GD02)"};
    }
  }
  if (d->memory != nullptr) {
    if (auto no = memory_.refuse(d->nodes, *d->memory)) {
      return no;
    }
    ++d->memory->execs;
  }
  any_instantiated_ = true;
  Exec& x = execs_[exec];
  const uint64_t nodes = size_of(*d).nodes;
  freed_nodes_ -= std::min(freed_nodes_, nodes);
  drop(x);
  x.nodes = nodes;
  x.auto_free = flags.auto_free;
  x.device_launch = flags.device_launch;
  x.activity = std::make_shared<Activity>();
  x.definition = d;
  x.enabled.assign(d->nodes.size(), true);
  x.plan = make_plan(core_, *d, x.enabled);
  x.node_priority = core_.rules.node_priority == Rules::NodePriority::kAsInstantiated
                        ? flags.node_priority
                        : core_.rules.node_priority == Rules::NodePriority::kAlways;
  return std::nullopt;
}

// What runs goes on, with its own reference to the plan.
void Graphs::drop(Exec& x) {
  if (x.definition != nullptr && x.definition->memory != nullptr) {
    --x.definition->memory->execs;
  }
  freed_nodes_ = std::min<uint64_t>(freed_nodes_ + x.nodes, core_.params.graph.kept_nodes);
  x = Exec();
}

std::optional<Refusal> Graphs::destroy_exec(uint32_t exec) {
  if (execs_[exec].plan == nullptr) {
    return gone("graph exec " + core_.program.graph_execs[exec]);
  }
  drop(execs_[exec]);
  return std::nullopt;
}

std::optional<Refusal> Graphs::destroy_graph(uint32_t graph) {
  if (!graphs_[graph].alive) {
    return gone("graph " + graphs_[graph].desc.name);
  }
  graphs_[graph].alive = false;
  graphs_[graph].memory = nullptr;  // what is allocated stays so (GN04)
  return std::nullopt;
}

void Graphs::set(uint32_t graph, std::optional<GraphDesc> desc) {
  graphs_[graph].alive = desc.has_value();
  if (desc) {
    graphs_[graph].desc.nodes = std::move(desc->nodes);
    graphs_[graph].memory = memory_.lay_out(graphs_[graph].desc);
  }
}

std::optional<Refusal> Graphs::clone(uint32_t graph, uint32_t original) {
  if (!graphs_[original].alive) {
    return gone("graph " + graphs_[original].desc.name);
  }
  const GraphDesc& from = graphs_[original].desc;
  if (std::any_of(from.nodes.begin(), from.nodes.end(), [](const GraphNode& n) {
        return n.kind == NodeKind::kMemAlloc || n.kind == NodeKind::kMemFree;
      })) {  // cudaGraphAddMemAllocNode's restrictions
    return Refusal{"cudaErrorNotSupported",
                   "graph " + from.name + ": a graph with memory nodes has no clones"};
  }
  if (graph == original || (graphs_[graph].alive && !graphs_[graph].desc.nodes.empty())) {
    return Refusal{"cudaErrorInvalidValue", "graph " + graphs_[graph].desc.name + " has nodes already"};
  }
  set(graph, from);
  graphs_[graph].desc.device = from.device;
  return std::nullopt;
}

std::optional<Refusal> Graphs::upload(uint32_t exec, uint32_t stream, Ps& cost) {
  Exec& x = execs_[exec];
  if (x.plan == nullptr) {
    return gone("graph exec " + core_.program.graph_execs[exec]);
  }
  x.uploaded = true;
  // GN10. What the last launch left allocated is in use.
  if (x.definition->memory != nullptr && !memory_.refuse_launch(*x.definition->memory, false)) {
    std::vector<uint32_t> freed;
    return map_memory(exec, stream, cost, freed);
  }
  return std::nullopt;
}

std::optional<Refusal> Graphs::refuse_launch_of(uint32_t exec) const {
  if (execs_[exec].plan == nullptr) {
    return gone("graph exec " + core_.program.graph_execs[exec]);
  }
  const Exec& x = execs_[exec];
  return x.definition->memory ? memory_.refuse_launch(*x.definition->memory, x.auto_free) : std::nullopt;
}

std::optional<Refusal> Graphs::map_memory(uint32_t exec, uint32_t stream, Ps& cost,
                                          std::vector<uint32_t>& freed) {
  Exec& x = execs_[exec];
  if (x.definition->memory == nullptr) {
    return std::nullopt;
  }
  freed = memory_.free_left(*x.definition->memory, stream);
  const std::optional<Ps> took = memory_.map(*x.definition->memory, stream);
  cost = took.value_or(Ps());
  return took ? std::nullopt
              : std::optional(Refusal{"cudaErrorMemoryAllocation", "no memory for the graph's allocations"});
}

// ---- what calls cost

// Nodes of child graphs and of bodies count as the graph's own, their roots do not.
Graphs::Size Graphs::size_of(const Definition& d) {
  Size n;
  for (const auto& c : d.children) {
    n.nodes += c == nullptr ? 1 : size_of(*c).nodes;
    n.bodies += c == nullptr ? 0 : size_of(*c).bodies;
  }
  for (const auto& all : d.bodies) {
    n.bodies += all.size();
    for (const auto& body : all) {
      const Size inside = size_of(*body);
      n.nodes += inside.nodes;
      n.bodies += inside.bodies;
    }
  }
  n.roots = static_cast<uint64_t>(
      std::count_if(d.nodes.begin(), d.nodes.end(), [](const GraphNode& g) { return g.after.empty(); }));
  return n;
}

Ps Graphs::instantiate_cost(uint32_t graph, bool device_launch) const {
  const Params::Graph& g = core_.params.graph;
  const auto d = take(graph, 0);
  const Size n = d == nullptr ? Size() : size_of(*d);
  const uint64_t again = std::min(n.nodes, freed_nodes_);
  return g.instantiate + times(g.instantiate_node, n.nodes - again) + times(g.instantiate_again, again) +
         g.instantiate_body * n.bodies + g.instantiate_root * (n.roots - std::min<uint64_t>(n.roots, 1)) +
         (any_instantiated_ ? Ps() : g.first_instantiate) + (device_launch ? g.instantiate_device : Ps());
}

Ps Graphs::upload_cost(uint32_t exec) const {
  const Exec& x = execs_[exec];
  const Params::Graph& g = core_.params.graph;
  return x.plan == nullptr || x.uploaded ? Ps()
                                         : g.upload + times(g.upload_node, x.plan->nodes.size()) +
                                               (x.device_launch ? g.upload_device : Ps());
}

Ps Graphs::update_cost(uint32_t exec) const {
  const Exec& x = execs_[exec];
  const Params::Graph& g = core_.params.graph;
  return x.plan == nullptr ? Ps() : g.update + times(g.update_each, x.plan->nodes.size());
}

Ps Graphs::launch_cost(uint32_t exec) const {
  const Exec& x = execs_[exec];
  const Params::Graph& g = core_.params.graph;
  return x.plan == nullptr ? g.launch : g.launch + x.plan->launch + upload_cost(exec);
}

Ps Graphs::launch_rest(uint32_t exec) const {
  const Plan* p = execs_[exec].plan.get();
  return p == nullptr ? Ps() : p->rest;
}

// ---- launches

uint32_t Graphs::add(Work work, uint32_t stream, uint32_t device, uint32_t label) {
  const uint32_t slot = core_.commands.add();
  Command& c = core_.commands[slot];
  c.work = work;
  c.stream = stream;
  c.device = device;
  c.name = label;
  return slot;
}

uint32_t Graphs::add_node(const PlanNode& n, uint32_t run, uint32_t stream) {
  const uint32_t slot = add(n.work, stream, n.device, n.label);
  Command& c = core_.commands[slot];
  c.path = n.path;
  c.with_command = n.with_command;
  c.write_combined = n.write_combined;
  c.failed = n.calls_cuda;
  c.peer = n.peer;
  c.object = n.object;
  c.window = n.window;
  c.domain = n.domain;
  c.bytes = n.bytes;
  c.rows = n.rows;
  c.duration = n.duration;
  c.values = n.values;
  c.run = run;
  if (n.work == Work::kKernel) {
    c.priority = std::clamp(
        n.has_priority && runs_[run].node_priority ? n.priority : core_.program.streams[stream].priority,
        core_.params.priority_greatest, core_.params.priority_least);
  }
  return slot;
}

uint32_t Graphs::new_run(std::shared_ptr<const Plan> plan) {
  uint32_t run;
  if (free_runs_.empty()) {
    run = static_cast<uint32_t>(runs_.size());
    runs_.emplace_back();
  } else {
    run = free_runs_.back();
    free_runs_.pop_back();
  }
  Run& r = runs_[run];
  r.conditional = r.exec = r.environment = kNone;
  r.on_device = false;
  r.launched = r.front_end = Ps();
  r.branch = kNone;
  runs_[run].slots.assign(plan->nodes.size(), kNone);
  runs_[run].plan = std::move(plan);
  return run;
}

Graphs::Launched Graphs::launch(uint32_t exec, uint32_t stream) {
  Exec& x = execs_[exec];
  x.uploaded = true;
  const uint32_t run = new_run(x.plan);
  const Plan& plan = *x.plan;
  const uint32_t device = core_.program.streams[stream].device;
  const uint32_t start = add(Work::kGraphStart, stream, device, plan.label);
  const uint32_t end = add(Work::kGraphEnd, stream, device, plan.label);
  core_.commands[start].object = core_.commands[end].object = run;
  ordering_.append(start);
  ordering_.depend(start, x.last);  // GR16
  ordering_.append(end);
  ordering_.depend(end, core_.commands.ref(start));
  Run& r = runs_[run];
  r.node_priority = x.node_priority;
  r.end = end;
  r.exec = exec;
  r.stream = stream;
  r.launched = core_.now;
  r.activity = x.activity;
  // An event node's event is the launch's from now on, for all calls that follow.
  for (uint32_t i : plan.prepared) {
    const uint32_t slot = add_node(plan.nodes[i], run, stream);
    core_.commands[slot].node = i;
    r.slots[i] = slot;
    ordering_.depend(slot, core_.commands.ref(start));
    if (plan.nodes[i].work == Work::kRecord) {
      ordering_.event_recorded(plan.nodes[i].object, slot);
    } else {
      ordering_.depend(slot, ordering_.recorded(plan.nodes[i].object));
    }
  }
  x.last = core_.commands.ref(end);
  if (x.definition->memory != nullptr) {
    memory_.launched(x.definition->memory, stream, x.last);
  }
  return {start, x.last};
}

void Graphs::start(uint32_t slot) {
  const uint32_t run = core_.commands[slot].object;
  core_.commands[runs_[run].end].start = core_.now;
  ++runs_[run].activity->running;
  handles_.resize(core_.program.handles.size());  // of a live program there may be more
  for (uint32_t h : runs_[run].plan->handles) {   // GC03
    const HandleDesc& d = core_.program.handles[h];
    handles_[h] = {d.default_value, 0};
    if (d.values != 0 && d.has_default) {
      core_.effects->assign(d.values, d.default_value);
    }
  }
  add_nodes(run, slot);
}

// The commands of a run's nodes, between its start and its end.
void Graphs::add_nodes(uint32_t run, uint32_t start) {
  Run& r = runs_[run];
  const Plan& plan = *r.plan;
  const uint32_t stream = core_.commands[start].stream;
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (r.slots[i] == kNone) {
      r.slots[i] = add_node(plan.nodes[i], run, stream);
      core_.commands[r.slots[i]].node = i;
    }
  }
  // A body is on the device already, and so is what the device launches.
  const Params::Graph& g = core_.params.graph;
  const Ps slower = r.on_device ? g.device_node - std::min(g.device_node, g.node) : Ps();
  const bool by_host = r.conditional == kNone && !r.on_device;
  const Ps there = by_host ? Ps() : plan.begin - std::min(plan.begin, g.node);
  const Ps body = r.conditional == kNone ? Ps() : g.body;
  // A command's edges are followed from the last one made: so that branches start in the order of the
  // definition.
  for (size_t i = plan.roots.size(); i-- > 0;) {
    const Plan::Arc& a = plan.roots[i];
    // The host may still be giving out roots.
    const Ps given = r.launched + g.launch_root * i;
    const Ps late = !by_host ? g.branch * i : given > core_.now ? given - core_.now : Ps();
    ordering_.depend(r.slots[a.to], core_.commands.ref(start), a.latency - there + body + late);
  }
  for (size_t i = plan.arcs.size(); i-- > 0;) {
    const Plan::Arc& a = plan.arcs[i];
    const CommandRef from = core_.commands.ref(r.slots[a.from]);
    if (a.port == Port::kDefault) {
      ordering_.depend(r.slots[a.to], from, a.latency + slower);
    } else {
      ordering_.depend_programmatic(r.slots[a.to], from, a.port, a.latency);
    }
  }
  for (const Plan::Arc& a : plan.sinks) {
    ordering_.depend(r.end, core_.commands.ref(r.slots[a.from]), a.latency);
  }
}

// The timeline has the lifetimes of what nodes allocate and free (GN02).
void Graphs::lifetime(uint32_t slot) {
  const Command& c = core_.commands[slot];
  if (!core_.recorder.on()) {
    return;
  }
  if (memory_track_.empty()) {
    allocated_at_.assign(core_.program.buffers.size(), Ps());
    for (uint32_t d = 0; d < core_.program.devices; ++d) {
      memory_track_.push_back(core_.recorder.track("device " + std::to_string(d) + " graph memory"));
    }
  }
  const BufferDesc& b = core_.program.buffers[c.object];
  if (c.work == Work::kMemAlloc) {
    allocated_at_[c.object] = core_.now;
  } else {
    core_.recorder.add(memory_track_[b.device], core_.recorder.name(b.name), allocated_at_[c.object],
                       core_.now);
  }
}

void Graphs::count(Result& result) const {
  result.device_errors = device_errors_;
  if (const uint64_t n = memory_.never_freed()) {  // GN04
    result.counters.push_back({"graph allocations never freed", n});
  }
}

uint32_t Graphs::track_of(const Command& c) {
  const Plan& plan = *runs_[c.run].plan;
  const uint32_t branch = plan.nodes[c.node].branch;
  const auto [it, first] = tracks_.try_emplace({c.stream, plan.label, branch}, 0);
  if (first) {
    const StreamDesc& s = core_.program.streams[c.stream];
    it->second = core_.recorder.track("device " + std::to_string(s.device) + " stream " + s.name + " " +
                                      core_.recorder.text(plan.label) +
                                      (branch > 0 ? " branch " + std::to_string(branch + 1) : ""));
  }
  return it->second;
}

void Graphs::ended(uint32_t slot) {
  const uint32_t run = core_.commands[slot].object;
  runs_[run].plan.reset();
  runs_[run].activity.reset();
  free_runs_.push_back(run);
}

}  // namespace heddle::host
