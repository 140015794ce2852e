#include "frontends/ptx/lower/unroll.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/lower/uses.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kTurns = 4;
// Of a turn; longer ones stay as they are. As far as the suites' kernels show it.
constexpr uint32_t kMostInstructions = 48;
constexpr uint32_t kOfFragment = 6;  // machine instructions of wmma

struct Found {
  uint32_t first = 0, end = 0;
  uint32_t step = kNone, test = kNone;
};

bool is_wmma(Opcode o) {
  return o == Opcode::kWmmaLoadA || o == Opcode::kWmmaLoadB || o == Opcode::kWmmaLoadC ||
         o == Opcode::kWmmaMma || o == Opcode::kWmmaStoreD;
}

class Finder {
 public:
  Finder(const Module& m, const std::vector<bool>& cuts, const Function& f) : m_(m), cuts_(cuts), f_(f) {}

  std::vector<Found> run() {
    std::set<uint32_t> targets;
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      if (opcode(i) == Opcode::kBra) {
        targets.insert(target(i));
      }
    }
    for (const auto& list : f_.branch_targets) {
      targets.insert(list.begin(), list.end());
    }
    std::vector<Found> out;
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      if (opcode(i) != Opcode::kBra || f_.instrs[i].guard == kNone || target(i) > i) {
        continue;
      }
      const uint32_t first = target(i);
      const auto inside = targets.upper_bound(first);
      const bool alone = inside == targets.end() || *inside > i;
      const bool refused = std::any_of(f_.loop_pragmas.begin(), f_.loop_pragmas.end(), [&](const Pragma& p) {
        return p.instr == first && p.text.find("nounroll") != std::string_view::npos;
      });
      Found loop{first, i + 1};
      if (alone && !refused && size(first, i) < kMostInstructions && plain(first, i) && counted(loop)) {
        out.push_back(loop);
      }
    }
    return out;
  }

 private:
  Opcode opcode(uint32_t i) const { return m_.ops[f_.instrs[i].op].opcode; }
  uint32_t target(uint32_t i) const {
    return static_cast<uint32_t>(f_.operands[f_.instrs[i].operands].value);
  }

  // About what a turn has of machine instructions, where that is far from what PTX has.
  uint32_t size(uint32_t first, uint32_t end) const {
    uint32_t out = end - first;
    for (uint32_t i = first; i < end; ++i) {
      out += is_wmma(opcode(i)) ? kOfFragment : 0;
    }
    return out;
  }

  bool plain(uint32_t first, uint32_t end) const {
    for (uint32_t i = first; i < end; ++i) {
      const Opcode o = opcode(i);
      if (o == Opcode::kBra || o == Opcode::kBrxIdx || o == Opcode::kCall || o == Opcode::kRet ||
          o == Opcode::kExit || orders_others(o) || cuts_[i] ||
          m_.ops[f_.instrs[i].op].semantics != Semantics::kNone) {
        return false;
      }
    }
    return true;
  }

  // The one instruction of the loop that writes the register.
  uint32_t writer(uint32_t first, uint32_t end, uint32_t reg) const {
    uint32_t found = kNone;
    for (uint32_t i = first; i < end; ++i) {
      const auto x = f_.operands_of(f_.instrs[i]);
      if (!x.empty() && is_destination(m_.ops[f_.instrs[i].op], 0) && x[0].kind == OperandKind::kRegister &&
          x[0].id == reg) {
        if (found != kNone) {
          return kNone;
        }
        found = i;
      }
    }
    return found;
  }

  bool written(const Found& l, uint32_t reg) const {
    for (uint32_t i = l.first; i < l.end; ++i) {
      const auto x = f_.operands_of(f_.instrs[i]);
      for (size_t k = 0; k < x.size(); ++k) {
        const auto is = [&](const Operand& o) { return o.kind == OperandKind::kRegister && o.id == reg; };
        if (!is_destination(m_.ops[f_.instrs[i].op], k)) {
          continue;
        }
        const auto parts = x[k].kind == OperandKind::kVector ? f_.elements(x[k]) : std::span(&x[k], 1);
        if (std::any_of(parts.begin(), parts.end(), is)) {
          return true;
        }
      }
    }
    return false;
  }

  // A register to which each turn adds a number.
  bool counts(const Found& l, const Operand& o, uint32_t& step) const {
    step = o.kind == OperandKind::kRegister ? writer(l.first, l.end, o.id) : kNone;
    if (step == kNone || opcode(step) != Opcode::kAdd || f_.instrs[step].guard != kNone) {
      return false;
    }
    const auto x = f_.operands_of(f_.instrs[step]);
    return x[1].kind == OperandKind::kRegister && x[1].id == o.id && x[2].kind == OperandKind::kImmediate;
  }

  // Its condition compares such a register with what stays the same, so it is known how many turns are left.
  bool counted(Found& l) const {
    const Instr& branch = f_.instrs[l.end - 1];
    l.test = writer(l.first, l.end, branch.guard);
    if (l.test == kNone || opcode(l.test) != Opcode::kSetp || f_.instrs[l.test].guard != kNone) {
      return false;
    }
    const auto x = f_.operands_of(f_.instrs[l.test]);
    const size_t counter = counts(l, x[2], l.step) ? 2 : counts(l, x[3], l.step) ? 3 : 0;
    if (counter == 0) {
      return false;
    }
    for (size_t k = 1; k < x.size(); ++k) {
      if (k != counter && x[k].kind == OperandKind::kRegister && written(l, x[k].id)) {
        return false;
      }
    }
    return true;
  }

  const Module& m_;
  const std::vector<bool>& cuts_;
  const Function& f_;
};

