// Stores on their way through L1 to memory (FINDINGS.md 42, 45).
#include <algorithm>
#include <bit>

#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using memory::Coalesced;
using memory::LineAccess;
using memory::RequestKind;
using stats::Counter;

namespace {

// Which sectors of a line have all bytes.
uint8_t whole_sectors(const uint32_t bytes[memory::kSectorsPerLine]) {
  uint8_t whole = 0;
  for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
    whole |= static_cast<uint8_t>((bytes[s] == ~0u) << s);
  }
  return whole;
}

// Which words of a line have all bytes.
uint32_t whole_words(const uint32_t bytes[memory::kSectorsPerLine]) {
  uint32_t words = 0;
  for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
    // A bit for each word at the lowest of its four bytes, then these side by side.
    uint32_t w = bytes[s] & bytes[s] >> 1;
    w = w & w >> 2 & 0x11111111;
    w = (w | w >> 3) & 0x03030303;
    w = (w | w >> 6) & 0x000f000f;
    w = (w | w >> 12) & 0xff;
    words |= w << s * (memory::kSectorBytes / 4);
  }
  return words;
}

}  // namespace

uint32_t Lsu::new_posted_packet(uint32_t warp, uint32_t entries) {
  return add_sender(warp, entries, kNobody) | static_cast<uint32_t>(RequestTag::kStore);
}

uint32_t Lsu::add_sender(uint32_t warp, uint32_t entries, uint32_t packet) {
  Warp& w = sm_.warp(warp);
  ++w.stores;
  const uint32_t next = packet == kNobody ? kNobody : senders_[packet].next;
  const uint32_t added =
      senders_.add({w.age, next, static_cast<uint8_t>(warp), static_cast<uint8_t>(entries)});
  if (packet != kNobody) {
    senders_[packet].next = added;
  }
  return added;
}

namespace {

// What the network keeps of a packet until it is acknowledged.
uint32_t entries_of(const memory::Request& q) {
  switch (q.kind) {
    case RequestKind::kWrite:
      return 1 + static_cast<uint32_t>(std::popcount(q.sectors));
    case RequestKind::kReduction:
      return 2 * q.operations;
    default:
      return 0;
  }
}

uint32_t places_of(const memory::Request& q) {
  return q.kind == RequestKind::kReduction ? std::max<uint32_t>(q.operations, 1) : 1;
}

}  // namespace

// All leave in order: what the network has no room for holds up loads, too.
uint32_t Lsu::send(const memory::Request& q, uint32_t bytes, Cycle ready) {
  memory::Outbox& out = sm_.outbox();
  if (out.held() == 0 && network_takes(entries_of(q))) {
    return dispatch(q, bytes, ready);
  }
  held_ += places_of(q);
  return out.hold({q, ready, bytes});
}

uint32_t Lsu::dispatch(memory::Request q, uint32_t bytes, Cycle ready) {
  q.time = q.kind == RequestKind::kWrite ? sm_.port().book_store(std::popcount(q.sectors), q.partial, ready)
                                         : sm_.port().book(bytes, ready);
  posted_ += entries_of(q);
  packets_.add(q.time);
  return sm_.send(q);
}

void Lsu::release_held(Cycle now) {
  memory::Outbox& out = sm_.outbox();
  while (out.held() != 0 && network_takes(entries_of(out.first_held().request))) {
    const uint32_t was = out.first_held_number();
    const memory::Outbox::Held h = out.release();
    held_ -= places_of(h.request);
    const uint32_t number = dispatch(h.request, h.bytes, std::max(h.ready, now));
    if (h.request.kind == RequestKind::kWrite) {
      packets_.renumber(was, number);
    } else if (uint32_t* newest =
                   h.request.kind == RequestKind::kRead ? &l1_.request_of(h.request.id) : nullptr;
               newest && *newest == was) {
      *newest = number;
    }
  }
}

// The store's line that another one can join at `at`, and its request; null: there is none.
OpenLine* Lsu::open_line(uint64_t line, uint8_t grid, Cycle at, memory::Request** request) {
  OpenLine* l = packets_.find(line, grid);
  if (!l) {
    return nullptr;
  }
  memory::Outbox& out = sm_.outbox();
  const bool far = memory::Outbox::is_held(l->packet) && out.held_before(l->packet) >= packets_.ahead();
  *request = l->closes > at || far ? out.waiting(l->packet, sm_.now()) : nullptr;
  return *request ? l : nullptr;
}

