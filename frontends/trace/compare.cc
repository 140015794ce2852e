#include "frontends/trace/compare.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "frontends/trace/slots.h"

namespace heddle::trace {

namespace {

using Kind = isa::MemRef::Kind;

template <typename T>
bool same(const std::vector<T>& a, size_t a_first, const std::vector<T>& b, size_t b_first, size_t n) {
  // Where there is nothing to compare, the first may lie behind the end.
  return n == 0 || std::equal(&a[a_first], &a[a_first] + n, &b[b_first]);
}

bool same_reference(const isa::WarpTrace& a, const isa::MemRef& ra, const isa::WarpTrace& b,
                    const isa::MemRef& rb, uint32_t mask) {
  if (ra.kind != rb.kind || ra.base != rb.base || ra.count != rb.count ||
      (ra.kind == Kind::kStride && ra.stride != rb.stride)) {
    return false;
  }
  const auto lanes = static_cast<size_t>(std::popcount(mask));
  if (ra.kind == Kind::kDelta && !same(a.deltas, ra.list, b.deltas, rb.list, lanes - 1)) {
    return false;
  }
  const size_t values = (ra.kind == Kind::kFull ? lanes : 0) + (ra.kind == Kind::kNone ? 0u : ra.count);
  return same(a.values, ra.list, b.values, rb.list, values);
}

std::string warp_difference(const Slots& slots, const isa::WarpTrace& a, const isa::WarpTrace& b) {
  const auto same_run = [](const isa::Run& x, const isa::Run& y) {
    return x.first == y.first && x.count == y.count && x.mask == y.mask;
  };
  if (a.warp != b.warp || a.instructions != b.instructions ||
      !std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(), same_run)) {
    return "the path";
  }
  size_t i = 0;
  for (const isa::Run& r : a.runs) {
    for (uint32_t s = slots.begin(r); r.mask && s < slots.end(r); ++s, ++i) {
      if (i >= a.refs.size() || i >= b.refs.size() || !same_reference(a, a.refs[i], b, b.refs[i], r.mask)) {
        return "memory reference " + std::to_string(i);
      }
    }
  }
  return a.refs.size() == b.refs.size() ? "" : "the number of memory references";
}

}  // namespace

std::string difference(const isa::KernelImage& image, const isa::BlockTrace& a, const isa::BlockTrace& b) {
  const Slots slots(image.code);
  if (a.index != b.index || a.linear != b.linear || a.warps.size() != b.warps.size()) {
    return "block " + std::to_string(a.linear) + ": its index or number of warps";
  }
  for (size_t w = 0; w < a.warps.size(); ++w) {
    if (const std::string what = warp_difference(slots, a.warps[w], b.warps[w]); !what.empty()) {
      return "block " + std::to_string(a.linear) + " warp " + std::to_string(w) + ": " + what;
    }
  }
  return "";
}

}  // namespace heddle::trace
