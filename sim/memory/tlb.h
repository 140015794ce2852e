// Address translation on the way from L1 to L2: a TLB per SM, one per GPC, one per device, and page walkers.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/time.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

// Fully associative, least recently used.
class TlbLevel {
 public:
  explicit TlbLevel(uint32_t entries) : capacity_(entries) {}
  // True when `page` was present (and is usable from `ready` on). Inserts it otherwise; the caller sets
  // *ready.
  bool look_up(uint64_t page, Ticks** ready);
  void clear() {
    entries_.clear();
    last_ = 0;
  }

 private:
  struct Entry {
    uint64_t page;
    uint64_t stamp;
    Ticks ready;
  };
  uint32_t capacity_;
  uint64_t clock_ = 0;
  size_t last_ = 0;
  std::vector<Entry> entries_;
};

class Tlb {
 public:
  Tlb(const config::GpuConfig& gpu, const std::vector<uint32_t>& gpc_of_sm, stats::CounterSet& counters);
  void reset();
  // When a request of `sm` for byte address `addr` that starts translation at `at` has its physical address.
  Ticks translate(uint32_t sm, uint64_t addr, Ticks at);

 private:
  const bool enabled_;
  const uint64_t page_bytes_, walk_bytes_;
  const Ticks l2_latency_, l3_latency_, walk_latency_;
  std::vector<uint32_t> gpc_of_sm_;
  std::vector<TlbLevel> l1_, l2_;
  TlbLevel l3_;
  std::vector<Server> walkers_;
  stats::CounterSet& counters_;
};

}  // namespace heddle::memory
