// The hardware queues between the driver and the units (AX13-AX15): each stream's commands go through one of
// a few connections, and a command whose dependences are not met holds back everything behind it, also of
// other streams.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/core/core.h"

namespace heddle::host {

class Connections {
 public:
  explicit Connections(Core& core);
  // The program has more streams than before.
  void grow();

  // Puts an ordered command into its connection; it reaches the device at `arrival`.
  void submit(uint32_t slot, Ps arrival);
  // All dependences of a command are met.
  void released(uint32_t slot);
  // Works off a connection as far as it goes now.
  void pump(uint32_t queue);
  // No room for another command in the connection of such a command (AX15).
  bool full(uint32_t device, uint32_t stream, Work work, Path path) const;
  // The thread is to be resumed when there is room.
  void wait_for_room(uint32_t thread, uint32_t device, uint32_t stream, Work work, Path path);

  // For reports: the command at the head of the connection that `slot` is in, kNone if it is the head itself.
  uint32_t behind(uint32_t slot) const;

 private:
  struct Queue {
    uint32_t head = kNone, tail = kNone, held = 0;
    Ps check = kNever;  // the time at which a pump is scheduled
    std::vector<uint32_t> waiting;
  };
  uint32_t queue_of(uint32_t device, uint32_t stream, Work work, Path path) const;
  void pop(Queue& q);

  Core& core_;
  uint32_t per_device_;
  std::vector<Queue> queues_;
  std::vector<uint32_t> of_device_;       // streams of each
  std::vector<uint32_t> index_;           // of a stream among its device's
  std::vector<uint32_t> last_of_stream_;  // the connection that the stream's last work took
};

}  // namespace heddle::host
