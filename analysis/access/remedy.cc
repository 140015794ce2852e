#include "analysis/access/remedy.h"

#include <algorithm>
#include <bit>

namespace heddle::analysis {
namespace {

constexpr uint32_t kWord = 4;
constexpr size_t kPaddings = 2, kSwizzles = 1;

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

uint64_t moved_address(uint64_t address, const Remedy& r) {
  if (address < r.begin || address >= r.end) {
    return address;
  }
  const uint64_t offset = address - r.begin, row = offset / (uint64_t{r.row_words} * kWord);
  if (r.kind == Remedy::Kind::kPadding) {
    return address + row * r.words * kWord;
  }
  const uint64_t group = uint64_t{r.words} * kWord, groups = kBanks / r.words;
  return r.begin + (offset ^ ((row >> r.shift) % groups * group));
}

AccessCost cost_with(const isa::Instr& in, AccessKind kind, const AccessPattern& p, const Remedy& r) {
  std::array<uint64_t, 32> moved{};
  for (uint32_t m = p.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    moved[lane] = moved_address(p.address[lane], r);
  }
  return access_cost(in, kind, AccessSide::kBanks, p.from.data(), moved.data(), p.mask);
}

std::vector<Remedy> remedies_for(const isa::KernelImage& image, const InstrAccesses& n, uint64_t begin,
                                 uint64_t end) {
  const isa::Instr& in = image.code[n.index];
  std::vector<Remedy> out;
  Remedy r;
  r.row_words = conflict_distance(n.worst, in.width);
  if (n.worst.cost.excess() == 0 || r.row_words == 0) {
    return out;
  }
  r.begin = begin;
  r.end = end;
  const uint32_t group = std::max<uint32_t>(in.width / kWord, 1);
  const auto helps = [&] { return cost_with(in, n.kind, n.worst, r).excess() == 0; };
  for (r.words = group; r.words < kBanks && out.size() < kPaddings; r.words += group) {
    if (helps()) {
      out.push_back(r);
    }
  }
  // An access must not be torn apart, and all groups of a row must be there.
  const bool whole = std::has_single_bit(group) && (end - begin) % (uint64_t{kBanks} * kWord) == 0;
  bool aligned = whole;
  for (uint32_t m = n.worst.mask; m; m &= m - 1) {
    aligned &= (n.worst.address[std::countr_zero(m)] - begin) % std::max<uint32_t>(in.width, 1) == 0;
  }
  r.kind = Remedy::Kind::kSwizzle;
  r.words = group;
  const size_t paddings = out.size();
  for (r.shift = 0; aligned && kBanks >> r.shift > 1 && out.size() < paddings + kSwizzles; ++r.shift) {
    if (helps()) {
      out.push_back(r);
    }
  }
  return out;
}

}  // namespace heddle::analysis
