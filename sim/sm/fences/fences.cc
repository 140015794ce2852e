#include "sim/sm/fences/fences.h"

#include <algorithm>

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

Cycle Fences::start(const Issued& i) {
  if (i.instr.handler == Handler::kMembar) {
    return start_fence(i);
  }
  sm_.operands_read_at(i.now + 1, i.warp, i.instr);
  close_group(i);
  return 0;
}

Cycle Fences::start_fence(const Issued& i) {
  const TimedInstr& t = i.instr;
  const Warp& w = sm_.warp(i.warp);
  sm_.result_at(i.now + 2, i.warp, t);
  sm_.operands_read_at(i.now + 1, i.warp, t);
  // It passes through the LSU, and beyond the block through the texture pipe (FINDINGS.md 18).
  ++sm_.counters()[Counter::kSharedMiscWavefronts];
  sm_.counters()[Counter::kPipeTex] += !(t.instr->flags & isa::kFlagScopeCta);
  const spec::Barrier& b = sm_.config().barrier();
  Cycle cost = t.instr->flags & isa::kFlagScopeCta   ? b.membar_cta()
               : t.instr->flags & isa::kFlagScopeSys ? b.membar_sys()
                                                     : b.membar_gpu();
  if (i.mask == 0) {
    return 0;
  }
  if ((w.stores == 0 && w.loads == 0) || (t.instr->flags & isa::kFlagScopeCta)) {
    return i.now + cost;
  }
  return sm_.hold(i.warp, Stall::kMembar, i.now + 1);
}

// A fence waits for what the warp has in the queues, too. It ends at `earliest`, and not before its own round
// trip.
void Fences::end_fence(uint32_t warp, Cycle now, Cycle earliest) {
  const Warp& w = sm_.warp(warp);
  if (w.stores == 0 && w.loads == 0 && w.held && w.state == Stall::kMembar) {
    sm_.wake_held(warp, std::max(earliest, w.since + sm_.config().barrier().membar_gpu()), now);
  }
}

void Fences::store_done(uint32_t warp, uint64_t age, Cycle now) {
  Warp& w = sm_.warp(warp);
  if (w.age != age) {
    return;  // the warp that sent it has gone
  }
  --w.stores;
  end_fence(warp, now, now + sm_.config().barrier().membar_behind_stores());
}

// LDGDEPBAR: the copies issued so far make one group; its scoreboard counter falls when they and all older
// groups are complete.
void Fences::close_group(const Issued& i) {
  GroupRing& g = sm_.warp(i.warp).copies;
  g.barrier[g.tail % kGroupRing] = i.instr.write_barrier;
  ++g.tail;
  g.open[g.tail % kGroupRing] = 0;
  pop_groups(i.warp, i.now);
}

void Fences::copy_done(uint32_t warp, uint32_t group, Cycle now) {
  --sm_.warp(warp).copies.open[group];
  pop_groups(warp, now);
  memory_done(warp, now);
}

void Fences::pop_groups(uint32_t warp, Cycle now) {
  GroupRing& g = sm_.warp(warp).copies;
  while (g.head != g.tail && g.open[g.head % kGroupRing] == 0) {
    uint8_t barrier = g.barrier[g.head % kGroupRing];
    ++g.head;
    if (barrier != kNoBarrier) {
      sm_.release(warp, barrier, now);
    }
  }
}

}  // namespace heddle::sm