bool Lsu::join_store(const Entry& e, const LineAccess& a, uint32_t payload, Cycle at, Cycle looked_up) {
  memory::Request* r = nullptr;
  OpenLine* l = open_line(a.line, sm_.grid(e.warp), at, &r);
  if (!l || (r->payload != 0) != (payload != 0)) {
    return false;
  }
  const bool held = memory::Outbox::is_held(l->packet);
  const auto added = static_cast<uint32_t>(std::popcount<uint8_t>(a.sectors & ~r->sectors));
  if (added && !held) {
    sm_.port().add_sectors(added);
    posted_ += added;
  }
  r->sectors |= a.sectors;
  for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
    l->bytes[s] |= a.bytes[s];
  }
  const bool partial = whole_sectors(l->bytes.data()) != r->sectors;
  if (r->partial && !partial && !held) {
    sm_.port().drop_masks();
  }
  r->partial = partial;
  r->words = partial ? whole_words(l->bytes.data()) : 0;
  if (payload) {
    memory::Payload& to = sm_.payloads()[r->payload];
    sm_.payloads()[payload].put(to.data, to.bytes);
    sm_.payloads().give_back(payload);
  }
  add_sender(e.warp, added, l->sender);
  // It stays open for as long again, and leaves later if nothing is behind it.
  const spec::L1Cache& l1 = config_.l1();
  l->closes = std::max(l->closes, looked_up + l1.merge_latency());
  if (!held && sm_.outbox().newest(l->packet)) {
    r->time = std::max(r->time, looked_up - 1 + l1.miss_latency());
    sm_.port().nobody_before(r->time);
  }
  return true;
}

bool Lsu::store_lines(Entry& e, const Coalesced& c, const uint64_t addr[32], Cycle now, bool is_local) {
  const TimedInstr& t = *e.instr;
  const spec::L1Cache& l1 = config_.l1();
  if (lacks_place(e)) {
    return false;
  }
  stats::CounterSet& n = sm_.counters();
  ++n[is_local ? Counter::kLocalStRequests : Counter::kGlobalStRequests];
  n[is_local ? Counter::kLocalStSectors : Counter::kGlobalStSectors] += c.sectors;
  const uint32_t subcore = sm_.subcore_of(e.warp);
  Stage& stage = l1_stage(subcore);
  const auto tag_cycles = [&](const LineAccess& a) {
    return Cycle{whole_sectors(a.bytes) == a.sectors ? 1 : l1.partial_store_tags()};
  };
  const Cycle begin = stage.tags = std::max(now, stage.tags);
  stage.posted.add(begin);
  // All lines go on when the last one has been looked up.
  Cycle looked_up = begin;
  for (uint32_t i = 0; i < c.count; ++i) {
    looked_up += tag_cycles(c.lines[i]);
  }
  uint32_t hits = 0;
  for (uint32_t i = 0; i < c.count; ++i) {
    const LineAccess& a = c.lines[i];
    uint8_t whole = whole_sectors(a.bytes);
    const bool partial = whole != a.sectors;
    uint32_t payload = 0;
    if (e.served && !is_local) {
      payload = store_payload(e, a, addr);
    } else if (l1_.keeps_values() && !is_local) {
      whole = 0;
    }
    if (l1.read_only()) {
      l1_.invalidate(a.line, a.sectors);
    } else {
      hits += std::popcount(l1_.store(unit(subcore), a.line, a.sectors, whole));
    }
    if (payload) {
      l1_.put(unit(subcore), a.line, sm_.payloads()[payload]);
    }
    const Cycle turn = stage.tags;
    stage.tags += tag_cycles(a);
    if (packets_.merges() && join_store(e, a, payload, turn, stage.tags)) {
      continue;
    }
    looked_up = std::max(looked_up, wait_for_port(stage));
    memory::Request q;
    q.line = a.line;
    q.kind = RequestKind::kWrite;
    q.sectors = a.sectors;
    q.id = new_posted_packet(e.warp, entries_of(q));
    q.sm = static_cast<uint16_t>(sm_.index());
    q.grid = sm_.grid(e.warp);
    q.partial = partial;
    q.words = partial ? whole_words(a.bytes) : 0;
    q.payload = payload;
    const uint32_t number = send(q, 0, looked_up - 1 + l1.miss_latency());
    if (packets_.merges()) {
      OpenLine& open = packets_.open(a.line, looked_up + l1.merge_latency());
      open.packet = number;
      open.sender = q.id & ~kRequestTagMask;
      open.grid = q.grid;
      std::copy_n(a.bytes, memory::kSectorsPerLine, open.bytes.begin());
    }
  }
  // All lanes' registers come along, whoever stores (merge.cu: STG.128 of 4 lanes to a line 4.8 cycles).
  const uint32_t words = (std::max<uint32_t>(t.instr->width, 1) + 3) / 4;
  stage.tags = std::max(stage.tags, begin + words);
  n[Counter::kL1Sectors] += c.sectors;
  n[Counter::kL1SectorHits] += hits;
  note_sectors(t, c.sectors, hits);
  n[is_local ? Counter::kLocalStHits : Counter::kGlobalStHits] += hits;
  sm_.operands_read_at(e.issued + late(e, now) + config_.memory().store_read_latency() +
                           Cycle{words - 1} * config_.memory().store_read_per_register(),
                       e.warp, t);
  sm_.result_at(now + 1, e.warp, t);
  // It stays until its lines are at the port (FINDINGS.md 45).
  fences_.memory_done_at(looked_up - 1 + l1.miss_latency(), e.warp, now);
  return true;
}

}  // namespace heddle::sm
