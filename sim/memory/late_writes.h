// Stores on their way to their slice. Requests are served in the order in which they left their SMs, but a
// store changes what others read only once it is there: a read from a nearer SM, that has left later, may be
// there first. So stores pass stores and reads pass stores as far as the network lets them, which is what
// makes a GPU's memory model a weak one; each byte still has one order of values for everybody.
//
// What an SM has stored it reads itself, and then everybody does. An atomic finds all stores before it done.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

class LateWrites {
 public:
  // A store that reaches its slice at `at`.
  void add(const Request& r, const Payload& p, Ticks at);
  // Before request `r`, which reaches its slice at `at`, is performed: does the stores to its line that are
  // there by then; before any but a read all of them. Returns whether memory has changed.
  bool settle(isa::GlobalMemory& memory, const Request& r, Ticks at);
  // Does all that is there at `at`, of all lines.
  bool settle(isa::GlobalMemory& memory, Ticks at);
  bool empty() const { return writes_.empty(); }
  void clear() {
    writes_.clear();
    heads_.fill(0);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(writes_, heads_);
  }

 private:
  static constexpr size_t kHeads = 512;
  struct Write {
    Ticks at;
    uint32_t next;  // of those with the same head, that left before
    uint16_t sm;
    uint8_t sectors;
    bool done;
    uint64_t line;
    std::array<uint32_t, kSectorsPerLine> bytes{};
    std::array<uint8_t, kLineBytes> data{};

    template <class Archive>
    void serialize(Archive& ar) {
      ar(at, next, sm, sectors, done, line, bytes, data);
    }
  };

  static size_t head(uint64_t line) { return line % kHeads; }
  // Those in found_, in the order of their arrival.
  bool perform_found(isa::GlobalMemory& memory);

  std::vector<Write> writes_;             // as they left
  std::array<uint32_t, kHeads> heads_{};  // 1 + the last one's place; 0: none
  std::vector<uint32_t> found_;
};

}  // namespace heddle::memory
