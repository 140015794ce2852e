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

// moved_address() for many addresses.
class Mover {
 public:
  explicit Mover(const Remedy& r) : r_(r), row_bytes_(uint64_t{r.row_words} * kWord) {
    // Below 2^20 a multiplication gives the exact quotient: its error is less than 2^20 / 2^40, and a
    // quotient lies at least 1 / row_bytes from the next number.
    constexpr uint64_t kSmall = uint64_t{1} << 20;
    inverse_ =
        r.end - r.begin <= kSmall && row_bytes_ < kSmall ? (uint64_t{1} << kShift) / row_bytes_ + 1 : 0;
  }

  uint64_t operator()(uint64_t address) const {
    if (address < r_.begin || address >= r_.end) {
      return address;
    }
    const uint64_t offset = address - r_.begin;
    const uint64_t row = inverse_ ? offset * inverse_ >> kShift : offset / row_bytes_;
    if (r_.kind == Remedy::Kind::kPadding) {
      return address + row * r_.words * kWord;
    }
    const uint64_t group = uint64_t{r_.words} * kWord, groups = kBanks / r_.words;
    return r_.begin + (offset ^ ((row >> r_.shift & (groups - 1)) * group));
  }

 private:
  static constexpr int kShift = 40;
  const Remedy& r_;
  uint64_t row_bytes_;
  uint64_t inverse_ = 0;  // 0: not exact enough
};

}  // namespace

uint64_t moved_address(uint64_t address, const Remedy& r) { return Mover(r)(address); }

AccessCost cost_with(const isa::Instr& in, AccessKind kind, const AccessPattern& p, const Remedy& r) {
  const Mover moved_to(r);
  std::array<uint64_t, 32> moved{};
  for (uint32_t m = p.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    moved[lane] = moved_to(p.address[lane]);
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
