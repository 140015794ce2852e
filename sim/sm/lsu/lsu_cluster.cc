// The LSU's way to the shared memory of other blocks of the cluster, over the network between the SMs of a
// GPC.
#include <algorithm>
#include <bit>

#include "sim/access/bank_conflicts.h"
#include "sim/access/space.h"
#include "sim/isa/recorded_copy.h"
#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;

namespace {

constexpr uint32_t kFlitBytes = 16;

// What one line's share of an instruction sends and gets back. A store or atomic packet carries up to 16
// bytes, but a line that is written whole goes as five; a load asks once for a line and gets a packet per
// sector; the lanes of an atomic that meet in a word need a packet each (FINDINGS.md 14). For the network
// answers are less of a load: with 16 SMs at one slice an atomic's packet takes 12.8 cycles and a
// store's 7.85, so its answer 5/8 of a flit's time; the eight flits of a line that is loaded, 21 with the
// question, 2/8 each.
constexpr uint32_t kAtomicAnswer = 5, kLoadAnswer = 2;  // in eighths
struct Traffic {
  uint32_t packets = 0;  // through the port of the SM
  uint32_t load = 0;     // for the slice of the network, ClusterMessage::load
  uint32_t answer_packets = 0, answer_load = 0;
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
  if (is_atomic(op)) {
    const uint32_t all = flits + operations - sectors;
    return {operations, all * ClusterMessage::kFlit, operations, all * kAtomicAnswer};
  }
  if (is_store(op)) {
    return {bytes == memory::kLineBytes ? 5 : halves, halves * ClusterMessage::kFlit, 0, 0};
  }
  return {1, ClusterMessage::kFlit, sectors, flits * kLoadAnswer};
}

ClusterMessage::Kind kind_of(OpClass op) {
  return is_atomic(op)  ? ClusterMessage::Kind::kAtomic
         : is_store(op) ? ClusterMessage::Kind::kWrite
                        : ClusterMessage::Kind::kRead;
}

}  // namespace

// The lanes of such an access that stay in their own block.
void Lsu::pass_own_lanes(const TimedInstr& t, const uint64_t addr[32], uint32_t own, Cycle now) {
  if (own) {
    const uint32_t width = std::max<uint32_t>(t.instr->width, 1), banks = config_.shared().banks();
    memory::Wavefronts passes = is_atomic(t.op) ? memory::shared_atomic_wavefronts(addr, own, width, banks)
                                                : memory::shared_wavefronts(addr, own, width, banks, true);
    shared_stage().use_data(Cycle{passes.total} * config_.shared().wavefront_cycles(), now);
  }
}

