#include "analysis/access/access_profile.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/access/line.h"
#include "sim/access/space.h"

namespace heddle::analysis {
namespace {

using isa::MemRef;
using isa::MemSpace;

constexpr uint32_t kSlots = 1024;  // of remembered costs
constexpr uint32_t kRecent = 1024;
constexpr uint64_t kWord = 4;

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

constexpr uint32_t kKindBits = 3;

}  // namespace

AccessProfile::AccessProfile(const isa::KernelImage& image, AccessSide side)
    : image_(image), side_(side), walk_(image, side), remembered_(kSlots), recent_(kRecent) {
  for (const MemoryWalk::Code& c : walk_.code()) {
    counts_.emplace_back();
    counts_.back().index = c.index;
    counts_.back().kind = c.kind;
    const MemSpace space = image.code[c.index].space;
    ways_.push_back(is_copy(c.kind)                                            ? Way::kCopy
                    : space == MemSpace::kShared || space == MemSpace::kGlobal ? Way::kPlain
                                                                               : Way::kByAddress);
  }
}

void AccessProfile::add(const isa::BlockTrace& block) {
  for (const isa::WarpTrace& w : block.warps) {
    ++warps_;
    const Place at = {block.linear, w.warp};
    walk_.warp(w.runs, w.refs.data(), [&](uint32_t counted, const MemRef* ref, uint32_t mask) {
      access(at, counted, ref, mask, &w);
    });
  }
}

void AccessProfile::add(const trace::PackedBlock& block) {
  shapes_ = block.shapes;
  chunk_ = block.chunk;
  Place at = {block.linear, 0};
  for (const trace::PackedWarp& w : block.warps) {
    walk_.warp(w.runs, w.refs.data(), [&](uint32_t counted, const trace::Reference* ref, uint32_t mask) {
      access(at, counted, ref, mask, nullptr);
    });
    ++at.warp;
  }
}

void AccessProfile::append(AccessProfile& later) {
  settle_all();
  later.settle_all();
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

// What tells a reference from others with the same phase. False: nothing that is cheap.
inline bool AccessProfile::identify(const trace::Reference& r, uint32_t, uint32_t& shape, Key& key) const {
  key.epoch = chunk_;
  shape = r.shape;
  return true;
}

inline bool AccessProfile::identify(const MemRef& r, uint32_t which, uint32_t& shape, Key& key) const {
  const bool listed = r.kind == MemRef::Kind::kDelta;
  key.epoch = listed ? warps_ : key.epoch;
  key.kinds |= static_cast<uint64_t>(r.kind) << (which * kKindBits);
  shape = listed ? r.list : static_cast<uint32_t>(r.stride);
  return r.kind != MemRef::Kind::kFull;
}

// The space of an access whose addresses decide that; nothing when there are none.
std::optional<MemSpace> AccessProfile::space_of(const isa::Instr& in, const trace::Reference& r,
                                                const isa::WarpTrace*) const {
  const trace::Shape& s = (*shapes_)[r.shape];
  if (s.kind == MemRef::Kind::kNone || s.kind == MemRef::Kind::kValues) {
    return std::nullopt;
  }
  const bool full = s.kind == MemRef::Kind::kFull;
  return isa::space_of(image_.shape, in, full ? r.base + shapes_->elements(s)[0] : r.base);
}

std::optional<MemSpace> AccessProfile::space_of(const isa::Instr& in, const MemRef& r,
                                                const isa::WarpTrace* w) const {
  if (r.kind == MemRef::Kind::kNone || r.kind == MemRef::Kind::kValues) {
    return std::nullopt;
  }
  return isa::space_of(image_.shape, in, r.kind == MemRef::Kind::kFull ? w->values[r.list] : r.base);
}

// `w`: of a MemRef.
template <typename Ref>
void AccessProfile::access(const Place& at, uint32_t counted, const Ref* ref, uint32_t mask,
                           const isa::WarpTrace* w) {
  const Way way = ways_[counted];
  Key key;
  key.counted = counted;
  key.mask = mask;
  // Addresses that differ in other bits are equal here. Moving all by a word changes the banks, but for all.
  const uint64_t line = patterns_ ? ~uint64_t{0} : memory::kLineBytes - 1;
  const uint64_t word = patterns_ ? ~uint64_t{0} : kWord - 1;
  uint64_t base = ref->base;
  key.base = base & (side_ == AccessSide::kBanks && way != Way::kCopy ? word : line);
  bool cheap = identify(*ref, 0, key.shape, key);
  if (way == Way::kCopy) {
    cheap &= identify(ref[1], 1, key.second, key);
    key.second_base = ref[1].base & (side_ == AccessSide::kBanks ? word : line);
    base = side_ == AccessSide::kBanks ? ref[1].base : base;
  } else if (way == Way::kByAddress) {
    const std::optional<MemSpace> space = space_of(image_.code[counts_[counted].index], *ref, w);
    const bool far = space == MemSpace::kDistributedShared && side_ == AccessSide::kBanks;
    if (!far && space != (side_ == AccessSide::kBanks ? MemSpace::kShared : MemSpace::kGlobal)) {
      return;
    }
    cheap &= !far;
  } else if (way == Way::kIgnored) {
    return;
  }
  if (!cheap) {
    Recent once;
    once.key = key;
    once.result = kNotCounted;
    first_seen(at, ref, w, base, false, once);
    once.times = 1;
    once.low = once.high = base;
    settle(once);
    return;
  }
  Recent& r = recent_[mixed(key.base ^ (uint64_t{key.shape} << 20) ^ (uint64_t{key.second} << 40) ^
                            (key.second_base << 7) ^ (uint64_t{mask} << 32) ^ (uint64_t{counted} << 13)) %
                      kRecent];
  if (!(r.key == key)) {
    settle(r);
    r.key = key;
    r.result = kNotCounted;
    first_seen(at, ref, w, base, true, r);
  }
  ++r.times;
  r.low = std::min(r.low, base);
  r.high = std::max(r.high, base);
}

void AccessProfile::first_seen(const Place& at, const trace::Reference* ref, const isa::WarpTrace*,
                               uint64_t base, bool cheap, Recent& r) {
  unpacked_.clear();
  for (uint32_t i = 0; i < image_.code[counts_[r.key.counted].index].mem_refs; ++i) {
    trace::unpack(ref[i], *shapes_, unpacked_);
  }
  first_seen(at, unpacked_.refs.data(), &unpacked_, base, cheap, r);
}

// The result of an access that is not at hand; stays as it is when the access is not counted.
void AccessProfile::first_seen(const Place& at, const MemRef* ref, const isa::WarpTrace* w, uint64_t base,
                               bool cheap, Recent& r) {
  InstrAccesses& n = counts_[r.key.counted];
  const isa::Instr& in = image_.code[n.index];
  const uint32_t mask = r.key.mask;
  const bool copy = is_copy(n.kind);
  Addresses a;
  if (!isa::expand(*w, *ref, mask, a.first.data()) ||
      (copy && !isa::expand(*w, ref[1], mask, a.second.data())) ||
      (!copy && !on_side(image_, side_, at.block, in, a.first.data(), mask))) {
    return;  // not recorded, or of another space
  }
  Remembered* slot = nullptr;
  if (cheap && !copy && ref->kind == MemRef::Kind::kDelta && known_list(*w, r.key, *ref, slot)) {
    r.result = slot->result;
  } else {
    r.result = shape_of(in, n.kind, a, mask, base);
  }
  if (slot) {
    slot->result = r.result;
  }
  if (patterns_) {
    bool added = false;
    r.pattern = patterns_->find_or_add(r.key.counted, mask, copy ? a.second.data() : a.first.data(),
                                       copy ? a.first.data() : nullptr, added);
    (*patterns_)[r.pattern].cost = r.result.cost;
  }
  if (n.worst.mask == 0 || r.result.cost.excess() > n.worst.cost.excess()) {
    n.worst.cost = r.result.cost;
    n.worst.mask = mask;
    n.worst.block = at.block;
    n.worst.warp = at.warp;
    n.worst.address = copy && side_ == AccessSide::kBanks ? a.second : a.first;
    if (copy) {
      n.worst.from = a.first;
    }
    n.as_bad = 0;
  }
}

AccessProfile::Shape AccessProfile::shape_of(const isa::Instr& in, AccessKind kind, const Addresses& p,
                                             uint32_t mask, uint64_t base) const {
  const bool copy = is_copy(kind);
  const auto& place = copy && side_ == AccessSide::kBanks ? p.second : p.first;
  uint64_t low = place[std::countr_zero(mask)], high = low;
  for (uint32_t m = mask; m; m &= m - 1) {
    low = std::min(low, place[std::countr_zero(m)]);
    high = std::max(high, place[std::countr_zero(m)]);
  }
  // Lanes further apart than 2 GiB are not asked for padding.
  const auto distance = [&](uint64_t to) {
    return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(to - base), INT32_MIN, INT32_MAX));
  };
  return {access_cost(in, kind, side_, p.first.data(), copy ? p.second.data() : p.first.data(), mask),
          distance(low), distance(high + std::max<uint32_t>(in.width, 1))};
}

