// The program's own time, and queues that its host threads share. None of these takes time on the host.
#include <algorithm>

#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {

std::span<const CallType> Threads::queue_calls() {
  using K = Argument::Kind;
  static const Argument queue = {"queue", K::kQueue, &Call::object};
  static const std::vector<CallType> all = {
      {.op = Op::kNow,
       .name = "(now)",
       .field = "now",
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.answer(thread, std::to_string(t.core_.now.count() / 1000) + " ns");
             return true;
           }},
      {.op = Op::kSleep,
       .name = "(sleep)",
       .field = "sleep_us",
       .arguments = {{"", K::kMicroseconds, &Call::duration}},
       .asks_device = false,
       .effect = [](Threads& t, uint32_t thread,
                    const Call& c) { return t.sleep_until(thread, t.core_.now + c.duration); }},
      {.op = Op::kSleepUntil,
       .name = "(sleep until)",
       .field = "sleep_until_us",
       .arguments = {{"", K::kMicroseconds, &Call::duration}},
       .asks_device = false,
       .effect = [](Threads& t, uint32_t thread,
                    const Call& c) { return t.sleep_until(thread, c.duration); }},
      {.op = Op::kQueuePut,
       .name = "(queue put)",
       .field = "queue_put",
       .arguments = {queue, {"count", K::kNumber, &Call::count}},
       .asks_device = false,
       .effect = does<&Threads::put>},
      {.op = Op::kQueueGet,
       .name = "(queue get)",
       .field = "queue_get",
       .arguments = {queue,
                     {"max", K::kNumber, &Call::count},
                     {"timeout_us", K::kMicroseconds, &Call::duration},
                     {"give_up_us", K::kMicroseconds, &Call::give_up, Argument::Given::kMaybe}},
       .asks_device = false,
       .check =
           [](const Program&, const Call& c) {
             if (c.count == 0) {
               throw ProgramError(c.line, "a get of at most 0 items");
             }
           },
       .effect = does<&Threads::get>},
      {.op = Op::kQueueClose,
       .name = "(queue close)",
       .field = "queue_close",
       .arguments = {{"", K::kQueue, &Call::object}},
       .asks_device = false,
       .effect = does<&Threads::close>},
  };
  return all;
}

bool Threads::sleep_until(uint32_t thread, Ps at) {
  if (at <= core_.now) {
    return true;
  }
  HostThread& t = threads_[thread];
  t.waits_since = core_.now;
  t.next = Next::kReturn;
  core_.events.push(at, Happening::kThread, thread);
  return false;
}

bool Threads::put(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  Queue& q = queues_[c.object];
  if (q.closed) {
    fail(thread, "cudaErrorUnknown", "queue " + core_.program.queues[c.object].name + " is closed");
    return true;
  }
  t.left = c.count;
  t.waits_for_queue = c.object;
  t.waits_since = core_.now;
  t.next = Next::kReturn;
  q.putters.push_back(thread);
  calling_ = thread;
  serve(c.object);
  calling_ = kNone;
  return t.waits_for_queue == kNone;
}

bool Threads::get(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  t.waits_for_queue = c.object;
  t.got_since = t.waits_since = core_.now;
  t.lingers = false;
  t.next = Next::kReturn;
  ++t.gets;
  if (c.give_up != kNever) {
    core_.events.push(core_.now + c.give_up, Happening::kQueueTimeout, thread, 0, t.gets);
  }
  queues_[c.object].getters.push_back(thread);
  calling_ = thread;
  serve(c.object);
  calling_ = kNone;
  return t.waits_for_queue == kNone;
}

bool Threads::close(uint32_t, const Call& c) {
  queues_[c.object].closed = true;
  serve(c.object);
  return true;
}

// Whether the get, whose turn it is, has what it waits for.
bool Threads::may_take(const Queue& q, const HostThread& t, const Call& c) const {
  if (q.closed || (c.give_up != kNever && core_.now >= t.got_since + c.give_up)) {
    return true;
  }
  return !q.items.empty() && (q.items.size() >= c.count || core_.now >= q.items.front().put + c.duration);
}

// The queue has got items, room, or an end: who waits for that goes on, in the order in which they came.
void Threads::serve(uint32_t queue) {
  Queue& q = queues_[queue];
  const uint64_t capacity = core_.program.queues[queue].capacity;
  for (bool again = true; again;) {
    again = false;
    while (!q.putters.empty() && (capacity == 0 || q.items.size() < capacity || q.closed)) {
      HostThread& t = threads_[q.putters.front()];
      if (t.left > 0 && !q.closed) {
        q.items.push_back({t.item, core_.now});
      }
      if (t.left <= 1 || q.closed) {
        go_on(q.putters.front(), queue);
        q.putters.pop_front();
      } else {
        --t.left;
      }
    }
    if (q.getters.empty()) {
      return;
    }
    const uint32_t thread = q.getters.front();
    HostThread& t = threads_[thread];
    const Call& c = call(t, thread);
    if (may_take(q, t, c)) {
      const size_t n = std::min<size_t>(q.items.size(), c.count);
      for (size_t i = 0; i < n; ++i) {
        t.items.push_back(q.items[i].item);
      }
      q.items.erase(q.items.begin(), q.items.begin() + static_cast<std::ptrdiff_t>(n));
      q.getters.pop_front();
      go_on(thread, queue);
      again = true;
    } else if (!q.items.empty() && !t.lingers) {
      t.lingers = true;
      core_.events.push(q.items.front().put + c.duration, Happening::kQueueTimeout, thread, 0, t.gets);
    }
  }
}

void Threads::go_on(uint32_t thread, uint32_t queue) {
  HostThread& t = threads_[thread];
  t.waits_for_queue = kNone;
  if (clocks_.on()) {
    clocks_.queue_passed(queue, thread);
  }
  if (thread == calling_) {  // it does not wait at all
    t.waits_since = kNever;
    t.next = Next::kEffect;
  } else {
    core_.events.push(core_.now, Happening::kThread, thread);
  }
}

void Threads::queue_timeout(uint32_t thread, uint64_t wait) {
  HostThread& t = threads_[thread];
  if (t.waits_for_queue == kNone || t.gets != wait) {
    return;  // it has got something since
  }
  const uint32_t queue = t.waits_for_queue;
  std::deque<uint32_t>& getters = queues_[queue].getters;
  const Call& c = call(t, thread);
  if (getters.front() != thread && c.give_up != kNever && core_.now >= t.got_since + c.give_up) {
    std::erase(getters, thread);
    go_on(thread, queue);
    return;
  }
  serve(queue);
}

}  // namespace heddle::host
