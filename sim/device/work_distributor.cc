#include "sim/device/work_distributor.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "sim/engine/error.h"
#include "sim/memory/noc.h"

namespace heddle::device {

WorkDistributor::WorkDistributor(const config::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms)
    : launch_(gpu.launch()),
      cluster_barrier_(gpu.sm().barrier().cluster_barrier()),
      sms_(sms),
      gpc_of_sm_(memory::gpc_of_sm(gpu.topology())),
      slots_(sms.size()),
      free_(sms.size()),
      sm_next_(sms.size()) {
  for (auto& s : slots_) {
    s.resize(gpu.limits().max_blocks_per_sm());
  }
  for (uint32_t i = 0; i < sms.size(); ++i) {
    order_.push_back(i);
  }
}

void WorkDistributor::begin(isa::BlockSource& source, const stats::Occupancy& o, Cycle at,
                            BlockSampler* sampler) {
  source_ = &source;
  sampler_ = sampler;
  const isa::LaunchShape& shape = source.image().shape;
  cluster_size_ = static_cast<uint32_t>(std::max<uint64_t>(1, shape.cluster.count()));
  if (cluster_size_ > 1) {
    std::map<uint32_t, uint32_t> room;
    uint32_t most = 0;
    for (uint32_t gpc : gpc_of_sm_) {
      most = std::max(most, room[gpc] += o.blocks_per_sm);
    }
    if (cluster_size_ > most) {
      throw Error("too many resources requested for launch: cluster of " + std::to_string(cluster_size_) +
                  " blocks, a GPC has room for " + std::to_string(most));
    }
  }
  next_cluster_ = 0;
  blocks_per_sm_ = o.blocks_per_sm;
  total_ = shape.grid.count();
  done_ = running_ = 0;
  exhausted_ = false;
  clusters_.clear();
  fetched_end_ = placed_ = 0;
  issue_free_ = to_ticks(at);
  std::fill(free_.begin(), free_.end(), Free{blocks_per_sm_, at});
  std::fill(sm_next_.begin(), sm_next_.end(), at);
  for (auto& sm : slots_) {
    for (auto& s : sm) {
      if (s) {
        s->busy = false;
      }
    }
  }
  place(at);
  if (sampler_) {
    sampler_->begin(running_, at);
  }
}

void WorkDistributor::exchange(Cycle now) {
  bool freed = false;
  for (uint32_t i = 0; i < sms_.size(); ++i) {
    for (const sm::Notice& n : sms_[i]->notices()) {
      notice(i, n);
      freed = freed || n.kind == sm::Notice::Kind::kBlockDone;
    }
    sms_[i]->notices().clear();
  }
  if (freed) {
    place(now);
  }
}

void WorkDistributor::notice(uint32_t sm, const sm::Notice& n) {
  if (n.kind == sm::Notice::Kind::kBlockDone) {
    slots_[sm][n.slot]->busy = false;
    if (sampler_) {
      sampler_->done(slots_[sm][n.slot]->trace.linear);
    }
    ++free_[sm].blocks;
    free_[sm].since = std::max(free_[sm].since, n.time);
    ++done_;
    --running_;
    auto c = clusters_.find(n.cluster);
    if (c != clusters_.end() && --c->second.left == 0) {
      clusters_.erase(c);
    }
    return;
  }
  if (cluster_size_ == 1) {  // a cluster of one block
    sms_[sm]->release_cluster(n.slot, n.time + cluster_barrier_);
    return;
  }
  Cluster& c = clusters_.at(n.cluster);
  c.last = std::max(c.last, n.time);
  if (++c.arrived == c.blocks) {
    c.arrived = 0;
    for (auto [s, slot] : c.members) {
      sms_[s]->release_cluster(slot, c.last + cluster_barrier_);
    }
  }
}

bool WorkDistributor::fetch() {
  if (placed_ == fetched_end_) {
    placed_ = fetched_end_ = 0;
    fetched_.resize(cluster_size_);
    while (!exhausted_ && fetched_end_ < cluster_size_) {
      if (source_->next(fetched_[fetched_end_])) {
        ++fetched_end_;
      } else {
        exhausted_ = true;
      }
    }
  }
  return placed_ < fetched_end_;
}

// The SM for the next block: the one with most room, the earliest ready among equals, then in wave order.
uint32_t WorkDistributor::next_sm(Cycle* ready) const {
  uint32_t best = ~0u;
  Cycle best_ready = kNever;
  for (uint32_t s : order_) {
    if (free_[s].blocks == 0) {
      continue;
    }
    Cycle r = std::max(free_[s].since, sm_next_[s]);
    if (best == ~0u || free_[s].blocks > free_[best].blocks ||
        (free_[s].blocks == free_[best].blocks && r < best_ready)) {
      best = s;
      best_ready = r;
    }
  }
  *ready = best_ready;
  return best;
}

void WorkDistributor::start(uint32_t sm, uint32_t cluster, Cycle ready, Cycle now) {
  issue_free_ = std::max(issue_free_, to_ticks(ready)) +
                static_cast<Ticks>(launch_.block_interval() * static_cast<double>(kTicksPerCycle));
  Cycle at = std::max(to_cycles_up(issue_free_) + launch_.block_start_latency(), now);
  sm_next_[sm] = ready + launch_.sm_block_interval();
  auto slot =
      std::find_if(slots_[sm].begin(), slots_[sm].end(), [](const auto& s) { return !s || !s->busy; });
  if (!*slot) {
    *slot = std::make_unique<Slot>();
  }
  // A copy takes no more room than there is to hold; what the reader wrote into has grown by doubling.
  (*slot)->trace = fetched_[placed_++];
  (*slot)->busy = true;
  auto index = static_cast<uint32_t>(slot - slots_[sm].begin());
  --free_[sm].blocks;
  ++running_;
  if (cluster_size_ > 1) {
    Cluster& c = clusters_[cluster];
    ++c.blocks;
    ++c.left;
    c.members.emplace_back(sm, index);
  }
  sms_[sm]->launch((*slot)->trace, index, cluster, at);
}

void WorkDistributor::place(Cycle now) {
  while (fetch()) {
    if (cluster_size_ > 1) {
      if (!place_cluster(now)) {
        return;
      }
      continue;
    }
    Cycle ready = 0;
    uint32_t sm = next_sm(&ready);
    if (sm == ~0u) {
      return;
    }
    start(sm, next_cluster_++, ready, now);
  }
}

// All blocks of the cluster or none, in the GPC whose emptiest SMs have the most free places, at most one
// block more per SM than needed.
bool WorkDistributor::place_cluster(Cycle now) {
  const uint32_t wanted = fetched_end_ - placed_;
  std::vector<std::vector<uint32_t>> free(1 + *std::max_element(gpc_of_sm_.begin(), gpc_of_sm_.end()));
  for (uint32_t s = 0; s < sms_.size(); ++s) {
    free[gpc_of_sm_[s]].push_back(free_[s].blocks);
  }
  uint32_t gpc = ~0u;
  std::pair<uint32_t, uint32_t> most{0, 0};  // places on the emptiest SMs, all places
  for (uint32_t g = 0; g < free.size(); ++g) {
    uint32_t room = std::accumulate(free[g].begin(), free[g].end(), 0u);
    auto some = free[g].begin() + std::min<ptrdiff_t>(wanted, std::ssize(free[g]));
    std::partial_sort(free[g].begin(), some, free[g].end(), std::greater<>());
    std::pair<uint32_t, uint32_t> rank{std::accumulate(free[g].begin(), some, 0u), room};
    if (room >= wanted && rank > most) {
      most = rank;
      gpc = g;
    }
  }
  if (gpc == ~0u) {
    return false;
  }
  uint32_t cluster = next_cluster_++;
  for (uint32_t i = 0; i < wanted; ++i) {
    uint32_t best = ~0u;
    for (uint32_t s = 0; s < sms_.size(); ++s) {
      if (gpc_of_sm_[s] == gpc && free_[s].blocks && (best == ~0u || free_[s].blocks > free_[best].blocks)) {
        best = s;
      }
    }
    start(best, cluster, std::max(free_[best].since, sm_next_[best]), now);
  }
  return true;
}

}  // namespace heddle::device
