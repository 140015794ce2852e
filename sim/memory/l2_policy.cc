// The L2 under an L2Policy: who is replaced, and what lines are.
#include <utility>

#include "sim/memory/l2.h"
#include "sim/memory/l2_flags.h"

namespace heddle::memory {
namespace {

bool persists(const CacheLine& l) { return (l.flags & kPersisting) != 0; }
bool streams(const CacheLine& l) { return (l.flags & kStreaming) != 0; }
bool others(const CacheLine& l) { return !persists(l); }

}  // namespace

// Ways of a set that are set aside: a fraction is spread over the sets.
uint32_t L2::set_aside_ways(uint32_t set) const {
  const uint64_t lines = policy_.set_aside_bytes * slices_[0].tags.ways() * map_.sets() / total_bytes_;
  return static_cast<uint32_t>(lines * (set + 1) / map_.sets() - lines * set / map_.sets());
}

void L2::set_policy(const L2Policy& policy) {
  policy_ = policy;
  max_dirty_lines_ = full_dirty_lines_;
  dram_.set_write_batch(0);
  const uint64_t full = config_.dirty_full_aside_bytes(), none = config_.dirty_none_aside_bytes();
  const uint64_t aside = policy.set_aside_bytes;
  if (aside <= full || none <= full) {
    return;
  }
  const uint64_t left = aside < none ? full_dirty_lines_ * (none - aside) / (none - full) : 0;
  max_dirty_lines_ = static_cast<uint32_t>(left);
  dram_.set_write_batch(left * config_.line_bytes() * config_.slices() > config_.scarce_dirty_bytes()
                            ? config_.lowered_write_batch()
                            : config_.scarce_write_batch());
}

// Persisting lines have the set-aside to themselves (L204). When it is full, a further one takes the place of
// the oldest of them (L213) or, with l2.set_aside_replacement KEEP, goes where the others are. These have all
// that persisting lines do not take: what is set aside is theirs to read from until then (FINDINGS.md 20).
// Streaming lines leave first (L215).
CacheLine& L2::victim_under_policy(Slice& s, const Home& home, AccessProperty property) {
  const uint32_t aside = set_aside_ways(home.set);
  const uint32_t persisting = s.tags.count(home.set, persists);
  CacheLine* v = nullptr;
  if (property == AccessProperty::kPersisting) {
    if (persisting < aside) {
      v = s.tags.free(home.set);
      v = v ? v : s.tags.oldest(home.set, streams);
      v = v ? v : s.tags.oldest(home.set, others);
    } else if (!keeps_persisting_ && aside > 0) {
      v = s.tags.oldest(home.set, persists);
    }
    if (v) {
      return *v;
    }
  }
  v = s.tags.free(home.set);
  v = v ? v : s.tags.oldest(home.set, streams);
  v = v ? v : s.tags.oldest(home.set, others);
  // Only persisting lines: of an earlier, larger set-aside, or all ways are set aside.
  return v ? *v : s.tags.least_recent(home.set);
}

void L2::touch(CacheLine& l, const Home& home, uint32_t partition, const Request& r) {
  Slice& s = slice(partition, home.slice);
  const AccessProperty p = property(r);
  if (p == AccessProperty::kNone) {
    return;
  }
  if (p == AccessProperty::kPersisting) {
    if (persists(l) || partition != home.partition) {
      return;
    }
    if (s.tags.count(home.set, persists) >= set_aside_ways(home.set)) {
      CacheLine* oldest = keeps_persisting_ ? nullptr : s.tags.oldest(home.set, persists);
      if (!oldest) {
        return;
      }
      oldest->flags &= static_cast<uint8_t>(~kPersisting);
      --s.persisting;
      s.dirty += oldest->dirty != 0;
    }
    l.flags = static_cast<uint8_t>((l.flags & ~kStreaming) | kPersisting);
    ++s.persisting;
    s.dirty -= l.dirty != 0;
    return;
  }
  s.persisting -= persists(l);
  s.dirty += persists(l) && l.dirty != 0;
  l.flags &= static_cast<uint8_t>(~(kPersisting | kStreaming));
  if (p == AccessProperty::kStreaming) {
    l.flags |= kStreaming;
  }
}

uint32_t L2::next_launch(Ticks origin) {
  uint32_t used = 0;
  dram_.reset(origin);
  for (Slice& s : slices_) {
    s.port.reset(origin);
    s.fills.reset(origin);
    s.atomics.reset(origin);
    if (std::exchange(s.settled, s.tags.clock()) == s.tags.clock()) {
      continue;
    }
    ++used;
    s.tags.for_each_live([](CacheLine& l) {
      l.ready = {};
      if (l.flags & kReplica) {
        l.aux = 0;
      }
    });
  }
  forget_transfers();
  filling_.clear();
  return used;
}

void L2::reset_persisting() {
  for (Slice& s : slices_) {
    s.tags.for_each_live([&](CacheLine& l) {
      s.dirty += persists(l) && l.dirty != 0;
      l.flags &= static_cast<uint8_t>(~kPersisting);
    });
    s.persisting = 0;
  }
}

uint64_t L2::persisting_lines() {
  uint64_t n = 0;
  for (const Slice& s : slices_) {
    n += s.persisting;
  }
  return n;
}

}  // namespace heddle::memory
