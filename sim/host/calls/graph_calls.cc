// The effects of calls on graphs.
#include <utility>

#include "sim/host/calls/threads.h"

namespace heddle::host {

Ps Threads::graph_cost(const Call& c) const {
  switch (c.op) {
    case Op::kGraphInstantiate:
      return graphs_.instantiate_cost(c.source, c.device_launch);
    case Op::kGraphLaunch:
      return graphs_.launch_cost(c.object);
    case Op::kGraphUpload:
      return graphs_.upload_cost(c.object);
    case Op::kGraphExecUpdate:
      return graphs_.update_cost(c.object);
    case Op::kGraphExecNodeSetParams:
    case Op::kGraphNodeSetParams:
    case Op::kGraphNodeSetEnabled:
      return core_.params.graph.update_node;
    case Op::kGraphGetEdges:
    case Op::kGraphMemAllocNodeGetParams:
    case Op::kGraphMemTrim:
    case Op::kGraphMemStats:
    case Op::kGraphMemResetHigh:
      return core_.params.calls.query;
    case Op::kStreamBeginCapture:
      return core_.params.graph.capture_begin;
    case Op::kStreamEndCapture:
      return core_.params.graph.capture_end;
    default:
      return core_.params.graph.capture;
  }
}

bool Threads::graph_call(uint32_t thread, const Call& c) {
  const auto done = [&](const std::optional<Refusal>& no) {
    if (no) {
      fail(thread, no->error, no->why);
    }
    return true;
  };
  switch (c.op) {
    case Op::kGraphInstantiate:
      return done(graphs_.instantiate(c.object, c.source, {c.node_priority, c.auto_free, c.device_launch}));
    case Op::kGraphExecUpdate:
      return done(graphs_.update(c.object, c.source));
    case Op::kGraphExecNodeSetParams:
      return done(graphs_.set_exec_node(c.object, core_.program.node_changes[c.source]));
    case Op::kGraphNodeSetParams:
      return done(graphs_.set_node(c.object, core_.program.node_changes[c.source]));
    case Op::kGraphNodeSetEnabled:
      return done(graphs_.enable(c.object, c.source, c.enable));
    case Op::kGraphExecDestroy:
      return done(graphs_.destroy_exec(c.object));
    case Op::kGraphDestroy:
      return done(graphs_.destroy_graph(c.object));
    case Op::kGraphUpload:
      return upload_graph(thread, c);
    case Op::kGraphLaunch:
      return launch_graph(thread, c);
    case Op::kGraphGetEdges:
      return graph_edges(thread, c);
    default:
      return graph_memory_call(thread, c);
  }
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

// What memory nodes ask of the device that is current.
bool Threads::graph_memory_call(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  GraphMemory& memory = graphs_.memory();
  switch (c.op) {
    case Op::kGraphMemTrim:
      t.owed += memory.trim(t.device);
      return true;
    case Op::kGraphMemResetHigh:
      memory.reset_high(t.device);
      return true;
    case Op::kGraphMemStats: {
      const GraphMemory::Stats& s = memory.stats(t.device);
      answer(thread, "reserved " + std::to_string(s.reserved) + " high " + std::to_string(s.reserved_high) +
                         " used " + std::to_string(s.used) + " high " + std::to_string(s.used_high));
      return true;
    }
    default:
      break;
  }
  const std::vector<GraphNode>& nodes = graphs_.definition(c.object).nodes;
  const GraphLayout::Allocation* a = c.source < nodes.size() && nodes[c.source].kind == NodeKind::kMemAlloc
                                         ? memory.allocation(nodes[c.source].object)
                                         : nullptr;
  if (a == nullptr) {
    fail(thread, "cudaErrorInvalidValue", "no such allocation node");
    return true;
  }
  std::string text = "address " + std::to_string(a->address) + " bytes " + std::to_string(a->bytes) +
                     " device " + std::to_string(a->device) + " access";
  for (uint32_t d : a->access) {
    text += " " + std::to_string(d);
  }
  answer(thread, text);
  return true;
}

bool Threads::capture_call(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  if (c.op == Op::kStreamGetCaptureInfo) {
    const Captures::Info info = captures_.info(c.stream, c.edge_data);
    if (info.no) {
      fail(thread, info.no->error, info.no->why);
    } else {
      answer(thread, info.text);
    }
    return true;
  }
  if (c.op == Op::kStreamBeginCapture) {
    const auto no =
        captures_.begin(thread, c.stream, c.mode, c.into_graph ? graphs_.definition(c.object) : GraphDesc{});
    if (no) {
      fail(thread, no->error, no->why);
    }
    return true;
  }
  Captures::Ended e = captures_.end(thread, c.stream);
  if (e.over) {
    graphs_.set(c.object, e.no ? std::nullopt : std::optional<GraphDesc>(std::move(e.graph)));
  }
  if (e.no) {
    fail(thread, e.no->error, e.no->why);
  }
  return true;
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
  Ps cost = 0;
  if (const auto no = graphs_.upload(c.object, c.stream, cost)) {
    fail(thread, no->error, no->why);
    return true;
  }
  threads_[thread].mapped = cost > 0;
  return cost == 0 || goes_on_after(thread, cost);
}

bool Threads::launch_graph(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  if (!t.mapped) {
    if (report_device_error(thread, t.device) || !stream_alive(thread, c.stream)) {
      return true;
    }
    Ps cost = 0;
    auto no = graphs_.refuse_launch_of(c.object);
    if (!no) {
      no = graphs_.map_memory(c.object, c.stream, cost, t.freed);
    }
    if (no) {
      fail(thread, no->error, no->why);
      return true;
    }
    t.mapped = true;
    if (cost > 0) {
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
  return !core_.rules.launch_blocking || synchronize(thread, {l.end});  // AX03
}

}  // namespace heddle::host
