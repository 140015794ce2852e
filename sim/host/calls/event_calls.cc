// The effects of calls about events.
#include "sim/host/calls/threads.h"

namespace heddle::host {

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

bool Threads::event_call(uint32_t thread, const Call& c) {
  if (c.op == Op::kEventCreate || c.op == Op::kEventDestroy) {
    if (c.op == Op::kEventCreate || event_alive(thread, c.object)) {
      events_alive_[c.object] = c.op == Op::kEventCreate;
      event_states_[c.object].recorded = false;
    }
    return true;
  }
  if (!event_alive(thread, c.object)) {
    return true;
  }
  const EventDesc& event = core_.program.events[c.object];
  const CommandRef record = ordering_.recorded(c.object);
  switch (c.op) {
    case Op::kEventRecord: {
      if (!stream_alive(thread, c.stream)) {
        return true;
      }
      if (core_.program.streams[c.stream].device != event.device) {  // EV04
        fail(thread, "cudaErrorInvalidResourceHandle", "event and stream are of different devices");
        return true;
      }
      const uint32_t slot = make(Work::kRecord, c.stream, op_name_[static_cast<size_t>(c.op)]);
      core_.commands[slot].object = c.object;
      core_.commands[slot].duration = event.timing ? core_.params.event : 0;
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
    case Op::kStreamWaitEvent: {
      if (!stream_alive(thread, c.stream)) {
        return true;
      }
      ordering_.note_programmatic_wait(c.stream, c.object);
      if (clocks_.on()) {
        clocks_.stream_waits(c.stream, c.object);
      }
      if (!core_.commands.unfinished(record)) {
        return true;  // nothing recorded, or done: nothing to wait for
      }
      // No command of a connection: the driver makes the stream's next work wait. So it holds back nothing
      // else.
      const uint32_t slot = make(Work::kWait, c.stream, op_name_[static_cast<size_t>(c.op)]);
      ordering_.append(slot);
      const bool other = core_.commands[record.slot].stream != c.stream;
      ordering_.depend(slot, record, other ? core_.params.other_stream : 0);
      return true;  // the record is unfinished, so the wait has something to wait for
    }
    case Op::kEventSynchronize:
      if (clocks_.on()) {
        clocks_.thread_waits_event(thread, c.object);
      }
      return synchronize(thread, {record});
    case Op::kEventQuery:
      answer(thread, core_.commands.unfinished(record) ? "cudaErrorNotReady" : "cudaSuccess");
      if (clocks_.on() && !core_.commands.unfinished(record)) {
        clocks_.thread_waits_event(thread, c.object);
      }
      return true;
    default:
      break;
  }
  // cudaEventElapsedTime(source, object)
  if (!event_alive(thread, c.source)) {
    return true;
  }
  const EventDesc& from = core_.program.events[c.source];
  if (!event.timing || !from.timing || event.device != from.device || !event_states_[c.object].recorded ||
      !event_states_[c.source].recorded) {
    fail(thread, "cudaErrorInvalidResourceHandle",
         !event.timing || !from.timing ? "an event without timing"
         : event.device != from.device ? "events of different devices"
                                       : "an event that was never recorded");
    return true;
  }
  if (core_.commands.unfinished(record) || core_.commands.unfinished(ordering_.recorded(c.source))) {
    answer(thread, "cudaErrorNotReady");
    return true;
  }
  if (result_.elapsed.size() < core_.limits.records) {
    result_.elapsed.push_back({thread, threads_[thread].calls, c.source, c.object,
                               event_states_[c.object].time - event_states_[c.source].time});
  } else {
    ++result_.elapsed_left_out;
  }
  return true;
}

}  // namespace heddle::host
