#include "sim/exec/checks/sync_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace heddle::exec {
namespace {

template <class F>
void for_lanes(uint32_t lanes, F f) {
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    f(static_cast<uint32_t>(std::countr_zero(m)));
  }
}

bool reduces(BarrierKind kind) { return kind != BarrierKind::kSync && kind != BarrierKind::kArrive; }

std::string of_threads(uint32_t threads) {
  return threads == 0 ? "all threads" : fmt::format("{} threads", threads);
}

}  // namespace

SyncRules::SyncRules(const Code& code, uint32_t threads)
    : code_(code), flow_(code), all_threads_((threads + kLanes - 1) / kLanes * kLanes) {
  for (uint32_t first = 0; first < threads; first += kLanes) {
    const uint32_t lanes = std::min(kLanes, threads - first);
    warps_.emplace_back().lanes = lanes == kLanes ? ~0U : (1U << lanes) - 1;
  }
}

void SyncRules::part(uint32_t warp, uint32_t lanes, uint32_t pc, uint32_t left) {
  for_lanes(lanes, [&](uint32_t lane) { warps_[warp].lane[lane] = {pc, (left >> lane & 1) != 0, {}}; });
}

void SyncRules::access(uint32_t warp, uint32_t lanes, Where at) {
  for_lanes(lanes, [&](uint32_t lane) { warps_[warp].lane[lane].did = at; });
}

SyncRules::Missing SyncRules::missing_lanes(uint32_t warp, uint32_t here, Where barrier) {
  const Warp& w = warps_[warp];
  const Lane& other = w.lane[static_cast<uint32_t>(std::countr_zero(here))];
  Missing out;
  for_lanes(w.lanes & ~here, [&](uint32_t lane) {
    const Lane& l = w.lane[lane];
    // Who has done it behind the same branch as those who are here may have done it before the barrier.
    const bool apart = l.parted == other.parted && other.did.pc == kNoPc;
    const bool left = l.left_loop && flow_.in_loop(l.parted, barrier.pc);
    const bool behind = l.did.pc != kNoPc && l.did.base == barrier.base &&
                        flow_.always_follows(l.did.pc, barrier.pc) &&
                        (apart || !flow_.reaches(l.did.pc, barrier.pc));
    if (left || behind) {
      out.at = left ? l.parted : l.did.pc;
      out.left_loop = left;
      out.lanes |= 1U << lane;
    }
  });
  return out;
}

std::string SyncRules::arrive(uint32_t number, uint32_t warp, uint32_t pc, uint32_t threads,
                              BarrierKind kind) {
  Phase& p = phases_[number];
  if (!p.any) {
    p = {true, threads, pc, warp, kind};
    return "";
  }
  const auto count = [&](uint32_t n) { return n == 0 ? all_threads_ : n; };
  if (count(threads) != count(p.threads)) {
    return fmt::format("barrier {} for {}, and warp {} came to it at {} for {} (legal: the same number)",
                       number, of_threads(threads), p.warp, code_.place(p.pc), of_threads(p.threads));
  }
  if (kind != p.kind && (reduces(kind) || reduces(p.kind))) {
    return fmt::format(
        "barrier {} with a reduction and without it, or with another: warp {} came to it at {} (legal: the "
        "same)",
        number, p.warp, code_.place(p.pc));
  }
  return "";
}

}  // namespace heddle::exec
