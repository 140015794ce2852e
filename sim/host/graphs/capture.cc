#include "sim/host/graphs/capture.h"

#include <algorithm>
#include <utility>

#include "sim/host/program/call_type.h"

namespace heddle::host {
namespace {

template <class T>
void unite(std::vector<T>& into, const std::vector<T>& more) {
  for (const T& n : more) {
    if (std::find(into.begin(), into.end(), n) == into.end()) {
      into.push_back(n);
    }
  }
}

// The node that work of a stream becomes.
GraphNode node_of(const Program& p, const Call& c, uint32_t stream_window) {
  GraphNode n;
  n.object = c.object;
  n.device = p.streams[c.stream].device;
  n.values = c.values;
  switch (c.op) {
    case Op::kLaunch:
      n.kind = NodeKind::kKernel;
      n.has_priority = true;
      n.priority = c.has_priority ? c.priority : p.streams[c.stream].priority;
      n.window = c.window != kNone ? c.window : stream_window;
      n.domain = c.domain.over(p.streams[c.stream].domain);
      break;
    case Op::kMemcpyAsync:
      n.kind = NodeKind::kMemcpy;
      n.source = c.source;
      n.bytes = c.bytes;
      n.rows = c.rows;
      n.offset = c.offset;
      n.source_offset = c.source_offset;
      break;
    case Op::kMemsetAsync:
      n.kind = NodeKind::kMemset;
      n.bytes = c.bytes;
      n.offset = c.offset;
      break;
    case Op::kLaunchHostFunc:
      n.kind = NodeKind::kHost;
      n.duration = c.duration;
      n.calls_cuda = c.calls_cuda;
      break;
    case Op::kEventRecord:
      n.kind = NodeKind::kEventRecord;
      break;
    case Op::kMallocAsync:
      n.kind = NodeKind::kMemAlloc;
      break;
    case Op::kFreeAsync:
      n.kind = NodeKind::kMemFree;
      break;
    default:
      n.kind = NodeKind::kEventWait;
      break;
  }
  return n;
}

}  // namespace

std::string text_of(EdgeData e) {
  return e.full() ? ""
                  : "(" + std::to_string(e.from_port) + "," + std::to_string(e.to_port) + "," +
                        std::to_string(e.type) + ")";
}

Captures::Captures(const Core& core, Allocations& memory)
    : core_(core),
      memory_(memory),
      streams_(core.program.streams.size()),
      events_(core.program.events.size()) {}

std::optional<Refusal> Captures::begin(uint32_t thread, uint32_t stream, CaptureMode mode, GraphDesc into) {
  if (stream < core_.program.devices) {
    return Refusal{"cudaErrorStreamCaptureUnsupported",
                   "the legacy default stream cannot be captured (GR09)"};
  }
  if (capturing(stream)) {
    return Refusal{"cudaErrorIllegalState", "the stream captures already"};
  }
  size_t free = 0;
  while (free < captures_.size() && captures_[free].active) {
    ++free;
  }
  if (free == captures_.size()) {
    captures_.emplace_back();
  }
  Capture& c = captures_[free];
  c = Capture();
  c.active = true;
  c.id = ++ids_;
  c.origin = stream;
  c.thread = thread;
  c.mode = mode;
  c.graph = std::move(into);
  c.first = c.graph.nodes.size();
  streams_[stream] = {static_cast<uint32_t>(free), {}, kNone};
  return std::nullopt;
}

void Captures::close(uint32_t capture) {
  captures_[capture].active = false;
  for (Stream& s : streams_) {
    if (s.capture == capture) {
      s = Stream();
    }
  }
}

// GR11: whether the origin's next node would wait, directly or not, for all that was captured.
bool Captures::joined(const Capture& c) const {
  std::vector<bool> reached(c.graph.nodes.size(), false);
  std::vector<uint32_t> open;
  for (const HalfEdge& e : streams_[c.origin].next_after) {
    if (!e.data.full()) {
      return false;  // GR07: nobody would wait for the node's end
    }
    open.push_back(e.node);
  }
  while (!open.empty()) {
    const uint32_t n = open.back();
    open.pop_back();
    if (!reached[n]) {
      reached[n] = true;
      open.insert(open.end(), c.graph.nodes[n].after.begin(), c.graph.nodes[n].after.end());
    }
  }
  return std::all_of(reached.begin() + static_cast<std::ptrdiff_t>(c.first), reached.end(),
                     [](bool r) { return r; });
}

Captures::Ended Captures::end(uint32_t thread, uint32_t stream) {
  if (!capturing(stream)) {
    return {Refusal{"cudaErrorIllegalState", "the stream does not capture"}, false, {}};
  }
  const uint32_t number = streams_[stream].capture;
  Capture& c = captures_[number];
  if (c.origin != stream) {
    c.invalid = true;
    return {Refusal{"cudaErrorStreamCaptureUnmatched",
                    "the capture began in stream " + core_.program.streams[c.origin].name + " (GR11)"},
            false,
            {}};
  }
  if (c.mode != CaptureMode::kRelaxed && c.thread != thread) {
    return {Refusal{"cudaErrorStreamCaptureWrongThread", "another thread began the capture"}, false, {}};
  }
  Ended e;
  e.over = true;
  if (c.invalid) {  // GR14
    e.no =
        Refusal{"cudaErrorStreamCaptureInvalidated", "a call before was not allowed during capture (GR14)"};
  } else if (!joined(c)) {
    e.no = Refusal{"cudaErrorStreamCaptureUnjoined",
                   "work of another stream was not joined to the origin (GR11)"};
  } else {
    e.graph = std::move(c.graph);
  }
  close(number);
  return e;
}

Captures::Info Captures::info(uint32_t stream, bool edge_data) const {
  if (!capturing(stream)) {
    return {{}, "cudaStreamCaptureStatusNone"};
  }
  const Capture& c = captures_[streams_[stream].capture];
  if (c.invalid) {
    return {{}, "cudaStreamCaptureStatusInvalidated"};
  }
  std::string text = "cudaStreamCaptureStatusActive, id " + std::to_string(c.id) + ", next after";
  for (const HalfEdge& e : streams_[stream].next_after) {
    if (!e.data.full() && !edge_data) {
      return {Refusal{"cudaErrorLossyQuery", "an edge has data that was not asked for (GR06)"}, ""};
    }
    text += " " + std::to_string(e.node) + text_of(e.data);
  }
  return {{}, streams_[stream].next_after.empty() ? text + " nothing" : text};
}

// ---- what is not allowed

Captures::Verdict Captures::refuse(const char* error, const std::string& why,
                                   const std::vector<uint32_t>& kill) {
  for (uint32_t c : kill) {
    captures_[c].invalid = true;
  }
  return {true, Refusal{error, why}};
}

// Captures with a blocking stream of the device: the legacy stream would wait for it.
std::vector<uint32_t> Captures::blocking_captures(uint32_t device) const {
  std::vector<uint32_t> out;
  for (size_t s = core_.program.devices; s < streams_.size(); ++s) {
    const StreamDesc& d = core_.program.streams[s];
    if (streams_[s].capture != kNone && d.blocking && d.device == device) {
      unite(out, {streams_[s].capture});
    }
  }
  return out;
}

std::vector<uint32_t> Captures::captures_of_device(uint32_t device) const {
  std::vector<uint32_t> out;
  for (size_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].capture != kNone && core_.program.streams[s].device == device) {
      unite(out, {streams_[s].capture});
    }
  }
  return out;
}

