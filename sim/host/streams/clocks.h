// Who is ordered after whom, as far as the program says so: a vector clock for each stream, event and host
// thread. Streams and threads are the actors; each command and each host access is a tick of one.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/program/program.h"

namespace heddle::host {

// By actor; those behind the end have 0.
using Clock = std::vector<uint64_t>;

struct Epoch {
  uint32_t actor = 0;  // 2 n: the stream n; 2 n + 1: the host thread n
  uint64_t tick = 0;
};

class Clocks {
 public:
  // Off: nothing is kept and nothing may be asked.
  Clocks(const Program& p, bool on);
  bool on() const { return on_; }
  // The program has more of them than before.
  void grow();
  // From now on they are kept: what was before is before all that comes.
  void keep() {
    on_ = true;
    grow();
  }

  // A thread gives a stream a command: after what the thread knows of, after the stream's last, after the
  // legacy default stream's or, in it, after all blocking streams' (ST04).
  Epoch command(uint32_t thread, uint32_t stream);
  Epoch host_access(uint32_t thread);
  const Clock& of_stream(uint32_t stream) const { return streams_[stream]; }
  const Clock& of_thread(uint32_t thread) const { return threads_[thread]; }
  // The same, once the call that it makes now has returned.
  Clock waited(uint32_t thread) const;
  // What any host thread has synchronised with: the driver knows.
  const Clock& of_driver() const { return driver_; }
  static bool covers(const Clock& c, Epoch e) { return (e.actor < c.size() ? c[e.actor] : 0) >= e.tick; }

  void event_recorded(uint32_t event, uint32_t stream);
  void stream_waits(uint32_t stream, uint32_t event) { join(streams_[stream], events_[event]); }
  // What a call waits for; it counts when the call has returned.
  void thread_waits_event(uint32_t thread, uint32_t event) { waits(thread, events_[event]); }
  void thread_waits_stream(uint32_t thread, uint32_t stream);
  void thread_waits_device(uint32_t thread, uint32_t device);
  void returned(uint32_t thread);
  // A variable of the program's in host memory.
  void flag_set_by_thread(uint32_t flag, uint32_t thread) { join(flags_[flag], threads_[thread]); }
  // A queue's items, or its room, pass on what their thread knows.
  void queue_passed(uint32_t queue, uint32_t thread) {
    join(queues_[queue], threads_[thread]);
    join(threads_[thread], queues_[queue]);
  }
  void flag_set_by_stream(uint32_t flag, uint32_t stream) { join(flags_[flag], streams_[stream]); }
  void thread_waits_flag(uint32_t thread, uint32_t flag) { join(threads_[thread], flags_[flag]); }

 private:
  static uint64_t& of(Clock& c, uint32_t actor);
  static void join(Clock& to, const Clock& from);
  void waits(uint32_t thread, const Clock& with);

  const Program& program_;
  bool on_;
  std::vector<Clock> streams_, threads_, events_, flags_, queues_;
  std::vector<Clock> waited_;  // of each thread, by the call that it makes now
  std::vector<bool> waiting_;
  Clock driver_;
};

}  // namespace heddle::host
