// Things that come and go and are called by number: a number is used again once its thing has gone, the last
// one first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

// `Storage` as std::deque: things stay where they are while others are added.
template <class T, class Storage = std::vector<T>>
class Slots {
 public:
  // A number; what is there is new, or what was left there.
  uint32_t take() {
    if (free_.empty()) {
      all_.emplace_back();
      return static_cast<uint32_t>(all_.size() - 1);
    }
    const uint32_t i = free_.back();
    free_.pop_back();
    return i;
  }
  uint32_t add(const T& value) {
    const uint32_t i = take();
    all_[i] = value;
    return i;
  }
  void remove(uint32_t i) { free_.push_back(i); }
  T& operator[](uint32_t i) { return all_[i]; }
  const T& operator[](uint32_t i) const { return all_[i]; }
  size_t places() const { return all_.size(); }  // free ones, too
  size_t used() const { return all_.size() - free_.size(); }
  void clear() {
    all_.clear();
    free_.clear();
  }

  // What the free places hold is not kept.
  template <class Archive>
  void serialize(Archive& ar) {
    serialize(ar, [&](T& thing, uint32_t) { ar(thing); });
  }
  // `each`, of a thing and its number, writes or reads it.
  template <class Archive, class Each>
  void serialize(Archive& ar, Each&& each) {
    ar(free_);
    const size_t n = free_.size() + ar.size(used());
    if (ar.reading()) {
      all_.clear();
      all_.resize(n);
    }
    std::vector<bool> used(n, true);
    for (const uint32_t i : free_) {
      ar.check(i < n, "a free place that there is not");
      used[i] = false;
    }
    for (uint32_t i = 0; i < n; ++i) {
      if (used[i]) {
        each(all_[i], i);
      }
    }
  }

 private:
  Storage all_;
  std::vector<uint32_t> free_;
};

}  // namespace heddle
