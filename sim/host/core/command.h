// A piece of work given to a device: a node of the graph of dependences that everything is ordered by.
// Whatever orders work (streams, events, the legacy stream, graphs) only adds edges between commands:
// sim/host/ordering.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/program/program.h"
#include "sim/host/program/time.h"

namespace heddle::host {

enum class Work : uint8_t {
  kKernel,
  kCopy,      // by an engine: over a link, inside the device, or filling memory
  kRecord,    // an event's completion
  kWait,      // for an event
  kHostFunc,  // a function of the program on the host
  kBarrier,   // nothing, in its place in the order
  kGraphStart,
  kGraphEnd,
  kConditional,
  kBodyEnd,   // of a conditional node's body
  kMemAlloc,  // of a graph: the lifetime of the buffer `object` begins, ends
  kMemFree,
  kMigrate,   // pages of unified memory, for the command `object` or the host
  kPrefetch,  // of the buffer `object`: cudaMemPrefetchAsync
  kFaults,    // a batch of a kernel's, served by the driver
};

// A reference that outlives its command: when the slot has another number, the command is finished.
struct CommandRef {
  uint32_t slot = kNone;
  uint64_t number = 0;
};

// The kind of copy decides the engine and the path.
enum class Path : uint8_t {
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeer,
  kPeerStaged,
  kMemset,
  kHostToHost,
  // a kernel's loads and stores, by no engine (kernel_traffic.h)
  kMappedRead,
  kMappedWrite,
  kPeerRead,
  kPeerWrite
};

// Who does a command; kernels do memsets and copies inside the device.
enum class EngineKind : uint8_t { kNone, kKernels, kToDevice, kFromDevice };
constexpr EngineKind engine_of(Work work, Path path, uint64_t bytes, uint64_t inline_bytes) {
  if (work == Work::kKernel || work == Work::kGraphStart || work == Work::kGraphEnd) {
    return EngineKind::kKernels;
  }
  if (work != Work::kCopy || path == Path::kPeer) {
    return EngineKind::kNone;
  }
  return path == Path::kHostToDevice   ? (bytes > inline_bytes ? EngineKind::kToDevice : EngineKind::kKernels)
         : path == Path::kDeviceToHost ? EngineKind::kFromDevice
                                       : EngineKind::kKernels;
}
constexpr bool other_engine(EngineKind a, EngineKind b) {
  return a != b && a != EngineKind::kNone && b != EngineKind::kNone;
}

struct Command {
  uint64_t number = 0;  // 0: slot is free
  Work work = Work::kBarrier;
  Path path = Path::kDeviceToDevice;
  bool in_queue = false;
  bool withheld = false;  // made by a call, but not given to the device yet (Rules::lazy_start)
  bool failed = false;
  bool with_command = false;  // a copy whose data came with it, see Staging.inline_bytes
  bool write_combined = false;
  bool is_child = false;  // a kernel that a kernel has launched
  bool in_turn = false;   // a graph's front end has seen it
  uint32_t device = 0;
  uint32_t peer = 0;  // kPeer: the destination
  uint32_t stream = 0;
  uint32_t queue = kNone;
  uint32_t next_in_queue = kNone;
  uint32_t object = kNone;  // kernel, event, run of a graph
  uint32_t run = kNone;     // of the graph that it is a node of
  uint32_t node = 0;        // which
  uint32_t unmet = 0;       // dependences that are not finished
  uint32_t first_edge = kNone;
  uint32_t first_trigger_edge = kNone;  // programmatic launches that wait for this kernel's trigger
  uint32_t primaries = 0;               // kernels before this one that it may run beside, not finished
  bool ended = false;                   // its own work; it is finished when those are
  uint32_t cluster = 0;                 // blocks, by the launch; 0: as the kernel has it
  uint32_t nested = kNone;              // a kernel that launches others or is launched by one (nested.h)
  uint32_t grid = kNone;                // a kernel that the distributor has admitted
  uint32_t window = kNone;              // of a kernel: Program::windows
  uint32_t name = 0;
  uint32_t correlation = 0;  // the call that it comes from (SpanOrigin)
  uint32_t step = kNone;     // what has let it go on last (steps.h)
  int32_t priority = 0;
  uint64_t bytes = 0;
  uint64_t rows = 1;     // of a kernel's traffic: packets
  uint64_t partial = 0;  // of these, that fill no sector
  double limit = 0;      // bytes per picosecond; 0: as the link has it
  double under_way = 0;  // bytes of a kernel's traffic at any time, see Params::access
  double queued = 0;     // of its stores, where the link holds them up
  uint8_t domain = 0;    // of a kernel and its traffic (sync_domain.h)
  bool stores = false;   // a kernel that stores over a link
  bool flushed = false;  // a kernel's end has waited for what its domain has under way
  bool beside = false;   // a kernel with traffic beside it
  bool ended_beside = false;
  Ps duration{};  // of a kernel: 0 is as the kernel has it
  Ps ready{};     // not before: arrival at the device, dependences with their latencies
  Ps start{};
  Ps triggered_at = kNever;                 // by all blocks, when that is known
  Ps all_started_at = kNever;               // all blocks
  uint32_t first_access = 0, accesses = 0;  // of a kernel: the launch's own (Call)
  uint64_t offset = 0;                      // kPrefetch: into the buffer `object`
  uint32_t to = kNone;                      // kPrefetch: the device; kNone: the host
  uint64_t values = 0;                      // Call::values
};

// An edge leads to a command or to a host thread that waits. Those to a kernel's secondaries: kPrimary says
// that the kernel is finished, the two of the other list that it has come to the point of that port.
struct Edge {
  enum class Kind : uint8_t { kCommand, kThread, kPrimary, kProgrammatic, kLaunchCompletion };
  uint32_t target;
  uint32_t next;
  Ps latency;
  Kind kind;
};

class CommandPool {
 public:
  uint32_t add() {
    uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<uint32_t>(commands_.size());
      commands_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
      commands_[slot] = Command();
    }
    commands_[slot].number = ++numbers_;
    commands_[slot].correlation = correlation;
    ++live_;
    return slot;
  }
  void release(uint32_t slot) {
    --live_;
    commands_[slot].number = 0;
    free_.push_back(slot);
  }
  Command& operator[](uint32_t slot) { return commands_[slot]; }
  const Command& operator[](uint32_t slot) const { return commands_[slot]; }
  CommandRef ref(uint32_t slot) const { return {slot, commands_[slot].number}; }
  bool unfinished(CommandRef r) const { return r.slot != kNone && commands_[r.slot].number == r.number; }

