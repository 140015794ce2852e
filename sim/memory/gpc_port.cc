#include "sim/memory/gpc_port.h"

#include <algorithm>

#include "sim/memory/slice_shard.h"

namespace heddle::memory {
namespace {

constexpr size_t kAhead = 6;  // ports' bookings come from the host's memory while so many others are made

bool is_answered(const Request& r) {
  return r.kind != RequestKind::kFetch && r.kind != RequestKind::kInstall;
}

}  // namespace

GpcPort::GpcPort(const spec::GpuConfig& g, uint32_t gpc, const Common& common)
    : ShardPort(gpc * common.map.partitions() / static_cast<uint32_t>(g.topology().tpcs_per_gpc_size()),
                common.shards),
      first_sm_(first_sms(common.noc.gpc_of_sm())[gpc]),
      merge_sms_(g.noc().merge_sms()),
      common_(common),
      tlb_(g.tlb(), first_sms(common.noc.gpc_of_sm())[gpc + 1] - first_sm_, counters_),
      gcc_(1, g.sm().fetch().gcc_bytes()),
      crossings_((first_sms(common.noc.gpc_of_sm())[gpc + 1] - first_sm_ + merge_sms_ - 1) / merge_sms_,
                 g.noc().merge_entries()) {
  // Where the slices of a GPU lie is not public, so it is drawn by lot; the two of a pair lie together.
  const uint32_t slices = common.map.partitions() * common.map.slices();
  for (uint32_t slice = 0; slice < slices; ++slice) {
    const uint64_t lot = AddressMap::mix(uint64_t{gpc} << 32 | slice / 2) >> 32;
    distance_.push_back(Ticks(to_ticks(g.noc().distance_spread()).count() * lot >> 32));
  }
}

void GpcPort::reset() {
  counters_ = {};
  tlb_.reset();
  gcc_.reset();
  crossings_.reset();
  launched_.clear();
  packets_.clear();
  leaving_.clear();
  arrived_.clear();
  last_performed_.fill(0);
  away_.fill(0);
}

// An answer takes its turn in the ports as one of the packets that have been served here would.
void GpcPort::add_arrived(Cycle horizon) {
  const size_t own = packets_.size();
  arrived_.take(horizon, [this](const LinkMessage& m) {
    Packet& p = packets_.emplace_back();
    p.request = m.request;
    p.request.time = m.key;
    p.at = m.at;
    p.served.done = m.performed;
    p.remote = true;
  });
  if (packets_.size() > own) {
    std::stable_sort(packets_.begin(), packets_.end(),
                     [](const Packet& a, const Packet& b) { return a.request.time < b.request.time; });
  }
}

void GpcPort::fetch(uint64_t first_line, uint64_t lines, Cycle at) {
  Request r;
  r.kind = RequestKind::kFetch;
  r.time = at;
  r.sm = static_cast<uint16_t>(first_sm_);
  for (r.line = first_line; r.line < first_line + lines; r.line += GpcCache::kUnitLines) {
    launched_.push_back(r);
  }
}

void GpcPort::install(uint64_t line, Cycle at) {
  Request r;
  r.kind = RequestKind::kInstall;
  r.time = at;
  r.sm = static_cast<uint16_t>(first_sm_);
  r.line = line;
  launched_.push_back(r);
}

// By time; within a cycle launches first, then SM by SM.
void GpcPort::gather(Cycle horizon) {
  gathered_.clear();
  auto add = [&](const Request& r) { gathered_.push_back(r); };
  auto l = launched_.begin();
  for (; l != launched_.end() && l->time < horizon; ++l) {
    add(*l);
  }
  launched_.erase(launched_.begin(), l);
  for (const End& e : ends_) {
    e.out->depart(horizon, add);
  }
  order_.sort(gathered_, [](const Request& r) { return r.time; });
}

// The GPC's cache asks L2 for the lines of a unit that it does not have.
void GpcPort::add_fetch(const Request& r) {
  const uint64_t unit = r.line / GpcCache::kUnitLines;
  if (gcc_.look_up(0, unit)) {
    return;
  }
  Packet p;
  p.request = r;
  p.request.sectors = (1u << kSectorsPerLine) - 1;
  p.at = to_ticks(r.time);
  for (uint64_t line = unit * GpcCache::kUnitLines; line < (unit + 1) * GpcCache::kUnitLines; ++line) {
    p.request.line = line;
    p.home = common_.map.home(line);
    packets_.push_back(p);
  }
}

void GpcPort::take(Cycle horizon) {
  gather(horizon);
  packets_.clear();
  packets_.reserve(gathered_.size());
  for (const Request& r : gathered_) {
    if (r.kind == RequestKind::kFetch) {
      if (r.line >= kCodeLines && r.line < kConstantLines) {
        code_asked_.push_back(r);
      }
      add_fetch(r);
      continue;
    }
    Packet& p = packets_.emplace_back();
    p.request = r;
    p.home = common_.map.home(r.line);
    p.at = to_ticks(r.time);
    if (owners_) {
      const uint8_t owner = owners_->of(r.line);
      p.device = owner == self_ ? kNoDevice : owner;
    }
    if (r.kind != RequestKind::kInstall) {
      const GpcTlb::Translation t =
          tlb_.translate(r.sm - first_sm_, r.line * kLineBytes, to_ticks(r.time), r.time);
      p.at = t.at;
      p.fill = t.fill;
    }
  }
  add_arrived(horizon);
}

void GpcPort::enter() {
  clear_bins();
  leaving_.clear();
  const bool filled = !tlb_.fills().empty();
  if (filled) {
    tlb_.settle();
  }
  for (uint32_t i = 0; i < packets_.size(); ++i) {
    Packet& p = packets_[i];
    const Request& r = p.request;
    if (p.remote) {
      continue;
    }
    if (is_answered(r)) {
      if (filled) {
        p.at = tlb_.known({p.at, p.fill});
      }
      if (p.device == kNoDevice) {
        common_.membars.use(r.sm, common_.map.slice_of_device(p.home));
      }
      p.at = common_.noc.request(r.sm, payload_bytes(r), p.at);
    }
    if (p.device != kNoDevice) {
      leaving_.push_back(&p);
      ++away_[r.grid];
      continue;
    }
    bins_[common_.shard_of_slice[p.home.slice]].push_back({r.time, i});
  }
  tlb_.forget_fills();
}

// The answer to a read is behind the GPC's port. One that was merged comes with the answer to the first read
// of its group.
Ticks GpcPort::cross(const Packet& p, Ticks done) {
  const Request& r = p.request;
  const uint32_t group = (r.sm - first_sm_) / merge_sms_;
  if (const Ticks* crossed = p.merged ? crossings_.find(group, r.line) : nullptr) {
    return std::max(done, *crossed);
  }
  done = common_.noc.to_gpc(common_.noc.gpc_of_sm()[r.sm], bytes_of(r), done);
  crossings_.add(group, r.line, done);
  return done;
}

// Once through the GPC's port, then to each SM. Returns when it is at the one that has asked.
Ticks GpcPort::answer_several(const Packet& p, Ticks done) {
  const Request& r = p.request;
  const uint32_t bytes = bytes_of(r);
  const Ticks at = common_.noc.to_gpc(common_.noc.gpc_of_sm()[r.sm], bytes, done);
  const Payload* values = r.payload ? &payload(p) : nullptr;
  const std::span<const uint16_t> targets = multicast_->targets(r);
  for (size_t i = 0; i < targets.size(); ++i) {
    multicast_->deliver(r, i, values, to_cycles_up(common_.noc.to_sm(targets[i], bytes, at) + distance(p)));
  }
  return common_.noc.to_sm(r.sm, bytes, at);
}

// ... at the SM.
Ticks GpcPort::arrival(const Packet& p, Ticks done) {
  const Request& r = p.request;
  if (r.multicast) {
    return answer_several(p, done);
  }
  if (r.kind == RequestKind::kRead) {
    return common_.noc.to_sm(r.sm, bytes_of(r), cross(p, done));
  }
  return returns_data(r) ? common_.noc.response(r.sm, bytes_of(r), done)
                         : done + to_ticks(common_.noc.response_latency());
}

void GpcPort::answer(const std::vector<std::unique_ptr<SliceShard>>& shards) {
  for (Packet& p : packets_) {
    if (p.remote || p.device != kNoDevice) {
      continue;
    }
    p.at = shards[common_.shard_of_slice[p.home.slice]]->l2().end(p.served);
  }
  for (size_t i = 0; i < packets_.size(); ++i) {
    if (i + kAhead < packets_.size()) {
      const Packet& later = packets_[i + kAhead];
      common_.noc.prefetch_response(later.request.sm, later.at);
    }
    const Request& r = packets_[i].request;
    if (!is_answered(r) || packets_[i].device != kNoDevice) {
      continue;
    }
    const Ticks done = packets_[i].at;
    const Ticks performed = packets_[i].remote ? packets_[i].served.done : done;
    away_[r.grid] -= packets_[i].remote;
    last_performed_[r.grid] = std::max(last_performed_[r.grid], to_cycles_up(performed));
    // Last, so that the ports see packets in the order in which they come.
    const Ticks back = arrival(packets_[i], done) + distance(packets_[i]);
    ends_[r.sm - first_sm_].in->deliver({to_cycles_up(back), r.id, r.sectors, r.payload});
  }
  packets_.clear();
  leaving_.clear();
}

}  // namespace heddle::memory