// Where labels and lists of targets are: instruction i has become to(i).
template <class F>
void move_places(Function& f, F to) {
  for (auto& list : f.branch_targets) {
    for (uint32_t& t : list) {
      t = to(t);
    }
  }
  for (Label& l : f.labels) {
    l.instr = to(l.instr);
  }
}

class Copier {
 public:
  Copier(const Module& m, const Function& f) : m_(m), f_(f) {}

  Unrolled run(const std::vector<Found>& loops) {
    out_.function = f_;
    out_.function.instrs.clear();
    out_.place.resize(f_.instrs.size() + 1);
    std::map<uint32_t, uint32_t> heads;  // of loops: where those who come to them go
    size_t next = 0;
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      if (next < loops.size() && loops[next].first == i) {
        const Found& l = loops[next++];
        heads[i] = size();
        const uint32_t several = size();
        copies(l);
        const auto in_one = [&](uint32_t k) { return size() + k - l.first; };
        out_.loops.push_back({several, size(), in_one(l.end), in_one(l.step), in_one(l.test), kTurns});
      }
      out_.place[i] = size();
      add(f_.instrs[i], i, 0);
    }
    out_.place[f_.instrs.size()] = size();
    retarget(loops, heads);
    return std::move(out_);
  }

 private:
  uint32_t size() const { return static_cast<uint32_t>(out_.function.instrs.size()); }

  void add(const Instr& in, uint32_t origin, uint8_t turn) {
    out_.function.instrs.push_back(in);
    out_.origin.push_back(origin);
    out_.turn.push_back(turn);
  }

  // Each turn has registers of its own for what it writes; the last one writes the loop's.
  void copies(const Found& l) {
    std::map<uint32_t, uint32_t> now;   // the register that holds it
    std::map<uint32_t, uint32_t> left;  // instructions of the last turn that still write it
    for (uint8_t t = 0; t < kTurns; ++t) {
      const bool last = t + 1 == kTurns;
      left.clear();
      if (last) {
        for (uint32_t i = l.first; i < l.end; ++i) {
          if (!sums_in_place(f_.instrs[i])) {
            each(f_.instrs[i], [&](const Operand& o) { ++left[o.id]; });
          }
        }
      }
      for (uint32_t i = l.first; i < l.end; ++i) {
        if (!last && (i + 1 == l.end || is_test(l, i))) {
          continue;  // turns in between do not ask whether to go on
        }
        add(renamed(f_.instrs[i], now, left, last), i, t);
      }
    }
  }

  // The comparison that nobody but the branch at the end looks at.
  bool is_test(const Found& l, uint32_t i) const {
    const Instr& branch = f_.instrs[l.end - 1];
    const auto x = f_.operands_of(f_.instrs[i]);
    if (m_.ops[f_.instrs[i].op].opcode != Opcode::kSetp || x[0].kind != OperandKind::kRegister ||
        x[0].id != branch.guard) {
      return false;
    }
    for (uint32_t k = l.first; k + 1 < l.end; ++k) {
      const auto y = f_.operands_of(f_.instrs[k]);
      const auto reads = [&](const Operand& o) {
        return o.kind == OperandKind::kRegister && o.id == branch.guard;
      };
      if (k != i && (f_.instrs[k].guard == branch.guard || std::any_of(y.begin(), y.end(), reads))) {
        return false;
      }
    }
    return true;
  }

  Instr renamed(const Instr& in, std::map<uint32_t, uint32_t>& now, std::map<uint32_t, uint32_t>& left,
                bool last) {
    Instr out = in;
    std::vector<Operand>& operands = out_.function.operands;
    out.operands = static_cast<uint32_t>(operands.size());
    std::vector<Operand> mine(f_.operands_of(in).begin(), f_.operands_of(in).end());
    const auto read = [&](Operand& o) {
      const bool reg =
          o.kind == OperandKind::kRegister || (o.kind == OperandKind::kAddress && o.base == Base::kRegister);
      if (reg && now.contains(o.id)) {
        o.id = now.at(o.id);
      }
    };
    const bool in_place = sums_in_place(in);
    const auto write = [&](Operand& o) {
      if (o.kind != OperandKind::kRegister) {
        return;
      }
      const uint32_t was = o.id;
      if (in_place) {
        read(o);
        return;
      }
      if (last && --left[was] == 0) {
        now.erase(was);
        return;
      }
      o.id = static_cast<uint32_t>(out_.function.register_types.size());
      const Type t = out_.function.register_types[was];
      out_.function.register_types.push_back(t);
      now[was] = o.id;
    };
    if (out.guard != kNone && now.contains(out.guard)) {
      out.guard = now.at(out.guard);
    }
    for (const bool writing : {false, true}) {
      for (size_t k = 0; k < mine.size(); ++k) {
        if (is_destination(m_.ops[in.op], k) != writing) {
          continue;
        }
        if (mine[k].kind == OperandKind::kVector) {
          const auto from = f_.elements(f_.operands_of(in)[k]);
          std::vector<Operand> list(from.begin(), from.end());
          for (Operand& e : list) {
            writing ? write(e) : read(e);
          }
          mine[k].id = static_cast<uint32_t>(operands.size());
          operands.insert(operands.end(), list.begin(), list.end());
        } else {
          writing ? write(mine[k]) : read(mine[k]);
        }
      }
    }
    out.operands = static_cast<uint32_t>(operands.size());
    operands.insert(operands.end(), mine.begin(), mine.end());
    return out;
  }

  // A product that adds to what its registers hold.
  bool sums_in_place(const Instr& in) const {
    const Opcode o = m_.ops[in.op].opcode;
    const auto x = f_.operands_of(in);
    if (o != Opcode::kMma && o != Opcode::kMmaSp && o != Opcode::kWmmaMma) {
      return o == Opcode::kWgmmaMmaAsync || o == Opcode::kWgmmaMmaAsyncSp;
    }
    if (x[0].kind != OperandKind::kVector || x[3].kind != OperandKind::kVector) {
      return false;
    }
    const auto d = f_.elements(x[0]), c = f_.elements(x[3]);
    return std::equal(d.begin(), d.end(), c.begin(), c.end(),
                      [](const Operand& a, const Operand& b) { return a.kind == b.kind && a.id == b.id; });
  }

  template <class F>
  void each(const Instr& in, F visit) const {
    const auto x = f_.operands_of(in);
    for (size_t k = 0; k < x.size(); ++k) {
      if (!is_destination(m_.ops[in.op], k)) {
        continue;
      }
      if (x[k].kind == OperandKind::kVector) {
        for (const Operand& e : f_.elements(x[k])) {
          if (e.kind == OperandKind::kRegister) {
            visit(e);
          }
        }
      } else if (x[k].kind == OperandKind::kRegister) {
        visit(x[k]);
      }
    }
  }

  void retarget(const std::vector<Found>& loops, const std::map<uint32_t, uint32_t>& heads) {
    Function& g = out_.function;
    const auto to = [&](uint32_t target) {
      const auto h = heads.find(target);
      return h != heads.end() ? h->second : out_.place[target];
    };
    std::set<uint32_t> done;
    for (uint32_t i = 0; i < size(); ++i) {
      if (m_.ops[g.instrs[i].op].opcode != Opcode::kBra) {
        continue;
      }
      Operand& label = g.operands[g.instrs[i].operands];
      if (!done.insert(g.instrs[i].operands).second) {
        continue;
      }
      const uint32_t origin = out_.origin[i];
      const auto loop =
          std::find_if(loops.begin(), loops.end(), [&](const Found& l) { return l.end == origin + 1; });
      const auto target = static_cast<uint32_t>(label.value);
      if (loop != loops.end() && target == loop->first) {
        // Each form of a loop goes back to itself.
        label.value = out_.turn[i] != 0 ? heads.at(target) : out_.place[target];
      } else {
        label.value = to(target);
      }
    }
    move_places(g, to);
  }

  const Module& m_;
  const Function& f_;
  Unrolled out_;
};

}  // namespace

