// What an SM does when an instruction has issued.
#include <algorithm>

#include "sim/sm/sm.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;
using stats::Stall;

namespace {

// What a warp's wait on a variable-latency result is called.
Stall wait_reason(const TimedInstr& t) {
  if (uses_lg_queue(t.port) || t.handler == Handler::kLdgdepbar) {
    return Stall::kLongScoreboard;
  }
  return Stall::kShortScoreboard;
}

}  // namespace

void Sm::hand_out(Warp& w, const TimedInstr& t) {
  static constexpr isa::Operands kNone{};
  operands_ = &kNone;
  const uint32_t mask = w.stream.mask();
  uint32_t& active = active_mask_[&w - warps_.data()];
  // A recording has active AND predicate; a predicated instruction's active mask is that of the code around
  // it.
  if (!(t.instr->flags & isa::kFlagPredicated)) {
    active = mask;
  }
  if (!t.hands_out) {
    return;
  }
  const bool computed = w.stream.kernel().image->computed;
  if (mask == 0 && !computed) {
    return;
  }
  handed_out_ = {};
  operands_ = &handed_out_;
  if (computed && t.handler == Handler::kMemory) {
    handed_out_.room = lsu_.next_room();
  }
  w.stream.issue(handed_out_);
  if (computed) {
    active = handed_out_.active;
  }
}

Cycle Sm::execute(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now, Cycle start) {
  Warp& w = warps_[warp];
  uint32_t mask = w.stream.mask();
  expect(warp, t, wait_reason(t));
  switch (t.handler) {
    case Handler::kFixed:
      return execute_fixed(subcore, warp, t, start);
    case Handler::kMemory:
      ++w.loads;
      if (t.op == OpClass::kLdgsts) {
        copy_started(warp);
      }
      lsu_.enqueue(subcore, warp, t, mask, *operands_, now);
      return 0;
    case Handler::kLdgdepbar:
      operands_read_at(now + 1, warp, t);
      close_copy_group(w, warp, t, now);
      return 0;
    case Handler::kBarrier:
      result_at(now + kOperandReadCycles, warp, t);
      operands_read_at(now + kOperandReadCycles, warp, t);
      return mask ? arrive_barrier(warp, t, start) : 0;
    case Handler::kMembar:
      return execute_membar(w, warp, t, now);
    case Handler::kMbarrier:
      mbarrier(warp, t, now);
      return 0;
    case Handler::kBulkCopy:
      operands_read_at(now + kOperandReadCycles, warp, t);
      result_at(now + kOperandReadCycles, warp, t);
      if (mask) {
        start_bulk_load(warp, now);
      }
      return 0;
    case Handler::kGmma:
      start_gmma(subcore, warp, t, now);
      return 0;
    default:
      break;
  }
  result_at(now + 2, warp, t);
  operands_read_at(now + 1, warp, t);
  switch (t.handler) {
    case Handler::kNanosleep: {
      Cycle sleep = static_cast<Cycle>(launch_.nanosleep_ns() / ns_per_cycle_);
      return mask ? now + sleep : 0;
    }
    case Handler::kClusterBarrier:
      return arrive_cluster(warp, t, now);
    case Handler::kWarpgroupArrive:
      return mask ? arrive_warpgroup(warp, now) : 0;
    case Handler::kExit:
      exit_lanes(warp, mask, now);
      return 0;
    default:
      return 0;
  }
}

Cycle Sm::execute_fixed(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle start) {
  Cycle done = start + t.latency;
  if (t.constant != kNoConstant && !(t.flags & kFixedLatencyConstant)) {
    Cycle wait = constants_.read(subcore, t.constant, start) - start;
    done += wait;
    // The ADU counts a load that found its line missing again when it repeats it (FINDINGS.md 18).
    counters_[Counter::kPipeAdu] += wait > 0;
  }
  if (by_scoreboard(warp) && t.write_barrier == kNoBarrier) {
    // Fixed latency: readable from then on, no event needed.
    bool queued = t.pipe == isa::Pipe::kXu || t.pipe == isa::Pipe::kAdu;
    (*scoreboards_)[warp].set(*t.instr, done, queued ? Stall::kShortScoreboard : Stall::kWait);
  } else {
    result_at(done, warp, t);
  }
  operands_read_at(start + kOperandReadCycles, warp, t);
  return 0;
}

