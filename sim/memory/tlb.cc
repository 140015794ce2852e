#include "sim/memory/tlb.h"

#include <algorithm>

namespace heddle::memory {

uint32_t TlbLevel::look_up(uint64_t page, bool* found) {
  ++clock_;
  *found = true;
  if (last_ < entries_.size() && entries_[last_].page == page) {
    entries_[last_].stamp = clock_;
    return static_cast<uint32_t>(last_);
  }
  size_t oldest = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].page == page) {
      entries_[i].stamp = clock_;
      last_ = i;
      return static_cast<uint32_t>(i);
    }
    if (entries_[i].stamp < entries_[oldest].stamp) {
      oldest = i;
    }
  }
  if (entries_.size() < capacity_) {
    oldest = entries_.size();
    entries_.push_back({});
  }
  entries_[oldest] = {.page = page, .stamp = clock_};
  last_ = oldest;
  *found = false;
  return static_cast<uint32_t>(oldest);
}

PageWalkers::PageWalkers(const spec::Tlb& tlb, stats::CounterSet& counters)
    : walk_latency_(to_ticks(tlb.walk_latency())),
      known_(tlb.l3_entries()),
      walkers_(tlb.walkers()),
      counters_(counters) {}

void PageWalkers::reset() {
  known_.clear();
  for (Server& w : walkers_) {
    w.reset();
  }
}

Ticks PageWalkers::walk(uint64_t region, Ticks at) {
  bool found = false;
  TlbLevel::Entry& e = known_.entry(known_.look_up(region, &found));
  if (!found) {
    ++counters_[stats::Counter::kTlbWalks];
    auto w = std::min_element(walkers_.begin(), walkers_.end(),
                              [](const Server& a, const Server& b) { return a.free_at() < b.free_at(); });
    e.ready = w->reserve(at, walk_latency_);
  }
  return std::max(at, e.ready);
}

GpcTlb::GpcTlb(const spec::Tlb& tlb, uint32_t sms, stats::CounterSet& counters)
    : enabled_(tlb.enabled()),
      page_bytes_(tlb.page_bytes()),
      walk_bytes_(tlb.walk_bytes()),
      l2_latency_(to_ticks(tlb.l2_latency())),
      l3_latency_(to_ticks(tlb.l3_latency())),
      l1_(sms, TlbLevel(tlb.l1_entries())),
      l2_(tlb.l2_entries()),
      counters_(counters) {}

void GpcTlb::reset() {
  for (TlbLevel& t : l1_) {
    t.clear();
  }
  l2_.clear();
  fills_.clear();
  waiting_.clear();
}

uint32_t GpcTlb::add_fill(const Fill& f) {
  fills_.push_back(f);
  return static_cast<uint32_t>(fills_.size());
}

void GpcTlb::wait(TlbLevel& level, uint32_t entry, uint32_t fill) {
  level.entry(entry).fill = fill;
  waiting_.push_back({&level, entry, fill});
}

GpcTlb::Translation GpcTlb::translate(uint32_t sm, uint64_t addr, Ticks at, Cycle sent) {
  if (!enabled_) {
    return {at, 0};
  }
  bool found = false;
  const uint32_t i1 = l1_[sm].look_up(addr / page_bytes_, &found);
  TlbLevel::Entry& e1 = l1_[sm].entry(i1);
  if (found) {
    return {std::max(at, e1.ready), e1.fill};
  }
  ++counters_[stats::Counter::kTlbL1Misses];
  const uint64_t region = addr / walk_bytes_;
  Ticks t = at + l2_latency_;
  const uint32_t i2 = l2_.look_up(region, &found);
  TlbLevel::Entry& e2 = l2_.entry(i2);
  if (found && e2.fill == 0) {
    e1.ready = std::max(t, e2.ready);
    return {e1.ready, 0};
  }
  uint32_t fill = 0;
  if (found) {
    fill = add_fill({.sent = sent, .at = t, .behind = e2.fill});
  } else {
    fill = add_fill({.sent = sent, .at = t + l3_latency_, .region = region});
    wait(l2_, i2, fill);
  }
  wait(l1_[sm], i1, fill);
  return {t, fill};
}

void GpcTlb::settle() {
  for (Fill& f : fills_) {
    if (f.behind != 0) {
      f.ready = std::max(f.at, fills_[f.behind - 1].ready);
    }
  }
  for (const Waiting& w : waiting_) {
    TlbLevel::Entry& e = w.level->entry(w.entry);
    if (e.fill == w.fill) {  // else another page has taken its place
      e.ready = fills_[w.fill - 1].ready;
      e.fill = 0;
    }
  }
  waiting_.clear();
}

}  // namespace heddle::memory
