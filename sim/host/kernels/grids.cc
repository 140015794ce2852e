#include "sim/host/kernels/grids.h"

#include <algorithm>
#include <utility>

namespace heddle::host {

Grids::Grids(Core& core, uint32_t device)
    : core_(core),
      device_(device),
      track_(core.recorder.track("device " + std::to_string(device) + " kernels")),
      device_runtime_(std::any_of(core.program.kernels.begin(), core.program.kernels.end(),
                                  [](const KernelDesc& k) { return !k.calls.empty(); })) {
  const spec::Limits& l = core.params.limits;
  sms_.assign(core.params.sms, Sm{l.max_warps_per_sm(), l.max_blocks_per_sm(), l.registers_per_sm(),
                                  l.shared_bytes_per_sm(), Ps()});
}

void Grids::launch(uint32_t slot) {
  if (resident_ < core_.params.limits.max_resident_grids()) {
    admit(slot);
    return;
  }
  // Behind those of its priority and higher ones.
  const int32_t priority = core_.commands[slot].priority;
  auto it = waiting_.begin();
  while (it != waiting_.end() && core_.commands[*it].priority <= priority) {
    ++it;
  }
  waiting_.insert(it, slot);
}

void Grids::admit(uint32_t slot) {
  ++resident_;
  uint32_t g;
  if (free_grids_.empty()) {
    g = static_cast<uint32_t>(grids_.size());
    grids_.emplace_back();
  } else {
    g = free_grids_.back();
    free_grids_.pop_back();
    grids_[g].reset();
  }
  Command& c = core_.commands[slot];
  const KernelDesc& k = core_.program.kernels[c.object];
  ResidentGrid& grid = grids_[g];
  c.grid = g;
  grid.slot = slot;
  grid.kernel = c.object;
  grid.priority = c.priority;
  grid.order = ++orders_;
  if (k.has_grid) {
    grid.needs = needs_of(k, core_.params);
    grid.left = k.grid.count();
    grid.block_time = block_time(k, c.duration, core_.params);
    grid.untriggered = grid.left;
    grid.cluster = c.cluster > 0 ? c.cluster : static_cast<uint32_t>(k.cluster.count());
  } else {
    grid.block_time = c.duration > Ps() ? c.duration : k.duration;
    grid.untriggered = 1;
  }
  for (const DeviceCall& call : k.calls) {
    grid.callers_left = std::max(grid.callers_left, std::min(call.blocks, k.has_grid ? grid.left : 1));
  }
  // A graph's node, or a child: the way to it is on its edges.
  Ps way = from_host(c) ? core_.params.kernel_start : Ps();
  way += k.cooperative ? core_.params.cooperative_start : Ps();
  if (device_runtime_ || k.device_runtime) {  // DP13
    way +=
        core_.params.dynamic.runtime + (k.calls.empty() || c.is_child ? Ps() : core_.params.dynamic.parent);
  }
  core_.events.push(core_.now + way, Happening::kGridStart, g, device_);
}

bool Grids::waits_for_flag(const ResidentGrid& g) const {
  const uint32_t flag = core_.program.kernels[g.kernel].until_flag;
  return flag != kNone && !core_.flag(flag);
}

void Grids::grid_start(uint32_t g) {
  ResidentGrid& grid = grids_[g];
  const KernelDesc& k = core_.program.kernels[grid.kernel];
  if (grid.step == kNone) {  // it may start again (grids_alone.cc)
    core_.spent(core_.way(), core_.commands[grid.slot].name, track_);
    grid.step = core_.events.step;
  }
  if (is_simulated(grid.kernel)) {
    simulate(g);
    return;
  }
  if (k.has_grid && starts_alone(g)) {
    return;
  }
  if (!k.has_grid) {
    grid.started = grid.last_start = core_.now;
    grid.running = 1;
    if (core_.commands[grid.slot].beside) {
      core_.begun(grid.slot, core_.now);
    }
    run_block(g, kNone, core_.now);
    all_started(g);
    return;
  }
  const auto before = [&](uint32_t a, uint32_t b) {
    return grids_[a].priority != grids_[b].priority ? grids_[a].priority < grids_[b].priority
                                                    : grids_[a].order < grids_[b].order;
  };
  active_.insert(std::upper_bound(active_.begin(), active_.end(), g, before), g);
  look_everywhere_ |= active_.front() == g;
  hand_out();
}

bool Grids::fits(const ResidentGrid& g, const Sm& sm) const {
  return sm.blocks > 0 && sm.warps >= g.needs.warps && sm.registers >= g.needs.registers &&
         sm.shared >= g.needs.shared;
}

// A cooperative grid starts as a whole or not at all (PM18).
bool Grids::all_fit(const ResidentGrid& g) const {
  std::vector<uint64_t> room(core_.params.gpc_of_sm.back() + 1);
  for (size_t i = 0; i < sms_.size(); ++i) {
    room[core_.params.gpc_of_sm[i]] += core_.params.takes_cluster(i, g.cluster) ? places(g, sms_[i]) : 0;
  }
  uint64_t whole = 0;  // clusters
  for (const uint64_t r : room) {
    whole += g.cluster > 1 ? r / g.cluster : r;
  }
  return whole * g.cluster >= g.left;
}

uint32_t Grids::places(const ResidentGrid& g, const Sm& sm) const {
  const uint32_t n = std::min({sm.blocks, sm.warps / g.needs.warps, sm.registers / g.needs.registers});
  return g.needs.shared ? std::min(n, sm.shared / g.needs.shared) : n;
}

// PM10: all blocks of a cluster or none, in the GPC with the most room, on its emptiest SMs.
bool Grids::place_cluster(uint32_t g, Ps at) {
  const ResidentGrid& grid = grids_[g];
  const std::vector<uint32_t>& gpc_of = core_.params.gpc_of_sm;
  std::vector<uint32_t> room(gpc_of.back() + 1);
  for (size_t i = 0; i < sms_.size(); ++i) {
    room[gpc_of[i]] += core_.params.takes_cluster(i, grid.cluster) ? places(grid, sms_[i]) : 0;
  }
  const auto most = std::max_element(room.begin(), room.end());
  if (*most < grid.cluster) {
    return false;
  }
  const auto gpc = static_cast<uint32_t>(most - room.begin());
  for (uint32_t b = 0; b < grid.cluster; ++b) {
    uint32_t best = kNone, free = 0;
    for (uint32_t i = 0; i < sms_.size(); ++i) {
      const uint32_t n =
          gpc_of[i] == gpc && core_.params.takes_cluster(i, grid.cluster) ? places(grid, sms_[i]) : 0;
      if (n > free) {
        best = i;
        free = n;
      }
    }
    place(g, best, at + b * core_.params.block_interval);
  }
  return true;
}

// Breadth first: the next SM in turn that has room. After a search in vain only those that have been given
// room since.
uint32_t Grids::find_sm(const ResidentGrid& g) {
  if (look_everywhere_) {
    for (size_t i = 0; i < sms_.size(); ++i) {
      const uint32_t sm = cursor_;
      cursor_ = cursor_ + 1 == sms_.size() ? 0 : cursor_ + 1;
      if (fits(g, sms_[sm])) {
        return sm;
      }
    }
    look_everywhere_ = false;
    freed_.clear();
    return kNone;
  }
  while (!freed_.empty()) {
    if (fits(g, sms_[freed_.front()])) {
      return freed_.front();
    }
    freed_.pop_front();
  }
  return kNone;
}

void Grids::hand_out() {
  if (wake_ <= core_.now) {
    wake_ = kNever;
  }
  Ps at = core_.now;
  while (!active_.empty()) {
    const uint32_t g = active_.front();
    ResidentGrid& grid = grids_[g];
    if (at < distributor_free_) {
      // Nothing else happens until then: go on at once. Otherwise come back.
      if (core_.events.next_time() <= distributor_free_) {
        if (distributor_free_ < wake_) {
          wake_ = distributor_free_;
          core_.events.push(wake_, Happening::kBlocks, 0, device_);
        }
        return;
      }
      at = distributor_free_;
    }
    if (grid.started == kNever && core_.program.kernels[grid.kernel].cooperative && !all_fit(grid)) {
      return;
    }
    if (grid.cluster > 1) {
      if (!place_cluster(g, at)) {
        return;
      }
      look_everywhere_ = true;
    } else {
      const uint32_t sm = find_sm(grid);
      if (sm == kNone) {
        return;  // a block's end continues this
      }
      place(g, sm, at);
    }
    distributor_free_ = at + grid.cluster * core_.params.block_interval;
    grid.left -= grid.cluster;
    if (grid.left == 0) {
      active_.erase(active_.begin());
      look_everywhere_ = true;
      all_started(g);
    }
  }
}

void Grids::place(uint32_t g, uint32_t sm, Ps at) {
  ResidentGrid& grid = grids_[g];
  Sm& s = sms_[sm];
  const Ps start = std::max(at, s.next);
  s.next = start + core_.params.sm_block_interval;
  s.warps -= grid.needs.warps;
  s.registers -= grid.needs.registers;
  s.shared -= grid.needs.shared;
  --s.blocks;
  ++grid.running;
  ++blocks_run_;
  if (grid.started == kNever && core_.commands[grid.slot].beside) {
    core_.begun(grid.slot, start);
  }
  grid.started = std::min(grid.started, start);
  grid.last_start = std::max(grid.last_start, start);
  run_block(g, sm, start + core_.params.block_start);
}

void Grids::leave(uint32_t g, uint32_t sm) {
  ResidentGrid& grid = grids_[g];
  --grid.running;
  if (sm == kNone) {
    return;
  }
  Sm& s = sms_[sm];
  s.warps += grid.needs.warps;
  s.registers += grid.needs.registers;
  s.shared += grid.needs.shared;
  ++s.blocks;
  if (!look_everywhere_) {
    freed_.push_back(sm);
  }
}

void Grids::block_ends(uint32_t g, uint32_t alone) {
  if (alone > 0) {
    if (by_known_time_ && alone == alone_runs_) {
      known_end(g);
    }
    return;
  }
  ResidentGrid& grid = grids_[g];
  if (grid.next_event <= core_.now) {
    grid.next_event = kNever;
  }
  const size_t before = grid.first_end;
  while (grid.first_end < grid.ends.size() && grid.ends[grid.first_end].at <= core_.now) {
    leave(g, grid.ends[grid.first_end++].sm);
  }
  if (grid.first_end == before) {
    return;
  }
  if (grid.first_end * 2 >= grid.ends.size()) {  // most are over: only as many are kept as run
    grid.ends.erase(grid.ends.begin(), grid.ends.begin() + static_cast<std::ptrdiff_t>(grid.first_end));
    grid.first_end = 0;
  }
  if (!grid.ends.empty() && grid.ends[grid.first_end].at < grid.next_event) {
    grid.next_event = grid.ends[grid.first_end].at;
    core_.events.push(grid.next_event, Happening::kBlockEnd, g, 0, device_);
  }
  if (grid.running == 0 && grid.left == 0) {
    grid_done(g);
  }
  hand_out();
}

void Grids::ResidentGrid::reset() {
  std::vector<End> e = std::move(ends);
  std::vector<uint32_t> h = std::move(held);
  std::vector<Waiting> w = std::move(waiting);
  *this = ResidentGrid();
  ends = std::move(e);
  ends.clear();
  held = std::move(h);
  held.clear();
  waiting = std::move(w);
  waiting.clear();
}

void Grids::grid_done(uint32_t g) {
  if (core_.program.kernels[grids_[g].kernel].has_grid && !is_simulated(grids_[g].kernel)) {
    ended_alone(g);
  }
  const uint32_t slot = grids_[g].slot;
  Command& c = core_.commands[slot];
  c.start = grids_[g].started;
  if (c.triggered_at > core_.now) {  // PD03: no trigger, or not of all blocks
    c.triggered_at = core_.now;
    core_.triggered(slot, Port::kProgrammatic);
  }
  c.step = core_.steps.add(grids_[g].step, StepKind::kRoom, c.name, track_, c.start);
  core_.events.step = core_.steps.add(c.step, StepKind::kKernel, c.name, track_, core_.now);
  core_.recorder.add(track_, c.name, c.start, core_.now, origin_of(c));
  grids_[g].slot = kNone;
  free_grids_.push_back(g);
  core_.events.push(core_.now + (from_host(c) ? core_.params.kernel_end : Ps()), Happening::kFinish, slot);
  --resident_;
  if (!waiting_.empty()) {
    const uint32_t next = waiting_.front();
    waiting_.pop_front();
    admit(next);
  }
}

void Grids::flag_set(uint32_t flag) {
  for (uint32_t g = 0; g < grids_.size(); ++g) {
    ResidentGrid& grid = grids_[g];
    const KernelDesc& k = core_.program.kernels[grid.kernel];
    if (grid.slot != kNone && k.until_flag == flag && !k.polls_plainly) {
      for (uint32_t sm : grid.held) {
        add_end(g, sm, core_.now);
      }
      grid.held.clear();
    }
  }
}

void Grids::count(Result& result) const {
  result.blocks += blocks_run_;
  result.dependency_wait += dependency_wait_;
  for (const auto& [kernel, launches] : hazards_) {
    result.hazards.push_back(core_.program.kernels[kernel].name + ": " + std::to_string(launches) +
                             " launches ran beside the kernel before without waiting for it; what that "
                             "writes may not be visible (PD05)");
  }
}

std::vector<uint32_t> Grids::commands() const {
  std::vector<uint32_t> out;
  for (const ResidentGrid& g : grids_) {
    if (g.slot != kNone) {
      out.push_back(g.slot);
    }
  }
  out.insert(out.end(), waiting_.begin(), waiting_.end());
  return out;
}

}  // namespace heddle::host