  void add_edge(uint32_t from, uint32_t target, Ps latency, bool to_thread) {
    add_edge(commands_[from].first_edge, target, latency,
             to_thread ? Edge::Kind::kThread : Edge::Kind::kCommand);
  }
  // `first` is the list's.
  void add_edge(uint32_t& first, uint32_t target, Ps latency, Edge::Kind kind) {
    uint32_t e;
    if (free_edge_ == kNone) {
      e = static_cast<uint32_t>(edges_.size());
      edges_.emplace_back();
    } else {
      e = free_edge_;
      free_edge_ = edges_[e].next;
    }
    edges_[e] = {target, first, latency, kind};
    first = e;
  }
  Edge edge(uint32_t e) const { return edges_[e]; }
  void release_edge(uint32_t e) {
    edges_[e].next = free_edge_;
    free_edge_ = e;
  }

  uint32_t correlation = 0;  // of what is made now

  uint64_t added() const { return numbers_; }
  uint64_t live() const { return live_; }
  uint32_t slots() const { return static_cast<uint32_t>(commands_.size()); }

 private:
  std::vector<Command> commands_;
  std::vector<uint32_t> free_;
  std::vector<Edge> edges_;
  uint32_t free_edge_ = kNone;
  uint64_t numbers_ = 0;
  uint64_t live_ = 0;
};

}  // namespace heddle::host