// Whether the slot of this list holds it; if not, it is made ready for it.
bool AccessProfile::known_list(const isa::WarpTrace& w, const Key& key, const MemRef& r, Remembered*& slot) {
  const auto phase =
      static_cast<uint32_t>(r.base % (side_ == AccessSide::kBanks ? kWord : memory::kLineBytes));
  const auto n = static_cast<uint32_t>(std::popcount(key.mask)) - 1;
  const int32_t* deltas = w.deltas.data() + r.list;
  const uint64_t hash = hash_of(deltas, n) ^ (uint64_t{key.mask} << 32) ^ (uint64_t{phase} << 20) ^
                        (uint64_t{key.counted} << 8);
  slot = &remembered_[mixed(hash) % kSlots];
  if (slot->counted == key.counted && slot->mask == key.mask && slot->phase == phase && slot->deltas == n &&
      std::equal(deltas, deltas + n, slot->delta.begin())) {
    return true;
  }
  slot->counted = key.counted;
  slot->mask = key.mask;
  slot->phase = phase;
  slot->deltas = n;
  std::copy_n(deltas, n, slot->delta.begin());
  return false;
}

void AccessProfile::settle(Recent& r) {
  const Shape& s = r.result;
  if (r.times > 0 && s.most > s.least) {
    InstrAccesses& n = counts_[r.key.counted];
    accesses_ += r.times;
    n.requests += r.times;
    n.total += r.times * s.cost.total;
    n.ideal += r.times * s.cost.ideal;
    n.lowest = std::min(n.lowest, r.low + static_cast<int64_t>(s.least));
    n.highest = std::max(n.highest, r.high + static_cast<int64_t>(s.most));
    n.as_bad += s.cost.excess() == n.worst.cost.excess() ? r.times : 0;
    if (patterns_) {
      (*patterns_)[r.pattern].times += r.times;
    }
  }
  r.times = 0;
  r.low = ~uint64_t{0};
  r.high = 0;
}

void AccessProfile::settle_all() {
  for (Recent& r : recent_) {
    settle(r);
  }
}

// From here on patterns are not counted, until one is added with them.
void AccessProfile::settle(PatternCounts& patterns) {
  if (patterns_ == &patterns) {
    for (Recent& r : recent_) {
      settle(r);
      r.key = {};
    }
    patterns_ = nullptr;
  }
}

uint64_t AccessProfile::accesses() {
  settle_all();
  return accesses_;
}

std::vector<InstrAccesses> AccessProfile::by_excess() {
  settle_all();
  std::vector<InstrAccesses> used;
  std::copy_if(counts_.begin(), counts_.end(), std::back_inserter(used),
               [](const InstrAccesses& n) { return n.requests > 0; });
  std::stable_sort(used.begin(), used.end(),
                   [](const InstrAccesses& a, const InstrAccesses& b) { return a.excess() > b.excess(); });
  return used;
}

}  // namespace heddle::analysis
