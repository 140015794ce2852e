// The LSU's way through L1 to memory.
#include <algorithm>
#include <array>
#include <bit>

#include "sim/access/bank_conflicts.h"
#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using isa::MemSpace;
using isa::OpClass;
using memory::Coalesced;
using memory::LineAccess;
using memory::RequestKind;
using stats::Counter;

namespace {

constexpr uint32_t kLocalLinesPerWarp = 512;  // 2 KiB per thread before addresses alias

}  // namespace

// Local memory is interleaved by word: word k of all 32 lanes makes one line.
void Lsu::local_addresses(const Entry& e, const uint64_t addr[32], Coalesced& out) const {
  uint64_t base = L1Cache::kLocalTag + (uint64_t{sm_.index()} * kMaxWarps + e.warp) * kLocalLinesPerWarp;
  uint32_t width = std::max<uint32_t>(e.instr->instr->width, 1);
  out.count = out.sectors = 0;
  // Lane by lane at word granularity; the few distinct words of a warp make few distinct lines.
  std::array<uint64_t, 32> part;
  Coalesced one;
  for (uint32_t offset = 0; offset < width; offset += 4) {
    for (uint32_t m = e.mask; m; m &= m - 1) {
      uint32_t lane = std::countr_zero(m);
      uint64_t word = (addr[lane] + offset) / 4;
      part[lane] =
          (base + word % kLocalLinesPerWarp) * memory::kLineBytes + uint64_t{lane} * 4 + addr[lane] % 4;
    }
    memory::coalesce(part.data(), e.mask, std::min(width, 4u), one);
    for (uint32_t i = 0; i < one.count && out.count < out.lines.size(); ++i) {
      out.lines[out.count++] = one.lines[i];
    }
    out.sectors += one.sectors;
  }
}

// The tag stage looks up a few lines a cycle. Returns when it is done with these.
Cycle Lsu::book_tags(Stage& stage, const Coalesced& c, Cycle now) {
  uint32_t rate = config_.l1().tags_per_cycle();
  stage.tags = std::max(now, stage.tags) + (c.count + rate - 1) / rate;
  return stage.tags;
}

// The queue to the port holds a limited number of packets: the stage before it waits for a place.
Cycle Lsu::wait_for_port(Stage& stage) {
  stage.tags = std::max(stage.tags, packets_.room());
  return stage.tags;
}

// Whether what it loads stays out of the L1.
bool Lsu::passes_by(const isa::Instr& in) const {
  return (in.flags & isa::kFlagBypassL1) != 0 ||
         (config_.l1().read_only() && (in.flags & isa::kFlagReadOnly) == 0 && in.op != OpClass::kTexture);
}

bool Lsu::global_access(Entry& e, const uint64_t addr[32], uint32_t mask, bool local, Cycle now) {
  const isa::Instr& in = *e.instr->instr;
  Coalesced c;
  if (local) {
    local_addresses(e, addr, c);
  } else {
    memory::coalesce(addr, mask, std::max<uint32_t>(in.width, 1), c);
  }
  if (is_atomic(in.op)) {
    return atomic_lines(e, c, addr, mask, now);
  }
  return is_store(in.op) ? store_lines(e, c, addr, now, local) : load_lines(e, c, addr, now, local);
}

// Wavefronts with which an LDGSTS writes its data to shared memory, from its second address list. `sectors`
// as the counters have them.
uint8_t Lsu::write_copy(const Entry& e, const uint64_t from[32], uint32_t width, uint32_t& sectors) {
  const uint32_t banks = config_.shared().banks();
  uint64_t to[32];
  if (!isa::expand(e.copy_to, e.mask, to)) {
    return static_cast<uint8_t>((width + 3) / 4);
  }
  if (e.instr->instr->flags & isa::kFlagBypassL1) {
    sectors = memory::bypass_sectors(from, to, e.mask, width);
    return static_cast<uint8_t>(memory::shared_wavefronts(to, e.mask, width, banks, false).total);
  }
  uint32_t passes = memory::copy_wavefronts(from, to, e.mask, width, banks);
  sm_.counters()[Counter::kSharedCopyWavefronts] += passes;
  return static_cast<uint8_t>(passes);
}

// (FINDINGS.md 17: the byte loads of four warps to one line are one request at L2.)
bool Lsu::join_request(uint32_t id, uint8_t sectors, bool computed, Cycle now) {
  memory::Request* r = l1_.may_grow(id) ? sm_.outbox().waiting(l1_.request_of(id), now) : nullptr;
  if (!r || r->id != id || r->kind != RequestKind::kRead || (r->payload != 0) != computed) {
    return false;
  }
  r->sectors |= sectors;
  return true;
}

