#include "sim/memory/memory_system.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/engine/archive.h"
#include "sim/memory/l2_clock.h"

namespace heddle::memory {
namespace {

// So many transfers are worth two threads: calling them takes as long as booking some hundred.
constexpr uint32_t kManyTransfers = 256;

void for_each(WorkerPool* pool, size_t n, const std::function<void(uint32_t)>& f) {
  if (pool) {
    pool->parallel_for(static_cast<uint32_t>(n), f);
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    f(i);
  }
}

}  // namespace

MemorySystem::MemorySystem(const spec::GpuConfig& g, WorkerPool* pool)
    : map_(g.l2()),
      noc_(g),
      merge_group_(sm_groups(noc_.gpc_of_sm(), g.noc().merge_sms())),
      membars_(g),
      walkers_(g.tlb(), counters_),
      fabric_(g),
      link_(g, map_, shard_of_slice_, static_cast<uint32_t>(slice_ranges(g).size())),
      launch_prefetch_bytes_(g.sm().fetch().launch_prefetch_bytes()),
      code_beyond_bytes_(g.launch().code_beyond_bytes()),
      constant_bytes_(g.launch().constant_bytes()),
      // Nothing is answered without a look-up.
      min_round_trip_(noc_.min_round_trip() + to_cycles_down(look_up_latency(g))) {
  const std::vector<SliceRange> ranges = slice_ranges(g);
  shards_.resize(ranges.size());
  for_each(pool, ranges.size(), [&](uint32_t i) {
    shards_[i] = std::make_unique<SliceShard>(g, fabric_, ranges[i], i, merge_group_);
  });
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    shard_of_slice_.insert(shard_of_slice_.end(), ranges[i].count, i);
    transfers_.push_back(&shards_[i]->l2().transfers());
  }
  const GpcPort::Common common = {map_, shard_of_slice_, static_cast<uint32_t>(ranges.size()), noc_,
                                  membars_};
  for (uint32_t i = 0; i < static_cast<uint32_t>(g.topology().tpcs_per_gpc_size()); ++i) {
    gpcs_.push_back(std::make_unique<GpcPort>(g, i, common));
    ports_.push_back(gpcs_.back().get());
  }
  ports_.push_back(&link_);
}

void MemorySystem::dismantle(WorkerPool& pool) {
  pool.parallel_for(static_cast<uint32_t>(shards_.size()), [&](uint32_t i) { shards_[i].reset(); });
}

void MemorySystem::reset(const L2Policy& policy, bool warm, Cycle origin, WorkerPool* pool) {
  counters_ = {};
  noc_.reset(to_ticks(origin));
  membars_.reset();
  walkers_.reset();
  fabric_.reset(to_ticks(origin));
  for (auto& g : gpcs_) {
    g->reset();
  }
  link_.reset();
  code_lines_.reset();
  for_each(pool, shards_.size(), [&](uint32_t i) { shards_[i]->reset(policy, warm, to_ticks(origin)); });
}

void MemorySystem::set_image(isa::GlobalMemory* image, bool at_once) {
  for (auto& s : shards_) {
    s->set_image(image, at_once);
  }
}

void MemorySystem::settle_writes(Cycle until) {
  for (auto& s : shards_) {
    s->settle_writes(until == kNever ? Ticks(UINT64_MAX) : to_ticks(until));
  }
}

uint64_t MemorySystem::changes() const {
  uint64_t n = 0;
  for (const auto& s : shards_) {
    n += s->changes();
  }
  return n;
}

void MemorySystem::reset_persisting() {
  for (auto& s : shards_) {
    s->l2().reset_persisting();
  }
}

uint64_t MemorySystem::persisting_bytes() {
  uint64_t lines = 0;
  for (auto& s : shards_) {
    lines += s->l2().persisting_lines();
  }
  return lines * kLineBytes;
}

void MemorySystem::launch(uint8_t grid, uint64_t first_code_byte, uint64_t code_bytes, Cycle at) {
  code_lines_.launch(kCodeLines + first_code_byte / kLineBytes, code_bytes / kLineBytes + 1);
  if (constant_bytes_ == 0) {
    return;  // not measured
  }
  constexpr uint64_t kUnitBytes = uint64_t{GpcCache::kUnitLines} * kLineBytes;
  auto lines = [](uint64_t bytes) { return (bytes + kUnitBytes - 1) / kUnitBytes * GpcCache::kUnitLines; };
  const uint64_t code =
      std::min<uint64_t>(launch_prefetch_bytes_, lines(code_bytes) * kLineBytes + code_beyond_bytes_);
  const uint64_t first_constant = kConstantLines + grid * lines(constant_bytes_);
  for (uint64_t line = 0; line * kLineBytes < constant_bytes_; ++line) {
    gpcs_.front()->install(first_constant + line, at);  // the launch has just written them
  }
  for (auto& g : gpcs_) {
    g->fetch(kCodeLines + first_code_byte / kLineBytes, lines(code), at);
    g->fetch(first_constant, lines(constant_bytes_), at);
  }
}

