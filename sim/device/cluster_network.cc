#include "sim/device/cluster_network.h"

#include <algorithm>

namespace heddle::device {

using sm::ClusterMessage;
using Kind = ClusterMessage::Kind;

ClusterNetwork::ClusterNetwork(const config::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms,
                               uint32_t first, uint32_t end)
    : sms_(sms),
      first_(first),
      end_(end),
      barrier_latency_(gpu.sm().barrier().cluster_barrier()),
      way_there_(std::max<Cycle>(1, gpu.sm().async_copy().dsm_latency() / 2)),
      // The latency is to the registers, which are written in the cycle behind the answer.
      way_back_(std::max<Cycle>(2, gpu.sm().async_copy().dsm_latency() - way_there_) - 1),
      load_ticks_(gpu.sm().async_copy().dsm_flit_cycles() * static_cast<double>(kTicksPerCycle) /
                  ClusterMessage::kFlit),
      slices_(gpu.sm().async_copy().dsm_slices()) {}

void ClusterNetwork::begin() {
  clusters_.clear();
  for (Server& s : slices_) {
    s.reset();
  }
}

void ClusterNetwork::place(uint32_t cluster, uint32_t sm, uint32_t slot) {
  Cluster& c = clusters_[cluster];
  ++c.left;
  c.members.push_back({sm, slot});
}

void ClusterNetwork::done(uint32_t cluster) {
  const auto c = clusters_.find(cluster);
  if (c != clusters_.end() && --c->second.left == 0) {
    clusters_.erase(c);
  }
}

void ClusterNetwork::exchange(Cycle horizon) {
  carried_.clear();
  for (uint32_t i = first_; i < end_; ++i) {
    std::erase_if(sms_[i]->cluster().outbox(), [&](const ClusterMessage& m) {
      if (m.time < horizon) {
        carried_.push_back(m);
      }
      return m.time < horizon;
    });
  }
  std::stable_sort(carried_.begin(), carried_.end(),
                   [](const ClusterMessage& a, const ClusterMessage& b) { return a.time < b.time; });
  for (const ClusterMessage& m : carried_) {
    if (m.kind == Kind::kArrived || m.kind == Kind::kEnded) {
      barrier(m);
    } else {
      carry(m);
    }
  }
}

// The barrier waits for all blocks that have not ended.
void ClusterNetwork::barrier(const ClusterMessage& n) {
  Cluster& c = clusters_.at(n.cluster);
  Member& own = *std::find_if(c.members.begin(), c.members.end(),
                              [&](const Member& m) { return m.sm == n.sm && m.slot == n.slot && !m.done; });
  if (n.kind == Kind::kArrived || !own.arrived) {
    c.last = std::max(c.last, n.time);
  }
  (n.kind == Kind::kEnded ? own.done : own.arrived) = true;
  bool waits = false, missing = false;
  for (const Member& m : c.members) {
    waits |= !m.done && m.arrived;
    missing |= !m.done && !m.arrived;
  }
  if (!waits || missing) {
    return;
  }
  for (Member& m : c.members) {
    if (!m.done) {
      m.arrived = false;
      ClusterMessage open;
      open.kind = Kind::kOpen;
      open.slot = static_cast<uint8_t>(m.slot);
      open.time = c.last + barrier_latency_;
      sms_[m.sm]->cluster().deliver(open);
    }
  }
}

void ClusterNetwork::carry(ClusterMessage m) {
  // Bits 1, 4, 7 choose between two slices, bits 3, 6 between two more (FINDINGS.md 14).
  const uint64_t n = m.line;
  const uint64_t slice = ((n >> 1 ^ n >> 4 ^ n >> 7) & 1) | ((n >> 3 ^ n >> 6) & 1) << 1;
  const auto service = static_cast<Ticks>(m.load * load_ticks_);
  const Ticks through = slices_[slice % slices_.size()].reserve(m.port, service);
  m.time = std::max(m.time, to_cycles_up(through));
  if (m.kind == Kind::kAnswer) {
    m.time += way_back_;
  } else {
    m.time += way_there_;
    const auto c = clusters_.find(m.cluster);
    if (c == clusters_.end()) {  // all its blocks have ended: only the sender's LSU still waits
      m.kind = Kind::kAnswer;
      m.to = m.sm;
      m.time += way_back_;
    } else {
      const Member& to = c->second.members[m.rank % c->second.members.size()];
      m.to = static_cast<uint16_t>(to.sm);
      m.slot = static_cast<uint8_t>(to.slot);
    }
  }
  sms_[m.to]->cluster().deliver(m);
}

}  // namespace heddle::device