void Lsu::note_sectors(const TimedInstr& t, uint32_t sectors, uint32_t hits) {
  if (stats::InstructionCounts* p = sm_.profile(t)) {
    ++p->requests;
    p->sectors += sectors;
    p->sector_hits += hits;
  }
}

// Takes what the L1 has, waits for what is on its way, and sends for the rest.
Lsu::Found Lsu::find_lines(const Entry& e, const Coalesced& c, uint32_t load, bool computed, Cycle miss_at) {
  const isa::Instr& in = *e.instr->instr;
  const bool cached = !passes_by(in);
  const uint32_t subcore = sm_.subcore_of(e.warp);
  const uint32_t l1 = unit(subcore);
  const Cycle now = sm_.now();
  Found f;
  for (uint32_t i = 0; i < c.count; ++i) {
    const LineAccess& a = c.lines[i];
    L1Cache::LookUp r;
    if (cached) {
      r = l1_.look_up(l1, a.line, a.sectors, computed);
    } else {
      r.missing = a.sectors;
    }
    if (computed && cached) {
      l1_.take(l1, load, a.line);
    }
    f.hit_sectors += std::popcount(r.hit);
    f.found_sectors += std::popcount<uint8_t>(r.hit | r.in_flight);
    f.hit_lines += r.missing == 0;
    uint8_t waits = r.in_flight | r.missing;
    if (waits) {
      uint32_t id = l1_.wait_for(l1, a.line, waits, r.missing, load, cached);
      if (r.missing && !(cached && join_request(id, r.missing, computed, now))) {
        memory::Request q;
        const Cycle ready = std::max(miss_at, packets_.room());
        wait_for_port(l1_stage(subcore));
        packets_.close(a.line);
        q.line = a.line;
        q.id = id;
        q.sm = static_cast<uint16_t>(sm_.index());
        q.sectors = r.missing;
        q.persisting = (in.flags & isa::kFlagEvictLast) != 0;
        q.payload = computed ? sm_.payloads().take() : 0;
        l1_.request_of(id) = send(q, 0, ready);
      }
    }
  }
  return f;
}

// A sector on its way counts as a hit, as it does for Nsight.
void Lsu::count_load(const TimedInstr& t, bool is_local, uint32_t sectors, uint32_t found) {
  stats::CounterSet& n = sm_.counters();
  ++n[is_local ? Counter::kLocalLdRequests : Counter::kGlobalLdRequests];
  n[is_local ? Counter::kLocalLdSectors : Counter::kGlobalLdSectors] += sectors;
  n[Counter::kL1Sectors] += sectors;
  n[Counter::kL1SectorHits] += found;
  note_sectors(t, sectors, found);
  if (is_local) {
    n[Counter::kLocalLdHits] += found;
  } else {
    n[Counter::kGlobalLdHits] += found;
    n[Counter::kGlobalLdMisses] += sectors - found;
  }
}

bool Lsu::load_lines(Entry& e, const Coalesced& c, const uint64_t addr[32], Cycle now, bool is_local) {
  const TimedInstr& t = *e.instr;
  const isa::Instr& in = *t.instr;
  const spec::L1Cache& l1 = config_.l1();
  if (lacks_load(e, c.sectors)) {
    return false;
  }
  bool copy = in.op == OpClass::kLdgsts;
  uint32_t width = std::max<uint32_t>(in.width, 1);
  uint32_t counted = c.sectors;

  Stage& stage = l1_stage(sm_.subcore_of(e.warp));
  const Cycle turn = std::max(now, stage.tags);
  Cycle wait = book_tags(stage, c, now) - now - 1;
  Cycle hit_latency = width <= 4   ? l1.hit_latency_32()
                      : width <= 8 ? l1.hit_latency_64()
                                   : l1.hit_latency_128();

  PendingLoad p;
  p.kind = copy ? PendingLoad::Kind::kCopy : PendingLoad::Kind::kRegisters;
  p.warp = e.warp;
  p.code = t.index;
  p.bytes = static_cast<uint16_t>(copy ? 0 : std::popcount(e.mask) * width);
  if (copy) {
    p.group = e.group;
    p.passes = write_copy(e, addr, width, counted);
  }
  uint32_t load = l1_.add_load(p);
  // Of a program that computes also what it has loaded itself: others want the values of these lines.
  const bool computed = e.room && !is_local;
  if (computed) {
    begin_values(e, load, addr);
  }
  const Found f = find_lines(e, c, load, computed, now + wait + l1.miss_latency());
  count_load(t, is_local, counted, f.found_sectors);
  // Data leaves at once or when the misses have come back: through the banks of shared memory if that is the
  // same array, where what counts is words, not sectors (FINDINGS.md 5).
  Cycle passes = 0, extra = 0;
  if (is_local || copy || apart_) {
    passes =
        (f.hit_sectors * memory::kSectorBytes + l1.data_bytes_per_cycle() - 1) / l1.data_bytes_per_cycle();
  } else {
    memory::Wavefronts bank = memory::shared_wavefronts(addr, e.mask, width, config_.shared().banks(), true);
    const uint32_t pass_bytes = config_.shared().banks() * config_.shared().bank_bytes();
    const uint32_t per_pass = std::max(1u, pass_bytes / l1.data_bytes_per_cycle());
    passes = Cycle{bank.total} * (f.hit_sectors > 0 ? per_pass : 1);
    extra = Cycle{bank.conflicts} * config_.shared().wavefront_latency();
  }
  if (f.hit_lines < c.count) {
    passes = std::max<Cycle>(passes, l1.miss_interval());
  }
  const Cycle data_start = stage.use_data(std::max<Cycle>(1, passes), now);
  stage.loads.add(std::max(turn, data_start));
  Cycle shift = late(e, now) + std::max(wait, data_start - now) + extra;
  sm_.operands_read_at(e.issued + late(e, now) + config_.memory().load_read_latency(), e.warp, t);
  PendingLoad& l = l1_.load(load);
  l.ready = e.issued + shift + hit_latency;
  if (l.waiting == 0) {
    complete_load(load, now);
  }
  return true;
}

