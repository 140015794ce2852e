#include "sim/memory/slice_shard.h"

#include <algorithm>

#include "sim/memory/gpc_port.h"

namespace heddle::memory {
namespace {

// Tags come from the host's memory while so many others are served, and then the entry while so many.
constexpr size_t kAhead = 10, kEntryAhead = 5;

}  // namespace

SliceShard::SliceShard(const config::GpuConfig& g, const Fabric& fabric, const SliceRange& slices,
                       uint32_t shard, uint32_t groups)
    : shard_(shard),
      request_latency_(to_ticks(g.noc().request_latency())),
      merged_latency_(domain_ticks(g.l2().hit_latency(), g.clocks().l2_mhz(), g.clocks().core_mhz())),
      // The entries of a group are spread over the slices.
      merger_(groups, (g.noc().merge_entries() * slices.count * g.l2().partitions() + g.l2().slices() - 1) /
                          g.l2().slices()),
      l2_(g, fabric, counters_, slices) {}

void SliceShard::reset(const L2Policy& policy, bool warm, Ticks origin) {
  counters_ = {};
  changes_ = 0;
  merger_.reset();
  if (warm) {
    l2_.next_launch(origin);
  } else {
    l2_.reset(origin);
  }
  l2_.set_policy(policy);
}

// By the time of leaving the SM; the ports are in the order of their SMs, and each has its packets in order.
void SliceShard::gather(std::vector<std::unique_ptr<GpcPort>>& gpcs) {
  turns_.clear();
  for (uint32_t g = 0; g < gpcs.size(); ++g) {
    for (const PacketRef& r : gpcs[g]->bin(shard_)) {
      turns_.push_back({r.sent, g, r.index});
    }
  }
  order_.sort(turns_, [](const Turn& t) { return t.sent; });
}

void SliceShard::serve(std::vector<std::unique_ptr<GpcPort>>& gpcs) {
  l2_.forget_transfers();
  gather(gpcs);
  auto look_ahead = [&](size_t i) {
    if (i < turns_.size()) {
      const GpcPort& gpc = *gpcs[turns_[i].gpc];
      l2_.prefetch(gpc.packet(turns_[i].index).home, gpc.partition());
    }
  };
  auto look_at_entry = [&](size_t i) {
    if (i < turns_.size()) {
      const GpcPort& gpc = *gpcs[turns_[i].gpc];
      const Packet& p = gpc.packet(turns_[i].index);
      l2_.prefetch_entry(p.home, gpc.partition(), p.request.line);
    }
  };
  for (size_t i = 0; i < kAhead; ++i) {
    look_ahead(i);
  }
  for (size_t i = 0; i < turns_.size(); ++i) {
    look_ahead(i + kAhead);
    look_at_entry(i + kEntryAhead);
    GpcPort& gpc = *gpcs[turns_[i].gpc];
    Packet& p = gpc.packet(turns_[i].index);
    p.served = serve(p, gpc);
  }
}

L2::Served SliceShard::serve(const Packet& p, const GpcPort& gpc) {
  const Request& r = p.request;
  if (r.kind == RequestKind::kInstall) {
    l2_.install(r.line);
    return {p.at, 0};
  }
  if (r.payload != 0) {
    changes_ += image_->serve(r, gpc.payload(r));
  }
  if (r.kind != RequestKind::kRead) {
    return l2_.serve(r, p.home, gpc.partition(), p.at);
  }
  const uint32_t group = gpc.merge_group(r.sm);
  // One that is on its way when this one passes the port of its group serves both; what comes back is not
  // sooner than from the L2.
  if (const L2::Served* s = merger_.find(group, r.line, r.sectors, p.at - request_latency_)) {
    return {std::max(s->done, p.at + merged_latency_), s->transfer};
  }
  const L2::Served done = l2_.serve(r, p.home, gpc.partition(), p.at);
  merger_.add(group, r.line, r.sectors, done);
  return done;
}

}  // namespace heddle::memory
