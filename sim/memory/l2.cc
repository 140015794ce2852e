#include "sim/memory/l2.h"

#include <algorithm>
#include <bit>

#include "sim/memory/l2_clock.h"
#include "sim/memory/l2_flags.h"

namespace heddle::memory {
namespace {

using stats::Counter;

// Dirty lines that max_dirty_bytes is for: those that persist have their own room.
bool counted_dirty(const CacheLine& l) { return l.dirty != 0 && !(l.flags & kPersisting); }

// Sectors written in part: dirty, but not known.
uint8_t holes(const CacheLine& l) { return static_cast<uint8_t>(l.dirty & ~l.valid); }

Counter op_counter(RequestKind k) {
  switch (k) {
    case RequestKind::kRead:
    case RequestKind::kFetch:
    case RequestKind::kPrefetch:
      return Counter::kL2Reads;
    case RequestKind::kWrite:
      return Counter::kL2Writes;
    case RequestKind::kReduction:
      return Counter::kL2Reds;
    default:
      return Counter::kL2Atoms;
  }
}

// The DRAM channel behind slice `index` of `partition`.
uint32_t device_channel(const spec::GpuConfig& g, uint32_t partition, uint32_t index) {
  const uint32_t slices = g.l2().slices() / g.l2().partitions();
  return static_cast<uint32_t>(uint64_t{partition * slices + index} * g.dram().channels() / g.l2().slices());
}

std::vector<uint32_t> channels_behind(const spec::GpuConfig& g, const SliceRange& range) {
  std::vector<uint32_t> out, distinct;
  for (uint32_t p = 0; p < g.l2().partitions(); ++p) {
    for (uint32_t i = range.first; i < range.first + range.count; ++i) {
      const uint32_t c = device_channel(g, p, i);
      const auto at = std::find(distinct.begin(), distinct.end(), c);
      out.push_back(static_cast<uint32_t>(at - distinct.begin()));
      if (at == distinct.end()) {
        distinct.push_back(c);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<SliceRange> slice_ranges(const spec::GpuConfig& g) {
  const uint32_t partitions = g.l2().partitions(), slices = g.l2().slices() / partitions;
  if (g.dram().channels() % partitions != 0) {
    return {{0, slices}};  // a channel between two partitions ties first and last slices together
  }
  std::vector<SliceRange> out;
  for (uint32_t i = 0; i < slices; ++i) {
    if (i > 0 && device_channel(g, 0, i) == device_channel(g, 0, i - 1)) {
      ++out.back().count;
    } else {
      out.push_back({i, 1});
    }
  }
  return out;
}

L2::L2(const spec::GpuConfig& g, const Fabric& fabric, stats::CounterSet& counters)
    : L2(g, fabric, counters, {0, g.l2().slices() / g.l2().partitions()}) {}

L2::L2(const spec::GpuConfig& g, const Fabric& fabric, stats::CounterSet& counters, const SliceRange& slices)
    : map_(g.l2()),
      range_(slices),
      channel_(channels_behind(g, slices)),
      counters_(counters),
      fabric_(fabric),
      dram_(g, counters, 1 + *std::max_element(channel_.begin(), channel_.end())),
      tag_service_(l2_ticks(g, 1 / g.l2().slice_requests_per_cycle())),
      hit_latency_(look_up_latency(g)),
      far_latency_(to_ticks(g.l2().far_latency())),
      atomic_interval_(l2_ticks(g, g.l2().atomic_interval())),
      atomic_latency_(to_ticks(g.l2().atomic_latency())),
      sector_service_(static_cast<double>(l2_ticks(g, 1).count()) * kSectorBytes /
                      g.l2().slice_bytes_per_cycle()),
      fill_service_(static_cast<double>(l2_ticks(g, 1).count()) * kSectorBytes /
                    g.l2().slice_write_bytes_per_cycle()),
      header_sectors_(static_cast<double>(g.noc().packet_header_bytes()) / kSectorBytes),
      keeps_persisting_(g.l2().set_aside_replacement() == spec::L2::KEEP),
      total_bytes_(g.l2().total_bytes()),
      max_persisting_lines_(
          static_cast<uint32_t>(g.l2().max_persisting_bytes() / g.l2().line_bytes() / g.l2().slices())),
      max_partial_lines_(g.l2().max_partial_bytes() == 0
                             ? 0
                             : static_cast<uint32_t>(std::max<uint64_t>(
                                   1, g.l2().max_partial_bytes() / g.l2().line_bytes() / g.l2().slices()))),
      full_dirty_lines_(
          g.l2().max_dirty_bytes() == 0
              ? ~0u
              : static_cast<uint32_t>(g.l2().max_dirty_bytes() / g.l2().line_bytes() / g.l2().slices())),
      old_dirty_lines_(static_cast<uint32_t>(
          std::min<uint64_t>(map_.sets(), g.launch().dirty_bytes() / g.l2().line_bytes() / g.l2().slices()))),
      max_dirty_lines_(full_dirty_lines_),
      config_(g.l2()),
      slices_(size_t{g.l2().partitions()} * slices.count) {
  for (Slice& s : slices_) {
    s.tags = TagArray(map_.sets(), g.l2().ways());
    s.dirty = s.old_dirty = old_dirty_lines_;
  }
}

void L2::reset(Ticks origin) {
  dram_.reset(origin);
  for (Slice& s : slices_) {
    s.port.reset(origin);
    s.fills.reset(origin);
    s.atomics.reset(origin);
    s.tags.clear();
    s.settled = ~0u;
    s.persisting = s.partial = 0;
    s.dirty = s.old_dirty = old_dirty_lines_;
  }
  forget_transfers();
  filling_.clear();
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

uint32_t L2::cross(const Request& r, uint32_t from, uint32_t to, uint32_t bytes, Ticks at, Ticks latency) {
  transfers_.push_back({.sent = r.time,
                        .at = at,
                        .latency = latency,
                        .bytes = bytes,
                        .direction = fabric_.direction(from, to)});
  return static_cast<uint32_t>(transfers_.size());
}

void L2::settle() {
  for (const Filling& f : filling_) {
    // Else it has been filled again, or is another line by now.
    if (transfer_of(*f.line) == f.transfer) {
      f.line->ready = std::max(f.line->ready, end_of(transfers_, f.transfer));
      f.line->aux = 0;
    }
  }
  filling_.clear();
}

// The controller reads and writes whole transfers; a sector alone is half of one. What a sector lacks is read
// first (FINDINGS.md 62); nobody waits for it but those that DRAM holds up.
Ticks L2::write_back(CacheLine& l, const Home& home, Ticks at) {
  uint32_t bytes = std::popcount(l.dirty) * kSectorBytes;
  slice(home.partition, home.slice).dirty -= counted_dirty(l);
  if (holes(l)) {
    fill_home(l, home, holes(l), at);
  }
  l.dirty = 0;
  return dram_.access(channel(home), l.line * kLineBytes, bytes, true, at);
}

template <class Wanted>
Ticks L2::write_back_oldest(const CacheLine& but, Wanted&& wanted, const Home& home, Ticks at) {
  CacheLine* oldest = slice(home.partition, home.slice).tags.oldest(home.set, [&](const CacheLine& l) {
    return &l != &but && wanted(l);
  });
  return oldest ? write_back(*oldest, home, at) : at;
}

Ticks L2::evict_old(Slice& s, const Home& home, Ticks at) {
  --s.old_dirty;
  --s.dirty;
  return dram_.access(channel(home), uint64_t{s.old_dirty} * kLineBytes, kLineBytes, true, at);
}

CacheLine& L2::allocate(const Home& home, uint32_t partition, const Request& r, Ticks at, Ticks* evicted) {
  Slice& s = slice(partition, home.slice);
  Home here = {partition, home.slice, home.set};
  // A replica does not persist: 30 MiB stay in a set-aside of 37.5 though both partitions read them
  // (hostbench.csv).
  AccessProperty wanted = AccessProperty::kNone;
  CacheLine* v;
  if (policy_.active()) {
    wanted = property(r);
    if (partition != home.partition && wanted == AccessProperty::kPersisting) {
      wanted = AccessProperty::kNone;
    }
    v = &victim_under_policy(s, home, wanted);
  } else {
    v = s.tags.victim(home.set, [](const CacheLine& l) { return !(l.flags & kPersisting); });
    if (!v) {
      v = s.tags.victim(home.set, [](const CacheLine&) { return true; });
    }
  }
  Ticks gone = at;
  if (s.tags.live(*v)) {
    s.persisting -= (v->flags & kPersisting) != 0;
    if (v->dirty) {
      gone = write_back(*v, here, at);
    }
  } else if (s.old_dirty > 0 && home.set < old_dirty_lines_ && s.tags.last_way(*v)) {
    // What was there before the kernel is the oldest: it goes when the set has filled up.
    gone = evict_old(s, here, at);
  }
  if (evicted) {
    *evicted = gone;
  }
  s.tags.fill(*v, r.line);
  if (partition != home.partition) {
    v->flags = kReplica;
  }
  if (policy_.active()) {
    auto persists = [](const CacheLine& l) { return (l.flags & kPersisting) != 0; };
    if (wanted == AccessProperty::kStreaming) {
      v->flags |= kStreaming;
    } else if (wanted == AccessProperty::kPersisting &&
               s.tags.count(home.set, persists) < set_aside_ways(home.set)) {
      v->flags |= kPersisting;
      ++s.persisting;
    }
  } else if (r.persisting && s.persisting < max_persisting_lines_) {
    v->flags |= kPersisting;
    ++s.persisting;
  }
  return *v;
}

void L2::install(uint64_t line) {
  Home home = map_.home(line);
  Request r;
  r.line = line;
  allocate(home, home.partition, r, Ticks()).valid = (1u << kSectorsPerLine) - 1;
}

Ticks L2::set_dirty(CacheLine& l, uint8_t sectors, const Home& home, Ticks at) {
  Slice& s = slice(home.partition, home.slice);
  const bool was = counted_dirty(l);
  l.dirty |= sectors;
  if (was || !counted_dirty(l) || ++s.dirty <= max_dirty_lines_) {
    return at;
  }
  if (s.old_dirty > 0) {
    return evict_old(s, home, at);
  }
  return write_back_oldest(l, counted_dirty, home, at);
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

L2::Served L2::serve(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  uint32_t n = std::popcount(r.sectors);
  if (n == 0) {
    return {at + hit_latency_, 0};  // it asks for nothing
  }
  ++counters_[Counter::kL2Requests];
  counters_[Counter::kL2Sectors] += n;
  counters_[Counter::kL2FromGpc] += n;
  counters_[r.kind == RequestKind::kFetch ? Counter::kL2FromGcc : Counter::kL2FromSm] += n;
  counters_[op_counter(r.kind)] += n;
  Slice& near = slice(partition, home.slice);
  // One request per L2 cycle (FINDINGS.md 6: scattered loads; 42: stores and reductions, those that pass
  // through too).
  at = near.port.reserve(at, look_up_service(n));
  if (r.kind == RequestKind::kRead || r.kind == RequestKind::kFetch || r.kind == RequestKind::kPrefetch) {
    return read(r, home, partition, at);
  }
  return r.kind == RequestKind::kWrite ? write(r, home, partition, at) : atomic(r, home, partition, at);
}

// Looks `r` up in a slice that an SM (or a GPC) asks.
L2::LookUp L2::look_up(const Request& r, const CacheLine* l) {
  LookUp u;
  u.missing = r.sectors & static_cast<uint8_t>(~(l ? l->valid : 0));
  u.fetch = fetch_group(u.missing) & static_cast<uint8_t>(~(l ? l->valid : 0));
  uint32_t hits = std::popcount(r.sectors) - std::popcount(u.missing);
  counters_[Counter::kL2SectorHits] += hits;
  if (r.kind != RequestKind::kFetch) {
    counters_[Counter::kL2FromSmHits] += hits;
    counters_[Counter::kL2FromSmMisses] += std::popcount(u.fetch);
  }
  return u;
}

// Brings `fetch` from DRAM into the line of the home slice.
Ticks L2::fill_home(CacheLine& l, const Home& home, uint8_t fetch, Ticks at) {
  const Ticks filled =
      dram_.access(channel(home), l.line * kLineBytes, std::popcount(fetch) * kSectorBytes, false, at);
  const bool was = holes(l) != 0;
  l.valid |= fetch;
  slice(home.partition, home.slice).partial -= was && !holes(l);
  l.ready = std::max(l.ready, fill(home, std::popcount(fetch), filled));
  return l.ready;
}

// The home slice reads `sectors` for the other partition.
Ticks L2::read_for_fabric(const Request& r, const Home& home, uint8_t sectors, Ticks at) {
  Slice& s = slice(home.partition, home.slice);
  uint32_t n = std::popcount(sectors);
  at = s.port.reserve(at, look_up_service(n));
  ++counters_[Counter::kL2Requests];
  counters_[Counter::kL2Sectors] += n;
  counters_[Counter::kL2FromFabric] += n;
  counters_[Counter::kL2Reads] += n;
  CacheLine* l = s.tags.find(home.set, r.line);
  if (l && policy_.window.bytes > 0) {
    touch(*l, home, home.partition, r);
  }
  auto missing = static_cast<uint8_t>(sectors & ~(l ? l->valid : 0));
  counters_[Counter::kL2SectorHits] += n - std::popcount(missing);
  Ticks done = at + hit_latency_;
  if (!l) {
    l = &allocate(home, home.partition, r, at);
  }
  if (missing) {
    done = fill_home(*l, home, missing, done);
  }
  l->flags |= kReplicated;
  return std::max(done, l->ready);
}

L2::Served L2::read(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  Slice& near = slice(partition, home.slice);
  CacheLine* l = near.tags.find(home.set, r.line);
  if (l && policy_.window.bytes > 0) {
    touch(*l, home, partition, r);
  }
  LookUp u = look_up(r, l);
  Ticks done = at + hit_latency_;
  if (l && !u.missing) {
    return {std::max(done, l->ready), transfer_of(*l)};
  }
  if (partition == home.partition) {
    if (!l) {
      l = &allocate(home, partition, r, at);
    }
    return {fill_home(*l, home, u.fetch, done), 0};
  }
  // The request itself is small; the data on its way back is what fills the fabric.
  const Ticks found = read_for_fabric(r, home, u.fetch, at + hit_latency_ / 2 + far_latency_);
  const uint32_t bytes = std::popcount(u.fetch) * kSectorBytes;
  const uint32_t transfer = cross(r, home.partition, partition, bytes, found, far_latency_);
  if (!l) {
    l = &allocate(home, partition, r, at);
  }
  transfers_.back().behind = l->aux;  // other sectors of the line that are on their way
  l->valid |= u.fetch;
  l->ready = std::max(l->ready, found + crossing(bytes));
  l->aux = transfer;
  filling_.push_back({l, transfer});
  return {l->ready, l->aux};
}

uint8_t L2::known(CacheLine& l, const Request& r) const {
  if (max_partial_lines_ == 0 || !r.partial) {
    return r.sectors;
  }
  constexpr uint32_t kWords = kSectorBytes / 4, kAll = (1u << kWords) - 1;
  l.aux |= r.words;
  uint8_t whole = 0;
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    whole |= static_cast<uint8_t>(((l.aux >> s * kWords & kAll) == kAll) << s);
  }
  return r.sectors & whole;
}

Ticks L2::put(CacheLine& l, const Request& r, const Home& home, Ticks at) {
  Slice& s = slice(home.partition, home.slice);
  s.partial -= holes(l) != 0;
  l.valid |= known(l, r);
  const Ticks taken = set_dirty(l, r.sectors, home, at);
  if (holes(l) == 0 || ++s.partial <= max_partial_lines_) {
    return taken;
  }
  return std::max(taken, write_back_oldest(l, holes, home, at));
}

L2::Served L2::write(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  uint32_t n = std::popcount(r.sectors);
  counters_[Counter::kL2SectorHits] += n;
  counters_[Counter::kL2FromSmHits] += n;
  Ticks arrive = at;
  Ticks passed_on = at;
  uint32_t transfer = 0;
  if (partition != home.partition) {
    // The near slice passes the data on; a replica it holds is kept up to date.
    transfer = cross(r, partition, home.partition, n * kSectorBytes, at + hit_latency_ / 2, Ticks());
    arrive = at + hit_latency_ / 2 + crossing(n * kSectorBytes);
    passed_on = arrive - far_latency_;
    Slice& s = slice(home.partition, home.slice);
    arrive = s.port.reserve(arrive, look_up_service(n));
    ++counters_[Counter::kL2Requests];
    counters_[Counter::kL2Sectors] += n;
    counters_[Counter::kL2SectorHits] += n;
    counters_[Counter::kL2FromFabric] += n;
    counters_[Counter::kL2Writes] += n;
  }
  CacheLine* l = slice(home.partition, home.slice).tags.find(home.set, r.line);
  Ticks evicted = arrive;
  if (!l) {
    l = &allocate(home, home.partition, r, arrive, &evicted);
  } else if (policy_.window.bytes > 0) {
    touch(*l, home, home.partition, r);
  }
  if (l->flags & kReplicated) {
    invalidate_replica(home, r.line, r.sectors, partition);
  }
  // DRAM that cannot keep up holds up the writers, and so does the data array.
  // To change parts of sectors it is read first (FINDINGS.md 42). The packet's header comes the same way as
  // its data: 76 sectors a cycle of all slices, not 81 (6).
  const double sectors = std::max(n + header_sectors_, r.partial ? n + 1. : 0.);
  const Ticks taken = std::max({put(*l, r, home, arrive), fill(home, sectors, arrive), evicted});
  // The near slice acknowledges once it has passed the data on.
  return {std::max({at + hit_latency_, passed_on, taken > arrive ? taken : Ticks()}), transfer};
}

L2::Served L2::atomic(const Request& r, const Home& home, uint32_t partition, Ticks at) {
  uint32_t n = std::popcount(r.sectors);
  Slice& s = slice(home.partition, home.slice);
  CacheLine* l = s.tags.find(home.set, r.line);
  if (l && policy_.window.bytes > 0) {
    touch(*l, home, home.partition, r);
  }
  Ticks arrive = at;
  uint32_t transfer = 0;
  uint8_t missing, fetch;
  if (partition == home.partition) {
    LookUp u = look_up(r, l);
    missing = u.missing;
    fetch = u.fetch;
  } else {
    counters_[Counter::kL2SectorHits] += n;
    counters_[Counter::kL2FromSmHits] += n;
    transfer = cross(r, partition, home.partition, n * kSectorBytes, at + hit_latency_ / 2, far_latency_);
    arrive = at + hit_latency_ / 2 + crossing(n * kSectorBytes);
    ++counters_[Counter::kL2Requests];
    counters_[op_counter(r.kind)] += n;
    counters_[Counter::kL2Sectors] += n;
    counters_[Counter::kL2FromFabric] += n;
    // Only what an SM asks its own partition for brings its neighbour along.
    fetch = missing = static_cast<uint8_t>(r.sectors & ~(l ? l->valid : 0));
    counters_[Counter::kL2SectorHits] += n - std::popcount(missing);
  }
  if (!l) {
    l = &allocate(home, home.partition, r, arrive);
  }
  if (missing) {
    fill_home(*l, home, fetch, arrive + hit_latency_);
  }
  // A reduction is taken before its line has come, as long as memory keeps up: as many are on their way with
  // and without misses (FINDINGS.md 26).
  const bool taken = r.kind == RequestKind::kReduction;
  const Ticks data = std::max(arrive, taken ? l->ready - std::min(l->ready, dram_.unloaded()) : l->ready);
  set_dirty(*l, r.sectors, home, arrive);
  if (l->flags & kReplicated) {
    invalidate_replica(home, r.line, r.sectors, home.partition);
  }
  Ticks done = s.atomics.reserve(data, atomic_interval_ * r.operations) + hit_latency_;
  if (transfer == 0) {
    return {done + atomic_latency_, 0};
  }
  // Back again; later by as much as it came later.
  const uint32_t back =
      cross(r, home.partition, partition, n * kSectorBytes, done, far_latency_ + atomic_latency_);
  done += crossing(n * kSectorBytes) + atomic_latency_;
  transfers_.back().behind = transfer;
  transfers_.back().lag = done - arrive;
  return {done, back};
}

}  // namespace heddle::memory
