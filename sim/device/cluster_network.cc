#include "sim/device/cluster_network.h"

#include <algorithm>

namespace heddle::device {

using sm::ClusterMessage;
using Kind = ClusterMessage::Kind;

ClusterNetwork::ClusterNetwork(const spec::GpuConfig& gpu, std::vector<std::unique_ptr<sm::Sm>>& sms,
                               uint32_t first, uint32_t end)
    : sms_(sms),
      first_(first),
      end_(end),
      barrier_latency_(gpu.sm().barrier().cluster_barrier()),
      way_there_(std::max<Cycle>(1, gpu.sm().async_copy().dsm_latency() / 2)),
      // The latency is to the registers, which are written in the cycle behind the answer.
      way_back_(std::max<Cycle>(2, gpu.sm().async_copy().dsm_latency() - way_there_) - 1),
      network_(gpu) {}

void ClusterNetwork::begin() {
  clusters_.clear();
  network_.reset();
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

std::span<const uint16_t> ClusterNetwork::targets(const memory::Request& r) {
  const sm::Copy& copy = sms_[r.sm]->tma().copy(r.id);
  target_sms_.clear();
  target_slots_.clear();
  const auto c = clusters_.find(copy.cluster);
  if (c == clusters_.end()) {
    return target_sms_;  // all its blocks have ended
  }
  const std::vector<Member>& members = c->second.members;
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    const Member& m = members[rank];
    if (copy.op.multicast >> rank & 1 && !(m.sm == r.sm && m.slot == copy.slot)) {
      target_sms_.push_back(static_cast<uint16_t>(m.sm));
      target_slots_.push_back(static_cast<uint8_t>(m.slot));
    }
  }
  return target_sms_;
}

// Of a recording all bytes at once, with the last answer: a barrier object's phase is complete then. Else
// with values of its own: those of the SM that has asked are used again when it has them.
void ClusterNetwork::deliver(const memory::Request& r, size_t target, const memory::Payload* values,
                             Cycle at) {
  sm::Tma& tma = sms_[r.sm]->tma();
  const sm::Copy& copy = tma.copy(r.id);
  if (!copy.computed) {
    const auto others = static_cast<uint32_t>(target_sms_.size());
    if (const Cycle all = tma.arrives_elsewhere(r.id, others, at)) {
      for (size_t i = 0; i < others; ++i) {
        hand_over(copy, r, i, nullptr, all);
      }
    }
    return;
  }
  hand_over(copy, r, target, values, at);
}

void ClusterNetwork::hand_over(const sm::Copy& copy, const memory::Request& r, size_t target,
                               const memory::Payload* values, Cycle at) {
  sm::Sm& to = *sms_[target_sms_[target]];
  ClusterMessage m;
  m.kind = Kind::kBulk;
  m.time = at;
  m.cluster = copy.cluster;
  m.slot = target_slots_[target];
  m.sectors = r.sectors;
  m.bulk = copy.op;
  if (values) {
    m.payload = to.payloads().take();
    m.values = &to.payloads()[m.payload];
    *m.values = *values;
  }
  to.cluster().deliver(m);
}

void ClusterNetwork::carry(ClusterMessage m) {
  if (m.kind == Kind::kAnswer) {
    m.time = std::max(m.time, to_cycles_up(network_.answer(m.sm - first_, m.parts, m.port))) + way_back_;
  } else if (const auto c = clusters_.find(m.cluster); c == clusters_.end()) {
    // All its blocks have ended: only the sender's LSU still waits.
    m.kind = Kind::kAnswer;
    m.to = m.sm;
    m.time += way_there_ + way_back_;
  } else {
    const Member& to = c->second.members[m.rank % c->second.members.size()];
    m.to = static_cast<uint16_t>(to.sm);
    m.slot = static_cast<uint8_t>(to.slot);
    const uint32_t packets = m.parts / ClusterMessage::kPacket;  // only answers are parts of one
    const Ticks left = network_.ask(m.sm - first_, to.sm - first_, m.line, packets, m.port);
    m.time = std::max(m.time, to_cycles_up(left)) + way_there_;
  }
  sms_[m.to]->cluster().deliver(m);
}

}  // namespace heddle::device
