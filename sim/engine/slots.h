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
  size_t used() const { return all_.size() - free_.size(); }
  void clear() {
    all_.clear();
    free_.clear();
  }

 private:
  Storage all_;
  std::vector<uint32_t> free_;
};

}  // namespace heddle
