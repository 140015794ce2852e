// The LSU's shared-memory side.
#include <algorithm>
#include <bit>

#include "sim/access/bank_conflicts.h"
#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;

// SHFL, S2R, MATCH and whatever else passes through without addresses. Also memory instructions with no
// active lane.
void Lsu::lane_exchange(const Entry& e, Cycle now) {
  const TimedInstr& t = *e.instr;
  if (t.op == OpClass::kCctl) {
    l1_.invalidate_all();
  }
  // One wavefront each: suite.csv counts SHFL, S2R and predicated-off memory instructions alike.
  const Cycle start = shared_stage().use_data(config_.shared().shuffle_cycles(), now);
  shared_stage().shared.add(start);
  ++sm_.counters()[Counter::kSharedMiscWavefronts];
  sm_.operands_read_at(e.issued + late(e, now) + config_.memory().load_read_latency(), e.warp, t);
  Cycle latency = t.latency ? t.latency : config_.shared().load_latency_32();
  finish(e.warp, t, e.issued + latency + late(e, now) + (start - now), 0);
  if (t.op == OpClass::kLdgsts) {
    fences_.copy_done_at(now + latency, e.warp, e.group);
  } else {
    fences_.memory_done(e.warp, now);
  }
}

void Lsu::shared_access(const Entry& e, const uint64_t addr[32], uint32_t mask, Cycle now) {
  const TimedInstr& t = *e.instr;
  const isa::Instr& in = *t.instr;
  const spec::SharedMemory& s = config_.shared();
  uint32_t width = std::max<uint32_t>(in.width, 1);
  memory::Wavefronts w;
  Cycle latency = width <= 4 ? s.load_latency_32() : width <= 8 ? s.load_latency_64() : s.load_latency_128();
  Cycle per_pass = s.wavefront_cycles();
  uint32_t written = std::popcount(mask) * width;
  bool store = false;
  switch (t.op) {
    case OpClass::kLdMatrix:
    case OpClass::kStMatrix:
      w = memory::matrix_wavefronts(addr, mask, std::max<uint32_t>(in.matrices, 1), s.banks());
      latency = s.ldmatrix_latency() + w.total - w.conflicts;
      store = t.op == OpClass::kStMatrix;
      written = store ? 0 : 128 * in.matrices;
      break;
    case OpClass::kAtomShared:
    case OpClass::kAtomGeneric:
      w = in.flags & isa::kFlagMergesSameWord
              ? memory::shared_wavefronts(addr, mask, width, s.banks(), false)
              : memory::shared_atomic_wavefronts(addr, mask, width, s.banks());
      latency = s.atomic_latency();
      per_pass = s.atomic_wavefront_cycles();
      sm_.counters()[Counter::kSharedAtomWavefronts] += w.total;
      sm_.counters()[Counter::kSharedAtomConflicts] += w.conflicts;
      break;
    default:
      store = t.op == OpClass::kStShared || t.op == OpClass::kStGeneric;
      w = memory::shared_wavefronts(addr, mask, width, s.banks(), !store);
  }
  if (store) {
    sm_.counters()[Counter::kSharedStWavefronts] += w.total;
    sm_.counters()[Counter::kSharedStConflicts] += w.conflicts;
  } else if (t.op != OpClass::kAtomShared && t.op != OpClass::kAtomGeneric) {
    sm_.counters()[Counter::kSharedLdWavefronts] += w.total;
    sm_.counters()[Counter::kSharedLdConflicts] += w.conflicts;
  }
  ++sm_.counters()[Counter::kSharedRequests];
  if (stats::InstructionCounts* p = sm_.profile(t)) {
    p->shared_wavefronts += w.total;
    p->shared_conflicts += w.conflicts;
  }
  const Cycle start = shared_stage().use_data(w.total * per_pass, now);
  shared_stage().shared.add(start);
  Cycle wait = start - now + w.conflicts * std::max<Cycle>(per_pass, s.wavefront_latency());
  Cycle read_latency = store ? config_.memory().store_read_latency() +
                                   config_.memory().store_read_per_register() * ((width + 3) / 4 - 1)
                             : config_.memory().load_read_latency();
  sm_.operands_read_at(e.issued + late(e, now) + read_latency + (store ? wait : 0), e.warp, t);
  finish(e.warp, t, e.issued + late(e, now) + latency + wait, store ? 0 : written);
  fences_.memory_done(e.warp, now);
}

}  // namespace heddle::sm
