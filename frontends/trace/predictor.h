// Guesses a memory reference from those before it. The encoder and the decoder of a chunk show it the same
// references in the same order.
//
// What is looked at: the slot's latest reference (`last`, and its distance to the one before), the n-th
// reference of the slot in the previous warp and in the previous block's warp of this index, where this is
// the slot's n-th in this warp, and the reference just before, whatever its slot. The distance to each of
// these is expected to be the same as last time in this slot.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::trace {

inline constexpr uint32_t kNoShape = UINT32_MAX;

// Bits of a symbol.
enum class Guess : uint8_t { kLast = 0, kStride = 1, kWarp = 2, kBlock = 3, kNeighbour = 4 };
inline constexpr int kGuesses = 5;
enum class ShapeGuess : uint8_t { kLast = 0, kWarp = 1, kBlock = 2, kNeighbour = 3, kNumber = 4, kNew = 5 };
inline constexpr int kShapeGuesses = 6;
inline constexpr uint8_t kSymbolResidual = 1 << 3;  // the base is not as guessed: their difference follows
inline constexpr uint8_t kSymbolWords = 1 << 7;     // that difference is in units of 4 bytes

struct Reference {
  uint64_t base = 0;
  uint32_t shape = kNoShape;
  uint32_t next = UINT32_MAX;  // the slot's next one in this warp
};

class Predictor {
 public:
  explicit Predictor(uint32_t slots) : slots_(slots) {
    nothing_.first.assign(slots, kNone);
    begin_chunk();
  }

  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  void begin_chunk() {
    state_.assign(slots_, Slot());
    block_.clear();
    previous_block_.clear();
    neighbour_base_ = 0;
    neighbour_shape_ = kNoShape;
  }
  void begin_block(size_t warps) {
    std::swap(block_, previous_block_);
    block_.resize(warps);
  }
  // Warps come in order, from 0. `path`: equal for warps of one path; 0 when not known.
  void begin_warp(size_t w, uint64_t path = 0) {
    warp_ = &block_[w];
    warp_->path = path;
    above_ = w > 0 ? &block_[w - 1] : &nothing_;
    before_ = w < previous_block_.size() ? &previous_block_[w] : &nothing_;
  }
  // Of the warp begun last.
  const std::vector<Reference>& references() const { return warp_->references; }
  uint64_t path() const { return warp_->path; }

  // ---- one reference after the other. begin() first, for each warp.

  void begin() {
    warp_->references.clear();
    warp_->first.assign(slots_, kNone);
    for (uint32_t s = 0; s < slots_; ++s) {
      state_[s].tail = kNone;
      state_[s].above = above_->first[s];
      state_[s].before = before_->first[s];
    }
  }

  uint64_t base(uint32_t slot, Guess g) const {
    const Slot& s = state_[slot];
    switch (g) {
      case Guess::kLast:
        return s.last;
      case Guess::kStride:
        return s.last + s.stride();
      case Guess::kWarp:
        return s.above == kNone ? s.last : above_->references[s.above].base + s.from_above();
      case Guess::kBlock:
        return s.before == kNone ? s.last : before_->references[s.before].base + s.from_before();
      case Guess::kNeighbour:
        return neighbour_base_ + s.from_neighbour();
    }
    return 0;
  }

  uint32_t shape(uint32_t slot, ShapeGuess g) const {
    const Slot& s = state_[slot];
    switch (g) {
      case ShapeGuess::kLast:
        return s.shape;
      case ShapeGuess::kWarp:
        return s.above == kNone ? kNoShape : above_->references[s.above].shape;
      case ShapeGuess::kBlock:
        return s.before == kNone ? kNoShape : before_->references[s.before].shape;
      case ShapeGuess::kNeighbour:
        return neighbour_shape_;
      default:
        return kNoShape;
    }
  }

  void learn(uint32_t slot, uint64_t base, uint32_t shape) {
    Slot& s = state_[slot];
    s.learn(base, shape);
    if (s.above != kNone) {
      const Reference& r = above_->references[s.above];
      s.from_above() = base - r.base;
      s.above = r.next;
    }
    if (s.before != kNone) {
      const Reference& r = before_->references[s.before];
      s.from_before() = base - r.base;
      s.before = r.next;
    }
    neighbour_shape_ = shape;
    if (base != 0) {  // 0: no address was recorded
      s.from_neighbour() = base - neighbour_base_;
      neighbour_base_ = base;
    }
    const auto here = static_cast<uint32_t>(warp_->references.size());
    (s.tail == kNone ? warp_->first[slot] : warp_->references[s.tail].next) = here;
    s.tail = here;
    warp_->references.push_back({base, shape, kNone});
  }

  // ---- a warp at once, where the warps to compare with have the same path: then the i-th reference compares
  // with their i-th ones, and nothing needs to be searched. The results are the same.

  template <bool kAbove, bool kBefore>
  class Aligned;

