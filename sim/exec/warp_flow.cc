// How the lanes of a warp part and meet again.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "sim/exec/checks/races.h"
#include "sim/exec/checks/sync_rules.h"
#include "sim/exec/cluster.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

// Of machine code, as in the H200's recordings: lanes that part join those who parted last, if these left the
// same branch for the same place, such as one loop turn after the other. Others come one group after the
// other to a BSYNC where all wait.
Warp::Group* Warp::left_before(const Group& like, uint32_t pc) {
  Group* last = nullptr;
  for (Group& x : groups_) {
    if (x.mask != 0 && &x != &like && x.state == State::kRunnable &&
        (last == nullptr || x.born > last->born)) {
      last = &x;
    }
  }
  const bool same = last != nullptr && last->from == like.pc && last->pc == pc && last->base == like.base &&
                    last->local == like.local && last->join == like.join;
  return same ? last : nullptr;
}

Warp::Group& Warp::add_group(const Group& like, uint32_t mask, uint32_t pc) {
  if (code_.explicit_convergence) {
    if (Group* last = left_before(like, pc)) {
      last->mask |= mask;
      return *last;
    }
  }
  // A lane is in one group, so there is always a place.
  Group& g = *std::find_if(groups_.begin(), groups_.end(), [](const Group& x) { return x.mask == 0; });
  const Group copy = like;
  g = copy;
  g.mask = mask;
  g.pc = pc;
  g.state = State::kRunnable;
  g.born = ++groups_born_;
  g.from = copy.pc;
  return g;
}

// Where lanes of g that part now are to meet; they may be on their way there already. Each join has lanes of
// two groups, so there are fewer joins than lanes.
int Warp::join_at(const Group& g, uint32_t pc) {
  if (g.join >= 0) {
    const Join& top = joins_[static_cast<size_t>(g.join)];
    if (top.pc == pc && top.base == g.base) {
      return g.join;
    }
  }
  const auto free = std::find_if(joins_.begin(), joins_.end(), [](const Join& j) { return j.expected == 0; });
  if (free == joins_.end()) {
    return g.join;
  }
  *free = {pc, g.base, g.local, g.mask, 0, g.join};
  return static_cast<int>(free - joins_.begin());
}

bool Warp::branch(Group& g, const Inst& in, uint32_t mask) {
  if (in.sub != 0) {
    mask = g.mask;
  } else if (in.s[0] != kNoSlot) {
    const Register& condition = *banks(g).at(in.s[0]);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      mask &= condition[lane] != 0 ? ~0U : ~(1U << lane);
    }
    if (mask == 0) {
      ++g.pc;
      return true;
    }
  }
  backward_ += in.target <= g.pc ? 1 : 0;
  if (mask == g.mask) {
    g.pc = in.target;
    return true;
  }
  if (SyncRules* rules = block_.sync_rules()) {
    rules->part(index_, g.mask, g.pc, in.target <= g.pc ? g.mask & ~mask : 0);
  }
  if (in.reconverge != kNoPc) {
    g.join = join_at(g, in.reconverge);
  }
  if (code_.explicit_convergence && std::popcount(mask) < std::popcount(g.mask & ~mask)) {
    // As in the H200's recordings: the fewer go first, of as many those who do not jump.
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
    g.pc = in.target;
    return true;
  }
  add_group(g, mask, in.target);
  g.mask &= ~mask;
  ++g.pc;
  return !by_stack_;  // on a stack those who jump go first
}

bool Warp::branch_index(Group& g, const Inst& in, uint32_t mask) {
  const std::vector<uint32_t>& targets = code_.targets[in.target];
  const Register& index = *banks(g).at(in.s[0]);
  if (in.reconverge != kNoPc) {
    g.join = join_at(g, in.reconverge);
  }
  const Group from = g;
  g.mask &= ~mask;
  ++g.pc;
  while (mask != 0) {
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    const uint64_t wanted = index[first];
    if (wanted >= targets.size() || targets[wanted] == kNoPc) {
      fail(from.pc, first,
           "index " + std::to_string(wanted) + " of brx.idx (legal: up to " +
               std::to_string(targets.size() - 1) + ")");
    }
    uint32_t same = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      same |= uint32_t{index[lane] == wanted} << lane;
    }
    backward_ += targets[wanted] <= from.pc ? 1 : 0;
    if (same == from.mask) {
      g.mask = same;
      g.pc = targets[wanted];
      return true;
    }
    if (SyncRules* rules = block_.sync_rules()) {
      rules->part(index_, from.mask, from.pc, 0);
    }
    mask &= ~same;
    add_group(from, same, targets[wanted]);
  }
  return g.mask != 0 && !by_stack_;
}

