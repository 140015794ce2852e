// What the calls of all groups use.
#include <utility>

#include "sim/host/calls/threads.h"

namespace heddle::host {

// ---- errors

void Threads::fail(uint32_t thread, std::string_view error, const std::string& why) {
  HostThread& t = threads_[thread];
  t.failed = true;
  if (core_.program.threads[thread].live) {
    t.error = error;
    t.why = why;
  }
  if (!error.starts_with("CUDA_ERROR_")) {  // the driver's calls leave the runtime's error alone
    t.last_error = error;
  }
  note_error(thread, std::string(error), why);
}

void Threads::note_error(uint32_t thread, const std::string& error, const std::string& why) {
  const HostThread& t = threads_[thread];
  const Call& c = call(t, thread);
  if (result_.errors.size() < core_.limits.records) {
    result_.errors.push_back({thread, t.calls, c.line, c.type->name, error, why});
  } else {
    ++result_.errors_left_out;
  }
}

void Threads::answer(uint32_t thread, std::string_view value) {
  if (core_.program.threads[thread].live) {  // which has asked, and keeps what it wants to
    threads_[thread].answer = value;
    return;
  }
  if (result_.answers.size() < core_.limits.records) {
    result_.answers.push_back({thread, threads_[thread].calls, std::string(value)});
  } else {
    ++result_.answers_left_out;
  }
}

bool Threads::done(uint32_t thread, const std::optional<Refusal>& no) {
  if (no) {
    fail(thread, no->error, no->why);
  }
  return !no;
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

bool Threads::synchronize(uint32_t thread, const std::vector<CommandRef>& commands, bool asleep) {
  wait_for(thread, commands, asleep);
  threads_[thread].next = Next::kReturn;
  return threads_[thread].waits == 0;
}

bool Threads::flush() {
  const std::vector<uint32_t> now = std::exchange(not_submitted_, {});
  for (const uint32_t slot : now) {
    connections_.submit(slot, core_.now + core_.params.submit);
  }
  return !now.empty();
}

// ---- memory

bool Threads::buffer_mapped(uint32_t thread, uint32_t device, const Range& r) {
  const BufferDesc& b = core_.program.buffers[r.buffer];
  if (!memory_.mapped(r.buffer)) {
    fail(thread, "cudaErrorInvalidValue", b.name + " is not allocated now");
    return false;
  }
  if (b.reserved && !space_.reaches(device, r.buffer, r.offset, r.bytes, r.written)) {  // VM01
    fail(thread, "cudaErrorInvalidValue",
         std::to_string(r.bytes) + " bytes of " + b.name + " from " + std::to_string(r.offset) +
             " on: not all mapped, or without access from device " + std::to_string(device));
    return false;
  }
  return true;
}

void Threads::accesses(const std::vector<Access>& more, const Call& c, Epoch epoch, const Clock& clock,
                       uint32_t thread) {
  if (!checker_.on()) {
    return;
  }
  for (const Access& a : more) {
    checker_.access(a, epoch, clock, site(thread));
  }
  for (uint32_t i = 0; i < c.accesses; ++i) {
    checker_.access(core_.program.accesses[c.first_access + i], epoch, clock, site(thread));
  }
}

}  // namespace heddle::host
