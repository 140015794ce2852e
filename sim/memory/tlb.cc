#include "sim/memory/tlb.h"

#include <algorithm>

namespace heddle::memory {

bool TlbLevel::look_up(uint64_t page, Ticks** ready) {
  ++clock_;
  if (last_ < entries_.size() && entries_[last_].page == page) {
    entries_[last_].stamp = clock_;
    *ready = &entries_[last_].ready;
    return true;
  }
  size_t oldest = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].page == page) {
      entries_[i].stamp = clock_;
      last_ = i;
      *ready = &entries_[i].ready;
      return true;
    }
    if (entries_[i].stamp < entries_[oldest].stamp) {
      oldest = i;
    }
  }
  if (entries_.size() < capacity_) {
    oldest = entries_.size();
    entries_.push_back({});
  }
  entries_[oldest] = {page, clock_, 0};
  last_ = oldest;
  *ready = &entries_[oldest].ready;
  return false;
}

Tlb::Tlb(const config::GpuConfig& g, const std::vector<uint32_t>& gpc_of_sm, stats::CounterSet& counters)
    : enabled_(g.tlb().enabled()),
      page_bytes_(g.tlb().page_bytes()),
      walk_bytes_(g.tlb().walk_bytes()),
      l2_latency_(to_ticks(g.tlb().l2_latency())),
      l3_latency_(to_ticks(g.tlb().l3_latency())),
      walk_latency_(to_ticks(g.tlb().walk_latency())),
      gpc_of_sm_(gpc_of_sm),
      l1_(gpc_of_sm.size(), TlbLevel(g.tlb().l1_entries())),
      l2_(1 + *std::max_element(gpc_of_sm.begin(), gpc_of_sm.end()), TlbLevel(g.tlb().l2_entries())),
      l3_(g.tlb().l3_entries()),
      walkers_(g.tlb().walkers()),
      counters_(counters) {}

void Tlb::reset() {
  for (TlbLevel& t : l1_) {
    t.clear();
  }
  for (TlbLevel& t : l2_) {
    t.clear();
  }
  l3_.clear();
  for (Server& w : walkers_) {
    w.reset();
  }
}

Ticks Tlb::translate(uint32_t sm, uint64_t addr, Ticks at) {
  if (!enabled_) {
    return at;
  }
  uint64_t page = addr / page_bytes_;
  Ticks* r1 = nullptr;
  if (l1_[sm].look_up(page, &r1)) {
    return std::max(at, *r1);
  }
  ++counters_[stats::Counter::kTlbL1Misses];
  Ticks* r2 = nullptr;
  uint64_t region = addr / walk_bytes_;
  Ticks t = at + l2_latency_;
  if (l2_[gpc_of_sm_[sm]].look_up(region, &r2)) {
    return *r1 = std::max(t, *r2);
  }
  Ticks* r3 = nullptr;
  t += l3_latency_;
  if (!l3_.look_up(region, &r3)) {
    ++counters_[stats::Counter::kTlbWalks];
    auto w = std::min_element(walkers_.begin(), walkers_.end(),
                              [](const Server& a, const Server& b) { return a.free_at() < b.free_at(); });
    *r3 = w->reserve(t, walk_latency_);
  }
  return *r1 = *r2 = std::max(t, *r3);
}

}  // namespace heddle::memory
