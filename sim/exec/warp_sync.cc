// Lanes that wait for each other, and warps.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/checks/races.h"
#include "sim/exec/checks/sync_rules.h"
#include "sim/exec/cluster.h"
#include "sim/exec/sync_op.h"
#include "sim/exec/warp.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kMaskOperand = 4;  // of Kind::kSync

void copy(Register& to, const Register& from, uint32_t mask) {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    to[lane] = from[lane];
  }
}

void take(SyncValues& v, const Inst& in, const Banks& b, uint32_t mask) {
  for (uint32_t i = 0; i < 3; ++i) {
    if (const Register* s = b.at(in.s[i])) {
      copy(v.s[i], *s, mask);
    }
  }
}

void give(const SyncValues& v, const Inst& in, const Banks& b, uint32_t mask) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (Register* d = b.at(in.d[i])) {
      copy(*d, v.d[i], mask);
    }
  }
}

// The lanes whose operand is that of the first.
uint32_t same_as_first(const Register& r, uint32_t mask) {
  const uint64_t first = r[static_cast<uint32_t>(std::countr_zero(mask))];
  uint32_t out = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    out |= uint32_t{r[lane] == first} << lane;
  }
  return out;
}

}  // namespace

// Lanes that name the same mask execute it together, once all of them that have not ended have come, from
// wherever they come.
bool Warp::sync(Group& g, const Inst& in, uint32_t mask) {
  const Banks b = banks(g);
  const Register* masks = b.at(in.s[kMaskOperand]);
  if (masks == nullptr) {  // those that are here
    SyncValues v;
    take(v, in, b, mask);
    sync_op(static_cast<SyncKind>(in.sub), v, mask);
    give(v, in, b, mask);
    ++g.pc;
    return true;
  }
  if (mask != g.mask) {
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
  if (block_.sync_rules() != nullptr) {
    check_mask(g, *masks);
  }
  uint32_t done = 0;
  for (uint32_t rest = g.mask; rest != 0;) {
    const uint32_t lanes = same_as_first(*masks, rest);
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint32_t wanted = (static_cast<uint32_t>((*masks)[first]) & alive_) | lanes;
    rest &= ~lanes;
    if (wanted == lanes) {
      SyncValues v;
      take(v, in, b, lanes);
      sync_op(static_cast<SyncKind>(in.sub), v, lanes);
      give(v, in, b, lanes);
      done |= lanes;
    } else if (lanes == g.mask) {
      g.state = State::kAtSync;
      g.wait_for = wanted;
      perform_sync(in, wanted);
      return false;
    } else {
      Group& waiting = add_group(g, lanes, g.pc);
      g.mask &= ~lanes;
      waiting.state = State::kAtSync;
      waiting.wait_for = wanted;
      perform_sync(in, wanted);
    }
  }
  ++g.pc;
  return g.mask == alive_ && done == g.mask;
}

// Lanes that have ended count in no mask: who came when they were there waits for the same as who came later.
void Warp::perform_sync(const Inst& in, uint32_t wait_for) {
  const auto takes_part = [&](const Group& g) {
    return g.mask != 0 && g.state == State::kAtSync && ((g.wait_for ^ wait_for) & alive_) == 0 &&
           code_.insts[g.pc].sub == in.sub;
  };
  uint32_t come = 0;
  for (const Group& g : groups_) {
    come |= takes_part(g) ? g.mask : 0;
  }
  if ((wait_for & alive_ & ~come) != 0 || come == 0) {
    return;
  }
  SyncValues v;
  for (const Group& g : groups_) {
    if (takes_part(g)) {
      take(v, code_.insts[g.pc], banks(g), g.mask);
    }
  }
  sync_op(static_cast<SyncKind>(in.sub), v, come);
  Group* first = nullptr;
  for (Group& g : groups_) {
    if (takes_part(g)) {
      give(v, code_.insts[g.pc], banks(g), g.mask);
      g.state = State::kRunnable;
      ++g.pc;
      // In machine code lanes that have come from several places go on together.
      if (code_.explicit_convergence && first != nullptr && first->pc == g.pc) {
        first->mask |= g.mask;
        g.mask = 0;
      } else {
        first = first == nullptr ? &g : first;
      }
    }
  }
}

bool Warp::barrier(Group& g, const Inst& in, uint32_t mask) {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint64_t number = (*banks(g).at(in.s[0]))[first];
  if (number > 15) {
    fail(g.pc, first, "barrier " + std::to_string(number) + " (legal: 0 to 15)");
  }
  if (SyncRules* rules = block_.sync_rules()) {
    check_barrier_operands(*rules, g, in, mask);
  }
  if (mask != g.mask) {
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
  if (observer_ != nullptr) {
    const Register* threads = banks(g).at(in.s[1]);
    observer_->arrived(block_, index_, static_cast<uint32_t>(number),
                       threads != nullptr ? static_cast<uint32_t>((*threads)[first]) : 0);
  }
  g.state = State::kAtBarrier;
  g.wait_for = static_cast<uint32_t>(number);
  count_barrier(g.wait_for);
  return g.state == State::kRunnable && g.mask == alive_;
}

// A warp comes to a barrier when all of its lanes that have not ended are there; below 7.0 when any are
// (cuda-model.md SI20).
void Warp::count_barrier(uint32_t number) {
  uint32_t come = 0, holds = 0;
  const Group* any = nullptr;
  for (const Group& g : groups_) {
    if (g.mask != 0 && g.state == State::kAtBarrier && g.wait_for == number) {
      come |= g.mask;
      any = &g;
    }
  }
  if (any == nullptr || (come != alive_ && !by_stack_) || (counted_ >> number & 1) != 0) {
    return;
  }
  for (const Group& g : groups_) {
    const Inst& in = code_.insts[g.pc];
    const bool here = g.mask != 0 && g.state == State::kAtBarrier && g.wait_for == number;
    if (const Register* p = here ? banks(g).at(in.s[2]) : nullptr) {
      for (uint32_t m = g.mask; m != 0; m &= m - 1) {
        holds += (*p)[static_cast<uint32_t>(std::countr_zero(m))] != 0 ? 1 : 0;
      }
    }
  }
  const Inst& in = code_.insts[any->pc];
  const Register* threads = banks(*any).at(in.s[1]);
  const auto first = static_cast<uint32_t>(std::countr_zero(any->mask));
  const uint64_t wanted = threads != nullptr ? (*threads)[first] : 0;
  // A register of machine code has both numbers, 0 threads for all.
  const bool all = threads == nullptr || (code_.explicit_convergence && wanted == 0);
  if (!all && (wanted % kLanes != 0 || wanted == 0 || wanted > 1024)) {
    fail(any->pc, first,
         "barrier for " + std::to_string(wanted) + " threads (legal: multiples of 32 up to 1024)");
  }
  const auto kind = static_cast<BarrierKind>(in.sub);
  if (SyncRules* rules = block_.sync_rules()) {
    check_barrier(*rules, *any, number, static_cast<uint32_t>(wanted));
  }
  counted_ |= 1U << number;
  if (kind == BarrierKind::kArrive) {
    pass_barrier(number, 0);
  }
  if (Races* races = block_.races()) {
    races->arrive(number, index_);
  }
  block_.arrive(number, static_cast<uint32_t>(wanted), static_cast<uint32_t>(std::popcount(come)), holds,
                kind);
}

void Warp::pass_barrier(uint32_t number, uint64_t result) {
  if ((counted_ >> number & 1) == 0) {
    return;
  }
  counted_ &= ~(1U << number);
  for (Group& g : groups_) {
    if (g.mask == 0 || g.state != State::kAtBarrier || g.wait_for != number) {
      continue;
    }
    Races* races = block_.races();
    if (races != nullptr && static_cast<BarrierKind>(code_.insts[g.pc].sub) != BarrierKind::kArrive) {
      races->pass(number, index_);
    }
    if (Register* d = banks(g).at(code_.insts[g.pc].d[0])) {
      for (uint32_t m = g.mask; m != 0; m &= m - 1) {
        (*d)[static_cast<uint32_t>(std::countr_zero(m))] = result;
      }
    }
    g.state = State::kRunnable;
    ++g.pc;
  }
}

// Each thread arrives once, whether its block's others do or not, and waits later or not at all.
bool Warp::cluster_barrier(Group& g, const Inst& in, uint32_t mask) {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  if (static_cast<ClusterBarrierKind>(in.sub) == ClusterBarrierKind::kArrive) {
    if (const uint32_t again = mask & (at_cluster_ | passed_cluster_); again != 0) {
      fail(g.pc, static_cast<uint32_t>(std::countr_zero(again)),
           "barrier.cluster.arrive, and the thread has not waited since it last arrived");
    }
    at_cluster_ |= mask;
    if (Races* races = block_.races()) {
      races->arrive_at_cluster(index_);
    }
    ++progress_;
    ++g.pc;
    block_.cluster().arrive(static_cast<uint32_t>(std::popcount(mask)));
    return true;
  }
  if ((mask & ~(at_cluster_ | passed_cluster_)) != 0) {
    fail(g.pc, first, "barrier.cluster.wait, and the thread has not arrived");
  }
  if (mask != g.mask) {
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
  if ((mask & ~passed_cluster_) == 0) {
    if (Races* races = block_.races()) {
      races->pass_cluster(index_);
    }
    passed_cluster_ &= ~mask;
    ++g.pc;
    return true;
  }
  g.state = State::kAtCluster;
  return false;
}

void Warp::pass_cluster_barrier() {
  passed_cluster_ |= at_cluster_;
  at_cluster_ = 0;
  for (Group& g : groups_) {
    if (g.mask != 0 && g.state == State::kAtCluster) {
      if (Races* races = block_.races()) {
        races->pass_cluster(index_);
      }
      passed_cluster_ &= ~g.mask;
      g.state = State::kRunnable;
      ++g.pc;
    }
  }
}

}  // namespace heddle::exec
