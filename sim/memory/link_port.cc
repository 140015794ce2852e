#include "sim/memory/link_port.h"

#include <algorithm>

#include "sim/memory/gpc_port.h"
#include "sim/memory/l2_clock.h"
#include "sim/memory/slice_shard.h"

namespace heddle::memory {

LinkPort::LinkPort(const spec::GpuConfig& g, const AddressMap& map,
                   const std::vector<uint32_t>& shard_of_slice, uint32_t shards)
    : ShardPort(0, shards),
      map_(map),
      shard_of_slice_(shard_of_slice),
      request_latency_(g.noc().request_latency()),
      hit_latency_(to_cycles_down(look_up_latency(g))) {}

void LinkPort::join(uint8_t self, uint32_t devices, const LinkTiming& timing) {
  self_ = self;
  timing_ = timing;
  requests_.resize(devices);
  answers_.resize(devices);
}

void LinkPort::reset() {
  for (std::vector<Server>* channels : {&requests_, &answers_}) {
    for (Server& s : *channels) {
      s.reset();
    }
  }
  waiting_.clear();
  taken_.clear();
  packets_.clear();
  outbox_.clear();
  bytes_ = 0;
}

Ticks LinkPort::send(Server& channel, uint32_t bytes, Ticks at) {
  bytes_ += bytes;
  const auto service =
      Ticks::truncated(bytes * static_cast<double>(kTicksPerCycle) / timing_.bytes_per_cycle);
  return channel.reserve(at, service) + to_ticks(timing_.latency);
}

void LinkPort::send(std::vector<std::unique_ptr<GpcPort>>& gpcs) {
  leaving_.clear();
  for (const auto& g : gpcs) {
    for (const Packet* p : g->leaving()) {
      leaving_.emplace_back(p, g.get());
    }
  }
  std::stable_sort(leaving_.begin(), leaving_.end(), [](const auto& a, const auto& b) {
    return a.first->request.time < b.first->request.time;
  });
  for (const auto& [p, gpc] : leaving_) {
    LinkMessage m;
    m.request = p->request;
    m.from = self_;
    m.to = p->device;
    m.values = p->request.payload ? &gpc->payload(*p) : nullptr;
    const uint32_t data = payload_bytes(p->request);
    m.at = send(requests_[m.to], timing_.header_bytes + data, p->at);
    m.key = to_cycles_up(m.at) - request_latency_;
    outbox_.push_back(m);
  }
}

void LinkPort::take(Cycle horizon) {
  clear_bins();
  packets_.clear();
  taken_.clear();
  waiting_.take(horizon, [this](const LinkMessage& m) {
    Packet p;
    p.request = m.request;
    p.request.time = m.key;
    p.home = map_.home(m.request.line);
    p.at = m.at;
    p.remote = true;
    bins_[shard_of_slice_[p.home.slice]].push_back({m.key, static_cast<uint32_t>(packets_.size())});
    packets_.push_back(p);
    taken_.push_back(m);
  });
}

void LinkPort::answer(const std::vector<std::unique_ptr<SliceShard>>& shards) {
  for (size_t i = 0; i < packets_.size(); ++i) {
    const Packet& p = packets_[i];
    LinkMessage m = taken_[i];
    const uint32_t data = returns_data(m.request) ? bytes_of(m.request) : 0;
    m.performed = shards[shard_of_slice_[p.home.slice]]->l2().end(p.served);
    m.at = send(answers_[m.from], timing_.header_bytes + data, m.performed);
    m.key = answer_key(m.at);
    m.answer = true;
    std::swap(m.from, m.to);
    outbox_.push_back(m);
  }
  packets_.clear();
  taken_.clear();
}

}  // namespace heddle::memory
