#include "analysis/access/padding.h"

#include <algorithm>
#include <bit>

namespace heddle::analysis {
namespace {

constexpr uint32_t kWord = 4;

// The smallest distance, in words, of two lanes in different words of one bank; 0: there are none.
uint32_t conflict_distance(const AccessPattern& p, uint32_t width) {
  uint64_t best = 0;
  for (uint32_t a = p.mask; a; a &= a - 1) {
    for (uint32_t b = a & (a - 1); b; b &= b - 1) {
      const uint64_t x = p.address[std::countr_zero(a)] / kWord, y = p.address[std::countr_zero(b)] / kWord;
      const uint64_t d = std::max(x, y) - std::min(x, y);
      // Wide accesses also meet with their second words, at distances a little off.
      if (d >= std::max(width / kWord, 1u) && d % kBanks == 0 && (best == 0 || d < best)) {
        best = d;
      }
    }
  }
  return static_cast<uint32_t>(best);
}

}  // namespace

uint64_t padded_address(uint64_t address, uint64_t start, const Padding& p) {
  const uint64_t row = uint64_t{p.row_words} * kWord;
  return address + (address - start) / row * p.words * kWord;
}

std::optional<Padding> find_padding(const isa::KernelImage& image, const InstrAccesses& n) {
  const isa::Instr& in = image.code[n.index];
  const AccessPattern& w = n.worst;
  Padding p;
  p.row_words = conflict_distance(w, in.width);
  if (w.cost.excess() == 0 || p.row_words == 0) {
    return std::nullopt;
  }
  const uint32_t step = std::max<uint32_t>(in.width / kWord, 1);
  for (p.words = step; p.words < kBanks; p.words += step) {
    std::array<uint64_t, 32> padded{};
    for (uint32_t m = w.mask; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      padded[lane] = padded_address(w.address[lane], n.lowest, p);
    }
    p.padded = access_cost(in, n.kind, AccessSide::kBanks, w.from.data(), padded.data(), w.mask);
    if (p.padded.excess() == 0) {
      return p;
    }
  }
  return std::nullopt;
}

}  // namespace heddle::analysis
