#include "sim/sm/lsu/lsu.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/access/bank_conflicts.h"
#include "sim/access/space.h"

namespace heddle::sm {

using isa::MemSpace;
using isa::OpClass;
using stats::Counter;

namespace {

// Of which L1 each sub-core is.
std::vector<uint32_t> units(const spec::Sm& c) {
  std::vector<uint32_t> out(c.subcores());
  for (uint32_t s = 0; s < c.subcores() && c.l1().has_subcores_per_unit(); ++s) {
    out[s] = s / c.l1().subcores_per_unit();
  }
  return out;
}

}  // namespace

Lsu::Lsu(SmState& sm, Fences& fences, ClusterPort& cluster, QueueRoom& room)
    : Lsu(sm, fences, cluster, room, sm.config()) {}

Lsu::Lsu(SmState& sm, Fences& fences, ClusterPort& cluster, QueueRoom& room, const spec::Sm& c)
    : sm_(sm),
      fences_(fences),
      cluster_(cluster),
      queue_room_(room),
      config_(c),
      apart_(c.l1().apart_from_shared()),
      unit_of_(units(c)),
      stages_(unit_of_.back() + 1 + (apart_ ? 1 : 0), Stage(c)),
      l1_(c.l1(), unit_of_.back() + 1),
      lg_(c.subcores(), Queue(c.memory().lg_queue())),
      mio_(c.subcores(), Queue(c.memory().mio_queue())),
      subcore_next_(c.subcores()),
      packets_(c.l1()) {
  writeback_.reserve(c.subcores());
  for (uint32_t i = 0; i < c.subcores(); ++i) {
    writeback_.emplace_back(to_ticks(4), 1024);
  }
}

void Lsu::reset(Cycle origin) {
  for (uint32_t i = 0; i < lg_.size(); ++i) {
    lg_[i].count = mio_[i].count = 0;
    subcore_next_[i] = 0;
    writeback_[i].reset(to_ticks(origin));
  }
  for (Stage& s : stages_) {
    s.reset();
  }
  packets_.reset();
  turn_ = 0;
  starved_ = worked_ = false;
  scheduled_ = kNever;
  posted_ = held_ = 0;
  senders_.clear();
  rooms_.clear();
  restored_.clear();
}

Cycle Lsu::start(const Issued& i) {
  const TimedInstr& t = i.instr;
  const uint32_t subcore = i.subcore;
  const Cycle now = i.now;
  Warp& w = sm_.warp(i.warp);
  ++w.loads;
  if (t.op == OpClass::kLdgsts) {
    fences_.copy_started(i.warp);
  }
  const bool lg = uses_lg_queue(t.port);
  auto group = static_cast<uint8_t>(w.copies.tail % kGroupRing);
  Queue& q = lg ? lg_[subcore] : mio_[subcore];
  assert(q.count < q.entry.size());
  Entry& e = q.push();
  e = {.warp = static_cast<uint8_t>(i.warp),
       .group = group,
       .mask = i.mask,
       .instr = &t,
       .issued = now,
       .ready = now + config_.memory().queue_latency(),
       .address = i.operands.address,
       .copy_to = i.operands.copy_to};
  if (i.operands.room) {
    e.room = next_room_ + 1;
    e.served = i.operands.served;
    Room& room = rooms_[next_room_];
    room.atomic = i.operands.atomic;
    room.mbarrier = i.operands.mbarrier;
    room.ticket = i.operands.ticket;
  }
  uint32_t depth = lg ? config_.memory().lg_queue() : config_.memory().mio_queue();
  if (q.count >= depth) {
    set_full(subcore, lg, true, now);
  }
  if (q.count == 1 && !(lg && starved_)) {
    request_arbitration(std::max(lg ? lg_turn(subcore) : mio_turn(subcore), now + 1));
  }
  return 0;
}

void Lsu::set_full(uint32_t subcore, bool lg, bool full, Cycle now) {
  if (!lg) {
    queue_room_.set_port_full(subcore, kPortMio, full, now);
    return;
  }
  queue_room_.set_port_full(subcore, kPortLg, full, now);
  queue_room_.set_port_full(subcore, kPortTex, full, now);
}

void Lsu::request_arbitration(Cycle at) {
  if (at < scheduled_) {
    scheduled_ = at;
    sm_.schedule(at, {UnitEvent::Kind::kLsu});
  }
}

// One instruction per visit. The sub-cores take turns; of one sub-core's two queues the older head goes
// first.
void Lsu::arbitrate(Cycle now) {
  if (scheduled_ > now) {
    return;  // an earlier visit already did this one's work
  }
  scheduled_ = kNever;
  uint32_t n = static_cast<uint32_t>(lg_.size());
  Cycle soonest = kNever;
  bool served = false;
  for (uint32_t i = 0; i < n && !served; ++i) {
    uint32_t s = (turn_ + i) % n;
    bool lg_ok = lg_[s].count && !starved_ && lg_turn(s) <= now;
    bool mio_ok = mio_[s].count && mio_turn(s) <= now;
    if (lg_[s].count && !starved_ && !lg_ok && lg_[s].front().ready <= now) {
      // Those of other sub-cores do not pass it.
      l1_stage(s).lg_free = std::max(l1_stage(s).lg_free, lg_turn(s));
    }
    if (!lg_ok && !mio_ok) {
      continue;
    }
    bool use_lg = lg_ok && (!mio_ok || lg_[s].front().issued <= mio_[s].front().issued);
    for (int attempt = 0; attempt < 2 && !served; ++attempt, use_lg = !use_lg) {
      if (use_lg ? !lg_ok : !mio_ok) {
        continue;
      }
      Queue& q = use_lg ? lg_[s] : mio_[s];
      Entry& e = q.front();
      if (!process(e, now)) {
        starved_ = true;
        lg_ok = false;
        continue;
      }
      served = true;
      uint32_t reads = config_.memory().register_read_interval() * e.instr->source_registers;
      subcore_next_[s] =
          now + std::max({config_.memory().subcore_interval(), reads, uint32_t{e.instr->interval}});
      release_room(e);
      q.pop();
      set_full(s, use_lg, false, now);
      turn_ = (s + 1) % n;
      taken(now);
    }
  }
  for (uint32_t s = 0; s < n; ++s) {
    if (lg_[s].count && !starved_) {
      soonest = std::min(soonest, lg_turn(s));
    }
    if (mio_[s].count) {
      soonest = std::min(soonest, mio_turn(s));
    }
  }
  if (soonest != kNever) {
    request_arbitration(std::max(soonest, now + 1));
  }
}

// An instruction has gone to a stage. All stages are reached by one way.
void Lsu::taken(Cycle now) {
  for (Stage& s : stages_) {
    s.free = std::max<Cycle>(s.free, now + config_.memory().shared_interval());
  }
}

// What has left a sub-core's queue waits for its turn in one that all sub-cores share, what is posted in one
// of its own.
Cycle Lsu::lg_turn(uint32_t subcore) {
  const Entry& first = lg_[subcore].front();
  const Stage& stage = l1_stage(subcore);
  const bool posted = is_store(first.instr->op) || first.instr->op == OpClass::kRedGlobal;
  const Cycle room = (posted ? stage.posted : stage.loads).room();
  return std::max({first.ready, subcore_next_[subcore], stage.free, stage.lg_free, room});
}

Cycle Lsu::mio_turn(uint32_t subcore) {
  const Stage& stage = shared_stage();
  return std::max({mio_[subcore].front().ready, subcore_next_[subcore], stage.free, stage.shared.room()});
}

// Cycles by which an instruction reaches the shared stage later than an unhindered one.
Cycle Lsu::late(const Entry& e, Cycle now) const { return now - e.issued - config_.memory().queue_latency(); }

void Lsu::barrier_opened() {
  sm_.counters()[Counter::kSharedMiscWavefronts] += worked_;
  worked_ = false;
}

bool Lsu::lacks_load(Entry& e, uint32_t sectors) const {
  e.shortage = Shortage::kLoad;
  e.lacking = static_cast<uint16_t>(sectors);
  return !l1_.room_for_load() || !l1_.room_for_sectors(sectors) || held_ >= config_.l1().port_packets();
}

bool Lsu::lacks_place(Entry& e) const {
  e.shortage = Shortage::kPlace;
  return held_ >= config_.l1().port_packets();
}

// They are taken one by one: an instruction starts when there is room for half of its own, the rest follow.
bool Lsu::lacks_entries(Entry& e, uint32_t entries) const {
  e.shortage = Shortage::kEntries;
  e.lacking = static_cast<uint16_t>(entries);
  return !network_takes(entries / 2);
}

bool Lsu::process(Entry& e, Cycle now) {
  worked_ = true;
  if ((e.shortage == Shortage::kLoad && lacks_load(e, e.lacking)) ||
      (e.shortage == Shortage::kPlace && lacks_place(e)) ||
      (e.shortage == Shortage::kEntries && lacks_entries(e, e.lacking))) {
    return false;
  }
  const isa::Instr& in = *e.instr->instr;
  if (in.mem_refs == 0 || e.mask == 0) {
    lane_exchange(e, now);
    return true;
  }
  uint64_t addr[32];
  if (!isa::expand(e.address, e.mask, addr)) {
    lane_exchange(e, now);
    return true;
  }
  MemSpace space = isa::space_of(sm_.kernel(e.warp).image->shape, in, addr[std::countr_zero(e.mask)]);
  switch (space) {
    case MemSpace::kShared:
      shared_access(e, addr, e.mask, now);
      return true;
    case MemSpace::kDistributedShared:
      return cluster_access(e, addr, now);
    default:
      if (const uint64_t offset = sm_.kernel(e.warp).address_offset) {
        for (uint32_t m = e.mask; m; m &= m - 1) {
          addr[std::countr_zero(m)] += offset;
        }
      }
      if (e.served && space != MemSpace::kLocal) {
        e.mask = reachable(e, addr, now);
        if (e.mask == 0) {
          lane_exchange(e, now);
          return true;
        }
      }
      return global_access(e, addr, e.mask, space == MemSpace::kLocal, now);
  }
}

// The result of a load (or of any other instruction that went through the LSU) reaches the registers.
void Lsu::finish(uint32_t warp, const TimedInstr& t, Cycle at, uint32_t bytes) {
  if (bytes) {
    Cycle service = (bytes + config_.memory().writeback_bytes_per_cycle() - 1) /
                    config_.memory().writeback_bytes_per_cycle();
    // The unloaded latencies contain one pass through the port.
    Ticks end =
        writeback_[sm_.subcore_of(warp)].reserve(to_ticks(at - std::min(at, service)), to_ticks(service));
    at = std::max(at, to_cycles_up(end));
  }
  sm_.result_at(at, warp, t);
}

void Lsu::complete_load(uint32_t index, Cycle now) {
  PendingLoad l = l1_.load(index);
  if (l.computed) {
    complete_values(index);
  }
  l1_.remove_load(index);
  Cycle at = std::max(now, l.ready);
  switch (l.kind) {
    case PendingLoad::Kind::kRegisters:
      finish(l.warp, sm_.kernel(l.warp).code[l.code], at, l.bytes);
      fences_.memory_done(l.warp, now);
      break;
    case PendingLoad::Kind::kCopy:
      shared_stage().use_data(l.passes, now);
      at += config_.async_copy().ldgsts_extra_latency();
      if (const TimedInstr& t = sm_.kernel(l.warp).code[l.code]; t.write_barrier != kNoBarrier) {
        sm_.result_at(at, l.warp, t);  // compilers leave that to LDGDEPBAR
      }
      fences_.copy_done_at(at, l.warp, l.group);
      break;
  }
}

void Lsu::answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) {
  uint32_t index = id & ~kRequestTagMask;
  switch (static_cast<RequestTag>(id & kRequestTagMask)) {
    case RequestTag::kMiss:
      if (l1_.is_cached(index)) {
        // Writing the sectors into the array takes its turn with the reads.
        uint32_t bytes = static_cast<uint32_t>(std::popcount(sectors)) * memory::kSectorBytes;
        stages_[l1_.unit_of(index)].fill(bytes, config_.l1().fill_bytes_per_cycle(), now);
      }
      l1_.fill(
          index, sectors, values,
          [&](uint32_t load, uint64_t line, uint8_t got) {
            if (!values || !l1_.load(load).computed) {
              return;
            }
            if (!values->operations.empty()) {
              L1Values::take_old(l1_.values().load(load), *values);
            } else {
              L1Values::take(l1_.values().load(load), line, got, *values);
            }
          },
          [&](uint32_t load) { complete_load(load, now); });
      break;
    case RequestTag::kStore:
      for (uint32_t s = index; s != kNobody;) {
        const Sender sender = senders_[s];
        posted_ -= sender.entries;
        senders_.remove(s);
        fences_.store_done(sender.warp, sender.age, now);
        s = sender.next;
      }
      release_held(now);
      break;
    case RequestTag::kBulk:
      return;
  }
  if (starved_) {
    starved_ = false;
    Cycle soonest = kNever;
    for (uint32_t s = 0; s < lg_.size(); ++s) {
      soonest = lg_[s].count ? std::min(soonest, lg_turn(s)) : soonest;
    }
    request_arbitration(std::max(soonest, now));
  }
}

std::string Lsu::describe() const {
  uint32_t queued = 0;
  for (uint32_t s = 0; s < lg_.size(); ++s) {
    queued += lg_[s].count + mio_[s].count;
  }
  return "LSU: " + std::to_string(queued) + " queued, " + std::to_string(l1_.sectors_in_flight()) +
         " sectors and " + std::to_string(posted_) + " posted entries in flight" +
         (starved_ ? ", starved" : "");
}

}  // namespace heddle::sm
