#include "sim/memory/slice_shard.h"

#include <algorithm>

#include "sim/memory/l2_clock.h"
#include "sim/memory/perform.h"
#include "sim/memory/shard_port.h"

namespace heddle::memory {
namespace {

// Tags come from the host's memory while so many others are served, and then the entry while so many.
constexpr size_t kAhead = 10, kEntryAhead = 5;

}  // namespace

SliceShard::SliceShard(const spec::GpuConfig& g, const Fabric& fabric, const SliceRange& slices,
                       uint32_t shard, const std::vector<uint32_t>& merge_group)
    : shard_(shard),
      request_latency_(to_ticks(g.noc().request_latency())),
      merged_latency_(look_up_latency(g)),
      // The entries of a group are spread over the slices.
      merge_group_(merge_group),
      merger_(1 + merge_group.back(),
              (g.noc().merge_entries() * slices.count * g.l2().partitions() + g.l2().slices() - 1) /
                  g.l2().slices()),
      l2_(g, fabric, counters_, slices) {}

void SliceShard::reset(const L2Policy& policy, bool warm, Ticks origin) {
  counters_ = {};
  changes_ = 0;
  merger_.reset();
  late_.clear();
  if (warm) {
    l2_.next_launch(origin);
  } else {
    l2_.reset(origin);
  }
  l2_.set_policy(policy);
}

// By the time of leaving the SM; the ports are in the order of their SMs, and each has its packets in order.
void SliceShard::gather(std::span<ShardPort* const> ports) {
  turns_.clear();
  for (uint32_t p = 0; p < ports.size(); ++p) {
    for (const PacketRef& r : ports[p]->bin(shard_)) {
      turns_.push_back({r.sent, p, r.index});
    }
  }
  order_.sort(turns_, [](const Turn& t) { return t.sent; });
}

void SliceShard::serve(std::span<ShardPort* const> ports) {
  l2_.forget_transfers();
  gather(ports);
  if (!late_.empty() && !turns_.empty()) {
    changes_ += late_.settle(*image_, to_ticks(turns_.front().sent)) ? 1 : 0;
  }
  auto look_ahead = [&](size_t i) {
    if (i < turns_.size()) {
      const ShardPort& port = *ports[turns_[i].port];
      l2_.prefetch(port.packet(turns_[i].index).home, port.partition());
    }
  };
  auto look_at_entry = [&](size_t i) {
    if (i < turns_.size()) {
      const ShardPort& port = *ports[turns_[i].port];
      const Packet& p = port.packet(turns_[i].index);
      l2_.prefetch_entry(p.home, port.partition(), p.request.line);
    }
  };
  for (size_t i = 0; i < kAhead; ++i) {
    look_ahead(i);
  }
  for (size_t i = 0; i < turns_.size(); ++i) {
    look_ahead(i + kAhead);
    look_at_entry(i + kEntryAhead);
    ShardPort& port = *ports[turns_[i].port];
    Packet& p = port.packet(turns_[i].index);
    p.served = serve(p, port);
  }
}

void SliceShard::perform(const Packet& p, const ShardPort& port) {
  const Request& r = p.request;
  Payload& values = port.payload(p);
  const Ticks at = p.at + port.way(p) + l2_.way(p.home, port.partition());
  if (r.kind == RequestKind::kWrite && !at_once_ && !p.remote) {
    late_.add(r, values, at);
    return;
  }
  if (!late_.empty()) {
    changes_ += late_.settle(*image_, r, at) ? 1 : 0;
  }
  changes_ += memory::serve(*image_, r, values) ? 1 : 0;
}

L2::Served SliceShard::serve(Packet& p, const ShardPort& port) {
  const Request& r = p.request;
  if (r.kind == RequestKind::kInstall) {
    l2_.install(r.line);
    return {p.at, 0};
  }
  if (r.payload != 0) {
    perform(p, port);
  }
  // Multicast reads do not merge (FINDINGS.md 25).
  if (r.kind != RequestKind::kRead || r.multicast || p.remote) {
    return l2_.serve(r, p.home, port.partition(), p.at);
  }
  const uint32_t group = merge_group_[r.sm];
  // One that is on its way when this one passes the port of its group serves both; what comes back is not
  // sooner than from the L2.
  if (const L2::Served* s = merger_.find(group, r.line, r.sectors, p.at - request_latency_)) {
    p.merged = true;
    return {std::max(s->done, p.at + merged_latency_), s->transfer};
  }
  const L2::Served done = l2_.serve(r, p.home, port.partition(), p.at);
  merger_.add(group, r.line, r.sectors, done);
  return done;
}

}  // namespace heddle::memory