  bool has_above() const { return above_ != &nothing_; }
  bool has_before() const { return before_ != &nothing_; }
  // Whether the warp that was begun last may be read so.
  bool may_align() const {
    return warp_->path != 0 && (has_above() || has_before()) &&
           (!has_above() || above_->path == warp_->path) && (!has_before() || before_->path == warp_->path);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Warp {
    std::vector<Reference> references;
    std::vector<uint32_t> first;  // by slot
    uint64_t path = 0;
  };
  struct alignas(64) Slot {  // a cache line
    uint64_t last = 0;
    std::array<uint64_t, kGuesses> distance{};  // by Guess; to the latest reference itself: 0
    uint32_t shape = kNoShape;
    uint32_t tail = kNone;                   // its latest reference in this warp
    uint32_t above = kNone, before = kNone;  // the one to compare with, in the previous warp and block

    uint64_t stride() const { return distance[static_cast<size_t>(Guess::kStride)]; }
    uint64_t from_above() const { return distance[static_cast<size_t>(Guess::kWarp)]; }
    uint64_t from_before() const { return distance[static_cast<size_t>(Guess::kBlock)]; }
    uint64_t from_neighbour() const { return distance[static_cast<size_t>(Guess::kNeighbour)]; }
    uint64_t& from_above() { return distance[static_cast<size_t>(Guess::kWarp)]; }
    uint64_t& from_before() { return distance[static_cast<size_t>(Guess::kBlock)]; }
    uint64_t& from_neighbour() { return distance[static_cast<size_t>(Guess::kNeighbour)]; }

    void learn(uint64_t base, uint32_t s) {
      distance[static_cast<size_t>(Guess::kStride)] = base - last;
      last = base;
      shape = s;
    }
  };

  uint32_t slots_;
  std::vector<Slot> state_;
  std::vector<Warp> block_, previous_block_;
  Warp nothing_;  // stands for a warp that there is not
  Warp* warp_ = &nothing_;
  const Warp* above_ = &nothing_;
  const Warp* before_ = &nothing_;
  uint64_t neighbour_base_ = 0;
  uint32_t neighbour_shape_ = kNoShape;
};

// kAbove, kBefore: whether there is a previous warp, and a previous block.
template <bool kAbove, bool kBefore>
class Predictor::Aligned {
 public:
  explicit Aligned(Predictor& p)
      : p_(p),
        state_(p.state_.data()),
        above_(p.above_->references.data()),
        before_(p.before_->references.data()),
        base_(p.neighbour_base_),
        shape_(p.neighbour_shape_) {
    const Warp& like = kAbove ? *p.above_ : *p.before_;
    p.warp_->references.resize(like.references.size());
    p.warp_->first = like.first;
    out_ = p.warp_->references.data();
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  ~Aligned() {
    p_.neighbour_base_ = base_;
    p_.neighbour_shape_ = shape_;
  }

  // References of the warp.
  size_t size() const { return p_.warp_->references.size(); }

  // The guesses for the next reference, which is of `slot`. All are read and one is selected: a branch would
  // be foreseen badly.
  uint64_t base(uint32_t slot, Guess g) const {
    const Slot& s = state_[slot];
    if ((g == Guess::kWarp && !kAbove) || (g == Guess::kBlock && !kBefore)) {
      return s.last;
    }
    const uint64_t above = kAbove ? above_->base : 0, before = kBefore ? before_->base : 0;
    uint64_t from = s.last;
    from = g == Guess::kWarp ? above : from;
    from = g == Guess::kBlock ? before : from;
    from = g == Guess::kNeighbour ? base_ : from;
    return from + s.distance[static_cast<size_t>(g)];
  }
  uint32_t shape(uint32_t slot, ShapeGuess g) const {
    const uint32_t above = kAbove ? above_->shape : kNoShape, before = kBefore ? before_->shape : kNoShape;
    uint32_t n = state_[slot].shape;
    n = g == ShapeGuess::kWarp ? above : n;
    n = g == ShapeGuess::kBlock ? before : n;
    return g == ShapeGuess::kNeighbour ? shape_ : n;
  }
  void learn(uint32_t slot, uint64_t base, uint32_t shape) {
    Slot& s = state_[slot];
    s.learn(base, shape);
    *out_++ = {base, shape, kAbove ? above_->next : before_->next};
    if constexpr (kAbove) {
      s.from_above() = base - above_++->base;
    }
    if constexpr (kBefore) {
      s.from_before() = base - before_++->base;
    }
    shape_ = shape;
    if (base != 0) {
      s.from_neighbour() = base - base_;
      base_ = base;
    }
  }

 private:
  Predictor& p_;
  Slot* const state_;
  Reference* out_ = nullptr;
  const Reference* above_;
  const Reference* before_;
  uint64_t base_;
  uint32_t shape_;
};

}  // namespace heddle::trace
