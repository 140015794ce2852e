// The memory of one device: physical bytes, virtual addresses, and cudaMalloc's heap on both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/base/align.h"
#include "sim/host/core/params.h"

namespace heddle::host {

// Free pieces of address space: best fit, the lowest of equals; neighbours are joined.
class FreeRanges {
 public:
  // Neighbours outside from `low` to `high` stay apart.
  void add(uint64_t address, uint64_t bytes, uint64_t low = 0, uint64_t high = UINT64_MAX);
  std::optional<uint64_t> take(uint64_t bytes);
  bool fits(uint64_t bytes) const { return by_size_.lower_bound({bytes, 0}) != by_size_.end(); }
  // Takes this range out; it must be free.
  void remove(uint64_t address, uint64_t bytes);

 private:
  void insert(uint64_t address, uint64_t bytes);
  void erase(std::map<uint64_t, uint64_t>::iterator it);
  std::map<uint64_t, uint64_t> by_address_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
};

class DeviceMemory {
 public:
  // Devices have address ranges of their own: one address space for all (HM13). 47 bits (B6).
  DeviceMemory(const Params& p, uint32_t device);
  // The host's pinned memory, which is cut from chunks in the same way; there is as much as anybody asks for.
  static DeviceMemory pinned(const Params& p);

  // ---- physical memory, in multiples of the granularity
  bool take(uint64_t bytes);
  void give(uint64_t bytes) { used_ -= bytes; }
  uint64_t free_bytes() const { return total_ - used_; }
  uint64_t total_bytes() const { return total_; }
  uint64_t context_bytes() const { return context_; }
  uint64_t peak_bytes() const { return peak_; }

  // ---- addresses
  std::optional<uint64_t> reserve(uint64_t bytes) { return addresses_.take(bytes); }
  void unreserve(uint64_t address, uint64_t bytes) { addresses_.add(address, bytes); }

  // ---- cudaMalloc: pieces of chunks; a chunk goes back when its last piece is freed
  std::optional<uint64_t> allocate(uint64_t bytes);
  void release(uint64_t address);
  // A chunk that is there has room for it; the piece is the only one of its chunk.
  bool fits(uint64_t bytes) const;
  bool alone(uint64_t address) const;

 private:
  struct Chunk {
    uint64_t bytes = 0, used = 0;
  };
  uint64_t total_, context_, used_, peak_, granularity_, alignment_;
  FreeRanges addresses_;
  std::map<uint64_t, Chunk> chunks_;
  FreeRanges holes_;                        // of chunks
  std::map<uint64_t, uint64_t> allocated_;  // bytes by address
};

}  // namespace heddle::host