// Reductions are posted like stores; atomics wait for their value like loads.
bool Lsu::atomic_lines(Entry& e, const Coalesced& c, const uint64_t addr[32], uint32_t mask, Cycle now) {
  const TimedInstr& t = *e.instr;
  const isa::Instr& in = *t.instr;
  const spec::L1Cache& l1 = config_.l1();
  bool returns = in.op != OpClass::kRedGlobal && in.n_dst > 0;
  std::array<uint8_t, std::tuple_size_v<decltype(c.lines)>> passes{};  // over the sectors of each line
  uint32_t operations = 0;
  for (uint32_t i = 0; i < c.count; ++i) {
    passes[i] = memory::sector_operations(addr, mask, c.lines[i].line);
    operations += passes[i];
  }
  if (returns ? lacks_load(e, c.sectors) : lacks_place(e)) {
    return false;
  }
  Stage& stage = l1_stage(sm_.subcore_of(e.warp));
  const Cycle begin = std::max(now, stage.tags);
  (returns ? stage.loads : stage.posted).add(begin);
  book_tags(stage, c, now);
  uint32_t width = std::max<uint32_t>(in.width, 1);
  uint32_t load = 0;
  if (returns) {
    PendingLoad p;
    p.warp = e.warp;
    p.code = t.index;
    p.bytes = static_cast<uint16_t>(std::popcount(mask) * std::max(width, 4u));
    p.ready = now;
    load = l1_.add_load(p);
    if (e.served) {
      begin_values(e, load, addr);
    }
  }
  for (uint32_t i = 0; i < c.count; ++i) {
    const LineAccess& a = c.lines[i];
    l1_.invalidate(a.line, a.sectors);
    memory::Request q;
    q.line = a.line;
    q.id = returns ? l1_.wait_for(0, a.line, a.sectors, a.sectors, load, false)
                   : new_posted_packet(e.warp, 2u * passes[i]);
    q.sm = static_cast<uint16_t>(sm_.index());
    q.kind = returns ? RequestKind::kAtomic : RequestKind::kReduction;
    q.grid = sm_.grid(e.warp);
    q.sectors = a.sectors;
    q.operations = passes[i];
    q.payload = e.served ? atomic_payload(e, a, addr) : 0;
    const Cycle ready = std::max(begin + l1.miss_latency(), packets_.room());
    wait_for_port(stage);
    packets_.close(a.line);
    send(q, a.lanes * ((width + 3) / 4) * 4, ready);
  }
  stats::CounterSet& n = sm_.counters();
  bool red = in.op == OpClass::kRedGlobal;
  ++n[red ? Counter::kGlobalRedRequests : Counter::kGlobalAtomRequests];
  // One sector for each pass: lanes that meet in a word go one after the other.
  n[red ? Counter::kGlobalRedSectors : Counter::kGlobalAtomSectors] += operations;
  n[Counter::kL1Sectors] += operations;
  note_sectors(t, operations, 0);
  sm_.operands_read_at(e.issued + late(e, now) + config_.memory().store_read_latency(), e.warp, t);
  if (!returns) {
    sm_.result_at(now + 1, e.warp, t);
    fences_.memory_done_at(stage.tags + l1.miss_latency(), e.warp, now);
  }
  return true;
}

}  // namespace heddle::sm
