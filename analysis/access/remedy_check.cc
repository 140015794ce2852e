#include "analysis/access/remedy_check.h"

#include <algorithm>
#include <bit>

namespace heddle::analysis {
namespace {

using isa::MemRef;

constexpr uint32_t kSlots = 8192;

uint64_t mixed(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u; }

}  // namespace

RemedyCheck::RemedyCheck(const isa::KernelImage& image, const std::vector<InstrAccesses>& all,
                         const std::vector<Remedy>& remedies)
    : image_(image), walk_(image, AccessSide::kBanks), touched_(walk_.code().size()), seen_(kSlots) {
  for (const Remedy& r : remedies) {
    effects_.push_back({r});
  }
  for (const InstrAccesses& n : all) {
    const auto at = std::find_if(walk_.code().begin(), walk_.code().end(),
                                 [&](const MemoryWalk::Code& c) { return c.index == n.index; });
    for (uint32_t r = 0; r < remedies.size(); ++r) {
      if (n.lowest < remedies[r].end && n.highest > remedies[r].begin) {
        touched_[static_cast<size_t>(at - walk_.code().begin())].push_back(r);
      }
    }
  }
}

void RemedyCheck::add(const isa::BlockTrace& block) {
  for (const isa::WarpTrace& w : block.warps) {
    walk_.warp(w, [&](uint32_t number, const MemRef* ref, uint32_t mask) {
      if (!touched_[number].empty()) {
        access(block, w, number, ref, mask);
      }
    });
  }
}

void RemedyCheck::count(uint32_t number, const AccessPattern& p, uint64_t times) {
  const MemoryWalk::Code& c = walk_.code()[number];
  const isa::Instr& in = image_.code[c.index];
  const AccessCost now = access_cost(in, c.kind, AccessSide::kBanks, p.from.data(), p.address.data(), p.mask);
  for (const uint32_t r : touched_[number]) {
    RemedyEffect& e = effects_[r];
    const AccessCost with = cost_with(in, c.kind, p, e.remedy);
    e.requests += times;
    e.wavefronts += times * now.total;
    e.conflicts += times * now.excess();
    e.wavefronts_with += times * with.total;
    e.conflicts_with += times * with.excess();
  }
}

void RemedyCheck::flush(Seen& s) {
  if (s.times == 0) {
    return;
  }
  AccessPattern p;
  p.mask = s.mask;
  uint64_t address = s.base;
  uint32_t k = 0;
  for (uint32_t m = s.mask; m; m &= m - 1, ++k) {
    p.address[std::countr_zero(m)] =
        s.deltas ? s.base + (k ? static_cast<int64_t>(s.delta[k - 1]) : 0) : address;
    address += static_cast<int64_t>(s.stride);
  }
  count(s.number, p, s.times);
  s.times = 0;
}

void RemedyCheck::access(const isa::BlockTrace& block, const isa::WarpTrace& w, uint32_t number,
                         const MemRef* ref, uint32_t mask) {
  const MemoryWalk::Code& c = walk_.code()[number];
  const isa::Instr& in = image_.code[c.index];
  const bool listed = ref->kind == MemRef::Kind::kDelta;
  if (in.space != isa::MemSpace::kShared || is_copy(c.kind) ||
      (!listed && ref->kind != MemRef::Kind::kStride)) {
    AccessPattern p;
    p.mask = mask;
    const bool known = is_copy(c.kind) ? isa::expand(w, ref[0], mask, p.from.data()) &&
                                             isa::expand(w, ref[1], mask, p.address.data())
                                       : isa::expand(w, *ref, mask, p.address.data());
    if (known &&
        (is_copy(c.kind) || on_side(image_, AccessSide::kBanks, block, in, p.address.data(), mask))) {
      count(number, p, 1);
    }
    return;
  }
  const uint32_t deltas = listed ? static_cast<uint32_t>(std::popcount(mask)) - 1 : 0;
  const int32_t* d = w.deltas.data() + ref->list;
  const int32_t stride = listed ? 0 : ref->stride;
  uint64_t h = mixed(mixed(number, mask), ref->base ^ (uint64_t{static_cast<uint32_t>(stride)} << 32));
  for (uint32_t i = 0; i < deltas; ++i) {
    h = h * 31 + static_cast<uint32_t>(d[i]);
  }
  Seen& s = seen_[mixed(h, 0) >> 40 & (kSlots - 1)];
  if (s.times == 0 || s.number != number || s.mask != mask || s.base != ref->base || s.stride != stride ||
      s.deltas != deltas || !std::equal(d, d + deltas, s.delta.begin())) {
    flush(s);
    s.number = number;
    s.mask = mask;
    s.base = ref->base;
    s.stride = stride;
    s.deltas = deltas;
    std::copy_n(d, deltas, s.delta.begin());
  }
  ++s.times;
}

std::vector<RemedyEffect> RemedyCheck::effects() {
  for (Seen& s : seen_) {
    flush(s);
  }
  return effects_;
}

}  // namespace heddle::analysis
