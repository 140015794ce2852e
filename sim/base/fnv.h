// The hash of everything that is kept: the same on every machine and with every library.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

// FNV-1a, 64 bits.
class Fnv {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      add(uint64_t{static_cast<uint8_t>(c)});
    }
  }
  // A whole number in one step: not what its bytes would give.
  void add(uint64_t number) { value_ = (value_ ^ number) * 0x100000001b3; }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace heddle
