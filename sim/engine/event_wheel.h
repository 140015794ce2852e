// Future events of one unit, ordered by cycle and, within a cycle, by the order of scheduling.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <queue>
#include <vector>

#include "sim/engine/time.h"

namespace heddle {

// A timing wheel for the near future and a heap for the rest. Scheduling and popping are O(1) within kSlots
// cycles. The caller never schedules into the past: before the cycle last given to run().
template <class Payload>
class EventWheel {
 public:
  static constexpr uint32_t kSlots = 1024;

  EventWheel() : slots_(kSlots) {}

  // As it was made; its storage is kept.
  void clear() {
    if (in_wheel_ != 0) {
      std::fill(slots_.begin(), slots_.end(), Slot{});
      std::fill(std::begin(bitmap_), std::end(bitmap_), 0);
    }
    base_ = seq_ = 0;
    in_wheel_ = 0;
    free_ = kNone;
    nodes_.clear();
    far_ = {};
  }

  bool empty() const { return in_wheel_ == 0 && far_.empty(); }

  void schedule(Cycle when, const Payload& payload) {
    if (when >= base_ + kSlots) {
      far_.push({when, seq_++, payload});
      return;
    }
    push(when, payload);
  }

  // The cycle of the earliest event, kNever when there is none.
  Cycle next() const {
    Cycle near = kNever;
    if (in_wheel_ != 0) {
      uint32_t start = base_ % kSlots;
      uint32_t word = start / 64;
      uint64_t bits = bitmap_[word] & (~uint64_t{0} << (start % 64));
      for (uint32_t i = 0; i <= kWords; ++i) {
        if (bits) {
          uint32_t slot = word * 64 + std::countr_zero(bits);
          near = base_ + ((slot - start) & (kSlots - 1));
          break;
        }
        word = (word + 1) % kWords;
        bits = bitmap_[word];
      }
    }
    return far_.empty() ? near : std::min(near, far_.top().when);
  }

  // Removes and handles every event of cycle `now`, also those that the handler schedules for `now`.
  template <class Handler>
  void run(Cycle now, Handler&& handle) {
    base_ = now;
    while (!far_.empty() && far_.top().when < base_ + kSlots) {
      push(far_.top().when, far_.top().payload);
      far_.pop();
    }
    uint32_t slot = now % kSlots;
    while (slots_[slot].head != kNone) {
      uint32_t i = slots_[slot].head;
      Payload p = nodes_[i].payload;
      slots_[slot].head = nodes_[i].next;
      if (slots_[slot].head == kNone) {
        slots_[slot].tail = kNone;
        bitmap_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
      }
      nodes_[i].next = free_;
      free_ = i;
      --in_wheel_;
      handle(p);
    }
  }

  // In the order of the events, whatever nodes they are in.
  template <class Archive>
  void serialize(Archive& ar) {
    Cycle base = base_;
    ar(base);
    size_t left = ar.size(in_wheel_ + far_.size());
    if (!ar.reading()) {
      for (uint32_t i = 0; i < kSlots; ++i) {
        for (uint32_t n = slots_[(base_ + i) % kSlots].head; n != kNone; n = nodes_[n].next) {
          Cycle when = base_ + i;
          ar(when, nodes_[n].payload);
        }
      }
      for (std::priority_queue<Far> rest = far_; !rest.empty(); rest.pop()) {
        Far f = rest.top();
        ar(f.when, f.payload);
      }
      return;
    }
    *this = {};
    base_ = base;
    for (; left > 0; --left) {
      Cycle when = 0;
      Payload payload{};
      ar(when, payload);
      ar.check(when >= base, "an event in the past");
      schedule(when, payload);
    }
  }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kWords = kSlots / 64;

  struct Node {
    Payload payload;
    uint32_t next;
  };
  // Of one cycle: first and last node.
  struct Slot {
    uint32_t head = kNone, tail = kNone;
  };
  struct Far {
    Cycle when;
    uint64_t seq;
    Payload payload;
    bool operator<(const Far& o) const { return when != o.when ? when > o.when : seq > o.seq; }
  };

  void push(Cycle when, const Payload& payload) {
    uint32_t i = free_;
    if (i != kNone) {
      free_ = nodes_[i].next;
      nodes_[i] = {payload, kNone};
    } else {
      i = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({payload, kNone});
    }
    uint32_t slot = when % kSlots;
    Slot& s = slots_[slot];
    if (s.tail == kNone) {
      s.head = i;
      bitmap_[slot / 64] |= uint64_t{1} << (slot % 64);
    } else {
      nodes_[s.tail].next = i;
    }
    s.tail = i;
    ++in_wheel_;
  }

  Cycle base_ = 0;
  uint64_t seq_ = 0;
  uint32_t in_wheel_ = 0;
  uint32_t free_ = kNone;
  std::vector<Slot> slots_;
  uint64_t bitmap_[kWords] = {};
  std::vector<Node> nodes_;
  std::priority_queue<Far> far_;
};

}  // namespace heddle
