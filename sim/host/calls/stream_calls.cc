// Calls about streams, and what streams carry out on the host.
#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::stream_calls() {
  using K = Argument::Kind;
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const Argument named = {"stream", K::kStream, &Call::stream, Argument::Given::kMust};
  static const std::vector<CallType> all = {
      {.op = Op::kStreamSynchronize,
       .name = "cudaStreamSynchronize",
       .field = "stream_synchronize",
       .arguments = {stream},
       .asks_for_progress = true,
       .synchronizes = true,
       .shows_failures = true,
       .in_capture = InCapture::kForbidden,
       .cost = costs<&Params::Calls::synchronize>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.clocks_.on()) {
               t.clocks_.thread_waits_stream(thread, c.stream);
             }
             return !t.stream_alive(thread, c.stream) ||
                    t.synchronize(thread, t.ordering_.unfinished(c.stream));
           }},
      {.op = Op::kStreamQuery,
       .name = "cudaStreamQuery",
       .field = "stream_query",
       .arguments = {stream},
       .asks_for_progress = true,
       .in_capture = InCapture::kForbidden,
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::query_stream>},
      {.op = Op::kDeviceSynchronize,
       .name = "cudaDeviceSynchronize",
       .field = "device_synchronize",
       .asks_for_progress = true,
       .synchronizes = true,
       .shows_failures = true,
       .in_capture = InCapture::kWaitsDevice,
       .cost = costs<&Params::Calls::synchronize>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             const uint32_t device = t.threads_[thread].device;
             if (t.clocks_.on()) {
               t.clocks_.thread_waits_device(thread, device);
             }
             return t.synchronize(thread, t.ordering_.unfinished_of_device(device));
           }},
      {.op = Op::kStreamCreate,
       .name = "cudaStreamCreate",
       .field = "stream_create",
       .arguments = {named},
       .cost = costs<&Params::Calls::create>,
       .effect =
           [](Threads& t, uint32_t, const Call& c) {
             t.streams_alive_[c.stream] = true;
             return true;
           }},
      {.op = Op::kStreamDestroy,
       .name = "cudaStreamDestroy",
       .field = "stream_destroy",
       .arguments = {named},
       .cost = costs<&Params::Calls::create>,
       .effect = does<&Threads::destroy_stream>},
      {.op = Op::kLaunchHostFunc,
       .name = "cudaLaunchHostFunc",
       .field = "launch_host_func",
       .arguments = {{"us", K::kMicroseconds, &Call::duration},
                     stream,
                     {"sets_flag", K::kFlag, &Call::object, Argument::Given::kMaybe},
                     {"calls_cuda", K::kSwitch, &Call::calls_cuda}},
       .complete =
           [](const Program&, Call& c) {
             if (c.calls_cuda) {  // it hangs there
               c.duration = {};
               c.object = kNone;
             }
           },
       .in_capture = InCapture::kWork,
       .cost = costs<&Params::Calls::host_function>,
       .effect = does<&Threads::launch_host_function>},
  };
  return all;
}

bool Threads::query_stream(uint32_t thread, const Call& c) {
  if (stream_alive(thread, c.stream)) {
    const bool busy = ordering_.busy(c.stream);
    answer(thread, busy ? "cudaErrorNotReady" : "cudaSuccess");
    if (clocks_.on() && !busy) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
  }
  return true;
}

// ST02: returns at once, the work goes on.
bool Threads::destroy_stream(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  if (c.stream < core_.program.devices) {
    fail(thread, "cudaErrorInvalidResourceHandle", "the legacy default stream cannot be destroyed");
  } else {
    streams_alive_[c.stream] = false;
  }
  return true;
}

bool Threads::launch_host_function(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const uint32_t slot = make(Work::kHostFunc, c.stream, name_of(c));
  Command& command = core_.commands[slot];
  command.duration = c.duration;
  command.object = c.object;
  command.failed = c.calls_cuda;
  command.values = c.values;
  ordering_.append(slot);
  if (clocks_.on()) {
    clocks_.command(thread, c.stream);
    if (c.object != kNone) {
      clocks_.flag_set_by_stream(c.object, c.stream);
    }
  }
  submit(slot);
  return true;
}

}  // namespace heddle::host