// g stands where its join is. False when it waits there for others.
bool Warp::arrive(Group& g) {
  Join& j = joins_[static_cast<size_t>(g.join)];
  j.arrived |= g.mask;
  if (j.arrived != j.expected) {
    g.mask = 0;
    return false;
  }
  g.mask = j.expected;
  g.join = j.parent;
  j.expected = j.arrived = 0;
  return true;
}

// Those who have come to the join go on, and nobody waits for them any more.
void Warp::finish_join(int join) {
  Join& j = joins_[static_cast<size_t>(join)];
  Group g;
  g.base = j.base;
  g.local = j.local;
  g.join = j.parent;
  add_group(g, j.arrived, j.pc);
  j.expected &= ~j.arrived;
  j.arrived = 0;
}

// Meeting again is never part of what a program means: whoever waits for it while nobody else can go on, or
// while others may wait for him, goes on alone.
bool Warp::release_joins() {
  bool any = release_barriers();
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (joins_[i].arrived != 0) {
      finish_join(static_cast<int>(i));
      any = true;
    }
  }
  return any;
}

void Warp::exit_lanes(Group& g, uint32_t mask) {
  if (SyncRules* rules = block_.sync_rules(); rules != nullptr && mask != g.mask) {
    rules->part(index_, g.mask, g.pc - 1, 0);
  }
  alive_ &= ~mask;
  g.mask &= ~mask;
  block_.cluster().leave(static_cast<uint32_t>(std::popcount(mask)),
                         static_cast<uint32_t>(std::popcount(mask & at_cluster_)));
  at_cluster_ &= ~mask;
  for (size_t i = 0; i < joins_.size(); ++i) {
    Join& j = joins_[i];
    j.expected &= ~mask;
    if (j.arrived != 0 && j.arrived == j.expected) {
      finish_join(static_cast<int>(i));
    }
  }
  if (alive_ == 0) {
    if (Races* races = block_.races()) {
      races->end(index_);
    }
    end_runtime();
    block_.warp_ended();
    if (const uint32_t columns = block_.tensor_memory().allocated(); columns != 0 && block_.done()) {
      fail(g.pc - 1, static_cast<uint32_t>(std::countr_zero(mask)),
           fmt::format("the block ends with {} columns of tensor memory (legal: tcgen05.dealloc before)",
                       columns));
    }
  } else {
    settle();
  }
}

// Lanes at the same place go on together; machine code says itself where (left_before, warp_converge.cc), and
// on a stack they meet at joins only.
void Warp::merge() {
  if (code_.explicit_convergence || by_stack_) {
    return;
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    Group& a = groups_[i];
    if (a.mask == 0 || a.mask == alive_ || a.state != State::kRunnable) {
      continue;
    }
    for (size_t k = i + 1; k < groups_.size(); ++k) {
      Group& b = groups_[k];
      if (b.mask != 0 && b.state == State::kRunnable && a.pc == b.pc && a.base == b.base &&
          a.local == b.local && a.join == b.join && a.told == b.told) {
        a.mask |= b.mask;
        a.turn = std::min(a.turn, b.turn);
        a.born = std::max(a.born, b.born);
        b.mask = 0;
      }
    }
  }
}

void Warp::settle() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& g = groups_[i];
    if (g.mask == 0) {
      continue;
    }
    if (g.state == State::kAtSync) {
      perform_sync(code_.insts[g.pc], g.wait_for);
    } else if (g.state == State::kAtBarrier) {
      count_barrier(g.wait_for);
    } else if (g.state == State::kAtConverge) {
      meet(participants(g));
    }
  }
}

}  // namespace heddle::exec
