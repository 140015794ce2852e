// Numbers of registers: each has one as long as anybody may read it, the lowest that is free, pairs and
// groups of four at multiples.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "frontends/ptx/lower/schedule.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kReserved = 2;  // R0 is given, R1 is the stack's
constexpr uint32_t kFewest = 16;   // fewer than that no kernel gets

struct Span {
  uint32_t first = UINT32_MAX, last = 0;
  void add(uint32_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

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

std::vector<Span> spans(const Lowered& f) {
  const size_t n = f.registers.size();
  const std::vector<Set> in = live_at_entry(f);
  std::vector<Span> out(n);
  uint32_t at = 0;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const uint32_t first = at;
    for (const Machine& m : f.blocks[b].code) {
      ++at;
      for (const Value& v : reads(m)) {
        out[v.reg].add(2 * at);
      }
      for (const Value& v : writes(m)) {
        out[v.reg].add(2 * at + 1);
      }
    }
    for (size_t r = 0; r < n; ++r) {
      if (in[b][r]) {
        out[r].add(2 * first + 1);
      }
      for (const uint32_t next : f.blocks[b].next) {
        if (in[next][r]) {
          out[r].add(2 * at + 1);
        }
      }
    }
  }
  return out;
}

// Numbers below `limits`; returns how many are used, of each file.
std::array<uint32_t, 3> place(Lowered& f, const std::vector<uint32_t>& order, const std::vector<Span>& when,
                              const std::array<uint32_t, 3>& limits, bool longest_free,
                              std::array<uint32_t, 3> most) {
  // Until when each number is taken.
  std::array<std::vector<uint32_t>, 3> taken;
  for (size_t k = 0; k < taken.size(); ++k) {
    taken[k].assign(limits[k], 0);
  }
  taken[0][1] = UINT32_MAX;
  for (const uint32_t r : order) {
    Register& reg = f.registers[r];
    std::vector<uint32_t>& file = taken[static_cast<size_t>(reg.file)];
    const uint32_t align = reg.count == 1 ? 1 : std::min<uint32_t>(std::bit_ceil(uint32_t{reg.count}), 4);
    uint32_t best = 0, best_until = UINT32_MAX;
    for (uint32_t at = 0; at + reg.count <= file.size(); at += align) {
      const uint32_t until = *std::max_element(file.begin() + at, file.begin() + at + reg.count);
      const bool free = until <= when[r].first;
      if (free && !longest_free) {
        best = at;
        break;
      }
      if (until < best_until) {  // free for longest; else the one that is soonest
        best = at;
        best_until = until;
      }
    }
    reg.number = static_cast<int>(best);
    for (uint32_t k = 0; k < reg.count && best + k < file.size(); ++k) {
      file[best + k] = std::max(file[best + k], when[r].last);
    }
    uint32_t& used = most[static_cast<size_t>(reg.file)];
    used = std::max(used, best + reg.count);
  }
  return most;
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

void allocate(Lowered& f) {
  const std::vector<Span> when = spans(f);
  std::vector<uint32_t> order(f.registers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](uint32_t r) { return when[r].first == UINT32_MAX; });
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return when[a].first < when[b].first; });
  // As few as there can be; then, among so many, those that have been free for longest: whoever still reads
  // one is not in the way of whoever writes it.
  std::array<uint32_t, 3> most = {kFewest, 1, 1};
  most = place(f, order, when, {255, 63, 7}, false, most);
  most = place(f, order, when, most, true, {kReserved, 1, 1});
  f.vector_registers = most[0];
}

}  // namespace heddle::ptx::lower
