#include "sim/access/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sim/access/line.h"

namespace heddle::memory {
namespace {

constexpr uint32_t kMaxBanks = 64;
constexpr uint32_t kWord = 4;

// Distinct words per bank of one group of lanes; returns the largest number.
uint32_t passes(const uint64_t addr[32], uint32_t mask, uint32_t width, uint32_t banks) {
  constexpr uint8_t kEnd = 0xff;
  // The words of a bank are chained; only banks in `used` have a chain.
  std::array<uint64_t, 160> words;
  std::array<uint8_t, 160> next;
  std::array<uint8_t, kMaxBanks> chain, depth;
  uint64_t used = 0;
  uint8_t n = 0;
  uint32_t worst = mask != 0;
  uint64_t last = ~uint64_t{0};
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addr[std::countr_zero(m)];
    for (uint64_t w = a / kWord; w <= (a + width - 1) / kWord; ++w) {
      if (w == last) {
        continue;
      }
      last = w;
      const auto bank = static_cast<uint32_t>(w % banks);
      const uint64_t bit = uint64_t{1} << bank;
      uint8_t behind = kEnd;
      if (used & bit) {
        uint8_t i = behind = chain[bank];
        while (i != kEnd && words[i] != w) {
          i = next[i];
        }
        if (i != kEnd) {
          continue;  // broadcast
        }
        worst = std::max<uint32_t>(worst, ++depth[bank]);
      } else {
        used |= bit;
        depth[bank] = 1;
      }
      words[n] = w;
      next[n] = behind;
      chain[bank] = n++;
    }
  }
  return worst;
}

// Lanes that full-width data lets share a pass: 32 lanes of 4 bytes, 16 of 8, 8 of 16.
uint32_t lanes_per_group(uint32_t width) { return width <= 4 ? 32 : width <= 8 ? 16 : 8; }

// All lanes read what the lane does whose number differs in `bit`.
bool pairs_agree(const uint64_t addr[32], uint32_t mask, uint32_t bit) {
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (!(mask >> (lane ^ bit) & 1) || addr[lane] != addr[lane ^ bit]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Wavefronts shared_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t width, uint32_t banks,
                             bool load) {
  Wavefronts w;
  const uint32_t group = lanes_per_group(width);
  const uint32_t pair = std::min(32u, 2 * group);
  const auto lanes = [](uint32_t n) { return n == 32 ? ~0u : (1u << n) - 1; };
  for (uint32_t first = 0; first < 32; first += pair) {
    uint32_t both = mask & (lanes(pair) << first);
    if (!both) {
      continue;
    }
    Wavefronts apart;
    for (uint32_t lane = first; lane < first + pair; lane += group) {
      if (uint32_t m = mask & (lanes(group) << lane)) {
        const uint32_t p = passes(addr, m, width, banks);
        apart.total += p;
        apart.conflicts += p - 1;
      }
    }
    if (load && pair > group && (pairs_agree(addr, both, 1) || pairs_agree(addr, both, 2))) {
      const uint32_t p = passes(addr, both, width, banks);
      apart = p < apart.total ? Wavefronts{p, p - 1} : apart;
    }
    w.total += apart.total;
    w.conflicts += apart.conflicts;
  }
  return w;
}

Wavefronts shared_atomic_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t width, uint32_t banks) {
  // Every lane is its own operation, so lanes of one bank never share a pass, the same word included. 64-bit
  // atomics are served a half-warp at a time.
  Wavefronts w;
  const uint32_t group = width > 4 ? 16 : 32;
  for (uint32_t first = 0; first < 32; first += group) {
    uint32_t lanes = mask & ((group == 32 ? ~0u : 0xffffu) << first);
    std::array<uint8_t, kMaxBanks> depth{};
    uint32_t worst = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
      uint32_t bank = static_cast<uint32_t>(addr[std::countr_zero(m)] / kWord % banks);
      worst = std::max<uint32_t>(worst, ++depth[bank]);
    }
    w.total += worst;
    w.conflicts += worst ? worst - 1 : 0;
  }
  return w;
}

Wavefronts matrix_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t matrices, uint32_t banks) {
  Wavefronts w;
  for (uint32_t i = 0; i < matrices; ++i) {
    uint32_t m = mask & (0xffu << (8 * i));
    if (m) {
      uint32_t p = passes(addr, m, 16, banks);
      w.total += p;
      w.conflicts += p - 1;
    }
  }
  return w;
}

uint32_t copy_wavefronts(const uint64_t from[32], const uint64_t to[32], uint32_t mask, uint32_t width,
                         uint32_t banks) {
  uint32_t total = 0;
  while (mask) {
    const uint64_t line = from[std::countr_zero(mask)] / kLineBytes;
    uint32_t lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      lanes |= from[lane] / kLineBytes == line ? 1u << lane : 0;
    }
    total += passes(to, lanes, width, banks);
    mask &= ~lanes;
  }
  return total;
}

uint32_t bypass_sectors(const uint64_t from[32], const uint64_t to[32], uint32_t mask, uint32_t width) {
  std::array<std::pair<uint64_t, uint64_t>, 64> seen;
  uint32_t n = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    for (uint64_t a : {to[lane], to[lane] + width - 1}) {
      const std::pair<uint64_t, uint64_t> one{from[lane] / kLineBytes, a / kSectorBytes};
      if (std::find(seen.begin(), seen.begin() + n, one) == seen.begin() + n) {
        seen[n++] = one;
      }
    }
  }
  return n;
}

}  // namespace heddle::memory
