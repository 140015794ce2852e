// Copies of pageable memory (HM01, AX05): in pieces through two pinned buffers of the driver's, so that the
// host copies one piece while the engine moves the other.
#include <algorithm>

#include "sim/host/calls/threads.h"
#include "sim/host/core/effects.h"

namespace heddle::host {

bool Threads::start_staged(uint32_t thread, const Call& c, bool to_device) {
  HostThread& t = threads_[thread];
  const Params& p = core_.params;
  t.last_stream = c.stream;
  t.staged = Staged{};
  t.staged.to_device = to_device;
  t.staged.left = t.staged.arriving = c.bytes;
  t.staged.rate = !to_device                  ? p.from_device_rate
                  : c.bytes <= p.cached_bytes ? p.to_device_rate
                                              : p.to_device_uncached_rate;
  t.next = Next::kStaged;
  if (to_device) {
    if (c.op == Op::kMemcpy) {  // the driver waits for the stream first
      wait_for(thread, ordering_.unfinished(c.stream));
    }
    return t.waits == 0 && continue_staged(thread);
  }
  t.at_return = c.values;
  for (uint32_t i = 0; i < 2 && t.staged.left > 0; ++i) {
    const uint64_t bytes = std::min(t.staged.left, p.chunk_bytes);
    t.staged.left -= bytes;
    t.staged.size[i] = bytes;
    t.staged.in_flight[i] = ask_piece(thread, bytes, Path::kDeviceToHost);
  }
  return continue_staged(thread);
}

CommandRef Threads::ask_piece(uint32_t thread, uint64_t bytes, Path path) {
  const uint32_t stream = call(threads_[thread], thread).stream;
  const uint32_t slot = make(Work::kCopy, stream, path == Path::kHostToDevice ? h2d_name_ : d2h_name_);
  core_.commands[slot].path = path;
  core_.commands[slot].bytes = bytes;
  if (core_.rules.pageable_overlaps) {
    ordering_.append(slot);
  } else {
    ordering_.append_barrier(slot, core_.commands[slot].device);
  }
  const CommandRef ref = core_.commands.ref(slot);
  submit(slot);
  if (core_.rules.lazy_start) {
    flush();  // the driver is at work on the copy: a synchronisation (FP04)
  }
  return ref;
}

bool Threads::continue_staged(uint32_t thread) {
  return threads_[thread].staged.to_device ? send_piece(thread) : receive_piece(thread);
}

bool Threads::send_piece(uint32_t thread) {
  HostThread& t = threads_[thread];
  Staged& s = t.staged;
  const Params& p = core_.params;
  if (s.copying) {
    s.copying = false;
    const uint32_t i = s.pieces++ % 2;
    s.in_flight[i] = ask_piece(thread, s.size[i], Path::kHostToDevice);
    if (const uint64_t values = call(t, thread).values; core_.effects && values != 0 && s.left == 0) {
      core_.effects->reads(values);
      core_.commands[s.in_flight[i].slot].values = values;
    }
  }
  if (s.left == 0) {
    return true;  // the last piece is on its way: the call returns
  }
  const uint32_t i = s.pieces % 2;
  if (core_.commands.unfinished(s.in_flight[i])) {
    wait_for(thread, {s.in_flight[i]});
    if (t.waits > 0) {
      return false;
    }
  }
  s.size[i] = std::min(s.left, p.chunk_bytes);
  s.left -= s.size[i];
  s.copying = true;
  const Ps took = Ps::truncated(static_cast<double>(s.size[i]) / s.rate);
  core_.events.push(core_.now + (s.pieces > 0 ? p.chunk_gap : Ps()) + took, Happening::kThread, thread);
  return false;
}

bool Threads::receive_piece(uint32_t thread) {
  HostThread& t = threads_[thread];
  Staged& s = t.staged;
  const Params& p = core_.params;
  if (s.copying) {
    s.copying = false;
    const uint32_t i = s.pieces++ % 2;
    s.arriving -= s.size[i];
    if (s.left > 0) {
      s.size[i] = std::min(s.left, p.chunk_bytes);
      s.left -= s.size[i];
      s.in_flight[i] = ask_piece(thread, s.size[i], Path::kDeviceToHost);
    }
  }
  if (s.arriving == 0) {
    return true;
  }
  const uint32_t i = s.pieces % 2;
  if (core_.commands.unfinished(s.in_flight[i])) {
    wait_for(thread, {s.in_flight[i]});
    if (t.waits > 0) {
      return false;
    }
  }
  s.copying = true;
  const Ps took = Ps::truncated(static_cast<double>(s.size[i]) / s.rate);
  core_.events.push(core_.now + (s.pieces == 0 ? p.from_device_extra : Ps()) + took, Happening::kThread,
                    thread);
  return false;
}

}  // namespace heddle::host
