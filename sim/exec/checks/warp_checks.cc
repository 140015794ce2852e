#include "sim/exec/checks/warp_checks.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/reach.h"
#include "sim/exec/block.h"
#include "sim/exec/checks/races.h"
#include "sim/exec/checks/sync_rules.h"

namespace heddle::exec {
namespace {

bool is_shared(Space space, uint64_t address) {
  return space == Space::kShared || space == Space::kSharedCluster ||
         (space == Space::kGeneric && address - kSharedWindow < kSharedWindows);
}

bool is_global(Space space, uint64_t address) {
  return space == Space::kGlobal || (space == Space::kGeneric && address >= kGlobalBase);
}

uint32_t first_of(uint32_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

// Whether the lanes' values are the same.
bool same(const Register& r, uint32_t lanes) {
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    if (r[first_of(m)] != r[first_of(lanes)]) {
      return false;
    }
  }
  return true;
}

const char* named(const Races::Use& use, bool other) {
  if (use.loads && use.stores) {
    return other ? "changes by an atomic operation" : "atomic operation";
  }
  return use.stores ? (other ? "stores" : "store") : (other ? "loads" : "load");
}

// Strong accesses order warps and race with those that are not.
void check_races(WarpCore& w, const Group& g, const Access& a) {
  Races& races = *w.races;
  const MemoryOp& op = *a.op;
  const uint64_t bytes = uint64_t{op.bytes} * op.elements;
  const bool atomic = op.kind == MemoryOp::Kind::kAtomic;
  Races::Use meant{g.pc, op.kind != MemoryOp::Kind::kStore, op.kind != MemoryOp::Kind::kLoad, op.strong};
  const bool perhaps_shared = op.space != Space::kGlobal && op.space != Space::kLocal;
  if (!meant.strong && !meant.stores && perhaps_shared && w.code.insts[g.pc].kind == Kind::kMemory) {
    const LoadUse load = load_use(w.code, g.pc);
    meant.strong = load == LoadUse::kOfAtomic;
    meant.polls = load == LoadUse::kPolls && w.code.explicit_convergence;
  }
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const uint32_t lane = first_of(m);
    const uint64_t address = a.address[lane];
    Races::Use use = meant;
    if (!is_shared(op.space, address)) {
      if (op.strong && is_global(op.space, address)) {
        races.order_global(w.index, use, address, bytes,
                           bytes == 4 || bytes == 8 ? std::optional(a.data[0][lane]) : std::nullopt);
      }
      continue;
    }
    if (rank_of({op.space, address}) != w.reach.rank || address % kWindowBytes < kSharedReserve) {
      continue;
    }
    const uint64_t offset = address % kWindowBytes - kSharedReserve;
    if (atomic && op.polls) {
      races.take(w.index, offset);
    } else if (use.stores && !use.strong && w.code.explicit_convergence) {
      use.strong = races.gives_back(w.index, offset);
    }
    if (use.strong) {
      races.order_shared(w.index, use, offset, bytes);
    }
    if (const auto other = races.access(w.index, use, offset, bytes)) {
      w.fail(
          g.pc, lane,
          fmt::format("race in shared memory: {} of {} bytes at 0x{:x}, which warp {} {} at {} with nothing "
                      "between that orders them",
                      named(use, false), bytes, address % kSharedWindows, other->warp,
                      named(other->use, true), w.code.place(other->use.pc)));
    }
  }
}

}  // namespace

void check_access(WarpCore& w, const Group& g, const Access& a) {
  if (w.races != nullptr) {
    check_races(w, g, a);
  }
  if (SyncRules* rules = w.sync_rules; rules != nullptr && a.op->space != Space::kLocal) {
    rules->access(w.index, a.mask, {g.pc, g.base});
  }
}

// What is wrong with an operation on a barrier object.
std::string misuse(WarpCore& w, const BarrierObjectOp& op, const At& at) {
  SyncRules* rules = w.sync_rules;
  const uint64_t offset = at.address % kWindowBytes - kSharedReserve;
  const bool here = rank_of(at) == w.reach.rank && offset + sizeof(uint64_t) <= w.block->shared().size();
  if (rules == nullptr || !here) {
    return "";
  }
  if (op.kind == BarrierObjectOp::Kind::kInvalidate) {
    rules->objects.erase(offset);
  }
  if (op.kind != BarrierObjectOp::Kind::kInit || rules->objects.insert(offset).second) {
    return "";
  }
  uint64_t word = 0;
  std::memcpy(&word, w.block->shared().data() + offset, sizeof word);
  return BarrierObject::unpack(word).there
             ? fmt::format("the barrier object at 0x{:x} is initialised again (legal: mbarrier.inval before)",
                           at.address % kSharedWindows)
             : "";
}

