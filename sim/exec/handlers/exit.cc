// Lanes that end.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/checks/races.h"
#include "sim/exec/checks/sync_rules.h"
#include "sim/exec/cluster.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"

namespace heddle::exec {
namespace {

// Barriers and synchronisations that wait for no lane any more.
void settle(WarpCore& w) {
  for (size_t i = 0; i < w.groups.size(); ++i) {
    const Group& g = w.groups[i];
    if (g.waits(Group::State::kAtSync)) {
      perform_sync(w, w.code.insts[g.pc], g.wait_for);
    } else if (g.waits(Group::State::kAtBarrier)) {
      count_barrier(w, g.wait_for);
    } else if (g.waits(Group::State::kAtConverge)) {
      meet(w, participants(w, g));
    }
  }
}

void end_warp(WarpCore& w, uint32_t pc, uint32_t lane) {
  if (w.races != nullptr) {
    w.races->end(w.index);
  }
  if (DeviceRuntime* runtime = w.block->launch().runtime.get()) {
    runtime->warp_ended(w.block->linear(), w.index * kLanes, w.executed);
  }
  w.block->warp_ended();
  if (const uint32_t columns = w.block->tensor_memory().allocated(); columns != 0 && w.block->done()) {
    w.fail(pc, lane,
           fmt::format("the block ends with {} columns of tensor memory (legal: tcgen05.dealloc before)",
                       columns));
  }
}

bool exit_lanes(WarpCore& w, Group& g, uint32_t mask) {
  if (w.sync_rules != nullptr && mask != g.mask) {
    w.sync_rules->part(w.index, g.mask, g.pc, 0);
  }
  w.alive &= ~mask;
  g.mask &= ~mask;
  const uint32_t pc = g.pc++;
  if (w.block != nullptr) {
    w.block->cluster().leave(static_cast<uint32_t>(std::popcount(mask)),
                             static_cast<uint32_t>(std::popcount(mask & w.at_cluster)));
  }
  w.at_cluster &= ~mask;
  for (size_t i = 0; i < w.joins.size(); ++i) {
    Join& j = w.joins[i];
    j.expected &= ~mask;
    if (j.arrived != 0 && j.arrived == j.expected) {
      finish_join(w, static_cast<int>(i));
    }
  }
  if (w.alive != 0) {
    settle(w);
  } else if (w.block != nullptr) {
    end_warp(w, pc, static_cast<uint32_t>(std::countr_zero(mask)));
  }
  return g.mask != 0;
}

}  // namespace

bool exit_or_return(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const bool of_kernel = in.kind == Kind::kExit || g.base == 0;
  return of_kernel ? exit_lanes(w, g, mask) : return_to_caller(w, g, in, mask);
}

bool trap(WarpCore& w, Group& g, const Inst&, uint32_t mask) {
  w.fail(g.pc, static_cast<uint32_t>(std::countr_zero(mask)), "trap");
}

}  // namespace heddle::exec
