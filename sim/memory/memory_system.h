// Everything behind the SMs: NoC, TLBs, L2, DRAM. Works on whole quanta: it gets the requests of all SMs in a
// fixed order and returns when each is answered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/memory/gpc_cache.h"
#include "sim/memory/l2.h"
#include "sim/memory/membars.h"
#include "sim/memory/message.h"
#include "sim/memory/noc.h"
#include "sim/memory/request_merger.h"
#include "sim/memory/tlb.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class MemorySystem {
 public:
  explicit MemorySystem(const config::GpuConfig& gpu);

  // Idle queues, zero counters, cold caches; but the L2 keeps what it has when `warm`.
  void reset(const L2Policy& policy = {}, bool warm = false);
  // cudaCtxResetPersistingL2Cache, between launches.
  void reset_persisting() { l2_.reset_persisting(); }
  uint64_t persisting_bytes() { return l2_.persisting_lines() * kLineBytes; }
  // A kernel with so much code is launched: the GPCs fetch its beginning. `grid` numbers the launches that
  // are on the machine together.
  void launch(uint8_t grid, uint64_t first_code_byte, uint64_t code_bytes, Cycle at);
  // It has ended.
  void finish() { membars_.count(counters_); }

  // Serves `requests`, sorted by (time, sm, order of sending), and appends each answer to responses[sm].
  void process(const std::vector<Request>& requests, std::vector<std::vector<Response>>& responses);
  // The same in two steps: what the requests do up to L2 and DRAM, one after the other; then the way back,
  // which the SMs of a GPC share with nobody else, so that GPCs may be done at the same time.
  void serve(const std::vector<Request>& requests);
  void respond(uint32_t gpc, const std::vector<Request>& requests,
               std::vector<std::vector<Response>>& responses);
  uint32_t gpcs() const { return gpcs_; }

  // Core cycle at which the newest request had been performed at L2; of launch `grid`, or, for reads, 0.
  Cycle last_performed(uint8_t grid = 0) const { return last_performed_[grid]; }
  const stats::CounterSet& counters() const { return counters_; }
  const Noc& noc() const { return noc_; }

 private:
  // `gpc` wants the unit with that line, not before `at`.
  void fetch(uint32_t gpc, uint64_t line, Ticks at);

  stats::CounterSet counters_;
  Noc noc_;
  Tlb tlb_;
  const std::vector<uint32_t> merge_group_;  // of each SM
  RequestMerger merger_;
  GpcCache gcc_;
  Membars membars_;
  L2 l2_;
  const uint32_t gpcs_, launch_prefetch_bytes_, code_beyond_bytes_, constant_bytes_;
  std::vector<uint32_t> partition_of_sm_;
  // Of the requests served last, by GPC: which, and when they leave L2.
  struct Served {
    uint32_t request;
    Ticks done;
  };
  std::vector<std::vector<Served>> served_;
  std::array<Cycle, 256> last_performed_{};  // by launch
};

}  // namespace heddle::memory