void order_by_object(WarpCore& w, const BarrierObjectOp& op, const At& at, uint64_t result) {
  using OpKind = BarrierObjectOp::Kind;
  Races& races = *w.races;
  const bool waits = op.kind == OpKind::kWait;
  if (op.kind == OpKind::kInit || op.kind == OpKind::kInvalidate || op.kind == OpKind::kPendingCount) {
    return;
  }
  if (rank_of(at) != w.reach.rank) {
    races.arrive_elsewhere(w.index);
    return;
  }
  const uint64_t offset = at.address % kWindowBytes - kSharedReserve;
  uint64_t word = 0;
  std::memcpy(&word, w.block->shared().data() + offset, sizeof word);
  const bool parity = BarrierObject::unpack(word).parity;
  if (waits) {
    races.wait_for_object(offset, w.index, parity, result != 0);
  } else {
    races.arrive_at_object(offset, w.index, parity);
  }
}

// Checks::sync, of the lanes of g that execute a barrier or pass it by.
void check_barrier_operands(WarpCore& w, const Group& g, const Inst& in, uint32_t mask) {
  if (in.offset == 0) {
    return;
  }
  // ptxas makes one of the branch round it, also where those who do not come end behind it.
  if (mask != g.mask && w.code.explicit_convergence) {
    w.sync_rules->part(w.index, g.mask, g.pc, 0);
  } else if (mask != g.mask) {
    w.fail(
        g.pc, first_of(g.mask & ~mask),
        fmt::format("aligned barrier in diverged code: its predicate holds in lanes 0x{:x} of lanes 0x{:x} "
                    "(legal: in all or none)",
                    mask, g.mask));
  }
  const Banks b = w.banks(g);
  for (const Slot s : {in.s[0], in.s[1]}) {
    const Register* r = b.at(s);
    if (r != nullptr && !same(*r, mask)) {
      w.fail(g.pc, first_of(mask),
             fmt::format("aligned barrier: lanes of the warp name different {} (legal: the same)",
                         s == in.s[0] ? "barriers" : "numbers of threads"));
    }
  }
}

// Checks::sync, when all lanes of the warp that have not ended are at the barrier.
void check_barrier(WarpCore& w, const Group& any, uint32_t number, uint32_t threads) {
  SyncRules& rules = *w.sync_rules;
  const Inst& in = w.code.insts[any.pc];
  for (const Group& g : w.groups) {
    const bool here = g.waits(Group::State::kAtBarrier) && g.wait_for == number;
    if (here && g.pc != any.pc && (w.code.insts[g.pc].offset | in.offset) != 0) {
      w.fail(g.pc, first_of(g.mask),
             fmt::format("aligned barrier {} in diverged code: lanes 0x{:x} are here, lanes 0x{:x} at {} "
                         "(legal: together, or barrier.sync)",
                         number, g.mask, any.mask, w.code.place(any.pc)));
    }
  }
  if (in.offset != 0) {
    if (const SyncRules::Missing m = rules.missing_lanes(w.index, w.alive, {any.pc, any.base});
        m.lanes != 0) {
      w.fail(any.pc, first_of(any.mask),
             fmt::format("aligned barrier {} in diverged code: lanes 0x{:x} {} {} and have ended (legal: all "
                         "lanes of a warp come as often)",
                         number, m.lanes, m.left_loop ? "have left its loop at" : "went past it, to",
                         w.code.place(m.at)));
    }
  }
  const std::string wrong = rules.arrive(number, w.index, any.pc, threads, static_cast<BarrierKind>(in.sub));
  if (!wrong.empty()) {
    w.fail(any.pc, first_of(any.mask), wrong);
  }
}

// Checks::sync: who executes an instruction for the lanes of a mask is one of them.
void check_mask(const WarpCore& w, const Group& g, const Register& masks) {
  for (uint32_t m = g.mask; m != 0; m &= m - 1) {
    const uint32_t lane = first_of(m);
    if ((masks[lane] >> lane & 1) == 0) {
      w.fail(g.pc, lane,
             fmt::format("mask 0x{:x} without lane {}, which executes it (legal: with its own bit)",
                         static_cast<uint32_t>(masks[lane]), lane));
    }
  }
}

}  // namespace heddle::exec
