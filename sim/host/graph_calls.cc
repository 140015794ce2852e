// The effects of calls on graphs.
#include <utility>

#include "sim/host/threads.h"

namespace heddle::host {

Ps Threads::graph_cost(const Call& c) const {
  switch (c.op) {
    case Op::kGraphInstantiate:
      return graphs_.instantiate_cost(c.source);
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
      return done(graphs_.instantiate(c.object, c.source, c.node_priority));
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
      return !stream_alive(thread, c.stream) || done(graphs_.upload(c.object));
    default:
      return launch_graph(thread, c);
  }
}

bool Threads::capture_call(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  if (c.op == Op::kStreamGetCaptureInfo) {
    answer(thread, captures_.info(c.stream));
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

bool Threads::launch_graph(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  if (report_device_error(thread, t.device) || !stream_alive(thread, c.stream)) {
    return true;
  }
  if (const auto no = graphs_.refuse_launch_of(c.object)) {
    fail(thread, no->error, no->why);
    return true;
  }
  if (!room(thread, c.stream, Work::kGraphStart, Path::kHostToDevice)) {
    return false;
  }
  t.last_stream = c.stream;
  if (clocks_.on()) {  // in the stream's order; what the nodes access is not looked at
    clocks_.command(thread, c.stream);
    if (core_.rules.launch_blocking) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
  }
  const Graphs::Launched l = graphs_.launch(c.object, c.stream);
  submit(l.start);
  return !core_.rules.launch_blocking || synchronize(thread, {l.end});  // AX03
}

}  // namespace heddle::host
