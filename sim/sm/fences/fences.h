// What a warp has in flight: fences that wait for all of it, and groups of asynchronous copies (LDGSTS,
// LDGDEPBAR) that complete in order.
#pragma once

#include <cstdint>

#include "sim/engine/time.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class Fences final : public Unit {
 public:
  explicit Fences(SmState& sm) : sm_(sm) {}

  void reset(Cycle) override {}
  // MEMBAR, LDGDEPBAR.
  Cycle start(const Issued& i) override;
  void event(const UnitEvent& e, Cycle now) override {
    if (e.kind == UnitEvent::Kind::kMemoryDone) {
      memory_done(e.warp, now);
    } else {
      copy_done(e.warp, e.small, now);
    }
  }

  // A memory instruction of `warp` no longer needs it.
  void memory_done(uint32_t warp, Cycle now) {
    Warp& w = sm_.warp(warp);
    if (--w.loads == 0) {
      if (w.draining) {
        sm_.retire_if_drained(warp, now);
      } else if (w.held) {
        end_fence(warp, now, now + 1);
      }
    }
  }
  void memory_done_at(Cycle at, uint32_t warp, Cycle now) {
    if (at <= now) {
      memory_done(warp, now);
    } else {
      sm_.schedule(at, {UnitEvent::Kind::kMemoryDone, static_cast<uint8_t>(warp)});
    }
  }
  // A store packet of the warp of that age in that place is acknowledged; the warp may have gone.
  void store_done(uint32_t warp, uint64_t age, Cycle now);
  // An LDGSTS issues; it belongs to the open group.
  void copy_started(uint32_t warp) {
    GroupRing& g = sm_.warp(warp).copies;
    ++g.open[g.tail % kGroupRing];
  }
  // It will be complete at `at`.
  void copy_done_at(Cycle at, uint32_t warp, uint8_t group) {
    sm_.schedule(at, {UnitEvent::Kind::kCopyDone, static_cast<uint8_t>(warp), group});
  }

 private:
  Cycle start_fence(const Issued& i);
  void end_fence(uint32_t warp, Cycle now, Cycle earliest);
  void close_group(const Issued& i);
  void copy_done(uint32_t warp, uint32_t group, Cycle now);
  void pop_groups(uint32_t warp, Cycle now);

  SmState& sm_;
};

}  // namespace heddle::sm
