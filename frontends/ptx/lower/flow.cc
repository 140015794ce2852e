#include "frontends/ptx/lower/flow.h"

#include <algorithm>
#include <set>

namespace heddle::ptx::lower {
namespace {

Opcode opcode(const Module& m, const Function& f, uint32_t i) { return m.ops[f.instrs[i].op].opcode; }

bool leaves(Opcode o) { return o == Opcode::kRet || o == Opcode::kExit; }

// Nothing is conditional that others wait for.
bool may_be_conditional(const Module& m, const Function& f, uint32_t i) {
  const Opcode o = opcode(m, f, i);
  switch (o) {
    case Opcode::kBra:
    case Opcode::kBrxIdx:
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kTrap:
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kElect:
    case Opcode::kMma:
    case Opcode::kMmaSp:
    case Opcode::kLdmatrix:
    case Opcode::kDiv:
    case Opcode::kRem:
    case Opcode::kSqrt:
      return false;
    default:
      return !orders_others(o) && f.instrs[i].guard == kNone;
  }
}

struct Basic {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> next, before;
};

class Finder {
 public:
  Finder(const Module& m, const std::vector<bool>& cuts, uint32_t most, Lowered& f)
      : m_(m), cuts_(cuts), most_(most), out_(f), f_(*f.function) {}

  void run() {
    split();
    connect();
    join();
  }

 private:
  uint32_t target(uint32_t i) const {
    return static_cast<uint32_t>(f_.operands[f_.instrs[i].operands].value);
  }

  void split() {
    const auto n = static_cast<uint32_t>(f_.instrs.size());
    std::set<uint32_t> starts{0};
    for (uint32_t i = 0; i < n; ++i) {
      const Opcode o = opcode(m_, f_, i);
      if (o == Opcode::kBra) {
        starts.insert(target(i));
      }
      if (o == Opcode::kBra || o == Opcode::kBrxIdx || o == Opcode::kCall || leaves(o) || cuts_[i]) {
        starts.insert(i + 1);
      }
    }
    for (const auto& targets : f_.branch_targets) {
      starts.insert(targets.begin(), targets.end());
    }
    for (const Label& l : f_.labels) {
      starts.insert(l.instr);
    }
    starts.erase(starts.lower_bound(n), starts.end());
    basic_at_.resize(n);
    for (auto s = starts.begin(); s != starts.end(); ++s) {
      const uint32_t end = std::next(s) == starts.end() ? n : *std::next(s);
      basics_.push_back({*s, end, {}, {}});
      std::fill(basic_at_.begin() + *s, basic_at_.begin() + end, static_cast<uint32_t>(basics_.size() - 1));
    }
  }

  void connect() {
    const auto n = static_cast<uint32_t>(f_.instrs.size());
    for (uint32_t b = 0; b < basics_.size(); ++b) {
      const uint32_t last = basics_[b].end - 1;
      const Opcode o = opcode(m_, f_, last);
      const bool guarded = f_.instrs[last].guard != kNone;
      if ((o != Opcode::kBra && o != Opcode::kBrxIdx && !leaves(o)) || guarded) {
        if (basics_[b].end < n) {
          basics_[b].next.push_back(b + 1);
        }
      }
      if (o == Opcode::kBra && target(last) < n) {
        basics_[b].next.push_back(basic_at_[target(last)]);
      }
      if (o == Opcode::kBrxIdx) {
        for (const Operand& l : f_.operands_of(f_.instrs[last])) {
          if (l.kind == OperandKind::kList) {
            for (const uint32_t t : f_.branch_targets[l.id]) {
              basics_[b].next.push_back(basic_at_[t]);
            }
          }
        }
      }
      for (const uint32_t to : basics_[b].next) {
        basics_[to].before.push_back(b);
      }
    }
  }

  bool short_one(const Basic& b) const {
    uint32_t real = 0;
    for (uint32_t i = b.first; i < b.end; ++i) {
      if (i + 1 == b.end && opcode(m_, f_, i) == Opcode::kBra && f_.instrs[i].guard == kNone) {
        continue;
      }
      if (cuts_[i] || !may_be_conditional(m_, f_, i)) {
        return false;
      }
      ++real;
    }
    return real <= most_;
  }

