// Numbers of registers: each has one as long as anybody may read it, the lowest that is free, pairs and
// groups of four at multiples.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <span>

#include "frontends/ptx/lower/frame.h"
#include "frontends/ptx/lower/schedule.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kReserved = 2;                                    // R0 is given, R1 is the stack's
constexpr uint32_t kFewest = 16;                                     // fewer than that no kernel gets
constexpr uint32_t kVectors = 255, kUniforms = 63, kPredicates = 7;  // of each file, but for RZ, URZ, PT

using Set = std::vector<bool>;

// Registers that are read before they are written, and that are written for all lanes.
void uses_of(const Block& b, Set& read, Set& written) {
  for (const Machine& m : b.code) {
    for (const Value& v : reads(m)) {
      if (!written[v.reg]) {
        read[v.reg] = true;
      }
    }
    for (const Value& v : writes(m)) {
      if (!m.guard.there()) {
        written[v.reg] = true;
      }
    }
  }
}

// Of a group of registers: all of it is taken when the first of it is written, each is free when it has been
// read.
struct GroupSpan {
  uint32_t first = UINT32_MAX;
  std::vector<uint32_t> last;  // by register
  void add(uint32_t at, uint32_t part, uint32_t count) {
    first = std::min(first, at);
    for (uint32_t k = part; k < part + count; ++k) {
      last[k] = std::max(last[k], at);
    }
  }
};

std::vector<GroupSpan> spans(const Lowered& f) {
  const size_t n = f.registers.size();
  const std::vector<Set> in = live_at_entry(f);
  std::vector<GroupSpan> out(n);
  for (size_t r = 0; r < n; ++r) {
    out[r].last.assign(f.registers[r].count, 0);
  }
  uint32_t at = 0;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const uint32_t first = at;
    for (const Machine& m : f.blocks[b].code) {
      ++at;
      for (const Value& v : reads(m)) {
        out[v.reg].add(2 * at, v.part, v.count);
      }
      for (const Value& v : writes(m)) {
        out[v.reg].add(2 * at + 1, v.part, v.count);
      }
    }
    for (size_t r = 0; r < n; ++r) {
      if (in[b][r]) {
        out[r].add(2 * first + 1, 0, f.registers[r].count);
      }
      for (const uint32_t next : f.blocks[b].next) {
        if (in[next][r]) {
          out[r].add(2 * at + 1, 0, f.registers[r].count);
        }
      }
    }
  }
  return out;
}

// Numbers of one file that are taken, and until when.
class Taken {
 public:
  // `refused`: by number, when nobody may have it.
  Taken(uint32_t limit, const std::vector<std::vector<Span>>& refused)
      : until_(limit, 0), refused_(refused) {}

  void reserve(uint32_t number) { until_[number] = UINT32_MAX; }
  bool free(uint32_t at, const GroupSpan& want) const { return until(at, want) <= want.first; }
  void take(uint32_t at, const std::vector<uint32_t>& last) {
    for (uint32_t k = 0; k < last.size() && at + k < until_.size(); ++k) {
      until_[at + k] = std::max(until_[at + k], last[k]);
    }
  }

  // The lowest that is free; a single one beside one that is not, so that pairs stay whole. None: where it
  // ends first.
  uint32_t lowest(uint32_t align, const GroupSpan& want) const {
    const size_t count = want.last.size();
    uint32_t best = kNone, soonest = 0;
    for (uint32_t at = 0; at + count <= until_.size(); at += align) {
      if (free(at, want)) {
        const bool alone = count > 1 || ((at ^ 1U) < until_.size() && !free(at ^ 1U, want));
        if (alone) {
          return at;
        }
        best = std::min(best, at);
      }
      soonest = until(at, want) < until(soonest, want) ? at : soonest;
    }
    return best != kNone ? best : soonest;
  }
  // The one that has been free for longest.
  uint32_t longest_free(uint32_t align, const GroupSpan& want) const {
    uint32_t best = 0;
    for (uint32_t at = 0; at + want.last.size() <= until_.size(); at += align) {
      best = until(at, want) < until(best, want) ? at : best;
    }
    return best;
  }

 private:
  uint32_t until(uint32_t at, const GroupSpan& want) const {
    uint32_t out = 0;
    for (uint32_t k = 0; k < want.last.size() && at + k < until_.size(); ++k) {
      const auto meets = [&](const Span& s) { return s.first < want.last[k] && want.first < s.last; };
      out = std::ranges::any_of(refused_[at + k], meets) ? UINT32_MAX : std::max(out, until_[at + k]);
    }
    return out;
  }
  std::vector<uint32_t> until_;
  const std::vector<std::vector<Span>>& refused_;
};

