#include "sim/memory/memory_system.h"

#include <algorithm>
#include <bit>

namespace heddle::memory {

MemorySystem::MemorySystem(const config::GpuConfig& g)
    : noc_(g),
      tlb_(g, noc_.gpc_of_sm(), counters_),
      merger_(g.topology().sms() / g.topology().sms_per_tpc(), g.noc().merge_entries()),
      l2_(g, counters_),
      sms_per_tpc_(g.topology().sms_per_tpc()) {
  uint32_t gpcs = static_cast<uint32_t>(g.topology().tpcs_per_gpc_size());
  for (uint32_t gpc : noc_.gpc_of_sm()) {
    partition_of_sm_.push_back(gpc * l2_.partitions() / gpcs);
  }
}

void MemorySystem::reset() {
  counters_ = {};
  last_performed_ = 0;
  noc_.reset();
  tlb_.reset();
  merger_.reset();
  l2_.reset();
}

void MemorySystem::process(const std::vector<Request>& requests,
                           std::vector<std::vector<Response>>& responses) {
  for (const Request& r : requests) {
    uint32_t payload = r.kind == RequestKind::kRead ? 0 : std::popcount(r.sectors) * kSectorBytes;
    Ticks at = tlb_.translate(r.sm, r.line * kLineBytes, to_ticks(r.time));
    uint32_t tpc = r.sm / sms_per_tpc_;
    bool read = r.kind == RequestKind::kRead;
    Ticks done = read ? merger_.find(tpc, r.line, r.sectors, at) : 0;
    if (!done) {
      done = l2_.serve(r, partition_of_sm_[r.sm], noc_.request(r.sm, payload, at));
      if (read) {
        merger_.add(tpc, r.line, r.sectors, done);
      }
    }
    bool returns_data = r.kind == RequestKind::kRead || r.kind == RequestKind::kAtomic;
    payload = returns_data ? std::popcount(r.sectors) * kSectorBytes : 0;
    Ticks back = returns_data ? noc_.response(r.sm, payload, done) : done + to_ticks(noc_.response_latency());
    Cycle answered = to_cycles_up(back);
    last_performed_ = std::max(last_performed_, to_cycles_up(done));
    responses[r.sm].push_back({answered, r.id, r.sectors});
  }
}

}  // namespace heddle::memory
