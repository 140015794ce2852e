// The control bits: how far apart instructions issue, and which counters they wait for.
#include <algorithm>
#include <array>
#include <map>

#include "frontends/ptx/lower/schedule.h"

namespace heddle::ptx::lower {
namespace {

using isa::OpClass;

constexpr uint8_t kCounters = 6, kNoCounter = 7;
constexpr uint8_t kOperands = 5;  // of those who have not read theirs
constexpr uint32_t kMostStall = 15;

// A register of the machine, of any file.
uint32_t key(const Lowered& f, const Value& v, uint32_t k) {
  const Register& r = f.registers[v.reg];
  return static_cast<uint32_t>(r.file) << 16 | (static_cast<uint32_t>(r.number) + v.part + k);
}

template <class F>
void each(const Lowered& f, const std::vector<Value>& values, F visit) {
  for (const Value& v : values) {
    for (uint32_t k = 0; k < v.count; ++k) {
      visit(key(f, v, k), v);
    }
  }
}

// Which counters stand for registers that are still to be written, or to be read.
struct Pending {
  std::map<uint32_t, uint8_t> write, read;
  bool operator==(const Pending&) const = default;
  void clear(uint8_t mask) {
    for (auto* m : {&write, &read}) {
      for (auto& [reg, counters] : *m) {
        counters &= static_cast<uint8_t>(~mask);
      }
      std::erase_if(*m, [](const auto& x) { return x.second == 0; });
    }
  }
  bool add(const Pending& o) {
    const Pending before = *this;
    for (const auto& [reg, counters] : o.write) {
      write[reg] |= counters;
    }
    for (const auto& [reg, counters] : o.read) {
      read[reg] |= counters;
    }
    return !(before == *this);
  }
  uint8_t all() const {
    uint8_t out = 0;
    for (const auto* m : {&write, &read}) {
      for (const auto& x : *m) {
        out |= x.second;
      }
    }
    return out;
  }
};

class Setter {
 public:
  explicit Setter(Lowered& f) : f_(f), entry_(f.blocks.size()) {
    for (const Block& b : f.blocks) {
      for (const Machine& m : b.code) {
        copies_ = copies_ || m.op == OpClass::kLdgsts;
      }
    }
  }

  void run() {
    // Counters are given once; what blocks leave open goes round until nothing changes.
    for (Block& b : f_.blocks) {
      give(b);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = 0; b < f_.blocks.size(); ++b) {
        const Pending after = wait(f_.blocks[b], entry_[b]);
        for (const uint32_t n : f_.blocks[b].next) {
          changed = entry_[n].add(after) || changed;
        }
        for (const auto& [from, to] : f_.around) {
          changed = (from == b && entry_[to].add(after)) || changed;
        }
      }
    }
    for (Block& b : f_.blocks) {
      stalls(b);
    }
  }

 private:
  // Instructions of which nobody has waited for one when the last issues share the counters among them, the
  // first ones the first.
  void give(Block& b) {
    std::vector<size_t> group;
    std::map<uint32_t, bool> open;
    const auto close = [&] {
      const size_t counters = static_cast<size_t>(kCounters - first()) - 1;  // the last one is the operands'
      const size_t each_has = (group.size() + counters - 1) / std::max<size_t>(counters, 1);
      for (size_t k = 0; k < group.size(); ++k) {
        if (k % each_has == 0) {
          next();
        }
        b.code[group[k]].control.write_barrier = last_;
      }
      group.clear();
      open.clear();
    };
    for (size_t i = 0; i < b.code.size(); ++i) {
      Machine& m = b.code[i];
      if (m.op == OpClass::kLdgdepbar) {
        m.control.write_barrier = 0;
      }
      bool waits = false;
      each(f_, reads(m), [&](uint32_t r, const Value&) { waits = waits || open.contains(r); });
      if (waits) {
        close();
      }
      if (is_variable(m) && !writes(m).empty()) {
        group.push_back(i);
        each(f_, writes(m), [&](uint32_t r, const Value&) { open[r] = true; });
      }
    }
    close();
    for (size_t i = 0; i < b.code.size(); ++i) {
      if ((b.code[i].stores || is_variable(b.code[i])) && overwritten(b, i)) {
        b.code[i].control.read_barrier = kOperands;
      }
    }
  }

  uint8_t first() const { return copies_ ? 1 : 0; }
  void next() {
    last_ = last_ + 1 >= kOperands || last_ + 1 < first() ? first() : static_cast<uint8_t>(last_ + 1);
  }

