#include "analysis/access/access_profile.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/memory/message.h"

namespace heddle::analysis {
namespace {

using isa::MemRef;
using isa::MemSpace;

constexpr uint32_t kSlots = 2048;  // of remembered costs
constexpr uint32_t kRecent = 512;
constexpr uint32_t kPeriod = memory::kLineBytes;  // also the banks' period
static_assert(kBanks * 4 == kPeriod);

uint32_t mixed(uint64_t h) { return static_cast<uint32_t>((h * 0x9e3779b97f4a7c15u) >> 40); }

uint64_t hash_of(const int32_t* d, uint32_t n) {
  uint64_t a = n, b = 0;  // two chains at a time
  uint32_t i = 0;
  for (; i + 1 < n; i += 2) {
    a = a * 0x100000001b3u + static_cast<uint32_t>(d[i]);
    b = b * 0x1000193u + static_cast<uint32_t>(d[i + 1]);
  }
  return a * 31 + b + (i < n ? static_cast<uint32_t>(d[i]) * 0x85ebca6bu : 0);
}

// Of 32 bits, faster than a library's where the processor has no instruction for it in the baseline.
uint32_t set_lanes(uint32_t mask) { return mask == ~0u ? 32 : static_cast<uint32_t>(std::popcount(mask)); }

}  // namespace

AccessProfile::AccessProfile(const isa::KernelImage& image, AccessSide side)
    : image_(image), side_(side), walk_(image, side), remembered_(kSlots), recent_(kRecent) {
  for (const MemoryWalk::Code& c : walk_.code()) {
    counts_.emplace_back();
    counts_.back().index = c.index;
    counts_.back().kind = c.kind;
  }
}

void AccessProfile::add(const isa::BlockTrace& block) {
  for (const isa::WarpTrace& w : block.warps) {
    ++warps_;
    walk_.warp(
        w, [&](uint32_t counted, const MemRef* ref, uint32_t mask) { access(block, w, counted, ref, mask); });
  }
}

void AccessProfile::append(const AccessProfile& later) {
  accesses_ += later.accesses_;
  for (size_t i = 0; i < counts_.size(); ++i) {
    InstrAccesses& n = counts_[i];
    const InstrAccesses& o = later.counts_[i];
    const bool worse = o.requests && (n.requests == 0 || o.worst.cost.excess() > n.worst.cost.excess());
    if (worse) {
      n.worst = o.worst;
      n.as_bad = o.as_bad;
    } else if (o.requests && o.worst.cost.excess() == n.worst.cost.excess()) {
      n.as_bad += o.as_bad;
    }
    n.requests += o.requests;
    n.total += o.total;
    n.ideal += o.ideal;
    n.lowest = std::min(n.lowest, o.lowest);
    n.highest = std::max(n.highest, o.highest);
  }
}

// Whether the slot of this list holds it; if not, it is made ready for it.
bool AccessProfile::known_list(const isa::WarpTrace& w, uint32_t counted, const MemRef& r, uint32_t mask,
                               Remembered*& slot) {
  const auto phase = static_cast<uint32_t>(r.base % kPeriod);
  const uint32_t n = set_lanes(mask) - 1;
  const int32_t* deltas = w.deltas.data() + r.list;
  const uint64_t key =
      hash_of(deltas, n) ^ (uint64_t{mask} << 32) ^ (uint64_t{phase} << 20) ^ (uint64_t{counted} << 8);
  slot = &remembered_[mixed(key) % kSlots];
  if (slot->counted == counted && slot->mask == mask && slot->phase == phase && slot->deltas == n &&
      std::equal(deltas, deltas + n, slot->delta.begin())) {
    return true;
  }
  slot->counted = counted;
  slot->mask = mask;
  slot->phase = phase;
  slot->deltas = n;
  std::copy_n(deltas, n, slot->delta.begin());
  return false;
}

void AccessProfile::count(const isa::BlockTrace& block, const isa::WarpTrace& w, InstrAccesses& n,
                          const MemRef* ref, uint32_t mask, uint64_t base, const Shape& shape) {
  const AccessCost& cost = shape.cost;
  ++accesses_;
  ++n.requests;
  n.total += cost.total;
  n.ideal += cost.ideal;
  n.lowest = std::min(n.lowest, base + static_cast<int64_t>(shape.least));
  n.highest = std::max(n.highest, base + static_cast<int64_t>(shape.most));
  const uint32_t worst = n.worst.mask ? n.worst.cost.excess() : 0;
  if (n.worst.mask == 0 || cost.excess() > worst) {
    const bool copy = is_copy(n.kind);
    n.worst.cost = cost;
    n.worst.mask = mask;
    n.worst.block = block.linear;
    n.worst.warp = w.warp;
    n.as_bad = 1;
    isa::expand(w, ref[copy && side_ == AccessSide::kBanks ? 1 : 0], mask, n.worst.address.data());
    if (copy) {
      isa::expand(w, ref[0], mask, n.worst.from.data());
    }
  } else {
    n.as_bad += cost.excess() == worst;
  }
}

void AccessProfile::access(const isa::BlockTrace& block, const isa::WarpTrace& w, uint32_t counted,
                           const MemRef* ref, uint32_t mask) {
  InstrAccesses& n = counts_[counted];
  const isa::Instr& in = image_.code[n.index];
  const bool copy = is_copy(n.kind);
  // Copies have two lists and generic addresses have a space: only what is plain is remembered.
  const bool plain = !copy && (in.space == MemSpace::kShared || in.space == MemSpace::kGlobal) &&
                     (ref->kind == MemRef::Kind::kStride || ref->kind == MemRef::Kind::kDelta);
  Recent* recent = nullptr;
  Remembered* slot = nullptr;
  if (plain) {
    const bool listed = ref->kind == MemRef::Kind::kDelta;
    const auto phase = static_cast<uint32_t>(ref->base % kPeriod);
    const uint32_t shape = listed ? ref->list : static_cast<uint32_t>(ref->stride);
    const uint64_t warp = listed ? warps_ : 0;
    recent =
        &recent_[mixed((uint64_t{shape} << 24) ^ (uint64_t{phase} << 12) ^ counted ^ (uint64_t{mask} << 32)) %
                 kRecent];
    if (recent->warp == warp && recent->counted == counted && recent->mask == mask &&
        recent->phase == phase && recent->shape == shape) {
      count(block, w, n, ref, mask, ref->base, recent->result);
      return;
    }
    *recent = {warp, counted, mask, phase, shape, {}};
    if (listed && known_list(w, counted, *ref, mask, slot)) {
      recent->result = slot->result;
      count(block, w, n, ref, mask, ref->base, slot->result);
      return;
    }
  }
  uint64_t first[32], second[32];
  if (!isa::expand(w, *ref, mask, first) || (copy && !isa::expand(w, ref[1], mask, second)) ||
      (!copy && !on_side(image_, side_, block, in, first, mask))) {
    return;  // not recorded, or of another space; what is plain is neither
  }
  const uint64_t* place = copy && side_ == AccessSide::kBanks ? second : first;
  const uint64_t base = place[std::countr_zero(mask)];
  uint64_t low = base, high = base;
  for (uint32_t m = mask; m; m &= m - 1) {
    low = std::min(low, place[std::countr_zero(m)]);
    high = std::max(high, place[std::countr_zero(m)]);
  }
  // Lanes further apart than 2 GiB are not asked for padding.
  const auto distance = [&](uint64_t to) {
    return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(to - base), INT32_MIN, INT32_MAX));
  };
  const Shape shape = {access_cost(in, n.kind, side_, first, copy ? second : first, mask), distance(low),
                       distance(high + std::max<uint32_t>(in.width, 1))};
  if (recent) {
    recent->result = shape;
  }
  if (slot) {
    slot->result = shape;
  }
  count(block, w, n, ref, mask, base, shape);
}

std::vector<InstrAccesses> AccessProfile::by_excess() const {
  std::vector<InstrAccesses> used;
  std::copy_if(counts_.begin(), counts_.end(), std::back_inserter(used),
               [](const InstrAccesses& n) { return n.requests > 0; });
  std::stable_sort(used.begin(), used.end(),
                   [](const InstrAccesses& a, const InstrAccesses& b) { return a.excess() > b.excess(); });
  return used;
}

}  // namespace heddle::analysis
