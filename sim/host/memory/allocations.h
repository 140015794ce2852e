// What memory a program has: of each buffer where it is and in what state, and the devices' memories and
// pools.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/host/core/result.h"
#include "sim/host/memory/device_memory.h"
#include "sim/host/memory/pools.h"
#include "sim/host/program/program.h"

namespace heddle::host {

class Allocations {
 public:
  // Buffers that are there from the start take their memory now. Throws heddle::Error when a device has not
  // so much.
  Allocations(const Program& p, const Params& n);

  // The program has more pools and buffers than before.
  void grow(const Program& p);

  enum class State : uint8_t { kNever, kAllocated, kFreed };
  struct Buffer {
    State state = State::kNever;
    uint32_t pool = kNone;  // of kMallocAsync
    uint64_t address = 0;   // of device memory
  };
  Buffer& buffer(uint32_t b) { return buffers_[b]; }
  // Addresses are mapped: a copy does not fail. Memory of pools stays mapped after its free.
  bool mapped(uint32_t b) const {
    return buffers_[b].state == State::kAllocated || buffers_[b].pool != kNone;
  }

  DeviceMemory& device(uint32_t d) { return devices_[d]; }
  // The program's pools; kNone: the device's default pool.
  uint32_t pool_number(uint32_t pool, uint32_t device) const {
    return pool == kNone ? device : static_cast<uint32_t>(devices_.size()) + pool;
  }
  Pool& pool(uint32_t number) { return pools_[number]; }

  // Pinned memory of a buffer on an integrated device is the device's (HM12); elsewhere it is not counted.
  // False: not so much is left.
  bool take_pinned(const BufferDesc& b);
  void give_pinned(const BufferDesc& b);
  // Whether the call cuts the buffer's memory, of a device or pinned, from a chunk that is there; whether
  // others have pieces of its chunk, which its free leaves there.
  bool cuts(uint32_t buffer) const;
  bool leaves_chunk(uint32_t buffer) const;
  // Pinned memory by a call.
  void cut_pinned(uint32_t buffer);
  void release_pinned(uint32_t buffer);

  // After a host thread has synchronised: pools give back what is above their thresholds (SO04, SO11). How
  // many chunks.
  uint32_t trim_pools(const Clocks& clocks);
  void count(Result& result) const;

 private:
  bool in_device_memory(const BufferDesc& b) const;

  const Params& params_;
  bool integrated_;
  const Program& program_;
  std::vector<DeviceMemory> devices_;
  DeviceMemory pinned_;
  std::map<uint32_t, uint64_t> pinned_at_;  // by buffer, of those that a call made
  std::vector<Pool> pools_;                 // the devices' default pools, then the program's
  std::vector<Buffer> buffers_;
};

}  // namespace heddle::host
