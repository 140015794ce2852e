#include "sim/memory/l2.h"

#include <algorithm>
#include <bit>

namespace heddle::memory {
namespace {

using stats::Counter;

Ticks l2_ticks(const config::GpuConfig& g, double cycles) {
  return domain_ticks(cycles, g.clocks().l2_mhz(), g.clocks().core_mhz());
}

enum LineFlag : uint8_t {
  kReplica = 1,     // this copy's home is another partition
  kPersisting = 4,  // in the set-aside
  kReplicated = 2,  // the home copy: other partitions may hold replicas
};

Counter op_counter(RequestKind k) {
  switch (k) {
    case RequestKind::kRead:
      return Counter::kL2Reads;
    case RequestKind::kWrite:
      return Counter::kL2Writes;
    case RequestKind::kReduction:
      return Counter::kL2Reds;
    default:
      return Counter::kL2Atoms;
  }
}

}  // namespace

L2::L2(const config::GpuConfig& g, stats::CounterSet& counters)
    : map_(g.l2()),
      counters_(counters),
      dram_(g, counters),
      tag_service_(l2_ticks(g, 1)),
      hit_latency_(l2_ticks(g, g.l2().hit_latency())),
      far_latency_(to_ticks(g.l2().far_latency())),
      atomic_interval_(l2_ticks(g, g.l2().atomic_interval())),
      atomic_latency_(to_ticks(g.l2().atomic_latency())),
      sector_service_(static_cast<double>(l2_ticks(g, 1)) * kSectorBytes / g.l2().slice_bytes_per_cycle()),
      fabric_service_(static_cast<double>(l2_ticks(g, 1)) / g.l2().fabric_bytes()),
      max_persisting_lines_(
          static_cast<uint32_t>(g.l2().max_persisting_bytes() / g.l2().line_bytes() / g.l2().slices())),
      slices_(g.l2().slices()),
      fabric_(size_t{g.l2().partitions()} * g.l2().partitions()) {
  for (Slice& s : slices_) {
    s.tags = TagArray(map_.sets(), g.l2().ways());
  }
}

void L2::reset() {
  dram_.reset();
  for (Slice& s : slices_) {
    s.port.reset();
    s.atomics.reset();
    s.tags.clear();
    s.persisting = 0;
  }
  for (Bandwidth& f : fabric_) {
    f.reset();
  }
}

uint8_t L2::fetch_group(uint8_t sectors) const {
  uint32_t group = dram_.access_bytes() / kSectorBytes;
  uint8_t out = sectors;
  for (uint32_t s = 0; s < kSectorsPerLine; s += group) {
    uint8_t m = static_cast<uint8_t>(((1u << group) - 1) << s);
    if (sectors & m) {
      out |= m;
    }
  }
  return out;
}

Ticks L2::fabric(uint32_t from, uint32_t to, uint32_t bytes, Ticks at) {
  Bandwidth& s = fabric_[from * map_.partitions() + to];
  return s.reserve(at, static_cast<Ticks>(bytes * fabric_service_)) + far_latency_;
}

CacheLine& L2::allocate(const Home& home, uint32_t partition, const Request& r, Ticks at) {
  Slice& s = slice(partition, home.slice);
  CacheLine* v = s.tags.victim(home.set, [](const CacheLine& l) { return !(l.flags & kPersisting); });
  if (!v) {
    v = s.tags.victim(home.set, [](const CacheLine&) { return true; });
  }
  if (s.tags.live(*v)) {
    s.persisting -= (v->flags & kPersisting) != 0;
    if (v->dirty && !(v->flags & kReplica)) {
      uint32_t bytes = std::popcount(fetch_group(v->dirty)) * kSectorBytes;
      dram_.access(channel({partition, home.slice, home.set}), v->line * kLineBytes, bytes, true, at);
    }
  }
  s.tags.fill(*v, r.line);
  if (partition != home.partition) {
    v->flags = kReplica;
  }
  if (r.persisting && s.persisting < max_persisting_lines_) {
    v->flags |= kPersisting;
    ++s.persisting;
  }
  return *v;
}

void L2::invalidate_replica(const Home& home, uint64_t line, uint8_t sectors, uint32_t except) {
  for (uint32_t p = 0; p < map_.partitions(); ++p) {
    if (p == home.partition || p == except) {
      continue;
    }
    if (CacheLine* l = slice(p, home.slice).tags.find(home.set, line)) {
      l->valid &= static_cast<uint8_t>(~sectors);
    }
  }
}

Ticks L2::serve(const Request& r, uint32_t partition, Ticks at) {
  Home home = map_.home(r.line);
  uint32_t n = std::popcount(r.sectors);
  counters_[Counter::kL2Sectors] += n;
  counters_[Counter::kL2FromSm] += n;
  counters_[op_counter(r.kind)] += n;
  Slice& near = slice(partition, home.slice);
  // One request per L2 cycle (FINDINGS.md 6: scattered loads); data that arrives at its home takes one
  // and a half (39 scattered stores a core cycle, half of them far).
  Ticks lookups =
      r.kind != RequestKind::kRead && partition == home.partition ? tag_service_ * 3 / 2 : tag_service_;
  Ticks service = std::max<Ticks>(lookups, static_cast<Ticks>(n * sector_service_));
  at = near.port.reserve(at, service);
  switch (r.kind) {
    case RequestKind::kRead:
      return read(r, home, partition, at);
    case RequestKind::kWrite:
      return write(r, home, partition, at);
    default:
      return atomic(r, home, partition, at);
  }
}

// A look-up at the home slice: hits, or fetches from DRAM.
Ticks L2::read_home(const Request& r, const Home& home, uint8_t sectors, bool from_fabric, Ticks at) {
  Slice& s = slice(home.partition, home.slice);
  uint32_t n = std::popcount(sectors);
  if (from_fabric) {
    at = s.port.reserve(at, std::max<Ticks>(tag_service_, static_cast<Ticks>(n * sector_service_)));
    counters_[Counter::kL2Sectors] += n;
    counters_[Counter::kL2FromFabric] += n;
    counters_[Counter::kL2Reads] += n;
  }
  CacheLine* l = s.tags.find(home.set, r.line);
  uint8_t missing = sectors & static_cast<uint8_t>(~(l ? l->valid : 0));
  uint32_t hits = n - std::popcount(missing);
  counters_[Counter::kL2SectorHits] += hits;
  Ticks done = at + hit_latency_;
  if (missing) {
    if (!l) {
      l = &allocate(home, home.partition, r, at);
    }
    uint8_t fetch = fetch_group(missing) & static_cast<uint8_t>(~l->valid);
    if (!from_fabric) {
      counters_[Counter::kL2FromSmHits] += hits;
      counters_[Counter::kL2FromSmMisses] += std::popcount(fetch);
    }
    uint32_t bytes = std::popcount(fetch_group(missing)) * kSectorBytes;
    Ticks filled = dram_.access(channel(home), r.line * kLineBytes, bytes, false, done);
    l->valid |= fetch;
    l->ready = std::max(l->ready, filled);
    return l->ready;
  }
  if (!from_fabric) {
    counters_[Counter::kL2FromSmHits] += hits;
  }
  return std::max(done, l->ready);
}

Ticks L2::read(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  if (partition == home.partition) {
    return read_home(r, home, r.sectors, false, at);
  }
  Slice& near = slice(partition, home.slice);
  CacheLine* l = near.tags.find(home.set, r.line);
  uint8_t missing = r.sectors & static_cast<uint8_t>(~(l ? l->valid : 0));
  uint32_t hits = std::popcount(r.sectors) - std::popcount(missing);
  counters_[Counter::kL2SectorHits] += hits;
  counters_[Counter::kL2FromSmHits] += hits;
  if (!missing) {
    return std::max(at + hit_latency_, l->ready);
  }
  uint8_t fetch = fetch_group(missing) & static_cast<uint8_t>(~(l ? l->valid : 0));
  counters_[Counter::kL2FromSmMisses] += std::popcount(fetch);
  // The request itself is small; the data on its way back is what fills the fabric.
  Ticks arrive = at + hit_latency_ / 2 + far_latency_;
  Ticks filled = read_home(r, home, fetch, true, arrive);
  if (CacheLine* h = slice(home.partition, home.slice).tags.find(home.set, r.line)) {
    h->flags |= kReplicated;
  }
  filled = fabric(home.partition, partition, std::popcount(fetch) * kSectorBytes, filled);
  if (!l) {
    l = &allocate(home, partition, r, at);
  }
  l->valid |= fetch;
  l->ready = std::max(l->ready, filled);
  return l->ready;
}

Ticks L2::write(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  uint32_t n = std::popcount(r.sectors);
  counters_[Counter::kL2SectorHits] += n;
  counters_[Counter::kL2FromSmHits] += n;
  Ticks arrive = at;
  Ticks passed_on = at;
  if (partition != home.partition) {
    // The near slice passes the data on; a replica it holds is kept up to date.
    arrive = fabric(partition, home.partition, n * kSectorBytes, at + hit_latency_ / 2);
    passed_on = arrive - far_latency_;
    Slice& s = slice(home.partition, home.slice);
    arrive = s.port.reserve(arrive,
                            std::max<Ticks>(tag_service_ * 3 / 2, static_cast<Ticks>(n * sector_service_)));
    counters_[Counter::kL2Sectors] += n;
    counters_[Counter::kL2SectorHits] += n;
    counters_[Counter::kL2FromFabric] += n;
    counters_[Counter::kL2Writes] += n;
  }
  CacheLine* l = slice(home.partition, home.slice).tags.find(home.set, r.line);
  if (!l) {
    l = &allocate(home, home.partition, r, arrive);
  }
  if (l->flags & kReplicated) {
    invalidate_replica(home, r.line, r.sectors, partition);
  }
  l->valid |= r.sectors;
  l->dirty |= r.sectors;
  // The near slice acknowledges once it has passed the data on.
  return std::max(at + hit_latency_, passed_on);
}

Ticks L2::atomic(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  uint32_t n = std::popcount(r.sectors);
  Ticks arrive = at;
  if (partition != home.partition) {
    counters_[Counter::kL2SectorHits] += n;
    counters_[Counter::kL2FromSmHits] += n;
    arrive = fabric(partition, home.partition, n * kSectorBytes, at + hit_latency_ / 2);
    counters_[op_counter(r.kind)] += n;
    counters_[Counter::kL2Sectors] += n;
    counters_[Counter::kL2FromFabric] += n;
  }
  Slice& s = slice(home.partition, home.slice);
  CacheLine* l = s.tags.find(home.set, r.line);
  uint8_t missing = r.sectors & static_cast<uint8_t>(~(l ? l->valid : 0));
  uint32_t hits = n - std::popcount(missing);
  counters_[Counter::kL2SectorHits] += hits;
  if (partition == home.partition) {
    counters_[Counter::kL2FromSmHits] += hits;
    counters_[Counter::kL2FromSmMisses] += n - hits;
  }
  Ticks data = arrive;
  if (missing) {
    if (!l) {
      l = &allocate(home, home.partition, r, arrive);
    }
    uint8_t fetch = fetch_group(missing) & static_cast<uint8_t>(~l->valid);
    data = dram_.access(channel(home), r.line * kLineBytes,
                        std::popcount(fetch_group(missing)) * kSectorBytes, false, arrive + hit_latency_);
    l->valid |= fetch;
    l->ready = std::max(l->ready, data);
  }
  data = std::max(data, l->ready);
  l->dirty |= r.sectors;
  if (l->flags & kReplicated) {
    invalidate_replica(home, r.line, r.sectors, home.partition);
  }
  Ticks done = s.atomics.reserve(data, atomic_interval_ * r.operations) + hit_latency_;
  if (partition != home.partition) {
    done = fabric(home.partition, partition, n * kSectorBytes, done);
  }
  return done + atomic_latency_;
}

}  // namespace heddle::memory
