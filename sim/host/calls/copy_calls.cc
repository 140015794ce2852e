// Copies and memsets.
#include <algorithm>

#include "sim/host/calls/threads.h"
#include "sim/host/core/effects.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

uint64_t size_of(const Program& p, uint32_t buffer) {
  return buffer < p.buffers.size() ? p.buffers[buffer].bytes : 0;
}

// Left out: the smaller buffer.
void complete_copy(const Program& p, Call& c) {
  c.bytes = c.bytes ? c.bytes : std::min(size_of(p, c.object), size_of(p, c.source));
}

void complete_memset(const Program& p, Call& c) { c.bytes = c.bytes ? c.bytes : size_of(p, c.object); }

void check_rows(const Program&, const Call& c) {
  if (c.rows == 0 || c.rows > std::max<uint64_t>(1, c.bytes)) {
    throw ProgramError(c.line, "rows: " + std::to_string(c.rows) + ": legal: 1 to the " +
                                   std::to_string(c.bytes) + " bytes");
  }
}

}  // namespace

std::span<const CallType> Threads::copy_calls() {
  using K = Argument::Kind;
  static const Argument to = {"to", K::kBuffer, &Call::object};
  static const Argument from = {"from", K::kBuffer, &Call::source};
  static const Argument stream = {"stream", K::kStream, &Call::stream};
  static const Argument bytes = {"bytes", K::kNumber, &Call::bytes};
  static const Argument rows = {"rows", K::kNumber, &Call::rows};
  static const Argument offset = {"offset", K::kNumber, &Call::offset};
  static const Argument to_offset = {"to_offset", K::kNumber, &Call::offset};
  static const Argument from_offset = {"from_offset", K::kNumber, &Call::source_offset};
  static const auto copy_cost = [](const Threads& t, uint32_t, const Call& c) {
    const std::vector<BufferDesc>& b = t.core_.program.buffers;
    return b[c.object].memory == Memory::kDevice && b[c.source].memory == Memory::kDevice
               ? t.core_.params.calls.d2d
               : t.core_.params.calls.memcpy;
  };
  static const auto memset_cost = [](const Threads& t, uint32_t, const Call& c) {
    return c.bytes <= t.core_.params.memset_inline_bytes ? t.core_.params.calls.memcpy
                                                         : t.core_.params.calls.memset;
  };
  static const std::vector<CallType> all = {
      {.op = Op::kMemcpyAsync,
       .name = "cudaMemcpyAsync",
       .field = "memcpy_async",
       .arguments = {to, from, stream, bytes, rows, to_offset, from_offset},
       .complete = complete_copy,
       .in_capture = InCapture::kWork,
       .check = check_rows,
       .cost = copy_cost,
       .effect = does<&Threads::copy>},
      {.op = Op::kMemcpy,
       .name = "cudaMemcpy",
       .field = "memcpy",
       .arguments = {to, from, stream, bytes, rows, to_offset, from_offset},
       .complete = complete_copy,
       .asks_for_progress = true,
       .shows_failures = true,
       .in_capture = InCapture::kForbidden,
       .check = check_rows,
       .cost = copy_cost,
       .effect = does<&Threads::copy>},
      {.op = Op::kMemsetAsync,
       .name = "cudaMemsetAsync",
       .field = "memset_async",
       .arguments = {to, stream, bytes, offset},
       .complete = complete_memset,
       .in_capture = InCapture::kWork,
       .cost = memset_cost,
       .effect = does<&Threads::memset>},
      {.op = Op::kMemset,
       .name = "cudaMemset",
       .field = "memset",
       .arguments = {to, stream, bytes, offset},
       .complete = complete_memset,
       .in_capture = InCapture::kForbidden,
       .cost = memset_cost,
       .effect = does<&Threads::memset>},
  };
  return all;
}

// False: the call has failed.
bool Threads::copy_allowed(uint32_t thread, const Call& c) {
  if (!stream_alive(thread, c.stream)) {
    return false;
  }
  const BufferDesc& to = core_.program.buffers[c.object];
  const BufferDesc& from = core_.program.buffers[c.source];
  const bool beyond = c.offset > to.bytes || c.bytes > to.bytes - c.offset;
  if (beyond || c.source_offset > from.bytes || c.bytes > from.bytes - c.source_offset) {
    fail(thread, "cudaErrorInvalidValue",
         std::to_string(c.bytes) + " bytes are more than " + (beyond ? to.name : from.name) + " has");
    return false;
  }
  const uint32_t by = core_.program.streams[c.stream].device;
  return buffer_mapped(thread, by, {c.object, c.offset, c.bytes, true}) &&
         buffer_mapped(thread, by, {c.source, c.source_offset, c.bytes, false});
}

