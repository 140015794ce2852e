// Guesses a memory reference from those before it. The encoder and the decoder of a chunk show it the same
// references in the same order.
//
// What is looked at: the slot's latest reference (`last`, and its distance to the one before), the n-th
// reference of the slot in the previous warp and in the previous block's warp of this index, where this is
// the slot's n-th in this warp, and the reference just before, whatever its slot. The distance to each of
// these is expected to be the same as last time in this slot.
#pragma once

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
  // Warps come in order, from 0.
  void begin_warp(size_t w) {
    warp_ = &block_[w];
    warp_->references.clear();
    warp_->first.assign(slots_, kNone);
    above_ = w > 0 ? &block_[w - 1] : &nothing_;
    before_ = w < previous_block_.size() ? &previous_block_[w] : &nothing_;
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
        return s.last + s.stride;
      case Guess::kWarp:
        return s.above == kNone ? s.last : above_->references[s.above].base + s.from_above;
      case Guess::kBlock:
        return s.before == kNone ? s.last : before_->references[s.before].base + s.from_before;
      case Guess::kNeighbour:
        return neighbour_base_ + s.from_neighbour;
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
    s.stride = base - s.last;
    s.last = base;
    s.shape = shape;
    if (s.above != kNone) {
      const Reference& r = above_->references[s.above];
      s.from_above = base - r.base;
      s.above = r.next;
    }
    if (s.before != kNone) {
      const Reference& r = before_->references[s.before];
      s.from_before = base - r.base;
      s.before = r.next;
    }
    neighbour_shape_ = shape;
    if (base != 0) {  // 0: no address was recorded
      s.from_neighbour = base - neighbour_base_;
      neighbour_base_ = base;
    }
    const auto here = static_cast<uint32_t>(warp_->references.size());
    (s.tail == kNone ? warp_->first[slot] : warp_->references[s.tail].next) = here;
    s.tail = here;
    warp_->references.push_back({base, shape, kNone});
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Reference {
    uint64_t base;
    uint32_t shape;
    uint32_t next;  // the slot's next one in this warp
  };
  struct Warp {
    std::vector<Reference> references;
    std::vector<uint32_t> first;  // by slot
  };
  struct Slot {
    uint64_t last = 0, stride = 0, from_above = 0, from_before = 0, from_neighbour = 0;
    uint32_t shape = kNoShape;
    uint32_t tail = kNone;                   // its latest reference in this warp
    uint32_t above = kNone, before = kNone;  // the one to compare with, in the previous warp and block
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

}  // namespace heddle::trace
