// Program counter to instruction index. A hash table, because traced functions lie at arbitrary offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::accelsim {

class PcMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t find(uint32_t pc) const {
    for (size_t i = slot(pc);; i = (i + 1) & mask_) {
      if (slots_[i].index == kNone || slots_[i].pc == pc) {
        return slots_[i].index;
      }
    }
  }

  // `pc` must not be in the map yet.
  void insert(uint32_t pc, uint32_t index) {
    if (++size_ * 2 > slots_.size()) {
      std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
      mask_ = slots_.size() - 1;
      for (const Slot& s : old) {
        if (s.index != kNone) {
          place(s);
        }
      }
    }
    place({pc, index});
  }

 private:
  struct Slot {
    uint32_t pc = 0;
    uint32_t index = kNone;
  };

  // Instructions are 8 or 16 bytes apart; the multiplication spreads what is left over the upper half.
  size_t slot(uint32_t pc) const { return (uint64_t{pc >> 3} * 0x9e3779b97f4a7c15u >> 32) & mask_; }
  void place(Slot s) {
    size_t i = slot(s.pc);
    while (slots_[i].index != kNone) {
      i = (i + 1) & mask_;
    }
    slots_[i] = s;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  size_t mask_ = 63;
  size_t size_ = 0;
};

}  // namespace heddle::accelsim
