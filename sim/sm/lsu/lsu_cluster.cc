// The LSU's way to the shared memory of other blocks of the cluster, over the network between the SMs of a
// GPC.
#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "sim/access/bank_conflicts.h"
#include "sim/access/space.h"
#include "sim/isa/recorded_copy.h"
#include "sim/sm/dsm/traffic.h"
#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;

namespace {

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
  const bool completes = (t.instr->flags & isa::kFlagAsyncStore) && !e.served && block.in_cluster &&
                         e.copy_to.kind != isa::LaneAddresses::Kind::kNone;
  uint32_t own = completes ? 0 : isa::own_lanes(shape, block.program->linear, addr, e.mask);
  uint32_t remote = e.mask & ~own;
  if (remote == 0) {
    shared_access(e, addr, own, now);
    return true;
  }
  memory::Coalesced lines;
  memory::coalesce(addr, remote, width, lines);
  std::array<DsmTraffic, std::tuple_size_v<decltype(lines.lines)>> traffic;
  uint32_t operations = 0;
  for (uint32_t i = 0; i < lines.count; ++i) {
    traffic[i] = dsm_traffic(t.op, lines.lines[i], addr, remote);
    operations += traffic[i].operations;
  }
  const bool acknowledged = is_store(t.op) || is_atomic(t.op);
  const bool returns = !is_store(t.op) && (!is_atomic(t.op) || t.instr->n_dst > 0);
  if (acknowledged && lacks_entries(e, is_atomic(t.op) ? 2 * operations : lines.count + lines.sectors)) {
    return false;
  }
  if (e.served && !block.in_cluster) {
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
                          .computed = e.served,
                          .bytes = static_cast<uint16_t>(std::popcount(e.mask) * width),
                          .code = t.index});
    if (e.served) {
      begin_values(e, cluster_.values(m.id), addr, remote);
    }
  }
  Cycle sent = now;
  const uint32_t counted = is_atomic(t.op) ? operations : lines.sectors;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const memory::LineAccess& a = lines.lines[i];
    const DsmTraffic& x = traffic[i];
    m.line = a.line;
    m.rank =
        static_cast<uint8_t>(isa::cluster_offset(shape, a.line * memory::kLineBytes) / isa::kSharedWindow);
    m.sectors = a.sectors;
    m.parts = x.there;
    m.answer_parts = x.back;
    m.passes = x.passes;
    if (e.served) {
      add_values(e, a, addr, m);
    } else if (completes) {
      m.mbarrier.kind = isa::MbarrierOp::Kind::kComplete;
      m.mbarrier.address = e.copy_to.base & isa::kSharedOffset;
      m.mbarrier.bytes = uint64_t{a.lanes} * width;
    }
    if (acknowledged) {
      // Fences wait for it, as for the acknowledgement of a store to memory.
      const uint32_t entries =
          is_atomic(t.op) ? 2u * x.operations : 1 + static_cast<uint32_t>(std::popcount(a.sectors));
      m.posted = new_posted_packet(e.warp, entries);
      posted_ += entries;
    }
    sent = std::max(sent, block.in_cluster ? cluster_.send(m, now) : cluster_.send_alone(m, now));
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
  const spec::SharedMemory& s = config_.shared();
  const Cycle pass =
      m.kind == ClusterMessage::Kind::kAtomic ? s.atomic_wavefront_cycles() : s.wavefront_cycles();
  return shared_stage().use_data(m.passes * pass, now);
}

void Lsu::finish_remote(const ClusterAccess& a, Cycle now) {
  finish(a.warp, sm_.kernel(a.warp).code[a.code], now, a.bytes);
  fences_.memory_done(a.warp, now);
}

}  // namespace heddle::sm