// Lanes that name their own block's window stay here; the others' go out.
bool Lsu::cluster_access(Entry& e, const uint64_t addr[32], Cycle now) {
  const TimedInstr& t = *e.instr;
  uint32_t width = std::max<uint32_t>(t.instr->width, 1);
  const isa::LaunchShape& shape = sm_.kernel(e.warp).image->shape;
  const BlockSlot& block = sm_.block(sm_.warp(e.warp).block);
  // A recorded STAS or REDAS goes through the network to its own block, too: it tells a barrier object there.
  const bool completes = (t.instr->flags & isa::kFlagAsyncStore) && !e.room && block.in_cluster &&
                         e.copy_to.kind != isa::LaneAddresses::Kind::kNone;
  uint32_t own = completes ? 0 : isa::own_lanes(shape, block.program->linear, addr, e.mask);
  uint32_t remote = e.mask & ~own;
  if (remote == 0) {
    shared_access(e, addr, own, now);
    return true;
  }
  memory::Coalesced lines;
  memory::coalesce(addr, remote, width, lines);
  const bool acknowledged = is_store(t.op) || is_atomic(t.op);
  const bool returns = !is_store(t.op) && (!is_atomic(t.op) || t.instr->n_dst > 0);
  if (acknowledged && lacks_entries(e, is_atomic(t.op) ? 2u * static_cast<uint32_t>(std::popcount(remote))
                                                       : lines.count + lines.sectors)) {
    return false;
  }
  if (e.room && !block.in_cluster) {
    sm_.fault(e.warp, t, now, "an address of another block's shared memory, without a cluster");
  }
  ++sm_.counters()[Counter::kDsmRequests];
  pass_own_lanes(t, addr, own, now);
  // L1's tag stage sees this traffic too, and an atomic is a shared-memory wavefront of its own SM besides.
  sm_.counters()[Counter::kSharedAtomWavefronts] += is_atomic(t.op);
  ClusterMessage m;
  m.kind = kind_of(t.op);
  m.cluster = block.cluster;
  m.slot = sm_.warp(e.warp).block;
  if (returns) {
    m.id = cluster_.open({.warp = e.warp,
                          .computed = e.room != 0,
                          .bytes = static_cast<uint16_t>(std::popcount(e.mask) * width),
                          .code = t.index});
    if (e.room) {
      begin_values(e, cluster_.values(m.id), addr, remote);
    }
  }
  Cycle sent = now;
  uint32_t counted = is_atomic(t.op) ? 0 : lines.sectors;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const memory::LineAccess& a = lines.lines[i];
    const uint32_t operations = memory::sector_operations(addr, remote, a.line);
    counted += is_atomic(t.op) ? operations : 0;
    const Traffic x = traffic_of(t.op, a, operations);
    m.line = a.line;
    m.rank =
        static_cast<uint8_t>(isa::cluster_offset(shape, a.line * memory::kLineBytes) / isa::kSharedWindow);
    m.sectors = a.sectors;
    m.load = static_cast<uint16_t>(x.load);
    m.answer_packets = static_cast<uint16_t>(x.answer_packets);
    m.answer_load = static_cast<uint16_t>(x.answer_load);
    // An atomic is read and written (FINDINGS.md 14: 32 on one word of an SM that nobody else asks, 65
    // cycles).
    m.passes =
        static_cast<uint16_t>(is_atomic(t.op) ? 2 * operations : std::max(x.packets, x.answer_packets));
    if (e.room) {
      add_values(e, a, addr, m);
    } else if (completes) {
      m.mbarrier.kind = isa::MbarrierOp::Kind::kComplete;
      m.mbarrier.address = e.copy_to.base & isa::kSharedOffset;
      m.mbarrier.bytes = uint64_t{a.lanes} * width;
    }
    if (acknowledged) {
      // Fences wait for it, as for the acknowledgement of a store to memory.
      const uint32_t entries =
          is_atomic(t.op) ? 2u * a.lanes : 1 + static_cast<uint32_t>(std::popcount(a.sectors));
      m.posted = new_posted_packet(e.warp, entries);
      posted_ += entries;
    }
    sent = std::max(
        sent, block.in_cluster ? cluster_.send(m, x.packets, now) : cluster_.send_alone(m, x.packets, now));
  }
  sm_.counters()[Counter::kL1Sectors] += counted;
  note_sectors(t, counted, 0);
  if (stats::InstructionCounts* p = sm_.profile(t)) {
    p->shared_wavefronts += is_atomic(t.op);
  }
  sm_.operands_read_at(sent, e.warp, t);
  if (!returns) {
    sm_.result_at(sent, e.warp, t);
    fences_.memory_done(e.warp, now);
  }
  return true;
}

// Other SMs' accesses take their turns with the SM's own.
Cycle Lsu::visit(const ClusterMessage& m, Cycle now) {
  const config::SharedMemory& s = config_.shared();
  const Cycle pass =
      m.kind == ClusterMessage::Kind::kAtomic ? s.atomic_wavefront_cycles() : s.wavefront_cycles();
  return shared_stage().use_data(m.passes * pass, now);
}

void Lsu::finish_remote(const ClusterAccess& a, Cycle now) {
  finish(a.warp, sm_.kernel(a.warp).code[a.code], now, a.bytes);
  fences_.memory_done(a.warp, now);
}

}  // namespace heddle::sm
