#include "sim/host/streams/connections.h"

#include <algorithm>

namespace heddle::host {
namespace {

// These only mark a place in the order: they do not stand in the way of what is behind them.
bool passive(Work w) { return w == Work::kRecord || w == Work::kBarrier; }

}  // namespace

Connections::Connections(Core& core)
    : core_(core),
      // compute; copies to the device; copies from it and to peers
      per_device_(core.params.connections + 2 * core.params.copy_connections),
      queues_(size_t{per_device_} * core.program.devices),
      of_device_(core.program.devices, 0) {
  grow();
}

void Connections::grow() {
  while (index_.size() < core_.program.streams.size()) {
    index_.push_back(of_device_[core_.program.streams[index_.size()].device]++);
  }
  last_of_stream_.resize(index_.size(), kNone);
}

uint32_t Connections::queue_of(uint32_t device, uint32_t stream, Work work, Path path) const {
  const Params& p = core_.params;
  const uint32_t first = device * per_device_;
  if (work == Work::kCopy && path != Path::kDeviceToDevice && path != Path::kMemset) {
    // One engine: one queue in the order of issue (AX11).
    if (p.engines == 1) {
      return first + p.connections;
    }
    const uint32_t engine = path == Path::kHostToDevice ? 0 : 1;
    return first + p.connections + engine * p.copy_connections + index_[stream] % p.copy_connections;
  }
  if (work != Work::kKernel && work != Work::kGraphStart && work != Work::kCopy &&
      last_of_stream_[stream] != kNone) {
    return last_of_stream_[stream];  // records and waits go where the stream's work is
  }
  return first + index_[stream] % p.connections;
}

bool Connections::full(uint32_t device, uint32_t stream, Work work, Path path) const {
  return queues_[queue_of(device, stream, work, path)].held >= core_.params.depth;
}

void Connections::wait_for_room(uint32_t thread, uint32_t device, uint32_t stream, Work work, Path path) {
  queues_[queue_of(device, stream, work, path)].waiting.push_back(thread);
}

void Connections::submit(uint32_t slot, Ps arrival) {
  Command& c = core_.commands[slot];
  if (arrival >= c.ready) {
    c.ready = arrival;
    c.step = core_.events.step;
  }
  c.queue = queue_of(c.device, c.stream, c.work, c.path);
  last_of_stream_[c.stream] = c.queue;
  c.in_queue = true;
  c.withheld = false;
  c.next_in_queue = kNone;
  Queue& q = queues_[c.queue];
  ++q.held;
  if (q.tail == kNone) {
    q.head = q.tail = slot;
    pump(c.queue);
  } else {
    core_.commands[q.tail].next_in_queue = slot;
    q.tail = slot;
  }
}

void Connections::pop(Queue& q) {
  Command& c = core_.commands[q.head];
  c.in_queue = false;
  q.head = c.next_in_queue;
  if (q.head == kNone) {
    q.tail = kNone;
  }
  --q.held;
  for (uint32_t thread : q.waiting) {
    core_.resume(thread, core_.now);
  }
  q.waiting.clear();
}

void Connections::pump(uint32_t queue) {
  Queue& q = queues_[queue];
  if (q.check <= core_.now) {
    q.check = kNever;
  }
  while (q.head != kNone) {
    const uint32_t slot = q.head;
    const Command& c = core_.commands[slot];
    if (c.unmet > 0) {
      if (!passive(c.work)) {
        return;  // everything behind waits too
      }
      pop(q);
      continue;
    }
    if (c.ready > core_.now) {
      if (c.ready < q.check) {
        q.check = c.ready;
        core_.events.push(c.ready, Happening::kQueue, queue);
      }
      return;
    }
    pop(q);
    core_.dispatch(slot);
  }
}

void Connections::released(uint32_t slot) {
  const Command& c = core_.commands[slot];
  if (c.withheld) {
    return;  // it goes on when it is submitted
  }
  if (c.in_queue) {
    if (queues_[c.queue].head == slot) {
      pump(c.queue);
    }
  } else if (c.ready > core_.now) {
    core_.events.push(c.ready, Happening::kDispatchCommand, slot);
  } else {
    core_.dispatch(slot);
  }
}

uint32_t Connections::behind(uint32_t slot) const {
  const Command& c = core_.commands[slot];
  return !c.in_queue || queues_[c.queue].head == slot ? kNone : queues_[c.queue].head;
}

}  // namespace heddle::host