bool Threads::copy(uint32_t thread, const Call& c) {
  if (!copy_allowed(thread, c) || c.bytes == 0) {
    return true;
  }
  const Memory to = memory_of(c.object), from = memory_of(c.source);
  const bool to_device = to == Memory::kDevice, from_device = from == Memory::kDevice;
  if (to_device != from_device && (to_device ? from : to) == Memory::kPageable) {
    if (report_device_error(thread, threads_[thread].device)) {
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
  return to_device || from_device ? copy_by_engine(thread, c, to, from) : copy_by_host(thread, c);
}

// The host does it, when the stream has come there.
bool Threads::copy_by_host(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  copy_accesses(thread, c, false);
  if (clocks_.on()) {
    clocks_.thread_waits_stream(thread, c.stream);
  }
  t.staged = Staged{};
  t.next = Next::kReturn;
  t.at_return = c.values;
  wait_for(thread, ordering_.unfinished(c.stream));
  const Ps took = Ps::truncated(static_cast<double>(c.bytes) / core_.params.to_device_rate);
  t.resume_at = core_.now + took;
  if (t.waits > 0) {
    t.waits_since = t.resume_at;  // until then it copies
  } else {
    core_.events.push(t.resume_at, Happening::kThread, thread);
  }
  return false;
}

Path Threads::copy_path(const Call& c, bool to_device, bool from_device) const {
  if (!to_device || !from_device) {
    return to_device ? Path::kHostToDevice : Path::kDeviceToHost;
  }
  return device_of(c.object, c.offset) == device_of(c.source, c.source_offset) ? Path::kDeviceToDevice
         : core_.program.peer_access                                           ? Path::kPeer
                                                                               : Path::kPeerStaged;
}

// The copy in its place among what its stream, and perhaps its devices, have to do.
void Threads::order_copy(uint32_t slot, const Call& c, bool pageable) {
  const Command& command = core_.commands[slot];
  const bool peers = command.path == Path::kPeer || command.path == Path::kPeerStaged;
  if ((command.path == Path::kDeviceToDevice && core_.rules.implicit_sync_12_4) ||
      (pageable && !core_.rules.pageable_overlaps)) {
    ordering_.append_barrier(slot, command.device);
  } else if (peers && c.stream < core_.program.devices) {  // MU04
    const uint32_t to = core_.program.buffers[c.object].device, from = core_.program.buffers[c.source].device;
    ordering_.append_barrier(slot, from == command.device ? to : from);
  } else {
    ordering_.append(slot);
  }
}

// A plain copy of pageable memory to the device begins when its stream's work is done (CUDA runtime API, API
// synchronization behavior; traces/h200/smallcopies.csv). False: the thread waits for it.
bool Threads::comes_after_stream(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  if (std::exchange(t.came_after_stream, false)) {
    return true;
  }
  if (clocks_.on()) {
    clocks_.thread_waits_stream(thread, c.stream);
  }
  wait_for(thread, ordering_.unfinished(c.stream));
  t.came_after_stream = t.waits > 0;
  return t.waits == 0;
}

bool Threads::copy_by_engine(uint32_t thread, const Call& c, Memory to, Memory from) {
  HostThread& t = threads_[thread];
  const bool to_device = to == Memory::kDevice;
  const Path path = copy_path(c, to_device, from == Memory::kDevice);
  if (!room(thread, c.stream, Work::kCopy, path)) {
    return false;
  }
  t.last_stream = c.stream;
  const bool pageable = (to_device ? from : to) == Memory::kPageable;
  if (to_device && pageable && c.op == Op::kMemcpy && !comes_after_stream(thread, c)) {
    return false;
  }
  copy_accesses(thread, c, pageable);
  const uint32_t slot = make(Work::kCopy, c.stream,
                             path == Path::kHostToDevice     ? h2d_name_
                             : path == Path::kDeviceToHost   ? d2h_name_
                             : path == Path::kDeviceToDevice ? d2d_name_
                                                             : peer_name_);
  Command& command = core_.commands[slot];
  command.path = path;
  command.bytes = c.bytes;
  command.rows = c.rows;
  command.peer = device_of(c.object, c.offset);
  command.write_combined = to_device && from == Memory::kWriteCombined;
  command.with_command = pageable;
  command.values = c.values;
  Ps inline_time{};
  if (pageable) {  // the host writes the data into the command
    if (core_.effects && c.values != 0) {
      core_.effects->reads(c.values);
    }
    inline_time = Ps::truncated(static_cast<double>(c.bytes) / core_.params.inline_host_rate);
  }
  order_copy(slot, c, pageable);
  const CommandRef ref = core_.commands.ref(slot);
  submit(slot, inline_time);
  // HM15, AX02: which plain copies return at once.
  const bool returns =
      path == Path::kDeviceToDevice || (path == Path::kHostToDevice && c.bytes <= core_.params.inline_bytes &&
                                        (pageable || core_.rules.small_pinned_copies_return));
  if (c.op == Op::kMemcpy && !returns) {
    if (clocks_.on()) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
    return synchronize(thread, {ref});
  }
  if (inline_time > Ps()) {
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
  core_.commands[slot].values = c.values;
  if (core_.rules.implicit_sync_12_4) {
    ordering_.append_barrier(slot, core_.commands[slot].device);
  } else {
    ordering_.append(slot);
  }
  submit(slot);
  return true;  // AX02: asynchronous to the host, also the plain call
}

// The host reads pageable memory before the call returns.
void Threads::copy_accesses(uint32_t thread, const Call& c, bool source_by_host) {
  if (!clocks_.on()) {
    return;
  }
  const bool reads = c.source != kNone;
  if (reads && source_by_host && checker_.on()) {
    const Epoch epoch = clocks_.host_access(thread);
    checker_.access({c.source, true, false, false, c.source_offset, c.bytes}, epoch,
                    clocks_.of_thread(thread), site(thread));
  }
  const Epoch epoch = clocks_.command(thread, c.stream);
  if (!checker_.on()) {
    return;
  }
  const Clock& clock = clocks_.of_stream(c.stream);
  if (reads && !source_by_host) {
    checker_.access({c.source, true, false, false, c.source_offset, c.bytes}, epoch, clock, site(thread));
  }
  checker_.access({c.object, false, true, false, c.offset, c.bytes}, epoch, clock, site(thread));
}

}  // namespace heddle::host
