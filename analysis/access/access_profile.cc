#include "analysis/access/access_profile.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/isa/space.h"
#include "sim/memory/message.h"

namespace heddle::analysis {
namespace {

using isa::MemRef;
using isa::MemSpace;

constexpr uint32_t kNotCounted = ~0u;
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

uint64_t lowest_of(const uint64_t addr[32], uint32_t mask) {
  uint64_t low = ~uint64_t{0};
  for (uint32_t m = mask; m; m &= m - 1) {
    low = std::min(low, addr[std::countr_zero(m)]);
  }
  return low;
}

}  // namespace

AccessProfile::AccessProfile(const isa::KernelImage& image, AccessSide side)
    : image_(image), side_(side), remembered_(kSlots), recent_(kRecent) {
  for (uint32_t i = 0; i < image.code.size(); ++i) {
    first_memory_.push_back(static_cast<uint32_t>(memory_.size()));
    const isa::Instr& in = image.code[i];
    if (in.mem_refs == 0) {
      continue;
    }
    const AccessKind kind = access_kind(image, in, side);
    memory_.push_back(
        {i, in.mem_refs, kind == AccessKind::kNone ? kNotCounted : static_cast<uint32_t>(counts_.size())});
    if (kind != AccessKind::kNone) {
      counts_.emplace_back();
      counts_.back().index = i;
      counts_.back().kind = kind;
    }
  }
}

void AccessProfile::add(const isa::BlockTrace& block) {
  for (const isa::WarpTrace& w : block.warps) {
    ++warps_;
    const MemRef* ref = w.refs.data();
    for (const isa::Run& run : w.runs) {
      if (run.mask == 0) {
        continue;
      }
      const uint32_t end = run.first + run.count;
      for (uint32_t i = first_memory_[run.first]; i < memory_.size() && memory_[i].index < end; ++i) {
        if (memory_[i].counted != kNotCounted) {
          access(block, w, memory_[i].counted, ref, run.mask);
        }
        ref += memory_[i].refs;
      }
    }
  }
}

// Whether the access is of the side that is counted. Distributed shared memory counts where all lanes name
// their own block, as in sim/sm.
bool AccessProfile::belongs(const isa::BlockTrace& block, const isa::Instr& in, const uint64_t addr[32],
                            uint32_t mask) const {
  const isa::LaunchShape& shape = image_.shape;
  const MemSpace space = isa::space_of(shape, in, addr[std::countr_zero(mask)]);
  if (side_ == AccessSide::kSectors) {
    return space == MemSpace::kGlobal;
  }
  if (space != MemSpace::kDistributedShared) {
    return space == MemSpace::kShared;
  }
  return isa::own_lanes(shape, block.linear, addr, mask) == mask;
}

// Whether the slot of this list holds it; if not, it is made ready for it.
bool AccessProfile::known_list(const isa::WarpTrace& w, uint32_t counted, const MemRef& r, uint32_t mask,
                               Remembered*& slot) {
  const auto phase = static_cast<uint32_t>(r.base % kPeriod);
  const uint32_t n = static_cast<uint32_t>(std::popcount(mask)) - 1;
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
                          const MemRef* ref, uint32_t mask, AccessCost cost, uint64_t lowest) {
  ++accesses_;
  ++n.requests;
  n.total += cost.total;
  n.ideal += cost.ideal;
  n.lowest = std::min(n.lowest, lowest);
  const uint32_t worst = n.worst.mask ? n.worst.cost.excess() : 0;
  if (n.worst.mask == 0 || cost.excess() > worst) {
    const bool copy = n.kind == AccessKind::kCopy || n.kind == AccessKind::kBypassCopy;
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
  const bool copy = n.kind == AccessKind::kCopy || n.kind == AccessKind::kBypassCopy;
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
      count(block, w, n, ref, mask, recent->cost, ref->base + static_cast<int64_t>(recent->least));
      return;
    }
    *recent = {warp, counted, mask, phase, shape, {}, 0};
    if (listed && known_list(w, counted, *ref, mask, slot)) {
      recent->cost = slot->cost;
      recent->least = slot->least;
      count(block, w, n, ref, mask, slot->cost, ref->base + static_cast<int64_t>(slot->least));
      return;
    }
  }
  uint64_t first[32], second[32];
  if (!isa::expand(w, *ref, mask, first) || (copy && !isa::expand(w, ref[1], mask, second)) ||
      (!copy && !belongs(block, in, first, mask))) {
    return;  // not recorded, or of another space; what is plain is neither
  }
  const AccessCost cost = access_cost(in, n.kind, side_, first, copy ? second : first, mask);
  const uint64_t lowest = lowest_of(copy && side_ == AccessSide::kBanks ? second : first, mask);
  if (recent) {
    recent->cost = cost;
    recent->least = static_cast<int32_t>(lowest - ref->base);
  }
  if (slot) {
    slot->cost = cost;
    slot->least = static_cast<int32_t>(lowest - ref->base);
  }
  count(block, w, n, ref, mask, cost, lowest);
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