  // Goes on from basic block `b` in this block while nobody else comes to what follows.
  void grow(Block& block, uint32_t b) {
    for (;;) {
      taken_[b] = true;
      const Basic& now = basics_[b];
      const uint32_t last = now.end - 1;
      block.stretches.push_back({now.first, now.end, kNone, false});
      block.next = now.next;
      const bool branch = opcode(m_, f_, last) == Opcode::kBra;
      const Instr& in = f_.instrs[last];
      if (opcode(m_, f_, last) == Opcode::kCall || cuts_[last]) {
        return;  // what the function does is told between them; or what comes next is not known yet
      }
      if (now.next.size() == 1 && alone(now.next[0]) && now.next[0] > b) {
        b = now.next[0];
        continue;
      }
      if (!branch || in.guard == kNone || now.next.size() != 2) {
        return;
      }
      const uint32_t through = now.next[0], away = now.next[1];
      if (ends_thread(m_, f_, basics_[away].first) && alone(through)) {
        b = through;
        continue;
      }
      const Basic& body = basics_[through];
      if (through == away || away <= b || !alone(through) || body.next.size() != 1 || body.next[0] != away ||
          !short_one(body)) {
        return;
      }
      taken_[through] = true;
      block.stretches.push_back({body.first, body.end, in.guard, !in.guard_negated});
      block.next = {away};
      if (basics_[away].before.size() != 2 || taken_[away]) {
        return;
      }
      b = away;
    }
  }

  bool alone(uint32_t b) const { return basics_[b].before.size() == 1 && !taken_[b]; }

  void join() {
    taken_.assign(basics_.size(), false);
    std::vector<uint32_t> heads;
    for (uint32_t b = 0; b < basics_.size(); ++b) {
      if (!taken_[b]) {
        heads.push_back(b);
        grow(out_.blocks.emplace_back(), b);
      }
    }
    out_.block_of.assign(f_.instrs.size(), kNone);
    for (uint32_t i = 0; i < out_.blocks.size(); ++i) {
      for (const Stretch& s : out_.blocks[i].stretches) {
        std::fill(out_.block_of.begin() + s.first, out_.block_of.begin() + s.end, i);
      }
    }
    for (Block& block : out_.blocks) {
      for (uint32_t& n : block.next) {
        n = out_.block_of[basics_[n].first];
      }
    }
  }

  const Module& m_;
  const std::vector<bool>& cuts_;
  const uint32_t most_;
  Lowered& out_;
  const Function& f_;
  std::vector<Basic> basics_;
  std::vector<uint32_t> basic_at_;
  std::vector<bool> taken_;
};

}  // namespace

bool is_exit(const Module& module, const Function& f, uint32_t instr) {
  return leaves(opcode(module, f, instr));
}

bool ends_thread(const Module& module, const Function& f, uint32_t target) {
  return f.entry &&
         (target >= f.instrs.size() || (is_exit(module, f, target) && f.instrs[target].guard == kNone));
}

void find_blocks(const Module& module, const std::vector<bool>& cuts, uint32_t conditional, Lowered& f) {
  Finder(module, cuts, conditional, f).run();
}

bool is_barrier(Opcode o) {
  switch (o) {
    case Opcode::kBarArrive:
    case Opcode::kBarRed:
    case Opcode::kBarSync:
    case Opcode::kBarWarpSync:
    case Opcode::kBarrierArrive:
    case Opcode::kBarrierRed:
    case Opcode::kBarrierSync:
    case Opcode::kBarrierClusterArrive:
    case Opcode::kBarrierClusterWait:
      return true;
    default:
      return false;
  }
}

bool orders_others(Opcode o) {
  switch (o) {
    case Opcode::kCpAsyncMbarrierArrive:
    case Opcode::kFenceMbarrierInit:
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierArriveDrop:
    case Opcode::kMbarrierCompleteTx:
    case Opcode::kMbarrierExpectTx:
    case Opcode::kMbarrierInit:
    case Opcode::kMbarrierInval:
    case Opcode::kMbarrierPendingCount:
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait:
    case Opcode::kMembar:
    case Opcode::kMembarProxy:
      return true;
    default:
      return is_barrier(o);
  }
}

}  // namespace heddle::ptx::lower
