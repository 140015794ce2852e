// Warps that wait for each other: barriers of the block and of the cluster.
#include <bit>
#include <string>

#include "sim/exec/checks/races.h"
#include "sim/exec/checks/warp_checks.h"
#include "sim/exec/cluster.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"

namespace heddle::exec {

bool barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint64_t number = (*w.banks(g).at(in.s[0]))[first];
  if (number > 15) {
    w.fail(g.pc, first, "barrier " + std::to_string(number) + " (legal: 0 to 15)");
  }
  if (w.sync_rules != nullptr) {
    check_barrier_operands(w, g, in, mask);
  }
  leave_others(w, g, mask);
  if (w.observer != nullptr) {
    const Register* threads = w.banks(g).at(in.s[1]);
    w.observer->arrived(*w.block, w.index, static_cast<uint32_t>(number),
                        threads != nullptr ? static_cast<uint32_t>((*threads)[first]) : 0);
  }
  g.state = Group::State::kAtBarrier;
  g.wait_for = static_cast<uint32_t>(number);
  count_barrier(w, g.wait_for);
  return g.state == Group::State::kRunnable && g.mask == w.alive;
}

// A warp comes to a barrier when all of its lanes that have not ended are there; below 7.0 when any are
// (cuda-model.md SI20).
void count_barrier(WarpCore& w, uint32_t number) {
  uint32_t come = 0, holds = 0;
  const Group* any = nullptr;
  for (const Group& g : w.groups) {
    if (g.waits(Group::State::kAtBarrier) && g.wait_for == number) {
      come |= g.mask;
      any = &g;
    }
  }
  if (any == nullptr || (come != w.alive && w.flow.independent()) || (w.counted >> number & 1) != 0) {
    return;
  }
  for (const Group& g : w.groups) {
    const Inst& in = w.code.insts[g.pc];
    const bool here = g.waits(Group::State::kAtBarrier) && g.wait_for == number;
    if (const Register* p = here ? w.banks(g).at(in.s[2]) : nullptr) {
      for (uint32_t m = g.mask; m != 0; m &= m - 1) {
        holds += (*p)[static_cast<uint32_t>(std::countr_zero(m))] != 0 ? 1 : 0;
      }
    }
  }
  const Inst& in = w.code.insts[any->pc];
  const Register* threads = w.banks(*any).at(in.s[1]);
  const auto first = static_cast<uint32_t>(std::countr_zero(any->mask));
  const uint64_t wanted = threads != nullptr ? (*threads)[first] : 0;
  // A register of machine code has both numbers, 0 threads for all.
  const bool all = threads == nullptr || (w.code.explicit_convergence && wanted == 0);
  if (!all && (wanted % kLanes != 0 || wanted == 0 || wanted > 1024)) {
    w.fail(any->pc, first,
           "barrier for " + std::to_string(wanted) + " threads (legal: multiples of 32 up to 1024)");
  }
  const auto kind = static_cast<BarrierKind>(in.sub);
  if (w.sync_rules != nullptr) {
    check_barrier(w, *any, number, static_cast<uint32_t>(wanted));
  }
  w.counted |= 1U << number;
  if (kind == BarrierKind::kArrive) {
    pass_barrier(w, number, 0);
  }
  if (w.races != nullptr) {
    w.races->arrive(number, w.index);
  }
  w.block->arrive(number, static_cast<uint32_t>(wanted), static_cast<uint32_t>(std::popcount(come)), holds,
                  kind);
}

void pass_barrier(WarpCore& w, uint32_t number, uint64_t result) {
  if ((w.counted >> number & 1) == 0) {
    return;
  }
  w.counted &= ~(1U << number);
  for (Group& g : w.groups) {
    if (g.mask == 0 || g.state != Group::State::kAtBarrier || g.wait_for != number) {
      continue;
    }
    Races* races = w.races;
    if (races != nullptr && static_cast<BarrierKind>(w.code.insts[g.pc].sub) != BarrierKind::kArrive) {
      races->pass(number, w.index);
    }
    if (Register* d = w.banks(g).at(w.code.insts[g.pc].d[0])) {
      for (uint32_t m = g.mask; m != 0; m &= m - 1) {
        (*d)[static_cast<uint32_t>(std::countr_zero(m))] = result;
      }
    }
    g.state = Group::State::kRunnable;
    ++g.pc;
  }
}

// Each thread arrives once, whether its block's others do or not, and waits later or not at all.
bool cluster_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  if (static_cast<ClusterBarrierKind>(in.sub) == ClusterBarrierKind::kArrive) {
    if (const uint32_t again = mask & (w.at_cluster | w.passed_cluster); again != 0) {
      w.fail(g.pc, static_cast<uint32_t>(std::countr_zero(again)),
             "barrier.cluster.arrive, and the thread has not waited since it last arrived");
    }
    w.at_cluster |= mask;
    if (w.races != nullptr) {
      w.races->arrive_at_cluster(w.index);
    }
    ++w.progress;
    ++g.pc;
    w.block->cluster().arrive(static_cast<uint32_t>(std::popcount(mask)));
    return true;
  }
  if ((mask & ~(w.at_cluster | w.passed_cluster)) != 0) {
    w.fail(g.pc, first, "barrier.cluster.wait, and the thread has not arrived");
  }
  leave_others(w, g, mask);
  if ((mask & ~w.passed_cluster) == 0) {
    if (w.races != nullptr) {
      w.races->pass_cluster(w.index);
    }
    w.passed_cluster &= ~mask;
    ++g.pc;
    return true;
  }
  g.state = Group::State::kAtCluster;
  return false;
}

void pass_cluster_barrier(WarpCore& w) {
  w.passed_cluster |= w.at_cluster;
  w.at_cluster = 0;
  for (Group& g : w.groups) {
    if (g.waits(Group::State::kAtCluster)) {
      if (w.races != nullptr) {
        w.races->pass_cluster(w.index);
      }
      w.passed_cluster &= ~g.mask;
      g.state = Group::State::kRunnable;
      ++g.pc;
    }
  }
}

}  // namespace heddle::exec
