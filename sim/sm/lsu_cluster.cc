// The LSU's way to the shared memory of other blocks of the cluster, over the network between the SMs of a
// GPC.
#include <algorithm>
#include <bit>

#include "sim/isa/space.h"
#include "sim/memory/bank_conflicts.h"
#include "sim/sm/lsu.h"
#include "sim/sm/sm.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;

namespace {

constexpr uint32_t kFlitBytes = 16;

// What one line's share of an instruction sends and gets back. A store or atomic packet carries up to 16
// bytes, but a line that is written whole goes as five; a load asks once for a line and gets a packet per
// sector; the lanes of an atomic that meet in a word need a packet each (FINDINGS.md 14).
struct Traffic {
  uint32_t packets = 0;        // through the port of an SM, which also answers the others' requests
  uint32_t request_flits = 0;  // through the slice of the network
  uint32_t response_flits = 0;
};

Traffic traffic_of(OpClass op, const memory::LineAccess& a, uint32_t operations) {
  uint32_t sectors = static_cast<uint32_t>(std::popcount(a.sectors));
  uint32_t halves = 0, bytes = 0, flits = 0;
  for (uint32_t touched : a.bytes) {
    halves += ((touched & 0xffffu) != 0) + ((touched >> 16) != 0);
    uint32_t n = static_cast<uint32_t>(std::popcount(touched));
    bytes += n;
    flits += (n + kFlitBytes - 1) / kFlitBytes;
  }
  Traffic t;
  if (is_atomic(op)) {
    t.packets = 2 * operations;  // each is answered
    t.request_flits = t.response_flits = flits + operations - sectors;
  } else if (is_store(op)) {
    t.packets = bytes == memory::kLineBytes ? 5 : halves;
    t.request_flits = halves;
  } else {
    t.packets = 1 + sectors;
    t.request_flits = 1;
    t.response_flits = flits;
  }
  return t;
}

}  // namespace

// Lanes that name their own block's window stay here; the others' go out.
bool Lsu::cluster_access(Entry& e, const uint64_t addr[32], Cycle now) {
  const TimedInstr& t = *e.instr;
  uint32_t width = std::max<uint32_t>(t.instr->width, 1), banks = config_.shared().banks();
  uint32_t own = isa::own_lanes(sm_.kernel(e.warp).image->shape,
                                sm_.block(sm_.warp(e.warp).block).program->linear, addr, e.mask);
  uint32_t remote = e.mask & ~own;
  if (remote == 0) {
    shared_access(e, addr, own, now);
    return true;
  }
  memory::Coalesced lines;
  memory::coalesce(addr, remote, width, lines);
  bool acknowledged = is_store(t.op) || is_atomic(t.op);
  uint32_t lanes = static_cast<uint32_t>(std::popcount(remote));
  if (acknowledged && lacks_posted(e, is_atomic(t.op) ? lanes : lines.sectors)) {
    return false;
  }
  ++sm_.counters()[Counter::kDsmRequests];
  if (own) {
    memory::Wavefronts passes = is_atomic(t.op) ? memory::shared_atomic_wavefronts(addr, own, width, banks)
                                                : memory::shared_wavefronts(addr, own, width, banks, true);
    data_free_ = std::max(now, data_free_) + Cycle{passes.total} * config_.shared().wavefront_cycles();
  }
  // L1's tag stage sees this traffic too, and an atomic is a shared-memory wavefront of its own SM besides.
  sm_.counters()[Counter::kSharedAtomWavefronts] += is_atomic(t.op);
  Cycle sent = now, back = now;
  uint32_t counted = is_atomic(t.op) ? 0 : lines.sectors;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const memory::LineAccess& a = lines.lines[i];
    const uint32_t operations = memory::sector_operations(addr, remote, a.line);
    counted += is_atomic(t.op) ? operations : 0;
    sent = std::max(sent, send_to_block(e.warp, t.op, a, operations, now));
    back = sent + config_.async_copy().dsm_latency();
    if (acknowledged) {
      uint32_t entries = is_atomic(t.op) ? a.lanes : static_cast<uint32_t>(std::popcount(a.sectors));
      // Fences wait for it, as for the acknowledgement of a store to memory.
      sm_.schedule(back, {Event::Kind::kResponse, 0, 0, new_posted_packet(e.warp, entries)});
    }
  }
  sm_.counters()[Counter::kL1Sectors] += counted;
  note_sectors(t, counted, 0);
  if (stats::InstructionCounts* p = sm_.profile(t)) {
    p->shared_wavefronts += is_atomic(t.op);
  }
  sm_.operands_read_at(sent, e.warp, t);
  finish(e.warp, t, back, is_store(t.op) ? 0 : static_cast<uint32_t>(std::popcount(e.mask)) * width);
  sm_.memory_done(e.warp, now);
  return true;
}

// Books the SM's port and the line's slice; returns when the last packet has left. What this SM answers for
// others is taken to be as much as they answer for it, and all blocks of the GPC to be as busy.
Cycle Lsu::send_to_block(uint32_t warp, OpClass op, const memory::LineAccess& a, uint32_t operations,
                         Cycle now) {
  const config::AsyncCopy& c = config_.async_copy();
  Traffic x = traffic_of(op, a, operations);
  Ticks port = cluster_port_.reserve(to_ticks(now),
                                     static_cast<Ticks>(x.packets * c.dsm_packet_cycles() * kTicksPerCycle));
  uint64_t n = a.line;  // bits 1, 4, 7 choose between two, bits 3, 6 between two more (FINDINGS.md 14)
  uint64_t slice = ((n >> 1 ^ n >> 4 ^ n >> 7) & 1) | ((n >> 3 ^ n >> 6) & 1) << 1;
  double flits = x.request_flits + 0.5 * x.response_flits;
  Ticks network = cluster_slices_[slice % cluster_slices_.size()].reserve(
      to_ticks(now),
      static_cast<Ticks>(flits * c.dsm_flit_cycles() * sm_.gpc_blocks_per_own_block(warp) * kTicksPerCycle));
  return to_cycles_up(std::max(port, network));
}

}  // namespace heddle::sm
