// The one place that says what a command waits for: the order within a stream, the legacy default stream,
// events, and the implicit synchronisation of the older guides. Every rule is an edge between two commands.
//
// Graphs, programmatic launches and memory nodes add their edges through depend().
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/core/core.h"

namespace heddle::host {

class Ordering {
 public:
  explicit Ordering(Core& core);
  // The program has more streams and events than before.
  void grow() {
    streams_.resize(core_.program.streams.size());
    recorded_.resize(core_.program.events.size());
    recorded_kernel_.resize(core_.program.events.size());
  }

  // Gives a new command of a stream its edges and makes it the stream's last.
  void append(uint32_t slot);
  // The same for a command that all streams of its device and of another (which may be the same), blocking or
  // not, wait for, and that waits for all (ST08, MU04).
  void append_barrier(uint32_t slot, uint32_t other_device);
  // The same for a command that only waits for all (LZ04).
  void append_after_all(uint32_t slot, uint32_t other_device);

  // `slot` waits for `from`, if that is not finished.
  void depend(uint32_t slot, CommandRef from, Ps latency = {});
  // `slot` may start when `from`, a kernel, has come to that port; if it is a kernel, it has `from` as a
  // primary, which its blocks can wait for, and ends no earlier. Full dependence if `from` is no kernel.
  // `latency` lies between the port and the start.
  void depend_programmatic(uint32_t slot, CommandRef from, Port port, Ps latency = {});
  // A kernel's append() under the attribute of programmatic serialisation (PD07).
  void append_programmatic(uint32_t slot);
  // `record`, of an event, ends when the kernel has come to the port; what waits for it later becomes the
  // kernel's secondary (PD08).
  void record_programmatic(uint32_t record, uint32_t kernel, Port port);
  // A wait in a stream for such an event.
  void note_programmatic_wait(uint32_t stream, uint32_t event);
  // A host thread waits for `from`. False: nothing to wait for.
  bool thread_waits(uint32_t thread, CommandRef from, Ps latency);

  CommandRef last(uint32_t stream) const { return streams_[stream].last; }
  // Whether a stream has unfinished work. For the legacy stream: it, and all blocking streams (ST04).
  bool busy(uint32_t stream) const;
  // What cudaStreamSynchronize waits for.
  std::vector<CommandRef> unfinished(uint32_t stream) const;
  // What cudaDeviceSynchronize waits for (ST06).
  std::vector<CommandRef> unfinished_of_device(uint32_t device) const;

  void event_recorded(uint32_t event, uint32_t slot) {
    recorded_[event] = core_.commands.ref(slot);
    recorded_kernel_[event] = {};
  }
  CommandRef recorded(uint32_t event) const { return recorded_[event]; }

 private:
  struct Stream {
    CommandRef last;
    std::vector<CommandRef> primaries;  // of the kernel that comes next
    bool touched = false;               // has work that the legacy stream's next command must wait for
  };
  struct Device {
    std::vector<uint32_t> touched;  // blocking streams with work since the legacy stream's last command
    CommandRef barrier;
  };
  void append(uint32_t slot, bool programmatic);
  void add_primary(uint32_t slot, CommandRef from);
  void follow(uint32_t slot, uint32_t stream);
  void note(uint32_t slot);
  Ps latency(const Command& from, const Command& to) const;

  Core& core_;
  std::vector<Stream> streams_;
  std::vector<Device> devices_;
  std::vector<CommandRef> recorded_;
  std::vector<CommandRef> recorded_kernel_;  // of programmatic events
};

}  // namespace heddle::host