Cycle Sm::execute_membar(Warp& w, uint32_t warp, const TimedInstr& t, Cycle now) {
  result_at(now + 2, warp, t);
  operands_read_at(now + 1, warp, t);
  // It passes through the LSU, and beyond the block through the texture pipe (FINDINGS.md 18).
  ++counters_[Counter::kSharedMiscWavefronts];
  counters_[Counter::kPipeTex] += !(t.instr->flags & isa::kFlagScopeCta);
  const config::Barrier& b = config_.barrier();
  Cycle cost = t.instr->flags & isa::kFlagScopeCta   ? b.membar_cta()
               : t.instr->flags & isa::kFlagScopeSys ? b.membar_sys()
                                                     : b.membar_gpu();
  if (w.stream.mask() == 0) {
    return 0;
  }
  if ((w.stores == 0 && w.loads == 0) || (t.instr->flags & isa::kFlagScopeCta)) {
    return now + cost;
  }
  w.waiting = w.held = true;
  w.state = Stall::kMembar;
  w.since = now + 1;
  return kNever;
}

// ---- asynchronous copies ----

// LDGDEPBAR: the copies issued so far make one group; its scoreboard counter falls when they and all older
// groups are complete.
void Sm::close_copy_group(Warp& w, uint32_t warp, const TimedInstr& t, Cycle now) {
  GroupRing& g = w.copies;
  g.barrier[g.tail % kGroupRing] = t.write_barrier;
  ++g.tail;
  g.open[g.tail % kGroupRing] = 0;
  pop_copy_groups(warp, now);
}

void Sm::copy_done(uint32_t warp, uint32_t group, Cycle now) {
  Warp& w = warps_[warp];
  --w.copies.open[group];
  pop_copy_groups(warp, now);
  memory_done(warp, now);
}

void Sm::pop_copy_groups(uint32_t warp, Cycle now) {
  GroupRing& g = warps_[warp].copies;
  while (g.head != g.tail && g.open[g.head % kGroupRing] == 0) {
    uint8_t barrier = g.barrier[g.head % kGroupRing];
    ++g.head;
    if (barrier != kNoBarrier) {
      release(warp, barrier, now);
    }
  }
}

void Sm::start_bulk_load(uint32_t warp, Cycle now) {
  const uint32_t slot = warps_[warp].block;
  const isa::BulkOp& c = operands_->bulk;
  if (c.bytes > 0) {
    const bool computed = kernel(warp).image->computed;
    if (!computed) {  // who computes says what its barrier expects
      blocks_[slot].mbarriers[c.barrier].bytes += static_cast<int64_t>(c.bytes);
    }
    isa::BulkOp moved = c;
    moved.source += kernel(warp).address_offset;
    tma_.start(slot, moved, computed, now);
  }
}

void Sm::store_done(uint32_t warp, uint64_t age, Cycle now) {
  Warp& w = warps_[warp];
  if (w.age != age) {
    return;  // the warp that sent it has gone
  }
  --w.stores;
  end_fence(warp, now, now + config_.barrier().membar_behind_stores());
}

// A fence waits for what the warp has in the queues, too. It ends at `earliest`, and not before its own round
// trip.
void Sm::end_fence(uint32_t warp, Cycle now, Cycle earliest) {
  Warp& w = warps_[warp];
  if (w.stores == 0 && w.loads == 0 && w.held && w.state == Stall::kMembar) {
    wake_held(warp, std::max(earliest, w.since + config_.barrier().membar_gpu()), now);
  }
}

// ---- warp-group MMA ----

// The tensor array works through the warp's instructions in order; the warp goes on at once.
void Sm::start_gmma(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  Cycle& free = subcores_[subcore].pipe_free(isa::Pipe::kTensor);
  free = std::max(free, now) + t.interval;
  ++w.gmma;
  counters_[Counter::kTensorBusy] += t.interval;
  if (w.index % kWarpsPerGroup == 0) {
    counters_[Counter::kSharedGmmaWavefronts] += t.gmma_wavefronts;  // of the whole warp group
  }
  schedule(free - t.interval + t.latency, {Event::Kind::kGmmaDone, static_cast<uint8_t>(warp)});
  operands_read_at(now + kOperandReadCycles, warp, t);
  result_at(free - t.interval + t.latency, warp, t);
}

}  // namespace heddle::sm
