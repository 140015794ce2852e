// The effects of calls.
#include <algorithm>
#include <utility>

#include "sim/host/calls/threads.h"
#include "sim/host/kernels/resources.h"

namespace heddle::host {

// ---- errors

void Threads::fail(uint32_t thread, std::string_view error, const std::string& why) {
  Thread& t = threads_[thread];
  t.failed = true;
  if (!error.starts_with("CUDA_ERROR_")) {  // the driver's calls leave the runtime's error alone
    t.last_error = error;
  }
  note_error(thread, std::string(error), why);
}

void Threads::note_error(uint32_t thread, const std::string& error, const std::string& why) {
  const Thread& t = threads_[thread];
  const Call& c = call(t, thread);
  if (result_.errors.size() < core_.limits.records) {
    result_.errors.push_back({thread, t.calls, c.line, op_name(c.op), error, why});
  } else {
    ++result_.errors_left_out;
  }
}

void Threads::answer(uint32_t thread, std::string_view value) {
  if (result_.answers.size() < core_.limits.records) {
    result_.answers.push_back({thread, threads_[thread].calls, std::string(value)});
  } else {
    ++result_.answers_left_out;
  }
}

bool Threads::report_device_error(uint32_t thread, uint32_t device) {
  if (device_error_[device].empty()) {
    return false;
  }
  fail(thread, device_error_[device], "a kernel before it failed (ER01)");
  return true;
}

bool Threads::stream_alive(uint32_t thread, uint32_t stream) {
  if (!streams_alive_[stream]) {
    fail(thread, "cudaErrorInvalidResourceHandle",
         "stream " + core_.program.streams[stream].name + " does not exist now");
    return false;
  }
  return true;
}

bool Threads::event_alive(uint32_t thread, uint32_t event) {
  if (!events_alive_[event]) {
    fail(thread, "cudaErrorInvalidResourceHandle",
         "event " + core_.program.events[event].name + " does not exist now");
    return false;
  }
  return true;
}

// ---- commands

uint32_t Threads::make(Work work, uint32_t stream, uint32_t name) {
  const uint32_t slot = core_.commands.add();
  Command& c = core_.commands[slot];
  c.work = work;
  c.stream = stream;
  c.device = core_.program.streams[stream].device;
  c.name = name;
  return slot;
}

// False: the connection is full; the call has its effect when there is room (AX15).
bool Threads::room(uint32_t thread, uint32_t stream, Work work, Path path) {
  if (not_submitted_.size() >= core_.params.depth) {
    flush();  // no driver holds back more than its queues take (AX15)
  }
  const uint32_t device = core_.program.streams[stream].device;
  if (!connections_.full(device, stream, work, path)) {
    return true;
  }
  threads_[thread].waits_since = core_.now;
  connections_.wait_for_room(thread, device, stream, work, path);
  return false;
}

void Threads::submit(uint32_t slot, Ps after) {
  if (core_.rules.lazy_start) {
    core_.commands[slot].withheld = true;
    not_submitted_.push_back(slot);
  } else {
    connections_.submit(slot, core_.now + after + core_.params.submit);
  }
}

// ST08: a call that, by the older guides, keeps streams apart.
void Threads::barrier(uint32_t device) {
  if (core_.rules.implicit_sync_12_4) {
    const uint32_t slot = make(Work::kBarrier, device, 0);
    ordering_.append_barrier(slot, device);
    submit(slot);
  }
}

bool Threads::synchronize(uint32_t thread, const std::vector<CommandRef>& commands) {
  wait_for(thread, commands);
  threads_[thread].next = Next::kReturn;
  return threads_[thread].waits == 0;
}

// ---- kernels

bool Threads::launch(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  if (report_device_error(thread, t.device) || !stream_alive(thread, c.stream)) {
    return true;
  }
  const StreamDesc& stream = core_.program.streams[c.stream];
  if (stream.device != t.device) {  // MU02
    fail(thread, "cudaErrorInvalidResourceHandle", "the stream is not of the current device");
    return true;
  }
  const KernelDesc& k = core_.program.kernels[c.object];
  if (const auto no =
          refuse_launch(k, core_.params, c.has_cluster ? std::optional(c.cluster) : std::nullopt)) {
    fail(thread, no->error, no->why);
    return true;
  }
  if (!k.launches.empty()) {  // as the H200's driver answers
    fail(thread, "cudaErrorNotSupported", k.name + " launches graphs, which only nodes of graphs may (GD05)");
    return true;
  }
  if (!k.calls.empty()) {
    if (const auto no = refuse_device_code(core_.program, c.object, core_.params)) {
      fail(thread, no->error, no->why);
      return true;
    }
  }
  if (port_of(c) != Port::kDefault && !programmatic_allowed(thread, c)) {
    return true;
  }
  if (c.window != kNone) {
    if (const auto no = refuse_window(core_, c.window)) {
      fail(thread, no->error, no->why);
      return true;
    }
  }
  const SyncDomain domain = c.domain.over(stream.domain);
  if (!domain.legal(core_.params.compute_capability)) {
    fail(thread, "cudaErrorInvalidValue", "no such memory synchronisation domain (MD05)");
    return true;
  }
  if (!room(thread, c.stream, Work::kKernel, Path::kHostToDevice)) {
    return false;
  }
  t.last_stream = c.stream;
  if (clocks_.on()) {
    const Epoch epoch = clocks_.command(thread, c.stream);
    accesses(k.accesses, c, epoch, clocks_.of_stream(c.stream), thread);
    if (checker_.on() && !k.calls.empty()) {
      check_tree(thread, c, epoch);
    }
    if (k.sets_flag != kNone) {
      clocks_.flag_set_by_stream(k.sets_flag, c.stream);
    }
    if (core_.rules.launch_blocking) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
  }
  const uint32_t slot = make(Work::kKernel, c.stream, kernel_name_[c.object]);
  Command& command = core_.commands[slot];
  command.object = c.object;
  command.call = &c;
  command.domain = domain.of_device(core_.params.compute_capability);
  command.window = c.window != kNone ? c.window : l2_.window_of(c.stream);
  command.priority = std::clamp(c.has_priority ? c.priority : stream.priority, core_.params.priority_greatest,
                                core_.params.priority_least);
  command.cluster = c.has_cluster ? static_cast<uint32_t>(c.cluster.count()) : 0;
  const bool first = loads(c, command.device);
  if (switches_carveout(k, command.device)) {
    ordering_.append_barrier(slot, command.device);
  } else if (first) {
    ordering_.append_after_all(slot, command.device);
  } else if (c.programmatic) {
    ordering_.append_programmatic(slot);
  } else {
    ordering_.append(slot);
  }
  const CommandRef ref = core_.commands.ref(slot);
  if (c.programmatic_event != kNone) {
    record_programmatic(slot, c);
  }
  submit(slot);
  return !core_.rules.launch_blocking || synchronize(thread, {ref});  // AX03
}

// OC16: by the older guides, a kernel that needs another split of the L1 array has the device to itself.
bool Threads::switches_carveout(const KernelDesc& k, uint32_t device) {
  const uint32_t wanted = core_.rules.implicit_sync_12_4 ? carveout(k, core_.params) : kNone;
  if (wanted == kNone || wanted == carveout_[device]) {
    return false;
  }
  return std::exchange(carveout_[device], wanted) != kNone;
}

// PD08: the launch records its event, in no order but the kernel's.
void Threads::record_programmatic(uint32_t kernel, const Call& c) {
  const uint32_t slot = make(Work::kRecord, c.stream, op_name_[static_cast<size_t>(Op::kEventRecord)]);
  core_.commands[slot].object = c.programmatic_event;
  event_states_[c.programmatic_event].recorded = true;
  ordering_.record_programmatic(slot, kernel, port_of(c));
}

bool Threads::programmatic_allowed(uint32_t thread, const Call& c) {
  if (core_.params.compute_capability < 90) {
    fail(thread, "cudaErrorNotSupported", "programmatic launch needs compute capability 9.0");
    return false;
  }
  if (c.programmatic_event == kNone) {
    return true;
  }
  const EventDesc& event = core_.program.events[c.programmatic_event];
  if (!event_alive(thread, c.programmatic_event)) {
    return false;
  }
  if (event.timing || event.device != core_.program.streams[c.stream].device) {
    fail(thread, "cudaErrorInvalidValue",
         "the programmatic event needs cudaEventDisableTiming and the stream's device");
    return false;
  }
  return true;
}

// ---- copies

bool Threads::copy(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const BufferDesc& to = core_.program.buffers[c.object];
  const BufferDesc& from = core_.program.buffers[c.source];
  const bool beyond = c.offset > to.bytes || c.bytes > to.bytes - c.offset;
  if (beyond || c.source_offset > from.bytes || c.bytes > from.bytes - c.source_offset) {
    fail(thread, "cudaErrorInvalidValue",
         std::to_string(c.bytes) + " bytes are more than " + (beyond ? to.name : from.name) + " has");
    return true;
  }
  const uint32_t by = core_.program.streams[c.stream].device;
  if (!buffer_mapped(thread, by, {c.object, c.offset, c.bytes, true}) ||
      !buffer_mapped(thread, by, {c.source, c.source_offset, c.bytes, false})) {
    return true;
  }
  const Memory to_memory = memory_of(c.object), from_memory = memory_of(c.source);
  const bool to_device = to_memory == Memory::kDevice, from_device = from_memory == Memory::kDevice;
  const bool waits = c.op == Op::kMemcpy;
  if (c.bytes == 0) {
    return true;
  }
  if (to_device != from_device && (to_device ? from_memory : to_memory) == Memory::kPageable) {
    if (report_device_error(thread, t.device)) {
      return true;
    }
    if (!to_device || c.bytes > core_.params.inline_bytes) {
      copy_accesses(thread, c, to_device);
      if (clocks_.on() && !to_device) {
        clocks_.thread_waits_stream(thread, c.stream);
      }
      return start_staged(thread, c, to_device);
    }
  }
  if (!to_device && !from_device) {  // the host does it, when the stream has come there
    copy_accesses(thread, c, false);
    if (clocks_.on()) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
    t.staged = Staged{};
    t.next = Next::kReturn;
    wait_for(thread, ordering_.unfinished(c.stream));
    const Ps took = static_cast<Ps>(static_cast<double>(c.bytes) / core_.params.to_device_rate);
    t.resume_at = core_.now + took;
    if (t.waits > 0) {
      t.waits_since = t.resume_at;  // until then it copies
    } else {
      core_.events.push(t.resume_at, Happening::kThread, thread);
    }
    return false;
  }
  const uint32_t to_device_id = device_of(c.object, c.offset);
  const uint32_t from_device_id = device_of(c.source, c.source_offset);
  const Path path = to_device && from_device ? (to_device_id == from_device_id ? Path::kDeviceToDevice
                                                : core_.program.peer_access    ? Path::kPeer
                                                                               : Path::kPeerStaged)
                                             : (to_device ? Path::kHostToDevice : Path::kDeviceToHost);
  if (!room(thread, c.stream, Work::kCopy, path)) {
    return false;
  }
  t.last_stream = c.stream;
  copy_accesses(thread, c, (to_device ? from_memory : to_memory) == Memory::kPageable);
  const uint32_t slot = make(Work::kCopy, c.stream,
                             path == Path::kHostToDevice     ? h2d_name_
                             : path == Path::kDeviceToHost   ? d2h_name_
                             : path == Path::kDeviceToDevice ? d2d_name_
                                                             : peer_name_);
  Command& command = core_.commands[slot];
  command.path = path;
  command.bytes = c.bytes;
  command.rows = c.rows;
  command.peer = to_device_id;
  command.write_combined = !to_device ? false : from_memory == Memory::kWriteCombined;
  const bool pageable = (to_device ? from_memory : to_memory) == Memory::kPageable;
  command.with_command = pageable;
  Ps inline_time = 0;
  if (pageable) {  // the host writes the data into the command
    inline_time = static_cast<Ps>(static_cast<double>(c.bytes) / core_.params.inline_host_rate);
  }
  const bool peers = path == Path::kPeer || path == Path::kPeerStaged;
  if ((path == Path::kDeviceToDevice && core_.rules.implicit_sync_12_4) ||
      (pageable && !core_.rules.pageable_overlaps)) {
    ordering_.append_barrier(slot, command.device);
  } else if (peers && c.stream < core_.program.devices) {
    ordering_.append_barrier(slot, from.device == command.device ? to.device : from.device);  // MU04
  } else {
    ordering_.append(slot);
  }
  const CommandRef ref = core_.commands.ref(slot);
  submit(slot, inline_time);
  // HM15, AX02: which plain copies return at once.
  const bool returns =
      path == Path::kDeviceToDevice || (path == Path::kHostToDevice && c.bytes <= core_.params.inline_bytes &&
                                        (pageable || core_.rules.small_pinned_copies_return));
  if (waits && !returns) {
    if (clocks_.on()) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
    return synchronize(thread, {ref});
  }
  if (inline_time > 0) {
    t.next = Next::kReturn;
    core_.events.push(core_.now + inline_time, Happening::kThread, thread);
    return false;
  }
  return true;
}

bool Threads::memset(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const BufferDesc& to = core_.program.buffers[c.object];
  if (c.offset > to.bytes || c.bytes > to.bytes - c.offset) {
    fail(thread, "cudaErrorInvalidValue",
         std::to_string(c.bytes) + " bytes are more than " + to.name + " has");
    return true;
  }
  if (!buffer_mapped(thread, core_.program.streams[c.stream].device, {c.object, c.offset, c.bytes, true})) {
    return true;
  }
  if (!room(thread, c.stream, Work::kCopy, Path::kMemset)) {
    return false;
  }
  threads_[thread].last_stream = c.stream;
  copy_accesses(thread, c, false);
  const uint32_t slot = make(Work::kCopy, c.stream, op_name_[static_cast<size_t>(Op::kMemset)]);
  core_.commands[slot].path = Path::kMemset;
  core_.commands[slot].with_command = c.bytes <= core_.params.memset_inline_bytes;
  core_.commands[slot].bytes = c.bytes;
  if (core_.rules.implicit_sync_12_4) {
    ordering_.append_barrier(slot, core_.commands[slot].device);
  } else {
    ordering_.append(slot);
  }
  submit(slot);
  return true;  // AX02: asynchronous to the host, also the plain call
}

// ---- streams and the device

bool Threads::stream_call(uint32_t thread, const Call& c) {
  Thread& t = threads_[thread];
  switch (c.op) {
    case Op::kDeviceSynchronize:
      if (clocks_.on()) {
        clocks_.thread_waits_device(thread, t.device);
      }
      return synchronize(thread, ordering_.unfinished_of_device(t.device));
    case Op::kStreamCreate:
      streams_alive_[c.stream] = true;
      return true;
    case Op::kStreamSynchronize:
      if (clocks_.on()) {
        clocks_.thread_waits_stream(thread, c.stream);
      }
      return !stream_alive(thread, c.stream) || synchronize(thread, ordering_.unfinished(c.stream));
    case Op::kStreamQuery:
      if (stream_alive(thread, c.stream)) {
        answer(thread, ordering_.busy(c.stream) ? "cudaErrorNotReady" : "cudaSuccess");
        if (clocks_.on() && !ordering_.busy(c.stream)) {
          clocks_.thread_waits_stream(thread, c.stream);
        }
      }
      return true;
    case Op::kStreamDestroy:  // ST02: returns at once, the work goes on
      if (stream_alive(thread, c.stream)) {
        if (c.stream < core_.program.devices) {
          fail(thread, "cudaErrorInvalidResourceHandle", "the legacy default stream cannot be destroyed");
        } else {
          streams_alive_[c.stream] = false;
        }
      }
      return true;
    default:
      break;
  }
  // cudaLaunchHostFunc
  if (!stream_alive(thread, c.stream)) {
    return true;
  }
  const uint32_t slot = make(Work::kHostFunc, c.stream, op_name_[static_cast<size_t>(c.op)]);
  Command& command = core_.commands[slot];
  command.duration = c.duration;
  command.object = c.object;
  command.failed = c.calls_cuda;
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
