// Calls about events.
#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::event_calls() {
  using K = Argument::Kind;
  static const Argument event = {"event", K::kEvent, &Call::object};
  static const std::vector<CallType> all = {
      {.op = Op::kEventRecord,
       .name = "cudaEventRecord",
       .field = "event_record",
       .arguments = {event, {"stream", K::kStream, &Call::stream}, {"external", K::kSwitch, &Call::external}},
       .in_capture = InCapture::kWork,
       .cost =
           [](const Threads& t, uint32_t, const Call& c) {
             const Params::Calls& p = t.core_.params.calls;
             return t.core_.program.events[c.object].timing ? p.record : p.record_no_timing;
           },
       .effect = does<&Threads::record_event>},
      {.op = Op::kStreamWaitEvent,
       .name = "cudaStreamWaitEvent",
       .field = "stream_wait_event",
       .arguments = {event, {"stream", K::kStream, &Call::stream}, {"external", K::kSwitch, &Call::external}},
       .in_capture = InCapture::kWork,
       .cost = costs<&Params::Calls::wait_event>,
       .effect = does<&Threads::stream_waits_event>},
      {.op = Op::kEventSynchronize,
       .name = "cudaEventSynchronize",
       .field = "event_synchronize",
       .arguments = {event},
       .asks_for_progress = true,
       .synchronizes = true,
       .shows_failures = true,
       .in_capture = InCapture::kAsksEvent,
       .cost = costs<&Params::Calls::synchronize>,
       .effect = does<&Threads::synchronize_event>},
      {.op = Op::kEventQuery,
       .name = "cudaEventQuery",
       .field = "event_query",
       .arguments = {event},
       .asks_for_progress = true,
       .in_capture = InCapture::kAsksEvent,
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::query_event>},
      {.op = Op::kEventElapsed,
       .name = "cudaEventElapsedTime",
       .field = "event_elapsed",
       .arguments = {{"to", K::kEvent, &Call::object}, {"from", K::kEvent, &Call::source}},
       .in_capture = InCapture::kAsksTime,
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::elapsed_time>},
      {.op = Op::kEventCreate,
       .name = "cudaEventCreate",
       .field = "event_create",
       .arguments = {event},
       .cost = costs<&Params::Calls::event_create>,
       .effect =
           [](Threads& t, uint32_t, const Call& c) {
             t.events_alive_[c.object] = true;
             t.event_states_[c.object].recorded = false;
             return true;
           }},
      {.op = Op::kEventDestroy,
       .name = "cudaEventDestroy",
       .field = "event_destroy",
       .arguments = {event},
       .cost = costs<&Params::Calls::event_create>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.event_alive(thread, c.object)) {
               t.events_alive_[c.object] = false;
               t.event_states_[c.object].recorded = false;
             }
             return true;
           }},
  };
  return all;
}

void Threads::event_done(uint32_t slot) {
  const Command& c = core_.commands[slot];
  EventState& e = event_states_[c.object];
  const CommandRef last = ordering_.recorded(c.object);
  if (last.slot == slot && last.number == c.number) {
    e.time = core_.now;
    e.done = last;
    e.recorded = true;
  }
}

bool Threads::record_event(uint32_t thread, const Call& c) {
  if (!event_alive(thread, c.object) || !stream_alive(thread, c.stream)) {
    return true;
  }
  const EventDesc& event = core_.program.events[c.object];
  if (core_.program.streams[c.stream].device != event.device) {  // EV04
    fail(thread, "cudaErrorInvalidResourceHandle", "event and stream are of different devices");
    return true;
  }
  const uint32_t slot = make(Work::kRecord, c.stream, name_of(c));
  core_.commands[slot].object = c.object;
  core_.commands[slot].duration = event.timing ? core_.params.event : Ps();
  core_.commands[slot].values = c.values;
  ordering_.append(slot);
  ordering_.event_recorded(c.object, slot);
  event_states_[c.object].recorded = true;
  if (clocks_.on()) {
    clocks_.command(thread, c.stream);
    clocks_.event_recorded(c.object, c.stream);
  }
  submit(slot);
  return true;
}

bool Threads::stream_waits_event(uint32_t thread, const Call& c) {
  if (!event_alive(thread, c.object) || !stream_alive(thread, c.stream)) {
    return true;
  }
  ordering_.note_programmatic_wait(c.stream, c.object);
  if (clocks_.on()) {
    clocks_.stream_waits(c.stream, c.object);
  }
  if (c.values != 0) {  // whoever runs the model says when it has happened
    const uint32_t outside = make(Work::kWait, c.stream, name_of(c));
    core_.commands[outside].values = c.values;
    ordering_.append(outside);
    submit(outside);
    return true;
  }
  const CommandRef record = ordering_.recorded(c.object);
  if (!core_.commands.unfinished(record)) {
    return true;  // nothing recorded, or done: nothing to wait for
  }
  // No command of a connection: the driver makes the stream's next work wait. So it holds back nothing
  // else.
  const uint32_t slot = make(Work::kWait, c.stream, name_of(c));
  ordering_.append(slot);
  const bool other = core_.commands[record.slot].stream != c.stream;
  ordering_.depend(slot, record, other ? core_.params.other_stream : Ps());
  return true;  // the record is unfinished, so the wait has something to wait for
}

bool Threads::synchronize_event(uint32_t thread, const Call& c) {
  if (!event_alive(thread, c.object)) {
    return true;
  }
  if (clocks_.on()) {
    clocks_.thread_waits_event(thread, c.object);
  }
  return synchronize(thread, {ordering_.recorded(c.object)},
                     core_.params.sleeps || core_.program.events[c.object].blocking);
}

bool Threads::query_event(uint32_t thread, const Call& c) {
  if (!event_alive(thread, c.object)) {
    return true;
  }
  const bool busy = core_.commands.unfinished(ordering_.recorded(c.object));
  answer(thread, busy ? "cudaErrorNotReady" : "cudaSuccess");
  if (clocks_.on() && !busy) {
    clocks_.thread_waits_event(thread, c.object);
  }
  return true;
}

// From c.source to c.object.
bool Threads::elapsed_time(uint32_t thread, const Call& c) {
  if (!event_alive(thread, c.object) || !event_alive(thread, c.source)) {
    return true;
  }
  const EventDesc& event = core_.program.events[c.object];
  const EventDesc& from = core_.program.events[c.source];
  if (!event.timing || !from.timing || event.device != from.device || !event_states_[c.object].recorded ||
      !event_states_[c.source].recorded) {
    fail(thread, "cudaErrorInvalidResourceHandle",
         !event.timing || !from.timing ? "an event without timing"
         : event.device != from.device ? "events of different devices"
                                       : "an event that was never recorded");
    return true;
  }
  if (core_.commands.unfinished(ordering_.recorded(c.object)) ||
      core_.commands.unfinished(ordering_.recorded(c.source))) {
    answer(thread, "cudaErrorNotReady");
    return true;
  }
  const Ps time = event_states_[c.object].time - event_states_[c.source].time;
  threads_[thread].elapsed = time;
  if (core_.program.threads[thread].live) {
    return true;
  }
  if (result_.elapsed.size() < core_.limits.records) {
    result_.elapsed.push_back({thread, threads_[thread].calls, c.source, c.object, time});
  } else {
    ++result_.elapsed_left_out;
  }
  return true;
}

}  // namespace heddle::host
