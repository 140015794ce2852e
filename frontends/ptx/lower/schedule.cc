#include "frontends/ptx/lower/schedule.h"

#include <algorithm>
#include <map>

namespace heddle::ptx::lower {
namespace {

using isa::OpClass;

bool disjoint(isa::MemSpace a, isa::MemSpace b) {
  return a != b && a != isa::MemSpace::kGeneric && b != isa::MemSpace::kGeneric;
}

struct Node {
  std::vector<std::pair<uint32_t, uint32_t>> after;  // instruction, cycles
  uint32_t before = 0;                               // how many it waits for
  uint32_t way = 0;                                  // cycles to the end of the block
  uint32_t ready = 0;
};

class Scheduler {
 public:
  // Among so many instructions, in the order of the program, may be chosen. `outer`: registers that are alive
  // before the block or behind it; `limit`: how many others there may be.
  Scheduler(const Lowered& f, const std::vector<bool>& outer, uint32_t window, int vectors, int predicates,
            std::vector<Machine>& code)
      : f_(f),
        outer_(outer),
        window_(window),
        limit_{vectors, predicates},
        code_(code),
        nodes_(code.size()) {}

  void run() {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      registers(i);
      effects(i);
    }
    for (uint32_t i = static_cast<uint32_t>(code_.size()); i-- > 0;) {
      for (const auto& [to, cycles] : nodes_[i].after) {
        nodes_[i].way = std::max(nodes_[i].way, nodes_[to].way + std::max(cycles, 1U));
        ++nodes_[to].before;
      }
    }
    order();
  }

 private:
  void edge(uint32_t from, uint32_t to, uint32_t cycles) {
    if (from != to) {
      nodes_[from].after.emplace_back(to, cycles);
    }
  }

  void registers(uint32_t i) {
    const Machine& m = code_[i];
    for (const Value& v : reads(m)) {
      for (uint32_t k = 0; k < v.count; ++k) {
        const uint64_t key = uint64_t{v.reg} << 8 | (v.part + k);
        for (const uint32_t w : writers_[key]) {
          edge(w, i, std::max(usual(code_[w]), distance(code_[w], m, v == m.guard)));
        }
        readers_[key].push_back(i);
      }
    }
    for (const Value& v : writes(m)) {
      for (uint32_t k = 0; k < v.count; ++k) {
        const uint64_t key = uint64_t{v.reg} << 8 | (v.part + k);
        for (const uint32_t r : readers_[key]) {
          edge(r, i, 1);
        }
        for (const uint32_t w : writers_[key]) {
          edge(w, i, 1);
        }
        readers_[key].clear();
        if (!m.guard.there()) {
          writers_[key].clear();  // else what it held may be left
        }
        writers_[key].push_back(i);
      }
    }
  }

  void effects(uint32_t i) {
    const Machine& m = code_[i];
    const bool last = (m.op == OpClass::kBranch && !m.wall) || m.op == OpClass::kCall ||
                      (m.op == OpClass::kExit && !m.guard.there());
    if (last || m.cuts || m.wall) {
      for (uint32_t k = 0; k < i; ++k) {
        edge(k, i, 0);
      }
    } else if (wall_ != kNone) {
      edge(wall_, i, 1);
    }
    if (m.wall) {
      wall_ = i;
    }
    if (last) {
      return;
    }
    if (m.ordered) {
      for (const uint32_t k : memory_) {
        edge(k, i, 1);
      }
      if (ordered_ != kNone) {
        edge(ordered_, i, 1);
      }
      ordered_ = i;
      memory_.clear();
      return;
    }
    if (!m.loads && !m.stores) {
      return;
    }
    if (ordered_ != kNone) {
      edge(ordered_, i, 1);
    }
    const bool constant = m.opcode.mods.contains(sass::Mod::kCONSTANT);
    for (const uint32_t k : memory_) {
      if ((m.stores || code_[k].stores) && !constant && !disjoint(m.space, code_[k].space)) {
        edge(k, i, 1);
      }
    }
    memory_.push_back(i);
  }

  // Registers of a file, or how many more of them.
  struct Count {
    int vectors = 0, predicates = 0;
    int& of(File f) { return f == File::kPredicate ? predicates : vectors; }
  };

  bool counts(const Value& v) const {
    return f_.registers[v.reg].file != File::kUniform && !f_.registers[v.reg].fixed && !outer_[v.reg];
  }

  // The vector registers and predicates that belong to the block, one by one: which an instruction reads, and
  // which groups it writes.
  void count_reads() {
    first_.resize(f_.registers.size());
    uint32_t at = 0;
    for (size_t r = 0; r < first_.size(); ++r) {
      first_[r] = at;
      at += f_.registers[r].count;
    }
    left_.assign(at, 0);
    file_.resize(at);
    for (size_t r = 0; r < first_.size(); ++r) {
      std::fill_n(file_.begin() + first_[r], f_.registers[r].count, f_.registers[r].file);
    }
    alive_.assign(f_.registers.size(), false);
    read_.resize(code_.size());
    for (size_t i = 0; i < code_.size(); ++i) {
      std::vector<uint32_t>& mine = read_[i];
      for (const Value& v : reads(code_[i])) {
        for (uint32_t k = 0; k < v.count && counts(v); ++k) {
          mine.push_back(first_[v.reg] + v.part + k);
        }
      }
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
      for (const uint32_t r : mine) {
        ++left_[r];
      }
    }
    live_ = {};
  }