Asked ask_for_turns(const Module& module, const Unrolled& u) {
  Asked out;
  out.function = u.function;
  Function& g = out.function;
  g.instrs.clear();
  std::vector<uint32_t> place;                           // by instruction of u
  std::vector<std::pair<uint32_t, uint32_t>> questions;  // operands of branches: where they go
  const auto add = [&](Instr in, std::vector<Operand> operands) {
    in.operands = static_cast<uint32_t>(g.operands.size());
    g.operands.insert(g.operands.end(), operands.begin(), operands.end());
    g.instrs.push_back(in);
    out.origin.push_back(kNone);
    return in.operands;
  };
  const auto operands_of = [&](uint32_t i) {
    const auto x = u.function.operands_of(u.function.instrs[i]);
    return std::vector<Operand>(x.begin(), x.end());
  };
  const auto another = [&](uint32_t reg) {
    g.register_types.push_back(Type(g.register_types[reg]));
    return static_cast<uint32_t>(g.register_types.size() - 1);
  };
  const auto ask = [&](const Unrolled::Loop& l) {
    const uint32_t counter = operands_of(l.step)[0].id;
    uint32_t now = counter;
    for (uint32_t turn = 1; turn < l.turns; ++turn) {
      uint32_t holds = kNone;
      for (const uint32_t i : {std::min(l.step, l.test), std::max(l.step, l.test)}) {
        std::vector<Operand> x = operands_of(i);
        for (size_t k = 1; k < x.size(); ++k) {
          if (x[k].kind == OperandKind::kRegister && x[k].id == counter) {
            x[k].id = now;
          }
        }
        const uint32_t to = x[0].id = another(x[0].id);
        (i == l.step ? now : holds) = to;
        add(u.function.instrs[i], std::move(x));
      }
      Instr branch = u.function.instrs[l.end - 1];
      branch.guard = holds;
      branch.guard_negated = !branch.guard_negated;
      questions.emplace_back(add(branch, operands_of(l.end - 1)), l.one);
    }
  };
  for (uint32_t i = 0; i < u.function.instrs.size(); ++i) {
    place.push_back(static_cast<uint32_t>(g.instrs.size()));
    for (const Unrolled::Loop& l : u.loops) {
      if (l.several == i) {
        ask(l);
      }
    }
    g.instrs.push_back(u.function.instrs[i]);
    out.origin.push_back(i);
  }
  place.push_back(static_cast<uint32_t>(g.instrs.size()));
  std::set<uint32_t> done;
  for (size_t i = 0; i < g.instrs.size(); ++i) {
    if (out.origin[i] != kNone && module.ops[g.instrs[i].op].opcode == Opcode::kBra &&
        done.insert(g.instrs[i].operands).second) {
      Operand& label = g.operands[g.instrs[i].operands];
      label.value = place[static_cast<size_t>(label.value)];
    }
  }
  for (const auto& [operand, to] : questions) {
    g.operands[operand].value = place[to];
  }
  move_places(g, [&](uint32_t i) { return place[i]; });
  return out;
}

Unrolled unroll(const Module& module, const std::vector<bool>& cuts, const Function& f) {
  return Copier(module, f).run(Finder(module, cuts, f).run());
}

}  // namespace heddle::ptx::lower
