// Stream-ordered memory pools: cudaMallocAsync, cudaFreeAsync and what of a pool's memory may be used again
// for whom (SO01-SO11). The pool takes chunks from its device and hands out pieces of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/host/core/command.h"
#include "sim/host/memory/device_memory.h"
#include "sim/host/streams/clocks.h"

namespace heddle::host {

struct PoolStats {
  uint64_t reserved = 0, reserved_high = 0;  // taken from the device
  uint64_t used = 0, used_high = 0;          // in allocations
  uint64_t grown = 0, released = 0;          // chunks taken and given back: calls of the operating system
};

class Pool {
 public:
  Pool(const Params& p, DeviceMemory& memory, uint64_t max_bytes);

  // What cudaMemPoolSetAttribute sets.
  uint64_t release_threshold = 0;
  bool follow_events = true, opportunistic = true, internal_dependencies = true;
  // Devices that reach the pool's memory besides its own: cudaMemPoolSetAccess.
  std::set<uint32_t> access;

  struct Given {
    uint64_t address = 0;
    uint32_t grown = 0;               // chunks of the pool's unit that were needed
    std::optional<CommandRef> after;  // reuse by an internal dependency: the stream must wait for this (SO10)
  };
  // For a stream. Nothing: out of memory.
  std::optional<Given> allocate(uint64_t bytes, uint32_t stream, const Clocks& clocks,
                                const CommandPool& commands);
  // `done` ends when the stream has come to the free; `epoch` is its place in the stream's order.
  void free(uint64_t address, uint32_t stream, Epoch epoch, CommandRef done);
  // cudaFree: the program says that all is done.
  void free_now(uint64_t address);
  // Frees that the driver knows to be done let whole chunks go until `keep` bytes are left. How many of the
  // pool's unit.
  uint32_t trim(uint64_t keep, const Clocks& clocks);

  const DeviceMemory& memory() const { return memory_; }
  const PoolStats& stats() const { return stats_; }
  void reset_high();

 private:
  struct Block {
    uint64_t bytes = 0;
    bool used = false;
    bool freed = false;  // has been in use: the next three say when that ended
    uint32_t stream = 0;
    Epoch epoch;
    CommandRef done;
  };
  using Blocks = std::map<uint64_t, Block>;
  enum class Reuse : uint8_t { kNow, kEvent, kOpportunistic, kDependent };
  Reuse reuse(const Block& b, uint32_t stream, const Clocks& clocks, const CommandPool& commands) const;
  Given give(Blocks::iterator it, uint64_t bytes);
  bool grow(uint64_t bytes);
  uint64_t chunk_of(uint64_t address) const { return std::prev(chunks_.upper_bound(address))->first; }
  void join_free(const Clocks& clocks);

  DeviceMemory& memory_;
  uint64_t alignment_, chunk_bytes_, max_bytes_;
  PoolStats stats_;
  Blocks blocks_;                                 // all, by address
  std::set<std::pair<uint64_t, uint64_t>> free_;  // bytes, address
  std::map<uint64_t, uint64_t> chunks_;           // bytes by address
};

}  // namespace heddle::host
