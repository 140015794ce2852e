#include "sim/exec/warp/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/exec/block.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

// A group that has gone round so many times looks for what another thread is to do: with loads that say so,
// and with others.
constexpr uint32_t kStrongSpins = 64;
constexpr uint32_t kObservedSpins = 1;  // who looks on is to see few turns in vain
constexpr uint32_t kWeakSpins = 1 << 14;
constexpr uint32_t kSliceTurns = 1 << 16;  // the same with no loads at all: others get their turn

const Convergence& convergence_of(const Launch& launch) {
  if (launch.code->explicit_convergence) {
    return explicit_convergence();
  }
  return launch.code->reconvergence_stack || launch.reconvergence_stack ? reconvergence_stack()
                                                                        : meeting_at_joins();
}

}  // namespace

Warp::Warp(Block& block, uint32_t index, uint32_t lanes)
    : core_(*block.launch().code, convergence_of(block.launch()), block.reach(), block.scratch()) {
  const Launch& launch = block.launch();
  const Code& code = core_.code;
  core_.index = index;
  core_.alive = lanes;
  core_.block = &block;
  core_.observer = launch.observer;
  core_.races = block.races();
  core_.sync_rules = block.sync_rules();
  core_.block_size = launch.block;
  core_.block_at = block.index();
  std::vector<Register>& own = core_.warp_registers;
  own.resize(kFirstSpecial + code.specials.size());
  own[kStackSlot & kSlotIndex].fill(kStackBase);
  for (size_t i = 0; i < code.specials.size(); ++i) {
    fill_special(code.specials[i], block, index, own[kFirstSpecial + i]);
  }
  if (launch.constants) {
    core_.constants = launch.constants->data();
  }
  const FunctionInfo& entry = code.functions[code.entry];
  core_.registers.resize(entry.registers);
  core_.local_bytes = launch.local_bytes();
  core_.local.resize(size_t{kLanes} * core_.local_bytes);
  core_.groups[0].pc = entry.first;
  core_.groups[0].mask = lanes;
}

void Warp::set_special(Special which, uint64_t value) {
  for (size_t i = 0; i < core_.code.specials.size(); ++i) {
    if (core_.code.specials[i] == which) {
      core_.warp_registers[kFirstSpecial + i].fill(value);
    }
  }
}

Warp::Status Warp::run(uint64_t instructions, uint64_t hold) {
  WarpCore& w = core_;
  if (!std::exchange(held_, false)) {
    until_ = w.executed + instructions;
    spun_ = 0;
  }
  hold_at_ = hold < UINT64_MAX - w.executed ? w.executed + hold : UINT64_MAX;
  for (;;) {
    Group* g = std::exchange(held_group_, nullptr);
    const bool goes_on = g != nullptr;
    if (g == nullptr) {
      w.flow.merge(w);
      g = w.flow.choose(w);
    }
    if (g == nullptr) {
      if (w.alive == 0) {
        return Status::kDone;
      }
      if (w.flow.release(w)) {
        continue;
      }
      return Status::kWaiting;
    }
    const Leave left = run_group(*g, goes_on);
    switch (left) {
      case Leave::kSwitch:
        break;
      case Leave::kHold:
        held_group_ = g;
        held_ = true;
        return Status::kHeld;
      case Leave::kSlice:
        g->turn = ++w.turns;
        spun_ &= ~g->mask;
        break;
      case Leave::kYields:
      case Leave::kSpins:
        // It may wait for lanes that wait for it to meet them: these go on alone then.
        g->turn = ++w.turns;
        spun_ |= g->mask;
        if (!w.flow.independent()) {
          return Status::kSpinning;
        }
        if (left == Leave::kSpins || g->yields >= kStrongSpins) {
          w.flow.release(w);
        }
        if (std::none_of(w.groups.begin(), w.groups.end(), [&](const Group& x) {
              return x.state == Group::State::kRunnable && (x.mask & ~spun_) != 0;
            })) {
          return Status::kSpinning;
        }
    }
    if (w.executed >= until_) {
      return Status::kRunning;
    }
    if (w.executed >= hold_at_) {
      held_ = true;
      return Status::kHeld;
    }
  }
}

// `goes_on`: in a slice of its turn, in which it was held.
Warp::Leave Warp::run_group(Group& g, bool goes_on) {
  WarpCore& w = core_;
  if (!goes_on) {
    w.polls = w.strong_polls = w.backward = 0;
  }
  const uint64_t stop_at = std::min(until_, hold_at_);
  const uint32_t strong_spins = w.observer == nullptr ? kStrongSpins : kObservedSpins;
  Banks b = w.banks(g);
  uint32_t stop = g.join >= 0 ? w.joins[static_cast<size_t>(g.join)].pc : kNoPc;
  for (;;) {
    while (g.pc == stop && g.base == w.joins[static_cast<size_t>(g.join)].base) {
      if (!arrive_at_join(w, g)) {
        return Leave::kSwitch;
      }
      stop = g.join >= 0 ? w.joins[static_cast<size_t>(g.join)].pc : kNoPc;
    }
    const Inst& in = w.code.insts[g.pc];
    const uint32_t mask = WarpCore::lanes(g, in, b);
    if (in.counted) {
      ++w.executed;
      w.thread_executed += static_cast<uint32_t>(std::popcount(mask));
      if (w.observer != nullptr) {
        w.observer->executed(*w.block, w.index, g.pc, g.mask, mask);
      }
    }
    if (in.kind == Kind::kCompute) {
      w.compute(in, mask, b);
      ++g.pc;
      continue;
    }
    if (mask == 0) {
      ++g.pc;
    } else if (!kHandlers[static_cast<size_t>(in.kind)](w, g, in, mask)) {
      return Leave::kSwitch;
    }
    if (in.kind == Kind::kMemory) {
      continue;
    }
    b = w.banks(g);
    stop = g.join >= 0 ? w.joins[static_cast<size_t>(g.join)].pc : kNoPc;
    if (std::exchange(w.yields, false)) {
      return Leave::kYields;
    }
    if ((w.strong_polls != 0 && w.backward >= strong_spins) || (w.polls != 0 && w.backward >= kWeakSpins)) {
      return Leave::kSpins;
    }
    if (w.backward >= kSliceTurns || w.executed >= stop_at) {
      return w.backward >= kSliceTurns || w.executed >= until_ ? Leave::kSlice : Leave::kHold;
    }
  }
}

std::string Warp::waits() const {
  std::string out;
  for (const Group& g : core_.groups) {
    if (g.mask == 0) {
      continue;
    }
    out += fmt::format("{}lanes 0x{:x} at {} ", out.empty() ? "" : ", ", g.mask, core_.code.place(g.pc));
    switch (g.state) {
      case Group::State::kRunnable:
        out += "(looking)";
        break;
      case Group::State::kAtSync:
      case Group::State::kAtMatrix:
        out += fmt::format("(for lanes 0x{:x})", g.wait_for);
        break;
      case Group::State::kAtBarrier:
        out += fmt::format("(at barrier {})", g.wait_for);
        break;
      case Group::State::kAtConverge:
        out += "(to meet others)";
        break;
      case Group::State::kAtCluster:
        out += "(at the cluster's barrier)";
    }
  }
  return out + core_.flow.waits(core_);
}

}  // namespace heddle::exec
