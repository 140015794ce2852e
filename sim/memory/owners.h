// Whose memory an address is, where several devices have one address space.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "sim/memory/message.h"

namespace heddle::memory {

inline constexpr uint8_t kNoDevice = 0xff;

class Owners {
 public:
  // These bytes, whole lines, are in the memory of `device`. Ranges do not overlap.
  void add(uint64_t base, uint64_t bytes, uint8_t device) {
    ranges_[base / kLineBytes] = {(base + bytes) / kLineBytes, device};
  }
  // kNoDevice: everybody has memory of his own there.
  uint8_t of(uint64_t line) const {
    auto r = ranges_.upper_bound(line);
    if (r == ranges_.begin() || line >= std::prev(r)->second.end) {
      return kNoDevice;
    }
    return std::prev(r)->second.device;
  }

 private:
  struct Range {
    uint64_t end;
    uint8_t device;
  };
  std::map<uint64_t, Range> ranges_;  // by first line
};

}  // namespace heddle::memory
