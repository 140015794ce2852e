#include "sim/access/coalesce.h"

#include <algorithm>
#include <bit>

namespace heddle::memory {
namespace {

LineAccess& find_line(Coalesced& c, uint64_t line) {
  // Neighbouring lanes usually share a line, so the search starts at the newest entry.
  for (uint32_t i = c.count; i-- > 0;) {
    if (c.lines[i].line == line) {
      return c.lines[i];
    }
  }
  LineAccess& l = c.lines[c.count++];
  l = {line, {0, 0, 0, 0}, 0, 0};
  return l;
}

}  // namespace

uint8_t sector_operations(const uint64_t addr[32], uint32_t mask, uint64_t line) {
  std::array<uint8_t, kLineBytes / 4> depth{};
  std::array<uint8_t, kSectorsPerLine> passes{};
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t a = addr[std::countr_zero(m)];
    if (a / kLineBytes == line) {
      uint32_t word = static_cast<uint32_t>(a % kLineBytes / 4);
      uint8_t& p = passes[word / (kSectorBytes / 4)];
      p = std::max(p, ++depth[word]);
    }
  }
  return static_cast<uint8_t>(passes[0] + passes[1] + passes[2] + passes[3]);
}

void coalesce(const uint64_t addr[32], uint32_t mask, uint32_t width, Coalesced& out) {
  out.count = 0;
  out.sectors = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t a = addr[std::countr_zero(m)];
    const auto begin = static_cast<uint32_t>(a % kSectorBytes);
    if (begin + width <= kSectorBytes) {  // nearly always
      LineAccess& l = find_line(out, a / kLineBytes);
      const uint32_t s = static_cast<uint32_t>(a / kSectorBytes) % kSectorsPerLine;
      l.sectors |= static_cast<uint8_t>(1u << s);
      l.bytes[s] |= static_cast<uint32_t>(((uint64_t{1} << width) - 1) << begin);
      ++l.lanes;
      continue;
    }
    uint32_t left = width;
    bool first = true;
    while (left > 0) {
      uint32_t in_sector = static_cast<uint32_t>(a % kSectorBytes);
      uint32_t n = std::min(left, kSectorBytes - in_sector);
      LineAccess& l = find_line(out, a / kLineBytes);
      uint32_t s = static_cast<uint32_t>(a / kSectorBytes) % kSectorsPerLine;
      l.sectors |= static_cast<uint8_t>(1u << s);
      l.bytes[s] |= static_cast<uint32_t>(((uint64_t{1} << n) - 1) << in_sector);
      l.lanes += first;
      first = false;
      a += n;
      left -= n;
    }
  }
  for (uint32_t i = 0; i < out.count; ++i) {
    out.sectors += std::popcount(out.lines[i].sectors);
  }
}

}  // namespace heddle::memory