// Calls that may do what a capture does not see: forbidden by captures in global mode to all threads, by
// thread-local ones to their own.
Captures::Verdict Captures::unsafe(uint32_t thread, const char* what) {
  std::vector<uint32_t> against;
  for (uint32_t i = 0; i < captures_.size(); ++i) {
    const Capture& c = captures_[i];
    if (c.active &&
        (c.mode == CaptureMode::kGlobal || (c.mode == CaptureMode::kThreadLocal && c.thread == thread))) {
      against.push_back(i);
    }
  }
  return against.empty() ? Verdict{}
                         : refuse("cudaErrorStreamCaptureUnsupported",
                                  std::string(what) + " while a stream captures (GR13)", against);
}

Captures::Verdict Captures::touches_event(uint32_t thread, const Call& c) {
  const CapturedEvent& e = events_[c.object];
  if (!e.captured) {
    return c.op == Op::kEventQuery ? unsafe(thread, "a query") : Verdict{};
  }
  std::vector<uint32_t> kill;
  for (uint32_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i].active && captures_[i].id == e.id) {
      kill.push_back(i);
    }
  }
  return refuse("cudaErrorCapturedEvent",
                "the event was recorded by a capture: it has no time and no end (GR13)", kill);
}

Captures::Verdict Captures::wait_event(const Call& c) {
  Stream& s = streams_[c.stream];
  const CapturedEvent& e = events_[c.object];
  if (!e.captured) {
    return s.capture == kNone
               ? Verdict{}
               : refuse("cudaErrorStreamCaptureIsolation",
                        "the event is not of the capture, and not waited for as external (GR13)",
                        {s.capture});
  }
  uint32_t from = 0;
  while (from < captures_.size() && !(captures_[from].active && captures_[from].id == e.id)) {
    ++from;
  }
  if (from == captures_.size()) {  // that capture has ended
    return s.capture == kNone
               ? refuse("cudaErrorCapturedEvent", "the event was recorded by a capture that has ended", {})
               : refuse("cudaErrorStreamCaptureIsolation", "the event is of another capture", {s.capture});
  }
  if (captures_[from].invalid) {
    return refuse("cudaErrorStreamCaptureInvalidated", "the event's capture is invalid (GR14)", {});
  }
  if (s.capture != kNone && s.capture != from) {
    return refuse("cudaErrorStreamCaptureMerge", "two captures would become one (GR13)", {s.capture, from});
  }
  if (c.stream < core_.program.devices) {
    return refuse("cudaErrorStreamCaptureUnsupported", "the legacy default stream cannot be captured (GR09)",
                  {from});
  }
  if (s.capture == kNone) {  // GR10: the stream is of the capture now
    s.capture = from;
    s.next_after.clear();
  }
  unite(s.next_after, e.edges);
  return {true, std::nullopt};
}

