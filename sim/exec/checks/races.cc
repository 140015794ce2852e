#include "sim/exec/checks/races.h"

#include <algorithm>
#include <utility>

namespace heddle::exec {
namespace {

constexpr uint64_t kWordBytes = 4;

}  // namespace

Races::Races(uint32_t warps, uint32_t bytes, bool alone)
    : warps_(warps),
      alone_(alone),
      clocks_(warps, Clock(warps)),
      taken_(warps),
      words_((bytes + kWordBytes - 1) / kWordBytes) {
  for (uint32_t w = 0; w < warps; ++w) {
    clocks_[w][w] = 1;
  }
}

void Races::join(Clock& to, const Clock& from) const {
  if (from.empty()) {
    return;
  }
  to.resize(warps_);
  for (uint32_t w = 0; w < warps_; ++w) {
    to[w] = std::max(to[w], from[w]);
  }
}

// What the warp does from now on is not part of it.
void Races::release(Clock& to, uint32_t warp) {
  join(to, clocks_[warp]);
  ++clocks_[warp][warp];
}

bool Races::conflict(const Use& a, const Use& b) {
  const bool both_strong = a.strong && b.strong, looks_for = a.polls || b.polls;
  return (a.stores || b.stores) && !both_strong && !looks_for;
}

// Whatever races with the earlier one and not before the later one races with the later one, too.
bool Races::stands_for(const Use& later, const Use& earlier) {
  return !later.polls && (later.stores || !earlier.stores) && (!later.strong || earlier.strong);
}

std::optional<Races::Other> Races::access(uint32_t warp, const Use& use, uint64_t offset, uint64_t bytes) {
  for (uint64_t w = offset / kWordBytes; w * kWordBytes < offset + bytes; ++w) {
    const uint64_t begin = std::max(offset, w * kWordBytes) % kWordBytes;
    const uint64_t end = std::min(offset + bytes, (w + 1) * kWordBytes) - w * kWordBytes;
    const auto part = static_cast<uint8_t>((1U << end) - (1U << begin));
    std::vector<Entry>& entries = words_[w];
    for (const Entry& e : entries) {
      if (before(e, warp) || (e.bytes & part) == 0) {
        continue;
      }
      if (conflict(use, e.use)) {
        return Other{e.warp, e.use};
      }
      if (use.polls && e.use.stores) {
        release(clocks_[warp], e.warp);
      }
    }
    std::erase_if(entries, [&](const Entry& e) {
      return before(e, warp) && (e.bytes & ~part) == 0 && stands_for(use, e.use);
    });
    if (!use.polls) {
      entries.push_back({warp, clocks_[warp][warp], use, part});
    }
  }
  return std::nullopt;
}

void Races::order_shared(uint32_t warp, const Use& use, uint64_t offset, uint64_t bytes) {
  for (uint64_t w = offset / kWordBytes; w * kWordBytes < offset + bytes; ++w) {
    Clock& clock = shared_[w];
    if (use.loads) {
      join(clocks_[warp], clock);
    }
    if (use.stores) {
      release(clock, warp);
    }
  }
}

void Races::order_global(uint32_t warp, const Use& use, uint64_t address, uint64_t bytes,
                         std::optional<uint64_t> loaded) {
  for (uint64_t w = address / kWordBytes; w * kWordBytes < address + bytes; ++w) {
    const auto [found, first] = global_.try_emplace(w);
    Global& g = found->second;
    if (use.loads) {
      const uint64_t shift = (w * kWordBytes - std::min(address, w * kWordBytes)) * 8;
      const auto value = static_cast<uint32_t>(loaded.value_or(0) >> shift);
      // Memory that nobody has stored in is usually 0.
      const bool own = loaded && (first ? value == 0 : g.known && value == g.value);
      join(clocks_[warp], own || alone_ ? g.clock : all_global_);
      g.value = value;
      g.known = true;
    }
    if (use.stores) {
      g.known = false;
      join(all_global_, clocks_[warp]);
      release(g.clock, warp);
    }
  }
}

void Races::arrive(uint32_t number, uint32_t warp) { release(arrived_[number], warp); }

void Races::complete(uint32_t number, bool all) {
  passed_[number] = std::exchange(arrived_[number], {});
  if (all) {
    join(passed_[number], ended_);
  }
}

void Races::pass(uint32_t number, uint32_t warp) { join(clocks_[warp], passed_[number]); }

void Races::arrive_at_cluster(uint32_t warp) { release(at_cluster_, warp); }

void Races::complete_cluster() {
  passed_cluster_ = at_cluster_;
  join(passed_cluster_, ended_);
}

void Races::pass_cluster(uint32_t warp) { join(clocks_[warp], passed_cluster_); }

void Races::turn(Object& o, bool parity) const {
  if (o.parity != parity) {
    join(o.complete, std::exchange(o.arrived, {}));
    o.parity = parity;
  }
}

void Races::arrive_at_object(uint64_t offset, uint32_t warp, bool parity) {
  Object& o = objects_[offset];
  release(o.arrived, warp);
  turn(o, parity);
}

void Races::wait_for_object(uint64_t offset, uint32_t warp, bool parity, bool complete) {
  Object& o = objects_[offset];
  turn(o, parity);
  if (complete) {
    join(clocks_[warp], o.complete);
    join(clocks_[warp], elsewhere_);
  }
}

void Races::arrive_elsewhere(uint32_t warp) { release(elsewhere_, warp); }

void Races::end(uint32_t warp) { release(ended_, warp); }

}  // namespace heddle::exec