struct Placed {
  std::array<uint32_t, 3> most;  // numbers that are used, of each file
  bool whole = true;             // nobody shares one
};

// Numbers below `limits`.
Placed place(Lowered& f, const std::vector<uint32_t>& order, const std::vector<GroupSpan>& when,
             const Refused& refused, const std::array<uint32_t, 3>& limits, bool longest_free,
             std::array<uint32_t, 3> most) {
  std::array<Taken, 3> taken{Taken(limits[0], refused[0]), Taken(limits[1], refused[1]),
                             Taken(limits[2], refused[2])};
  taken[0].reserve(1);
  Placed out{most};
  for (const uint32_t r : order) {
    Register& reg = f.registers[r];
    Taken& file = taken[static_cast<size_t>(reg.file)];
    const uint32_t align = reg.count == 1 ? 1 : std::min<uint32_t>(std::bit_ceil(uint32_t{reg.count}), 4);
    const uint32_t at = longest_free ? file.longest_free(align, when[r]) : file.lowest(align, when[r]);
    out.whole = out.whole && file.free(at, when[r]);
    reg.number = static_cast<int>(at);
    file.take(at, when[r].last);
    uint32_t& used = out.most[static_cast<size_t>(reg.file)];
    used = std::max(used, at + reg.count);
  }
  return out;
}

}  // namespace

std::vector<std::vector<bool>> live_at_entry(const Lowered& f) {
  const size_t n = f.registers.size();
  std::vector<Set> in(f.blocks.size(), Set(n)), read(in), written(in);
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    uses_of(f.blocks[b], read[b], written[b]);
    in[b] = read[b];
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = f.blocks.size(); b-- > 0;) {
      for (const uint32_t next : f.blocks[b].next) {
        for (size_t r = 0; r < n; ++r) {
          if (in[next][r] && !in[b][r] && !written[b][r]) {
            in[b][r] = changed = true;
          }
        }
      }
    }
  }
  return in;
}

void split_by_block(Lowered& f) {
  const std::vector<std::vector<bool>> in = live_at_entry(f);
  std::vector<uint32_t> home(f.registers.size(), kNone);
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    std::map<uint32_t, uint32_t> mine;
    const auto change = [&](Value& v) {
      if (!v.there() || f.registers[v.reg].fixed) {
        return;
      }
      const bool outer =
          in[b][v.reg] || std::ranges::any_of(f.blocks[b].next, [&](uint32_t n) { return in[n][v.reg]; });
      if (outer) {
        return;
      }
      const auto [it, first] = mine.try_emplace(v.reg, v.reg);
      if (first && home[v.reg] != kNone) {
        it->second = f.make(f.registers[v.reg].file, f.registers[v.reg].count).reg;
      }
      home[v.reg] = b;
      v.reg = it->second;
    };
    for (Machine& m : f.blocks[b].code) {
      for (auto* fields : {&m.d, &m.s}) {
        for (Field& x : *fields) {
          if (x.reads()) {
            change(x.value);
          }
        }
      }
      for (auto* a : {&m.address, &m.copied_to}) {
        if (*a) {
          change((*a)->base);
        }
      }
      std::ranges::for_each(m.settles, change);
      std::ranges::for_each(m.takes, change);
      std::ranges::for_each(m.gives, change);
      change(m.guard);
    }
  }
}

void allocate(Lowered& f) {
  const std::vector<GroupSpan> when = spans(f);
  std::vector<uint32_t> order(f.registers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](uint32_t r) { return when[r].first == UINT32_MAX || f.registers[r].fixed; });
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return when[a].first < when[b].first; });
  // As few as there can be; then, among so many, those that have been free for longest: whoever still reads
  // one is not in the way of whoever writes it.
  const std::array<uint32_t, 3> fewest = {kFewest, 1, 1};
  const Refused refused = refused_numbers(f);
  const Placed few = place(f, order, when, refused, {kVectors, kUniforms, kPredicates}, false, fewest);
  f.vector_registers = std::max(few.most[0], fixed_registers(f));
  if (f.standard) {
    return;  // whatever it uses more would have to be kept for its callers
  }
  std::vector<Register> registers = f.registers;
  const std::array<uint32_t, 3> limits = {few.most[0], kUniforms, kPredicates};
  if (!place(f, order, when, refused, limits, true, {kReserved, 1, 1}).whole && few.whole) {
    f.registers = std::move(registers);
  }
}

}  // namespace heddle::ptx::lower