// The device's TLB is asked in the order of the packets, whichever GPC they are from.
void MemorySystem::walk() {
  walks_.clear();
  for (uint32_t g = 0; g < gpcs_.size(); ++g) {
    const std::vector<GpcTlb::Fill>& fills = gpcs_[g]->walks();
    for (uint32_t i = 0; i < fills.size(); ++i) {
      if (fills[i].behind == 0) {
        walks_.push_back({fills[i].sent, g, i});
      }
    }
  }
  std::stable_sort(walks_.begin(), walks_.end(),
                   [](const Walk& a, const Walk& b) { return a.sent < b.sent; });
  for (const Walk& w : walks_) {
    GpcTlb::Fill& f = gpcs_[w.gpc]->walks()[w.fill];
    f.ready = walkers_.walk(f.region, f.at);
  }
}

void MemorySystem::take(uint32_t gpc, Cycle horizon) {
  GpcPort& g = *gpcs_[gpc];
  g.take(horizon);
  // Most quanta need no walk, and then a GPC goes through both steps at once.
  if (g.walks().empty()) {
    g.enter();
  }
}

void MemorySystem::exchange(Cycle horizon, WorkerPool& pool, const std::function<void(uint32_t)>& then) {
  pool.parallel_for(gpcs(), [&](uint32_t g) { take(g, horizon); });
  exchange(pool, then);
}

void MemorySystem::exchange(WorkerPool& pool, const std::function<void(uint32_t)>& then) {
  const auto gpcs = static_cast<uint32_t>(gpcs_.size());
  bool idle = link_.idle(), walks = false;
  for (auto& g : gpcs_) {
    g->code_asked([this](uint64_t line, Cycle at) { code_lines_.add(line, at); });
    idle = idle && g->idle();
    walks = walks || !g->walks().empty();
  }
  if (idle) {
    pool.parallel_for(gpcs, then);
    return;
  }
  if (walks) {
    walk();
    for (auto& g : gpcs_) {
      if (!g->walks().empty()) {
        g->enter();
      }
    }
  }
  link_.send(gpcs_);
  const auto shards = static_cast<uint32_t>(shards_.size());
  sent_across_ = 0;
  pool.parallel_for(shards, [&](uint32_t s) {
    shards_[s]->serve(ports_);
    if (const size_t n = transfers_[s]->size()) {
      sent_across_.fetch_add(static_cast<uint32_t>(n), std::memory_order_relaxed);
    }
  });
  book_fabric(pool);
  // Answers need no more than the ends of transfers. Threads begin in different places: the GPCs, which take
  // longer, are spread.
  link_.answer(shards_);
  const uint32_t each = 1 + shards / gpcs;
  pool.parallel_for(gpcs + shards, [&](uint32_t i) {
    const uint32_t before = std::min(gpcs, (i + each - 1) / each);  // GPCs among those before
    if (i % each == 0 && before < gpcs) {
      gpcs_[before]->answer(shards_);
      then(before);
    } else {
      shards_[i - before]->settle();
    }
  });
}

void MemorySystem::book_fabric(WorkerPool& pool) {
  auto book = [&](uint32_t direction) { fabric_.book(direction, transfers_); };
  if (sent_across_ >= kManyTransfers) {
    pool.parallel_for(fabric_.directions(), book);
    return;
  }
  for (uint32_t d = 0; sent_across_ > 0 && d < fabric_.directions(); ++d) {
    book(d);
  }
}

void MemorySystem::join(uint8_t self, uint32_t devices, const LinkTiming& timing, const Owners& owners) {
  link_.join(self, devices, timing);
  for (auto& g : gpcs_) {
    g->set_owners(&owners, self);
  }
}

void MemorySystem::arrive(const LinkMessage& m) {
  if (m.answer) {
    gpcs_[noc_.gpc_of_sm()[m.request.sm]]->arrive(m);
  } else {
    link_.arrive(m);
  }
}

Cycle MemorySystem::next_arrival() const {
  Cycle t = link_.next();
  for (const auto& g : gpcs_) {
    t = std::min(t, g->next_arrival());
  }
  return t;
}

uint32_t MemorySystem::away(uint8_t grid) const {
  uint32_t n = 0;
  for (const auto& g : gpcs_) {
    n += g->away(grid);
  }
  return n;
}

void MemorySystem::serialize(Archive& ar) {
  if (link_.joined()) {
    throw Error("devices that are joined by links cannot be saved yet (legal: one device)");
  }
  ar.mark("memory");
  ar(counters_, noc_, membars_, walkers_, fabric_, code_lines_);
  for (auto& g : gpcs_) {
    ar(*g);
  }
  ar.mark("slices");
  for (auto& s : shards_) {
    ar(*s);
  }
}

Cycle MemorySystem::last_performed(uint8_t grid) const {
  Cycle last = 0;
  for (const auto& g : gpcs_) {
    last = std::max(last, g->last_performed(grid));
  }
  return last;
}

stats::CounterSet MemorySystem::counters() const {
  stats::CounterSet all = counters_;
  for (const auto& g : gpcs_) {
    all.add(g->counters());
  }
  for (const auto& s : shards_) {
    all.add(s->counters());
  }
  return all;
}

}  // namespace heddle::memory