  // By how many registers there are more behind an instruction, with what it makes and what nobody needs any
  // more.
  Count change(uint32_t i) const {
    Count out;
    for (const Value& v : writes(code_[i])) {
      out.of(f_.registers[v.reg].file) += counts(v) && !alive_[v.reg] ? f_.registers[v.reg].count : 0;
    }
    for (const uint32_t r : read_[i]) {
      out.of(file_[r]) -= left_[r] == 1;
    }
    return out;
  }

  void take(uint32_t i) {
    const Count more = change(i);
    live_.vectors += more.vectors;
    live_.predicates += more.predicates;
    for (const Value& v : writes(code_[i])) {
      alive_[v.reg] = true;
    }
    for (const uint32_t r : read_[i]) {
      --left_[r];
    }
  }

  void order() {
    count_reads();
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (nodes_[i].before == 0) {
        open.push_back(i);
      }
    }
    std::vector<Machine> out;
    out.reserve(code_.size());
    std::vector<bool> done(code_.size());
    uint32_t now = 0, first = 0;  // the first that is not done
    while (!open.empty()) {
      // Who can issue, else who can first; the longest way; the order of the program.
      const auto better = [&](uint32_t a, uint32_t b) {
        const uint32_t at = std::max(nodes_[a].ready, now), bt = std::max(nodes_[b].ready, now);
        return at != bt ? at < bt : nodes_[a].way != nodes_[b].way ? nodes_[a].way > nodes_[b].way : a < b;
      };
      // Among those for which there are registers; else whoever frees most, else as the program has it.
      const auto fits = [&](uint32_t a) {
        const Count more = change(a);
        return (more.vectors <= 0 || live_.vectors + more.vectors <= limit_.vectors) &&
               (more.predicates <= 0 || live_.predicates + more.predicates <= limit_.predicates);
      };
      auto best = open.end();
      for (auto i = open.begin(); i != open.end(); ++i) {
        if (*i - first < window_ && fits(*i) && (best == open.end() || better(*i, *best))) {
          best = i;
        }
      }
      if (best == open.end()) {
        best = std::min_element(open.begin(), open.end(), [&](uint32_t a, uint32_t b) {
          const Count ca = change(a), cb = change(b);
          const int x = std::min(ca.vectors, 0), y = std::min(cb.vectors, 0);
          const int p = std::max(ca.predicates, 0), q = std::max(cb.predicates, 0);
          return x != y ? x < y : p != q ? p < q : a < b;
        });
      }
      const uint32_t i = *best;
      take(i);
      open.erase(best);
      now = std::max(now, nodes_[i].ready);
      for (const auto& [to, cycles] : nodes_[i].after) {
        nodes_[to].ready = std::max(nodes_[to].ready, now + cycles);
        if (--nodes_[to].before == 0) {
          open.push_back(to);
        }
      }
      out.push_back(std::move(code_[i]));
      ++now;
      done[i] = true;
      while (first < done.size() && done[first]) {
        ++first;
      }
    }
    code_ = std::move(out);
  }

  const Lowered& f_;
  const std::vector<bool>& outer_;
  const uint32_t window_;
  const Count limit_;
  std::vector<Machine>& code_;
  std::vector<bool> alive_;                  // by group of registers: it has been written
  std::vector<uint32_t> first_;              // of a group, its place among all registers
  std::vector<uint32_t> left_;               // instructions that are still to read it
  std::vector<std::vector<uint32_t>> read_;  // by instruction
  std::vector<File> file_;                   // by register
  Count live_;
  std::vector<Node> nodes_;
  std::map<uint64_t, std::vector<uint32_t>> writers_, readers_;
  std::vector<uint32_t> memory_;
  uint32_t ordered_ = kNone, wall_ = kNone;
};

constexpr int kPredicates = 7;
constexpr int kSpared = 2;  // R1, and one for what allocation leaves between pairs

}  // namespace

void schedule(Lowered& f, uint32_t window, uint32_t registers) {
  const std::vector<std::vector<bool>> in = live_at_entry(f);
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    std::vector<bool> outer = in[b];
    for (const uint32_t next : f.blocks[b].next) {
      for (size_t r = 0; r < outer.size(); ++r) {
        outer[r] = outer[r] || in[next][r];
      }
    }
    int through = kSpared, predicates = 0;
    for (size_t r = 0; r < outer.size(); ++r) {
      const bool counts = outer[r] && f.registers[r].file == File::kVector && !f.registers[r].fixed;
      through += counts ? f.registers[r].count : 0;
      predicates += outer[r] && f.registers[r].file == File::kPredicate;
    }
    Scheduler(f, outer, window, static_cast<int>(registers) - through, kPredicates - predicates,
              f.blocks[b].code)
        .run();
  }
}

}  // namespace heddle::ptx::lower
