#include "frontends/trace/list_coder.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace heddle::trace {

namespace {

enum Mode : uint8_t { kPlain, kSteps, kFromLeast, kFromPrevious };

constexpr int kMaxShift = 7;

struct Coded {
  Mode mode = kPlain;
  int shift = 0;
  int width = 1;       // bytes
  uint64_t cost = 0;   // bits, estimated
  uint64_t least = 0;  // kFromLeast
  std::vector<uint64_t> elements;

  Coded(Mode m, size_t n) : mode(m), elements(n) {}
};

// Shift, width and cost of elements that are in place, still as plain differences.
void finish(Coded& c) {
  uint64_t any = 0;
  for (const uint64_t e : c.elements) {
    any |= e;
  }
  c.shift = any ? std::min(std::countr_zero(any), kMaxShift) : 0;
  uint64_t all = 0, bits = 0;
  for (uint64_t& e : c.elements) {
    e = c.mode == kFromLeast ? e >> c.shift
                             : zigzag(static_cast<uint64_t>(static_cast<int64_t>(e) >> c.shift));
    all |= e;
    bits += static_cast<uint64_t>(std::bit_width(e));
  }
  c.width = std::max(1, (static_cast<int>(std::bit_width(all)) + 7) / 8);
  // Elements from the least one are mostly of one size; of the others the small ones are the rule.
  c.cost = c.mode == kFromLeast ? c.elements.size() * static_cast<uint64_t>(std::bit_width(all)) + 16 : bits;
}

}  // namespace

void put_list(const uint64_t* v, size_t n, const uint64_t* previous, std::string& shapes,
              std::array<std::string, kPlanes>& planes) {
  Coded best(kPlain, n);
  std::copy(v, v + n, best.elements.begin());
  finish(best);
  const auto consider = [&](Coded c) {
    finish(c);
    if (c.cost < best.cost) {
      best = std::move(c);
    }
  };
  if (n > 1) {
    Coded steps(kSteps, n);
    Coded least(kFromLeast, n);
    least.least = static_cast<uint64_t>(
        *std::min_element(reinterpret_cast<const int64_t*>(v), reinterpret_cast<const int64_t*>(v) + n));
    for (size_t i = 0; i < n; ++i) {
      steps.elements[i] = v[i] - (i > 0 ? v[i - 1] : 0);
      least.elements[i] = v[i] - least.least;
    }
    consider(std::move(steps));
    consider(std::move(least));
  }
  if (previous) {
    Coded changes(kFromPrevious, n);
    for (size_t i = 0; i < n; ++i) {
      changes.elements[i] = v[i] - previous[i];
    }
    consider(std::move(changes));
  }
  shapes.push_back(static_cast<char>(best.mode | best.shift << 2 | (best.width - 1) << 5));
  if (best.mode == kFromLeast) {
    put_varint(shapes, zigzag(best.least));
  }
  for (const uint64_t e : best.elements) {
    for (int b = 0; b < best.width; ++b) {
      planes[static_cast<size_t>(b)].push_back(static_cast<char>(e >> 8 * b));
    }
  }
}

bool get_list(uint64_t* v, size_t n, const uint64_t* previous, ColumnReader& shapes,
              std::array<ColumnReader, kPlanes>& planes) {
  const uint8_t how = shapes.byte();
  const int mode = how & 3, shift = how >> 2 & 7, width = (how >> 5) + 1;
  const uint64_t least = mode == kFromLeast ? shapes.signed_varint() : 0;
  if (mode == kFromPrevious && !previous) {
    return false;
  }
  uint64_t before = 0;
  for (size_t i = 0; i < n; ++i) {
    uint64_t e = 0;
    for (int b = 0; b < width; ++b) {
      e |= uint64_t{planes[static_cast<size_t>(b)].byte()} << 8 * b;
    }
    e = (mode == kFromLeast ? e : unzigzag(e)) << shift;
    switch (mode) {
      case kSteps:
        e += before;
        break;
      case kFromLeast:
        e += least;
        break;
      case kFromPrevious:
        e += previous[i];
        break;
      default:
        break;
    }
    v[i] = before = e;
  }
  return true;
}

}  // namespace heddle::trace
