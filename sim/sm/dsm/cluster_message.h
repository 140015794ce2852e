// What the SMs of a GPC send each other on behalf of the blocks of a cluster: accesses to another block's
// shared memory, arrivals at its barrier objects, what comes back, and the cluster's barrier.
#pragma once

#include <cstdint>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/payload.h"

namespace heddle::sm {

struct ClusterMessage {
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kPacket = 16;  // what makes a packet of the counts of `parts`

  enum class Kind : uint8_t {
    kRead,      // is answered with its sectors
    kWrite,     // ... with an acknowledgement
    kAtomic,    // ... with what was there before
    kMbarrier,  // an operation on a barrier object
    kAnswer,
    kBulk,     // from L2: sectors of another block's bulk copy, for this block too
    kArrived,  // all warps of the block have come to the cluster's barrier
    kEnded,    // the block has ended
    kOpen,     // to the block: all of the cluster have arrived
  };
  Cycle time = 0;           // has left the sender's port; then: arrives
  Ticks port{};             // when the port began with it: a slice of the network takes it while it comes
  uint64_t line = 0;        // number of the line in the window of the cluster's shared memory
  uint32_t cluster = 0;     // device-wide number
  uint32_t id = kNone;      // of the access, chosen by the sender; comes back with the answer
  uint32_t posted = kNone;  // what fences wait for, likewise
  uint16_t sm = 0;          // sender
  uint16_t to = 0;          // SM; of an answer. Of others the network finds it by the rank
  uint8_t slot = 0;         // of the block: the sender's; then: the receiver's
  uint8_t rank = 0;         // of the receiving block in its cluster
  Kind kind = Kind::kRead;
  uint8_t sectors = 0;
  uint16_t parts = kPacket;           // of packets, see kPacket
  uint16_t answer_parts = 0;          // what comes back
  uint16_t passes = 0;                // over the receiver's shared memory
  isa::MbarrierOp mbarrier;           // behind a write, or alone
  isa::BulkOp bulk;                   // of kBulk
  memory::Payload* values = nullptr;  // of programs that compute; the sender's,
  uint32_t payload = 0;               // and its handle there

  // Only programs whose shared memory the machine changes have values; they are not saved.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.check(values == nullptr, "values between SMs cannot be saved");
    ar(time, port, line, cluster, id, posted, sm, to, slot, rank, kind, sectors, parts, answer_parts, passes,
       mbarrier, bulk);
  }
};

}  // namespace heddle::sm