  // Whether a register that it reads is written soon: in this block, or in the next turn.
  bool overwritten(const Block& b, size_t i) const {
    std::map<uint32_t, bool> mine;
    each(f_, reads(b.code[i]), [&](uint32_t r, const Value&) { mine[r] = true; });
    bool found = false;
    const bool loop =
        std::find(b.next.begin(), b.next.end(), static_cast<uint32_t>(&b - f_.blocks.data())) != b.next.end();
    for (size_t k = i + 1; k < b.code.size() + (loop ? i : 0) && !found; ++k) {
      each(f_, writes(b.code[k % b.code.size()]),
           [&](uint32_t r, const Value&) { found = found || mine.contains(r); });
    }
    return found;
  }

  Pending wait(Block& b, Pending open) {
    for (Machine& m : b.code) {
      uint8_t mask = 0;
      each(f_, reads(m), [&](uint32_t r, const Value&) {
        const auto w = open.write.find(r);
        mask |= w == open.write.end() ? 0 : w->second;
      });
      each(f_, writes(m), [&](uint32_t r, const Value&) {
        const auto w = open.write.find(r);
        const auto x = open.read.find(r);
        mask |= w == open.write.end() ? 0 : w->second;
        mask |= x == open.read.end() ? 0 : x->second;
      });
      if (m.op == OpClass::kExit && !m.guard.there()) {
        mask = 0;
      }
      if (m.op == OpClass::kCall) {  // the other function knows nothing of what is still to come
        mask |= open.all();
      }
      m.control.wait_mask |= mask;
      open.clear(m.control.wait_mask);
      if (m.control.write_barrier != kNoCounter) {
        const auto bit = static_cast<uint8_t>(1U << m.control.write_barrier);
        each(f_, writes(m), [&](uint32_t r, const Value&) { open.write[r] |= bit; });
      }
      if (m.control.read_barrier != kNoCounter) {
        const auto bit = static_cast<uint8_t>(1U << m.control.read_barrier);
        each(f_, reads(m), [&](uint32_t r, const Value&) { open.read[r] |= bit; });
      }
    }
    return open;
  }

  void stalls(Block& b) {
    std::map<uint32_t, std::pair<const Machine*, uint32_t>> written;  // by whom, when it issued
    std::vector<uint32_t> at(b.code.size());
    uint32_t now = 0;
    for (size_t i = 0; i < b.code.size(); ++i) {
      const Machine& m = b.code[i];
      each(f_, reads(m), [&](uint32_t r, const Value& v) {
        const auto w = written.find(r);
        if (w != written.end()) {
          now = std::max(now, w->second.second + distance(*w->second.first, m, v == m.guard));
        }
      });
      at[i] = now;
      each(f_, writes(m), [&](uint32_t r, const Value&) {
        if (is_variable(m)) {
          written.erase(r);
        } else {
          written[r] = {&m, now};
        }
      });
      now += least(m);
    }
    for (size_t i = 0; i < b.code.size(); ++i) {
      const uint32_t until = i + 1 < b.code.size() ? at[i + 1] : std::max(now, at[i] + ends(b, at, i));
      isa::Control& c = b.code[i].control;
      c.stall = static_cast<uint8_t>(std::clamp(until - at[i], 1U, kMostStall));
      // As ptxas has it: where the next instruction waits for a result, not where the pipe or a branch needs
      // the time.
      c.yield = until - at[i] > least(b.code[i]);
    }
  }

  static uint32_t least(const Machine& m) {
    return m.op == OpClass::kBranch || m.op == OpClass::kExit || m.op == OpClass::kCall ? 5
           : m.op == OpClass::kBarrier                                                  ? 6
                                                                                        : 1;
  }

  // What follows in another block may read what the last instructions write.
  static uint32_t ends(const Block& b, const std::vector<uint32_t>& at, size_t last) {
    uint32_t most = least(b.code[last]);
    for (size_t i = b.code.size(); i-- > 0 && at[last] - at[i] < 6;) {
      if (!is_variable(b.code[i]) && !writes(b.code[i]).empty()) {
        most = std::max(most, 5 - std::min(5U, at[last] - at[i]));
      }
    }
    return most;
  }

  Lowered& f_;
  std::vector<Pending> entry_;
  bool copies_ = false;
  uint8_t last_ = kCounters;
};

}  // namespace

void set_control(Lowered& f) { Setter(f).run(); }

}  // namespace heddle::ptx::lower
