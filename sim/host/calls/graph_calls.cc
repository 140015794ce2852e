// Calls about graphs.
#include <utility>

#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::graph_calls() {
  using K = Argument::Kind;
  static const Argument exec = {"exec", K::kExec, &Call::object};
  static const Argument graph = {"graph", K::kGraph, &Call::source};
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const std::vector<CallType> all = {
      {.op = Op::kGraphInstantiate,
       .name = "cudaGraphInstantiate",
       .field = "graph_instantiate",
       .arguments = {exec,
                     graph,
                     {"use_node_priority", K::kSwitch, &Call::node_priority},
                     {"auto_free_on_launch", K::kSwitch, &Call::auto_free},
                     {"device_launch", K::kSwitch, &Call::device_launch}},
       .cost = [](const Threads& t, uint32_t,
                  const Call& c) { return t.graphs_.instantiate_cost(c.source, c.device_launch); },
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.instantiate(c.object, c.source,
                                                  {c.node_priority, c.auto_free, c.device_launch}));
             return true;
           }},
      {.op = Op::kGraphExecUpdate,
       .name = "cudaGraphExecUpdate",
       .field = "graph_exec_update",
       .arguments = {exec, graph},
       .cost = [](const Threads& t, uint32_t, const Call& c) { return t.graphs_.update_cost(c.object); },
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.update(c.object, c.source));
             return true;
           }},
      {.op = Op::kGraphExecDestroy,
       .name = "cudaGraphExecDestroy",
       .field = "graph_exec_destroy",
       .arguments = {exec},
       .cost = graph_costs<&Params::Graph::capture>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.destroy_exec(c.object));
             return true;
           }},
      {.op = Op::kGraphDestroy,
       .name = "cudaGraphDestroy",
       .field = "graph_destroy",
       .arguments = {{"", K::kGraph, &Call::object}},
       .cost = graph_costs<&Params::Graph::capture>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.destroy_graph(c.object));
             return true;
           }},
      {.name = "cudaGraphClone",
       .field = "graph_clone",
       .arguments = {{"graph", K::kGraph, &Call::object}, {"original", K::kGraph, &Call::source}},
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {  // assumed: of each node as of a captured call
             return t.core_.params.graph.capture * t.graphs_.definition(c.source).nodes.size();
           },
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.clone(c.object, c.source));
             return true;
           }},
      {.op = Op::kGraphUpload,
       .name = "cudaGraphUpload",
       .field = "graph_upload",
       .arguments = {exec, stream},
       .cost = [](const Threads& t, uint32_t, const Call& c) { return t.graphs_.upload_cost(c.object); },
       .effect = does<&Threads::upload_graph>},
      {.op = Op::kGraphLaunch,
       .name = "cudaGraphLaunch",
       .field = "graph_launch",
       .arguments = {exec, stream},
       .in_capture = InCapture::kForbidden,
       .cost = [](const Threads& t, uint32_t, const Call& c) { return t.graphs_.launch_cost(c.object); },
       .effect = does<&Threads::launch_graph>},
  };
  return all;
}