Captures::Verdict Captures::stream_work(const Call& c, uint32_t stream_window) {
  Stream& s = streams_[c.stream];
  if (c.op == Op::kStreamWaitEvent && !c.external) {
    return wait_event(c);
  }
  if (s.capture == kNone) {
    if (c.op == Op::kEventRecord) {
      events_[c.object] = CapturedEvent();
    }
    return {};
  }
  if (c.op == Op::kEventRecord && !c.external) {
    events_[c.object] = {true, captures_[s.capture].id, s.next_after};
    return {true, std::nullopt};
  }
  add_node(s, c, stream_window);
  return {true, std::nullopt};
}

void Captures::add_node(Stream& s, const Call& c, uint32_t stream_window) {
  Capture& capture = captures_[s.capture];
  GraphDesc& g = capture.graph;
  GraphNode n = node_of(core_.program, c, stream_window);
  const bool kernel = c.op == Op::kLaunch;
  for (const HalfEdge& e : s.next_after) {
    n.after.push_back(e.node);
    const bool early =
        kernel && c.programmatic && e.node == s.last && g.nodes[e.node].kind == NodeKind::kKernel;
    // C20. Only kernels can start early.
    n.edges.push_back(early && e.data.full() ? edge_from(Port::kProgrammatic) : kernel ? e.data : EdgeData());
  }
  if (c.op == Op::kMallocAsync) {  // GN12: who reaches the pool now
    const Pool& pool = memory_.pool(memory_.pool_number(c.source, core_.program.buffers[c.object].device));
    n.access.assign(pool.access.begin(), pool.access.end());
  }
  g.nodes.push_back(std::move(n));
  s.last = static_cast<uint32_t>(g.nodes.size() - 1);
  s.next_after = {{s.last, {}}};
  if (kernel && c.programmatic_event != kNone) {
    events_[c.programmatic_event] = {
        true,
        capture.id,
        {{s.last, edge_from(c.trigger_at_block_start ? Port::kLaunchCompletion : Port::kProgrammatic)}}};
  }
}

Captures::Verdict Captures::call(uint32_t thread, uint32_t device, const Call& c, uint32_t stream_window) {
  switch (c.type->in_capture) {
    case InCapture::kWaitsDevice: {
      const auto kill = captures_of_device(device);
      return kill.empty() ? Verdict{}
                          : refuse("cudaErrorStreamCaptureUnsupported",
                                   "work that is captured does not run: nothing to wait for (GR13)", kill);
    }
    case InCapture::kAsksEvent:
      return touches_event(thread, c);
    case InCapture::kAsksTime:
      return events_[c.object].captured || events_[c.source].captured
                 ? refuse("cudaErrorCapturedEvent", "the event was recorded by a capture: it has no time", {})
                 : Verdict{};
    case InCapture::kUnsafe:
      return unsafe(thread, "memory management");
    case InCapture::kAllowed:
    case InCapture::kCapture:
      return {};
    case InCapture::kWork:
    case InCapture::kForbidden:
      break;
  }
  const uint32_t own = streams_[c.stream].capture;
  if (own != kNone && captures_[own].invalid) {
    return refuse("cudaErrorStreamCaptureInvalidated", "the stream's capture is invalid (GR14)", {});
  }
  if (c.stream < core_.program.devices) {
    const auto kill = blocking_captures(c.stream);
    if (!kill.empty()) {
      return refuse("cudaErrorStreamCaptureImplicit",
                    "the legacy stream would wait for a stream that captures (GR13)", kill);
    }
  }
  if (c.type->in_capture == InCapture::kWork) {
    return stream_work(c, stream_window);
  }
  return own == kNone ? Verdict{}
                      : refuse("cudaErrorStreamCaptureUnsupported",
                               "not possible in a stream that captures (GR13)", {own});
}

}  // namespace heddle::host
