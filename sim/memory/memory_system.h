// Everything behind the SMs: NoC, TLBs, L2, DRAM. Works on whole quanta: it gets the requests of all SMs in a
// fixed order and returns when each is answered.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/memory/l2.h"
#include "sim/memory/message.h"
#include "sim/memory/noc.h"
#include "sim/memory/request_merger.h"
#include "sim/memory/tlb.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class MemorySystem {
 public:
  explicit MemorySystem(const config::GpuConfig& gpu);

  // Cold caches, idle queues, zero counters.
  void reset();

  // Serves `requests`, sorted by (time, sm, order of sending), and appends each answer to responses[sm].
  void process(const std::vector<Request>& requests, std::vector<std::vector<Response>>& responses);

  // Core cycle at which the newest request had been performed at L2.
  Cycle last_performed() const { return last_performed_; }
  const stats::CounterSet& counters() const { return counters_; }
  const Noc& noc() const { return noc_; }

 private:
  stats::CounterSet counters_;
  Noc noc_;
  Tlb tlb_;
  RequestMerger merger_;
  L2 l2_;
  const uint32_t sms_per_tpc_;
  std::vector<uint32_t> partition_of_sm_;
  Cycle last_performed_ = 0;
};

}  // namespace heddle::memory
