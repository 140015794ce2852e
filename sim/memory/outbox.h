// What an SM has sent towards memory and what has not left it yet. A packet leaves at its own time: the
// memory side takes those that have left before its horizon, the others stay and may still be added to.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/memory/message.h"

namespace heddle::memory {

class Outbox {
 public:
  // A packet that the network has no room for, or that is behind one.
  struct Held {
    Request request;
    Cycle ready = 0;     // when it could have left
    uint32_t bytes = 0;  // of reductions and atomics: what the port passes

    template <class Archive>
    void serialize(Archive& ar) {
      ar(request, ready, bytes);
    }
  };

  // A packet through the SM's request port; their times never go back. Returns its number.
  uint32_t send(const Request& r) {
    assert(packets_.size() == first_ || packets_.back().time <= r.time);
    packets_.push_back(r);
    return (gone_ + static_cast<uint32_t>(packets_.size() - 1 - first_)) & ~kHeld;
  }
  // A fetch of code or constants, which has a way of its own.
  void fetch(const Request& r) {
    fetches_.insert(std::upper_bound(fetches_.begin(), fetches_.end(), r.time,
                                     [](Cycle t, const Request& o) { return t < o.time; }),
                    r);
  }

  // One that cannot leave yet; first in, first out. Returns its number until it is released.
  uint32_t hold(const Held& h) {
    held_.push_back(h);
    return (released_ + static_cast<uint32_t>(held_.size() - 1)) | kHeld;
  }
  size_t held() const { return held_.size(); }
  const Held& first_held() const { return held_.front(); }
  uint32_t first_held_number() const { return released_ | kHeld; }
  static bool is_held(uint32_t number) { return (number & kHeld) != 0; }
  // How many are held in front of that one.
  uint32_t held_before(uint32_t number) const { return (number - released_) & ~kHeld; }
  Held release() {
    const Held h = held_.front();
    held_.pop_front();
    ++released_;
    return h;
  }

  // The packet with that number while it has not left at `now`, else null.
  Request* waiting(uint32_t number, Cycle now) {
    if (is_held(number)) {
      const uint32_t i = held_before(number);
      return i < held_.size() ? &held_[i].request : nullptr;
    }
    const uint32_t i = (number - gone_) & ~kHeld;  // of those that the memory side has taken: beyond the end
    if (i >= packets_.size() - first_ || packets_[first_ + i].time <= now) {
      return nullptr;
    }
    return &packets_[first_ + i];
  }

  // Whether it is the packet that leaves last.
  bool newest(uint32_t number) const {
    return held_.empty() && ((number - gone_) & ~kHeld) + 1 == packets_.size() - first_;
  }

  // When the next one leaves; kNever: none is waiting.
  Cycle next() const {
    const Cycle packet = first_ < packets_.size() ? packets_[first_].time : kNever;
    return fetches_.empty() ? packet : std::min(packet, fetches_.front().time);
  }
  // Of launch `grid`, when the last packet leaves; 0: none is waiting; kNever: that is not known yet.
  Cycle last_departure(uint8_t grid) const {
    if (std::any_of(held_.begin(), held_.end(), [&](const Held& h) { return h.request.grid == grid; })) {
      return kNever;
    }
    Cycle last = 0;
    for (size_t i = first_; i < packets_.size(); ++i) {
      last = packets_[i].grid == grid ? std::max(last, packets_[i].time) : last;
    }
    return last;
  }

  // Hands over what leaves before `horizon`: the packets in order, then the fetches in order.
  template <class Take>
  void depart(Cycle horizon, Take&& take) {
    const size_t before = first_;
    for (; first_ < packets_.size() && packets_[first_].time < horizon; ++first_) {
      take(packets_[first_]);
    }
    gone_ += static_cast<uint32_t>(first_ - before);
    if (first_ == packets_.size()) {
      packets_.clear();
      first_ = 0;
    } else if (first_ > kCompact) {
      packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    if (!fetches_.empty()) {
      auto f = fetches_.begin();
      for (; f != fetches_.end() && f->time < horizon; ++f) {
        take(*f);
      }
      fetches_.erase(fetches_.begin(), f);
    }
  }

  void clear() {
    packets_.clear();
    fetches_.clear();
    held_.clear();
    first_ = 0;
    gone_ = released_ = 0;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    if (!ar.reading()) {
      packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(first_));
    }
    first_ = 0;
    ar(packets_, fetches_, gone_, held_, released_);
  }

 private:
  static constexpr size_t kCompact = 256;
  static constexpr uint32_t kHeld = 1u << 31;  // in numbers

  std::vector<Request> packets_;  // from first_ on
  std::vector<Request> fetches_;
  std::deque<Held> held_;
  uint32_t released_ = 0;
  size_t first_ = 0;
  uint32_t gone_ = 0;  // packets that have left
};

}  // namespace heddle::memory
