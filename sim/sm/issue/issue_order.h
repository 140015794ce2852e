// The order in which the warps of a sub-core come: which of those that could issue does, and whose turn it is
// at a port that was taken (tools/microbench/FINDINGS.md 49).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "configs/schema/spec.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/state/warp.h"

namespace heddle::sm {

inline constexpr uint32_t kSlotsPerSubcore = 32;  // at most; masks are 32 bits

class IssueOrder {
 public:
  explicit IssueOrder(spec::Issue::Policy policy) : policy_(policy) {}

  void reset() { *this = IssueOrder(policy_); }
  // The warp in `slot` is looked at; what a new one inherits is its block's place and its own in the block.
  void greet(uint32_t slot, const Warp& w) {
    Place& p = places_[slot];
    if (p.age != w.age) {
      p = {.age = w.age, .block = w.age - w.index, .turn = kFirstTurn - w.index};
    }
  }
  // It has issued, and said that it yields.
  void issued(uint32_t slot, bool yields) {
    last_ = slot;
    stays_ = !(yields && goes_behind(slot));
  }
  // It waits for a result of fixed latency, as what yields does; of code without control bits.
  void waits(uint32_t slot) { goes_behind(slot); }
  // The one of `eligible`, of which there is at least one, that issues next.
  uint32_t pick(uint32_t eligible) const {
    if (policy_ == spec::Issue::LOOSE_ROUND_ROBIN) {
      const uint32_t after = last_ + 1 < kSlotsPerSubcore ? eligible & (~0u << (last_ + 1)) : 0;
      return std::countr_zero(after ? after : eligible);
    }
    return stays_ && (eligible >> last_ & 1) ? last_ : first(eligible);
  }
  // The same without regard to the one that issued last.
  uint32_t first(uint32_t eligible) const {
    uint32_t best = std::countr_zero(eligible);
    for (uint32_t m = eligible & (eligible - 1); m; m &= m - 1) {
      const uint32_t s = std::countr_zero(m);
      best = before(s, best) ? s : best;
    }
    return best;
  }
  // Whether the block of `a` is younger than that of `b`.
  bool younger_block(uint32_t a, uint32_t b) const { return places_[a].block > places_[b].block; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(places_, newest_turn_, last_, stays_);
    ar.check(last_ < kSlotsPerSubcore, "a slot that the sub-core does not have");
  }

 private:
  static constexpr uint64_t kFirstTurn = 1024;  // more than a block has warps

  struct Place {
    uint64_t age = 0;
    uint64_t block = 0;  // smaller is older
    uint64_t turn = 0;   // in the block: smaller comes first, the youngest until somebody yields

    template <class Archive>
    void serialize(Archive& ar) {
      ar(age, block, turn);
    }
  };

  // The others of its block come first now, if the policy has that.
  bool goes_behind(uint32_t slot) {
    if (policy_ != spec::Issue::GREEDY_UNTIL_YIELD) {
      return false;
    }
    places_[slot].turn = ++newest_turn_;
    return true;
  }

  bool before(uint32_t a, uint32_t b) const {
    const Place& x = places_[a];
    const Place& y = places_[b];
    if (policy_ == spec::Issue::GREEDY_THEN_OLDEST) {
      return x.age < y.age;
    }
    return x.block != y.block ? x.block < y.block : x.turn < y.turn;
  }

  spec::Issue::Policy policy_;
  std::array<Place, kSlotsPerSubcore> places_{};
  uint64_t newest_turn_ = kFirstTurn;
  uint32_t last_ = 0;  // slot that issued last
  bool stays_ = true;  // and did not yield
};

// Warps that found their port taken get it one after the other: those of the oldest block, and of these the
// one that has waited longest.
class PortLines {
 public:
  void reset() { *this = {}; }
  bool empty() const { return ports_ == 0; }
  // Those of `slots` that are not in line yet get into it, in the order in which they would be picked.
  void join(uint32_t port, uint32_t slots, const IssueOrder& order) {
    Line& line = lines_[port];
    for (slots &= ~line.slots; slots;) {
      const uint32_t slot = order.first(slots);
      slots &= ~(1u << slot);
      uint32_t at = line.count++;
      for (; at > 0 && order.younger_block(line.order[at - 1], slot); --at) {
        line.order[at] = line.order[at - 1];
      }
      line.order[at] = static_cast<uint8_t>(slot);
      line.slots |= 1u << slot;
      ports_ |= 1u << port;
    }
  }
  void leave(uint32_t port, uint32_t slot) {
    Line& line = lines_[port];
    if (!(line.slots >> slot & 1)) {
      return;
    }
    const auto end =
        std::remove(line.order.begin(), line.order.begin() + line.count, static_cast<uint8_t>(slot));
    line.count = static_cast<uint32_t>(end - line.order.begin());
    line.slots &= ~(1u << slot);
    if (line.count == 0) {
      ports_ &= ~(1u << port);
    }
  }
  // Ports with warps in line.
  uint32_t ports() const { return ports_; }
  // Slots whose turn it is not.
  uint32_t behind() const {
    uint32_t mask = 0;
    for (uint32_t m = ports_; m; m &= m - 1) {
      const Line& line = lines_[std::countr_zero(m)];
      mask |= line.slots & ~(1u << line.order[0]);
    }
    return mask;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(lines_, ports_);
  }

 private:
  struct Line {
    uint32_t slots = 0, count = 0;
    std::array<uint8_t, kSlotsPerSubcore> order{};

    template <class Archive>
    void serialize(Archive& ar) {
      ar(slots, count, order);
      ar.check(count == static_cast<uint32_t>(std::popcount(slots)), "a line of warps with gaps");
      for (uint32_t i = 0; i < count; ++i) {
        ar.check(order[i] < kSlotsPerSubcore && (slots >> order[i] & 1), "a warp in line that is not there");
      }
    }
  };
  std::array<Line, kPortCount> lines_{};
  uint32_t ports_ = 0;
};

}  // namespace heddle::sm
