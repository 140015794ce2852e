// What blocks do between their start and their end: trigger secondaries, wait for the kernels before, poll.
#include <algorithm>
#include <utility>

#include "sim/host/kernels/grids.h"

namespace heddle::host {

void Grids::end_block(uint32_t g, uint32_t sm, Ps from, Ps left) {
  add_end(g, sm, from + left + (sm == kNone ? Ps() : core_.params.block_retire));
}

void Grids::add_end(uint32_t g, uint32_t sm, Ps at) {
  ResidentGrid& grid = grids_[g];
  auto it = grid.ends.end();
  const auto first = grid.ends.begin() + static_cast<std::ptrdiff_t>(grid.first_end);
  while (it != first && (it - 1)->at > at) {
    --it;
  }
  grid.ends.insert(it, {at, sm});
  if (at < grid.next_event) {
    grid.next_event = at;
    core_.events.push(at, Happening::kBlockEnd, g, 0, device_);
  }
}

void Grids::run_block(uint32_t g, uint32_t sm, Ps begin) {
  ResidentGrid& grid = grids_[g];
  const KernelDesc& k = core_.program.kernels[grid.kernel];
  const bool beside = core_.commands[grid.slot].primaries > 0;
  if (beside && k.wait_after == kNever && grid.running == 1) {
    ++hazards_[grid.kernel];
  }
  const bool waits = beside && k.wait_after != kNever;
  if (k.trigger_after != kNever && (!waits || k.trigger_after <= k.wait_after)) {
    block_triggers(grid, begin + std::min(k.trigger_after, waits_for_flag(grid) ? kNever : grid.block_time));
  }
  if (waits) {
    grid.waiting.push_back({sm, begin + std::min(k.wait_after, grid.block_time)});
  } else if (grid.callers_left > 0) {
    --grid.callers_left;
    grid.callers.push_back({sm, begin + grid.block_time});
    core_.block_calls(grid.slot, static_cast<uint32_t>(grid.callers.size() - 1), begin, grid.block_time);
  } else if (waits_for_flag(grid) || at_barrier(grid)) {
    grid.held.push_back(sm);
  } else {
    end_block(g, sm, begin, grid.block_time);
  }
}

void Grids::calls_returned(uint32_t g, uint32_t block) {
  ResidentGrid& grid = grids_[g];
  const Caller c = grid.callers[block];
  if (waits_for_flag(grid)) {
    grid.held.push_back(c.sm);
  } else {
    end_block(g, c.sm, std::max(core_.now, c.end), Ps());
  }
}

void Grids::block_leaves(uint32_t g, uint32_t block) {
  Caller& c = grids_[g].callers[block];
  ++grids_[g].running;  // it still does
  leave(g, std::exchange(c.sm, kNone));
  hand_out();
}

void Grids::primaries_done(uint32_t slot) {
  const uint32_t g = core_.commands[slot].grid;
  if (g == kNone) {
    return;
  }
  ResidentGrid& grid = grids_[g];
  if (std::exchange(grid.behind_primaries, false)) {
    simulate(g);
    return;
  }
  const KernelDesc& k = core_.program.kernels[grid.kernel];
  for (const Waiting& w : grid.waiting) {
    const Ps on = std::max(core_.now, w.since);
    dependency_wait_ += on - w.since;
    if (k.trigger_after != kNever && k.trigger_after > k.wait_after) {
      block_triggers(grid, on + k.trigger_after - k.wait_after);
    }
    if (waits_for_flag(grid)) {
      grid.held.push_back(w.sm);
    } else {
      end_block(g, w.sm, on, grid.block_time - std::min(k.wait_after, grid.block_time));
    }
  }
  grid.waiting.clear();
}

// PD02: secondaries may start when the last block has triggered.
void Grids::block_triggers(ResidentGrid& grid, Ps at) {
  grid.triggered_at = std::max(grid.triggered_at, at);
  if (--grid.untriggered == 0) {
    Command& c = core_.commands[grid.slot];
    c.triggered_at = grid.triggered_at;
    if (c.first_trigger_edge != kNone) {
      core_.events.push(c.triggered_at, Happening::kTrigger, grid.slot,
                        static_cast<uint32_t>(Port::kProgrammatic), c.number);
    }
  }
}

bool Grids::at_barrier(const ResidentGrid& g) const {
  return core_.program.kernels[g.kernel].grid_barrier && !g.all_started;
}

void Grids::all_started(uint32_t g) {
  ResidentGrid& grid = grids_[g];
  if (at_barrier(grid) && !waits_for_flag(grid)) {
    for (const uint32_t sm : grid.held) {
      const Ps arrived = grid.last_start + (sm == kNone ? Ps() : core_.params.block_start);
      end_block(g, sm, arrived + core_.params.grid_barrier, grid.block_time);
    }
    grid.held.clear();
  }
  grid.all_started = true;
  Command& c = core_.commands[grid.slot];
  c.all_started_at = grid.last_start;
  if (!core_.program.kernels[grid.kernel].launches.empty()) {
    core_.kernel_started(grid.slot, grid.started);
  }
  if (c.first_trigger_edge != kNone) {
    core_.events.push(c.all_started_at, Happening::kTrigger, grid.slot,
                      static_cast<uint32_t>(Port::kLaunchCompletion), c.number);
  }
}

}  // namespace heddle::host
