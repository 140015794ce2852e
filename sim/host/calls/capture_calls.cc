// Calls that capture what streams are given.
#include <utility>

#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {

std::span<const CallType> Threads::capture_calls() {
  using K = Argument::Kind;
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const std::vector<CallType> all = {
      {.op = Op::kStreamBeginCapture,
       .name = "cudaStreamBeginCapture",
       .field = "stream_begin_capture",
       .arguments = {stream,
                     {"into", K::kGraph, &Call::object, Argument::Given::kMaybe},
                     {"mode", K::kChoice, &Call::mode}},
       .in_capture = InCapture::kCapture,
       .cost = graph_costs<&Params::Graph::capture_begin>,
       .effect = does<&Threads::begin_capture>},
      {.op = Op::kStreamEndCapture,
       .name = "cudaStreamEndCapture",
       .field = "stream_end_capture",
       .arguments = {stream, {"graph", K::kGraph, &Call::object}},
       .in_capture = InCapture::kCapture,
       .cost = graph_costs<&Params::Graph::capture_end>,
       .effect = does<&Threads::end_capture>},
      {.op = Op::kStreamGetCaptureInfo,
       .name = "cudaStreamGetCaptureInfo",
       .field = "stream_get_capture_info",
       .arguments = {stream},
       .in_capture = InCapture::kCapture,
       .cost = graph_costs<&Params::Graph::capture>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.stream_alive(thread, c.stream)) {
               const Captures::Info info = t.captures_.info(c.stream, c.edge_data);
               if (t.done(thread, info.no)) {
                 t.answer(thread, info.text);
               }
             }
             return true;
           }},
  };
  return all;
}

bool Threads::begin_capture(uint32_t thread, const Call& c) {
  if (stream_alive(thread, c.stream)) {
    done(thread, captures_.begin(thread, c.stream, c.mode,
                                 c.object != kNone ? graphs_.definition(c.object) : GraphDesc{}));
  }
  return true;
}

bool Threads::end_capture(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  Captures::Ended e = captures_.end(thread, c.stream);
  if (e.over) {
    graphs_.set(c.object, e.no ? std::nullopt : std::optional<GraphDesc>(std::move(e.graph)));
  }
  done(thread, e.no);
  return true;
}

}  // namespace heddle::host