std::span<const CallType> Threads::graph_node_calls() {
  using K = Argument::Kind;
  static const Argument exec = {"exec", K::kExec, &Call::object};
  static const Argument graph = {"graph", K::kGraph, &Call::object};
  static const Argument change = {"to", K::kChange, &Call::source};
  static const std::vector<CallType> all = {
      {.op = Op::kGraphExecNodeSetParams,
       .name = "cudaGraphExecNodeSetParams",
       .field = "graph_exec_node_set_params",
       .arguments = {exec, change},
       .cost = graph_costs<&Params::Graph::update_node>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.set_exec_node(c.object, t.core_.program.node_changes[c.source]));
             return true;
           }},
      {.op = Op::kGraphNodeSetParams,
       .name = "cudaGraphNodeSetParams",
       .field = "graph_node_set_params",
       .arguments = {graph, change},
       .cost = graph_costs<&Params::Graph::update_node>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.set_node(c.object, t.core_.program.node_changes[c.source]));
             return true;
           }},
      {.op = Op::kGraphNodeSetEnabled,
       .name = "cudaGraphNodeSetEnabled",
       .field = "graph_node_set_enabled",
       .arguments = {exec, {"node", K::kNode, &Call::source}, {"enabled", K::kSwitch, &Call::enable}},
       .cost = graph_costs<&Params::Graph::update_node>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.graphs_.enable(c.object, c.source, c.enable));
             return true;
           }},
      {.op = Op::kGraphGetEdges,
       .name = "cudaGraphGetEdges",
       .field = "graph_get_edges",
       .arguments = {graph, {"edge_data", K::kSwitch, &Call::edge_data}},
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::graph_edges>},
  };
  return all;
}

// "0-1 1-2(1,0,1)": nodes, and the data of edges that are not full dependences.
bool Threads::graph_edges(uint32_t thread, const Call& c) {
  std::string text;
  const std::vector<GraphNode>& nodes = graphs_.definition(c.object).nodes;
  for (size_t to = 0; to < nodes.size(); ++to) {
    for (size_t k = 0; k < nodes[to].after.size(); ++k) {
      const EdgeData e = nodes[to].edge(k);
      if (!e.full() && !c.edge_data) {
        fail(thread, "cudaErrorLossyQuery", "an edge has data that was not asked for (GR06)");
        return true;
      }
      text += (text.empty() ? "" : " ") + std::to_string(nodes[to].after[k]) + "-" + std::to_string(to) +
              text_of(e);
    }
  }
  answer(thread, text.empty() ? "no edges" : text);
  return true;
}

// Has had its effect, but returns later.
bool Threads::goes_on_for(uint32_t thread, Ps more) {
  if (more == Ps()) {
    return true;
  }
  threads_[thread].next = Next::kReturn;
  return goes_on_after(thread, more);
}

// Has its effect later: `cost` of the call's time is not in what calls of its kind cost.
bool Threads::goes_on_after(uint32_t thread, Ps cost) {
  core_.events.push(core_.now + cost, Happening::kThread, thread);
  return false;
}

bool Threads::upload_graph(uint32_t thread, const Call& c) {
  if (std::exchange(threads_[thread].mapped, false) || !stream_alive(thread, c.stream)) {
    return true;
  }
  Ps cost{};
  if (const auto no = graphs_.upload(c.object, c.stream, cost)) {
    fail(thread, no->error, no->why);
    return true;
  }
  threads_[thread].mapped = cost > Ps();
  return cost == Ps() || goes_on_after(thread, cost);
}

bool Threads::launch_graph(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  if (!t.mapped) {
    if (report_device_error(thread, t.device) || !stream_alive(thread, c.stream)) {
      return true;
    }
    Ps cost{};
    auto no = graphs_.refuse_launch_of(c.object);
    if (!no) {
      no = graphs_.map_memory(c.object, c.stream, cost, t.freed);
    }
    if (no) {
      fail(thread, no->error, no->why);
      return true;
    }
    t.mapped = true;
    if (cost > Ps()) {
      return goes_on_after(thread, cost);
    }
  }
  if (!room(thread, c.stream, Work::kGraphStart, Path::kHostToDevice)) {
    return false;
  }
  t.mapped = false;
  t.last_stream = c.stream;
  if (clocks_.on()) {
    check_graph(thread, c, t.freed);
    if (core_.rules.launch_blocking) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
  }
  const Graphs::Launched l = graphs_.launch(c.object, c.stream);
  submit(l.start);
  if (core_.rules.launch_blocking) {  // AX03
    return synchronize(thread, {l.end});
  }
  return goes_on_for(thread, graphs_.launch_rest(c.object));
}

}  // namespace heddle::host
