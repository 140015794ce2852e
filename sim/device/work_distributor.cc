#include "sim/device/work_distributor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "sim/base/error.h"
#include "sim/memory/noc.h"

namespace heddle::device {
namespace {

Ticks ticks(double cycles) { return Ticks::truncated(cycles * static_cast<double>(kTicksPerCycle)); }

}  // namespace

WorkDistributor::WorkDistributor(const spec::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms)
    : launch_(gpu.launch()),
      empty_{.blocks = gpu.limits().max_blocks_per_sm(),
             .warps = gpu.limits().max_warps_per_sm(),
             .registers = gpu.limits().registers_per_sm()},
      sms_per_tpc_(gpu.topology().sms_per_tpc()),
      sms_(sms),
      gpc_of_sm_(memory::gpc_of_sm(gpu.topology())),
      slots_(sms.size()) {
  for (auto& s : slots_) {
    s.resize(gpu.limits().max_blocks_per_sm());
  }
  first_sm_ = memory::first_sms(gpc_of_sm_);
  const uint32_t singles = std::min(gpu.topology().singleton_tpcs() * sms_per_tpc_, first_sm_[1]);
  regions_.push_back({.first = 0, .end = singles, .gpc = 0, .single = true});
  for (uint32_t i = 0; i + 1 < first_sm_.size(); ++i) {
    regions_.push_back(
        {.first = i == 0 ? singles : first_sm_[i], .end = first_sm_[i + 1], .gpc = i, .single = false});
    clusters_.push_back(std::make_unique<ClusterNetwork>(gpu, sms_, first_sm_[i], first_sm_[i + 1]));
  }
  reported_.resize(clusters_.size());
}

void WorkDistributor::begin() {
  grids_.clear();
  for (auto& c : clusters_) {
    c->begin();
  }
  for (auto& r : reported_) {
    r.clear();
  }
  done_blocks_.clear();
  first_start_ = kNever;
  ended_.clear();
  room_.assign(sms_.size(), empty_);
  next_cluster_ = 0;
  launches_ = 0;
  total_ = done_ = 0;
  issue_free_ = retire_free_ = {};
  tpc_free_.assign((sms_.size() + sms_per_tpc_ - 1) / sms_per_tpc_, 0);
  for (auto& sm : slots_) {
    for (Slot& s : sm) {
      s = {};
    }
  }
}

std::unique_ptr<WorkDistributor::Grid> WorkDistributor::new_grid(const GridLaunch& launch) const {
  const isa::LaunchShape& shape = launch.program->image().shape;
  const stats::Occupancy& o = launch.occupancy;
  auto grid = std::make_unique<Grid>();
  grid->launch = launch;
  grid->warps = shape.warps();
  grid->cluster_size = static_cast<uint32_t>(std::max<uint64_t>(1, shape.cluster.count()));
  grid->result.number = launch.number;
  if (grid->cluster_size > 1) {
    uint32_t most = 0;
    for (const Region& r : regions_) {
      most = std::max(most, takes_clusters(r, grid->cluster_size) ? (r.end - r.first) * o.blocks_per_sm : 0);
    }
    if (grid->cluster_size > most) {
      throw Error("too many resources requested for launch: cluster of " +
                  std::to_string(grid->cluster_size) + " blocks, a GPC has room for " + std::to_string(most));
    }
  }
  grid->own.assign(sms_.size(), 0);
  grid->turns.assign(regions_.size(), 0);
  for (uint32_t s = 0; s < sms_.size(); ++s) {
    grid->places.push_back(places(*grid, s));
  }
  return grid;
}

void WorkDistributor::launch(const GridLaunch& launch, Cycle at) {
  auto grid = new_grid(launch);
  grid->serial = ++launches_;
  grid->at = at;
  total_ += launch.program->image().shape.grid.count();
  Grid& g = *grid;
  const auto turn =
      std::upper_bound(grids_.begin(), grids_.end(), launch.priority,
                       [](int32_t priority, const auto& other) { return priority < other->launch.priority; });
  grids_.insert(turn, std::move(grid));
  place();
  if (launch.watcher) {
    launch.watcher->placed(g.running, at);
  }
}

void WorkDistributor::collect(uint32_t gpc) {
  for (uint32_t i = first_sm_[gpc]; i < first_sm_[gpc + 1]; ++i) {
    for (const sm::Notice& n : sms_[i]->blocks_done()) {
      reported_[gpc].push_back({i, n});
    }
    sms_[i]->blocks_done().clear();
  }
}

void WorkDistributor::exchange(Cycle horizon) {
  first_start_ = kNever;
  const size_t before = done_blocks_.size();
  for (std::vector<Done>& r : reported_) {
    done_blocks_.insert(done_blocks_.end(), r.begin(), r.end());
    r.clear();
  }
  if (done_blocks_.size() > before) {
    std::stable_sort(done_blocks_.begin(), done_blocks_.end(), [](const Done& a, const Done& b) {
      return std::pair(a.notice.time, a.sm) < std::pair(b.notice.time, b.sm);
    });
  }
  // Every place that is free before then is known.
  const Cycle known = horizon + launch_.block_retire_latency();
  auto d = done_blocks_.begin();
  for (; d != done_blocks_.end() && d->notice.time < known; ++d) {
    block_done(d->sm, d->notice);
    place();
  }
  done_blocks_.erase(done_blocks_.begin(), d);
}

bool WorkDistributor::has_clusters() const {
  return std::any_of(grids_.begin(), grids_.end(), [](const auto& g) { return g->cluster_size > 1; });
}

void WorkDistributor::block_done(uint32_t sm, const sm::Notice& n) {
  Grid& g = *std::exchange(slots_[sm][n.slot].grid, nullptr);
  std::unique_ptr<isa::BlockProgram> block = std::move(slots_[sm][n.slot].block);
  if (g.launch.watcher) {
    g.launch.watcher->block_done(block->linear);
  }
  g.result.work += block->work();
  g.launch.program->recycle(std::move(block));
  // Of blocks that end at the same time one is noted after the other (FINDINGS.md 50).
  retire_free_ = std::max(retire_free_ + ticks(launch_.retire_interval()), to_ticks(n.time));
  room_[sm].since = to_cycles_up(retire_free_);
  give(g, sm);
  ++done_;
  g.result.last_warp = last_end();
  --g.running;
  clusters_[gpc_of_sm_[sm]]->done(n.cluster);
}

// The SM's resources without what is on it; a block that has the SM to itself chooses the split of the L1
// array, others must do with the split there is (traces/h200/together).
uint32_t WorkDistributor::places(const Grid& g, uint32_t sm) const {
  const Room& r = room_[sm];
  const stats::Occupancy& o = g.launch.occupancy;
  if (r.resident == 0) {
    return o.blocks_per_sm;
  }
  if (r.carveout < o.carveout_min_bytes || r.carveout > o.carveout_max_bytes) {
    return 0;
  }
  const uint32_t shared = o.shared_bytes_per_block ? r.shared / o.shared_bytes_per_block : r.blocks;
  return std::min({o.blocks_per_sm - g.own[sm], r.blocks, r.warps / g.warps,
                   r.registers / o.registers_per_block, shared});
}

void WorkDistributor::update_places(uint32_t sm) {
  for (const auto& g : grids_) {
    g->places[sm] = places(*g, sm);
  }
}

// Returns whether the L1 array is split anew.
bool WorkDistributor::take(Grid& g, uint32_t sm) {
  Room& r = room_[sm];
  const stats::Occupancy& o = g.launch.occupancy;
  const bool new_l1 = r.resident == 0 && r.split_for != g.serial;
  if (r.resident == 0) {
    r.split_for = g.serial;
    r.carveout = r.shared = o.shared_carveout_bytes;
  }
  ++r.resident;
  --r.blocks;
  r.warps -= g.warps;
  r.registers -= o.registers_per_block;
  r.shared -= o.shared_bytes_per_block;
  ++g.own[sm];
  update_places(sm);
  return new_l1;
}

void WorkDistributor::give(Grid& g, uint32_t sm) {
  Room& r = room_[sm];
  const stats::Occupancy& o = g.launch.occupancy;
  --r.resident;
  ++r.blocks;
  r.warps += g.warps;
  r.registers += o.registers_per_block;
  r.shared += o.shared_bytes_per_block;
  --g.own[sm];
  update_places(sm);
}

bool WorkDistributor::fetch(Grid& g) {
  if (g.placed == g.fetched.size()) {
    g.placed = 0;
    g.fetched.clear();
    while (!g.exhausted && g.fetched.size() < g.cluster_size) {
      if (std::unique_ptr<isa::BlockProgram> block = g.launch.program->next()) {
        g.fetched.push_back(std::move(block));
      } else {
        g.exhausted = true;
      }
    }
  }
  return g.placed < g.fetched.size();
}

// The SM for the next block: the one with most room, the earliest ready among equals, then in wave order.
uint32_t WorkDistributor::next_sm(const Grid& g, Cycle* when) const {
  uint32_t best = ~0u;
  Cycle best_ready = kNever;
  for (uint32_t s = 0; s < sms_.size(); ++s) {
    if (g.places[s] == 0) {
      continue;
    }
    const Cycle r = ready(g, s);
    if (best == ~0u || g.places[s] > g.places[best] || (g.places[s] == g.places[best] && r < best_ready)) {
      best = s;
      best_ready = r;
    }
  }
  *when = best_ready;
  return best;
}

void WorkDistributor::start(Grid& g, uint32_t sm, uint32_t cluster, Cycle ready) {
  issue_free_ = std::max(issue_free_, to_ticks(ready)) + ticks(launch_.block_interval());
  // The SMs of a TPC get blocks in turn.
  Cycle& tpc = tpc_free_[sm / sms_per_tpc_];
  const Cycle begin = std::max(tpc, to_cycles_up(issue_free_));
  const Cycle at = begin + launch_.block_start_latency();
  const Cycle interval =
      std::max<Cycle>(launch_.sm_block_interval(), std::llround(launch_.sm_warp_interval() * g.warps));
  room_[sm].next = ready + interval;
  tpc = begin + interval / sms_per_tpc_;
  auto slot = std::find_if(slots_[sm].begin(), slots_[sm].end(), [](const Slot& s) { return !s.grid; });
  const uint32_t rank = g.placed++;
  slot->block = std::move(g.fetched[rank]);
  slot->grid = &g;
  auto index = static_cast<uint32_t>(slot - slots_[sm].begin());
  first_start_ = std::min(first_start_, at);
  const bool new_l1 = take(g, sm);
  ++g.running;
  if (!std::exchange(g.started, true)) {
    g.result.first_block = at;
  }
  if (g.cluster_size > 1) {
    clusters_[gpc_of_sm_[sm]]->place(cluster, sm, index);
  }
  sms_[sm]->launch({.program = slot->block.get(),
                    .kernel = g.launch.kernel,
                    .grid = g.launch.number,
                    .slot = index,
                    .cluster = cluster,
                    .in_cluster = g.cluster_size > 1,
                    .rank = static_cast<uint8_t>(rank),
                    .new_l1 = new_l1,
                    .l1_bytes = g.launch.occupancy.l1_bytes},
                   at);
}

void WorkDistributor::place() {
  for (auto g = grids_.begin(); g != grids_.end();) {
    while (fetch(**g)) {
      if (!((*g)->cluster_size > 1 ? place_cluster(**g) : place_one(**g))) {
        return;
      }
    }
    if ((*g)->running == 0) {
      ended_.push_back((*g)->result);
      g = grids_.erase(g);
    } else {
      ++g;
    }
  }
}

bool WorkDistributor::place_one(Grid& g) {
  Cycle ready = 0;
  const uint32_t sm = next_sm(g, &ready);
  if (sm == ~0u) {
    return false;
  }
  start(g, sm, next_cluster_++, ready);
  return true;
}

// All blocks of the cluster or none, in the region whose emptiest SMs have the most free places, at most one
// block more per SM than needed: the singleton TPCs first, then the one that has had the fewest turns
// (tools/microbench/FINDINGS.md 14).
bool WorkDistributor::place_cluster(Grid& g) {
  const auto wanted = static_cast<uint32_t>(g.fetched.size()) - g.placed;
  const Region* region = nullptr;
  uint32_t most = 0, turns = 0;
  std::vector<uint32_t> free;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& r = regions_[i];
    free.assign(g.places.begin() + r.first, g.places.begin() + r.end);
    const uint32_t room = std::accumulate(free.begin(), free.end(), 0u);
    if (room < wanted || !takes_clusters(r, g.cluster_size)) {
      continue;
    }
    const auto some = free.begin() + std::min<ptrdiff_t>(wanted, std::ssize(free));
    std::partial_sort(free.begin(), some, free.end(), std::greater<>());
    const uint32_t emptiest = std::accumulate(free.begin(), some, 0u);
    const uint32_t had = r.single ? 0 : 1 + g.turns[i];
    if (!region || emptiest > most || (emptiest == most && had < turns)) {
      region = &r;
      most = emptiest;
      turns = had;
    }
  }
  if (!region) {
    return false;
  }
  ++g.turns[static_cast<size_t>(region - regions_.data())];
  const uint32_t cluster = next_cluster_++;
  for (uint32_t i = 0; i < wanted; ++i) {
    uint32_t best = region->first;
    for (uint32_t s = region->first; s < region->end; ++s) {
      best = g.places[s] > g.places[best] ? s : best;
    }
    start(g, best, cluster, ready(g, best));
  }
  return true;
}

}  // namespace heddle::device
